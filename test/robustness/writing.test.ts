// A source under --fix is the old text or the new one whatever ends the command, at every write that it makes.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { replaceFile, savedCopies } from '../../cli/src/replaceFile';
import { skipBecause } from '../support/skipBecause';

const old = Buffer.from(`// old\n${'a'.repeat(20_000)}\n`);
const fresh = Buffer.from(`// new\n${'b'.repeat(30_000)}\n`);
const replacing = join(__dirname, 'replaceOnce.ts');
const compiler = ['cc', 'gcc', 'clang'].find((name) => spawnSync(name, ['--version']).status === 0);

/** Ends the process, or fails with an error number, at call number AT of those that change files. */
const interposer = String.raw`
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/types.h>
static int counted;
static int ours(const char *path) { return path && strstr(path, getenv("FOLDER")) != 0; }
static int of(int file) { char link[64], path[4096]; snprintf(link, 64, "/proc/self/fd/%d", file); ssize_t n = readlink(link, path, 4095); if (n < 1) return 0; path[n] = 0; return ours(path); }
static int now(void) {
  if (++counted != atoi(getenv("AT"))) return 0;
  if (!getenv("ERROR")) raise(SIGKILL);
  errno = atoi(getenv("ERROR"));
  return 1;
}
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
ssize_t write(int f, const void *b, size_t n) { if (of(f) && now()) return -1; return REAL(write)(f, b, of(f) && n > 4096 ? 4096 : n); }
ssize_t pwrite(int f, const void *b, size_t n, off_t o) { if (of(f) && now()) return -1; return REAL(pwrite)(f, b, n > 4096 ? 4096 : n, o); }
ssize_t pwrite64(int f, const void *b, size_t n, off64_t o) { if (of(f) && now()) return -1; return REAL(pwrite64)(f, b, n > 4096 ? 4096 : n, o); }
int fsync(int f) { if (of(f) && now()) return -1; return REAL(fsync)(f); }
int fchmod(int f, mode_t m) { if (of(f) && now()) return -1; return REAL(fchmod)(f, m); }
int ftruncate(int f, off_t n) { if (of(f) && now()) return -1; return REAL(ftruncate)(f, n); }
int ftruncate64(int f, off64_t n) { if (of(f) && now()) return -1; return REAL(ftruncate64)(f, n); }
int rename(const char *a, const char *b) { if (ours(b) && now()) return -1; return REAL(rename)(a, b); }
int unlink(const char *a) { if (ours(a) && now()) return -1; return REAL(unlink)(a); }
`;

describe('writing a source', function () {
  this.timeout(300_000);
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'warplens-writing-'));
    file = join(folder, 'k.cu');
    writeFileSync(file, old);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const others = (): string[] => readdirSync(folder).filter((name) => name !== 'k.cu' && name !== 'hard.cu');

  it('keeps the mode, and leaves nothing beside', () => {
    chmodSync(file, 0o751);
    replaceFile(file, old, fresh);
    assert.deepEqual(readFileSync(file), fresh);
    assert.equal(statSync(file).mode & 0o777, 0o751);
    assert.deepEqual(others(), []);
  });

  it('writes through a link', () => {
    const link = join(folder, 'link.cu');
    symlinkSync('k.cu', link);
    replaceFile(link, old, fresh);
    assert.ok(lstatSync(link).isSymbolicLink());
    assert.deepEqual(readFileSync(file), fresh);
  });

  it('keeps the names of a file together', () => {
    const other = join(folder, 'hard.cu');
    linkSync(file, other);
    replaceFile(file, old, fresh);
    assert.deepEqual(readFileSync(other), fresh);
    assert.equal(statSync(file).ino, statSync(other).ino);
    assert.deepEqual(others(), []);
  });

  it('refuses what may not be written', () => {
    chmodSync(file, 0o444);
    // Root may write everything: nobody (uid 65534) tries in its place.
    const isRoot = process.getuid?.() === 0;
    if (isRoot) {
      chmodSync(folder, 0o777);
      process.seteuid!(65534);
    }
    try {
      assert.throws(() => replaceFile(file, old, fresh), { code: 'EACCES' });
    } finally {
      if (isRoot) process.seteuid!(0);
    }
    assert.deepEqual(readFileSync(file), old);
  });

  /** Runs the replacement in a process that ends, or fails, at one call after the other, until it comes through. */
  function atEveryCall(error: string | undefined, judge: (at: number) => void): number {
    const library = join(folder, 'interposer.so');
    const kept = mkdtempSync(join(tmpdir(), 'warplens-interposer-'));
    const place = join(kept, 'interposer.so');
    try {
      writeFileSync(join(kept, 'interposer.c'), interposer);
      execFileSync(compiler!, ['-shared', '-fPIC', '-o', place, join(kept, 'interposer.c'), '-ldl']);
      const bundle = join(kept, 'replace.cjs');
      execFileSync(
        process.execPath,
        [
          '-e',
          `require('esbuild').buildSync({ entryPoints: [process.argv[1]], outfile: process.argv[2], bundle: true, platform: 'node' })`,
          replacing,
          bundle,
        ],
        { cwd: join(__dirname, '../..') },
      );
      for (let at = 1; at < 200; at++) {
        const { status, signal } = spawnSync(process.execPath, [bundle, file, 'b'], {
          env: { ...process.env, LD_PRELOAD: place, FOLDER: folder, AT: String(at), ...(error && { ERROR: error }) },
        });
        if (status === 0 && signal === null) return at;
        judge(at);
        rmSync(library, { force: true });
      }
      throw new Error('it never came through');
    } finally {
      rmSync(kept, { recursive: true, force: true });
    }
  }

  const whole = (at: number): void => {
    const now = readFileSync(file);
    assert.ok(now.equals(old) || now.equals(fresh), `call ${at}: ${now.length} bytes`);
    if (now.equals(fresh)) writeFileSync(file, old);
  };

  it('is whole when the process is killed at any call', function () {
    if (!compiler || process.platform !== 'linux') skipBecause(this, 'It needs a C compiler and LD_PRELOAD.');
    const calls = atEveryCall(undefined, whole);
    assert.ok(calls > 10, `${calls} calls`);
    assert.deepEqual(others(), [], 'the run that came through took the leavings of the killed ones along');
  });

  it('is whole when the disk is full at any call', function () {
    if (!compiler || process.platform !== 'linux') skipBecause(this, 'It needs a C compiler and LD_PRELOAD.');
    atEveryCall('28', whole);
    atEveryCall('27', whole);
  });

  it('loses no byte of a file of two names, at any call', function () {
    if (!compiler || process.platform !== 'linux') skipBecause(this, 'It needs a C compiler and LD_PRELOAD.');
    linkSync(file, join(folder, 'hard.cu'));
    atEveryCall(undefined, (at) => {
      const now = readFileSync(file);
      const copies = savedCopies(file).map((copy) => readFileSync(copy));
      assert.ok(now.equals(old) || now.equals(fresh) || copies.some((copy) => copy.equals(old)), `call ${at}`);
      for (const copy of savedCopies(file)) rmSync(copy);
      writeFileSync(file, old);
    });
    assert.equal(statSync(file).nlink, 2);
    assert.ok(!existsSync(join(folder, 'interposer.so')));
  });
});

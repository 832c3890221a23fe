// A source under --fix is the old text or the new one whatever ends the command, at every write that it makes.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
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
import { replaceFile } from '../../cli/src/replaceFile';
import { skipBecause } from '../support/skipBecause';
import { deep, drawn } from '../support/depth';
import { longText } from './writeOnce';

const old = Buffer.from(`// old\n${'a'.repeat(20_000)}\n`);
const fresh = Buffer.from(`// new\n${longText}\n`);
const writer = join(__dirname, 'writeOnce.ts');
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
/* A disk that is full stays full for what writes; a call of another kind fails once. */
static int now(int writes) {
  counted++;
  if (counted != atoi(getenv("AT")) && !(writes && getenv("ERROR") && counted > atoi(getenv("AT")))) return 0;
  if (!getenv("ERROR")) raise(SIGKILL);
  errno = atoi(getenv("ERROR"));
  return 1;
}
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
ssize_t write(int f, const void *b, size_t n) { if (of(f) && now(1)) return -1; return REAL(write)(f, b, of(f) && n > 4096 ? 4096 : n); }
ssize_t pwrite(int f, const void *b, size_t n, off_t o) { if (of(f) && now(1)) return -1; return REAL(pwrite)(f, b, n > 4096 ? 4096 : n, o); }
ssize_t pwrite64(int f, const void *b, size_t n, off64_t o) { if (of(f) && now(1)) return -1; return REAL(pwrite64)(f, b, n > 4096 ? 4096 : n, o); }
int fsync(int f) { if (of(f) && now(0)) return -1; return REAL(fsync)(f); }
int fchmod(int f, mode_t m) { if (of(f) && now(0)) return -1; return REAL(fchmod)(f, m); }
int ftruncate(int f, off_t n) { if (of(f) && now(0)) return -1; return REAL(ftruncate)(f, n); }
int ftruncate64(int f, off64_t n) { if (of(f) && now(0)) return -1; return REAL(ftruncate64)(f, n); }
int rename(const char *a, const char *b) { if (ours(b) && now(0)) return -1; return REAL(rename)(a, b); }
int link(const char *a, const char *b) { if (ours(b) && now(0)) return -1; return REAL(link)(a, b); }
int unlink(const char *a) { if (ours(a) && now(0)) return -1; return REAL(unlink)(a); }
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
  const others = (): string[] => readdirSync(folder).filter((name) => name !== 'k.cu');

  it('keeps the mode, and leaves nothing beside', () => {
    chmodSync(file, 0o751);
    replaceFile(file, 'k.cu', fresh);
    assert.deepEqual(readFileSync(file), fresh);
    assert.equal(statSync(file).mode & 0o777, 0o751);
    assert.deepEqual(others(), []);
  });

  it('writes through a link', () => {
    const link = join(folder, 'link.cu');
    symlinkSync('k.cu', link);
    replaceFile(link, 'k.cu', fresh);
    assert.ok(lstatSync(link).isSymbolicLink());
    assert.deepEqual(readFileSync(file), fresh);
  });

  it('does not part the names of a file', () => {
    linkSync(file, join(folder, 'hard.cu'));
    assert.throws(() => replaceFile(file, 'k.cu', fresh), /k\.cu has several names/);
    assert.deepEqual(readFileSync(file), old);
  });

  it('refuses what may not be written', () => {
    chmodSync(file, 0o444);
    // Root may write everything: uid 65534 tries in its place.
    const isRoot = process.getuid?.() === 0;
    if (isRoot) {
      chmodSync(folder, 0o777);
      process.seteuid!(65534);
    }
    try {
      assert.throws(
        () => replaceFile(file, 'k.cu', fresh),
        /k\.cu cannot be written \(permission denied\); it is unchanged/,
      );
    } finally {
      if (isRoot) process.seteuid!(0);
    }
    assert.deepEqual(readFileSync(file), old);
  });

  /** Runs the replacement in a process that ends, or fails, at one call after the other, until it comes through. */
  function atEveryCall(
    error: string | undefined,
    judge: (at: number) => void,
    words: readonly string[] = ['source', folder],
  ): number {
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
          `require('esbuild').buildSync({ entryPoints: [process.argv[1]], outfile: process.argv[2], bundle: true, platform: 'node', alias: require('./tools/aliases.json') })`,
          writer,
          bundle,
        ],
        { cwd: join(__dirname, '../..') },
      );
      for (let at = 1; at < 200; at++) {
        const { status, signal } = spawnSync(process.execPath, [bundle, ...words], {
          env: { ...process.env, LD_PRELOAD: place, FOLDER: folder, AT: String(at), ...(error && { ERROR: error }) },
        });
        judge(at);
        if (status === 0 && signal === null) return at;
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
    assert.ok(calls > 6, `${calls} calls`);
  });

  it('is whole when the disk is full at any call', function () {
    if (!compiler || process.platform !== 'linux') skipBecause(this, 'It needs a C compiler and LD_PRELOAD.');
    for (const error of ['28', '27'].slice(0, drawn(1, 2))) {
      const calls = atEveryCall(error, whole);
      assert.ok(calls > 6, `${calls} calls`);
    }
  });

  interface Kept {
    /** What is done once, undisturbed, before. */
    readonly first?: readonly string[];
    readonly what: string;
    /** Says what is wrong with what is there now. */
    readonly judge: (store: string) => string | undefined;
  }
  const json = (path: string): Record<string, unknown> | undefined =>
    existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>) : undefined;
  const kept: Readonly<Record<string, Kept>> = {
    'a new baseline': {
      what: 'baseline',
      judge(store) {
        const found = json(join(store, 'baseline.json'));
        return found && String(found['all']).length !== 20_000 ? 'cut' : undefined;
      },
    },
    'a step behind another': {
      first: ['step'],
      what: 'step',
      judge(store) {
        const { steps } = json(join(store, 'steps.json')) as unknown as { steps: { notes: string[] }[] };
        const whole = steps.length >= 1 && steps.every(({ notes }) => notes[0]?.length === 20_000);
        return whole ? undefined : `${steps.length} steps`;
      },
    },
    'a remark on a step': {
      first: ['step'],
      what: 'remark',
      judge(store) {
        const { steps } = json(join(store, 'steps.json')) as unknown as { steps: { notes: string[] }[] };
        return steps.length === 1 && steps[0]!.notes[0]!.length === 20_000 ? undefined : 'lost';
      },
    },
    'a report over another': {
      first: ['report'],
      what: 'report',
      judge: (store) => (readFileSync(join(store, 'a-001.ncu-rep')).length === 20_003 ? undefined : 'cut'),
    },
    'a result of check': {
      what: 'result',
      judge(store) {
        for (const part of readdirSync(store))
          for (const name of readdirSync(join(store, part))) {
            const text = readFileSync(join(store, part, name), 'utf8');
            // A partial file has another name, which is never read.
            if (!name.includes('.') && !text.includes('"never"')) return 'cut';
          }
        return undefined;
      },
    },
  };
  const endings = [undefined, '28', '27'];
  /** What is tried outside of deep runs: each kind of ending once. */
  const usual: Readonly<Record<string, readonly (string | undefined)[]>> = {
    'a new baseline': [undefined],
    'a report over another': ['28'],
  };
  for (const [name, { first, what, judge }] of Object.entries(kept)) {
    const errors = deep ? endings : usual[name];
    if (errors === undefined) continue;
    it(`${name} is there whole or not at all, whatever ends the process at any call`, function () {
      if (!compiler || process.platform !== 'linux') skipBecause(this, 'It needs a C compiler and LD_PRELOAD.');
      for (const error of errors) {
        const begun = mkdtempSync(join(folder, 'begun-'));
        const store = join(folder, `store-${error ?? 'killed'}`);
        for (const each of first ?? [])
          execFileSync(process.execPath, ['--import', 'tsx', writer, each, begun], { cwd: join(__dirname, '../..') });
        cpSync(begun, store, { recursive: true });
        const judged = (at: number): void => {
          assert.equal(judge(store), undefined, `call ${at}, ${error ?? 'killed'}`);
          rmSync(store, { recursive: true });
          cpSync(begun, store, { recursive: true });
        };
        const calls = atEveryCall(error, judged, [what, store]);
        // A result that cannot be kept is not a failure: the command goes on without.
        assert.ok(calls > (what === 'result' && error ? 0 : 4), `${calls} calls, ${error ?? 'killed'}`);
      }
    });
  }
});

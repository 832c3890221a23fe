/** Files on this machine: results that are there whole or not at all, and the folder in which they are kept. */

import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { link, mkdir, mkdtemp, open, readFile, readdir, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, basename } from 'node:path';

import { ProfileProblem } from './problem';

/**
 * Writes a file beside its final place and renames it there when `fill` is done, so that a reader (and a crash) sees
 * the old file or the new one. When `fill` or `accept` rejects, nothing is left. A disk that is full or closed to us is
 * a ProfileProblem (`local-disk`).
 */
export async function writeResultFile(
  path: string,
  fill: (write: (chunk: Uint8Array) => void) => Promise<void>,
  accept?: (copy: string) => Promise<void>,
): Promise<void> {
  const part = join(dirname(path), `.${basename(path)}.${randomBytes(4).toString('hex')}.part`);
  let file: number | undefined;
  let made = false;
  try {
    await makeFolder(dirname(path));
    file = openSync(part, 'wx', 0o644);
    made = true;
    const descriptor = file;
    await fill((chunk) => {
      for (let at = 0; at < chunk.length; ) at += writeSync(descriptor, chunk, at, chunk.length - at);
    });
    fsyncSync(file);
    closeSync(file);
    file = undefined;
    await accept?.(part);
    renameSync(part, path);
  } catch (error) {
    if (file !== undefined) closeSync(file);
    if (made) rmSync(part, { force: true });
    throw asDiskProblem(error, path);
  }
}

/** Makes a folder. Git ignores a `.warplens` that is made with it; one that exists keeps what is in it. */
async function makeFolder(folder: string): Promise<void> {
  const home = basename(folder) === '.warplens' ? folder : dirname(folder);
  if (basename(home) === '.warplens' && (await mkdir(home, { recursive: true })) !== undefined)
    await writeFile(join(home, '.gitignore'), '*\n');
  await mkdir(folder, { recursive: true });
}

/**
 * Gives a file in the folder a unique name there, by a link, which never takes a name that is in use: so it is the
 * only one of its name even if others do the same at once. `nameOf` returns the name to try, from the existing ones.
 */
export async function giveFreeName(copy: string, nameOf: (taken: readonly string[]) => string): Promise<string> {
  const folder = dirname(copy);
  for (let attempt = 0; ; attempt++) {
    const name = nameOf(await namesIn(folder));
    try {
      await link(copy, join(folder, name));
      await rm(copy, { force: true });
      return name;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EEXIST' && attempt < 1000) continue;
      if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS') throw asDiskProblem(error, join(folder, name));
      // A disk without links (FAT): the lock that the caller holds must do.
      await rename(copy, join(folder, name));
      return name;
    }
  }
}

/** `name-001.ncu-rep`, counting on from what is there: an earlier report is never overwritten. */
export function freeReportName(names: readonly string[], program: string): string {
  const taken = names
    .map((name) => /^(.*)-(\d+)\.ncu-rep$/.exec(name))
    .filter((match) => match?.[1] === program)
    .map((match) => Number(match![2]));
  return `${program}-${String(Math.max(0, ...taken) + 1).padStart(3, '0')}.ncu-rep`;
}

/** Milliseconds after which a half-written file of a killed process may be removed. */
const abandonedAfter = 24 * 60 * 60 * 1000;

/** Removes what processes that were killed left half written in a folder. Never rejects. */
export async function removeAbandoned(folder: string, now = Date.now()): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    if (!/^\..+\.(?:part|fetched)$/.test(name)) continue;
    const path = join(folder, name);
    const changed = await stat(path).then(
      ({ mtimeMs }) => mtimeMs,
      () => now,
    );
    if (now - changed > abandonedAfter) await rm(path, { force: true }).catch(() => undefined);
  }
}

/** Text as a result file. */
export async function writeResultText(path: string, text: string): Promise<void> {
  await writeResultFile(path, async (write) => write(Buffer.from(text, 'utf8')));
}

/** A lock that is older was left by a process that is gone. */
const oldestLockMilliseconds = 10_000;
const longestWaitMilliseconds = 15_000;

/**
 * Does `work` while no other process (or caller here) does so for the same path; `path.lock` exists during that time.
 */
export async function whileLocked<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  const lock = `${path}.lock`;
  const until = Date.now() + longestWaitMilliseconds;
  let held = false;
  while (!held && Date.now() < until) {
    try {
      await makeFolder(dirname(path));
      await (await open(lock, 'wx')).close();
      held = true;
    } catch (error) {
      // A folder that cannot be written is said by the work itself, in its own words.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') break;
      const age = await stat(lock).then(
        ({ mtimeMs }) => Date.now() - mtimeMs,
        () => 0,
      );
      if (age > oldestLockMilliseconds) await rm(lock, { force: true });
      else await new Promise((resolve) => setTimeout(resolve, 20 + 30 * Math.random()));
    }
  }
  try {
    return await work();
  } finally {
    if (held) await rm(lock, { force: true });
  }
}

/** A file's text, or undefined when there is no such file. */
export async function readTextIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || (error as NodeJS.ErrnoException).code === 'ENOTDIR')
      return undefined;
    throw asDiskProblem(error, path);
  }
}

/** The names in a folder; none when there is no such folder. */
export async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}

/** What a path is here, or undefined when it is nothing. */
export async function kindOf(path: string): Promise<'file' | 'folder' | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() ? 'folder' : found?.isFile() ? 'file' : undefined;
}

/** The path with links resolved, or as it is when it leads nowhere. */
export async function resolved(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}

function asDiskProblem(error: unknown, path: string): unknown {
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG') {
    return new ProfileProblem(
      'store',
      'local-disk',
      `This machine has no space for ${path}.`,
      'Free some space, or use another folder with --store; earlier results are untouched.',
    );
  }
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS' || code === 'ENOTDIR' || code === 'EISDIR') {
    return new ProfileProblem(
      'store',
      'local-disk',
      `${path} cannot be written or read (${code}).`,
      'Check its permissions, or use another folder with --store.',
    );
  }
  return error;
}

/** A private folder of this machine for the time of `work`; it is gone afterwards, whatever happened. */
export async function withTemporaryFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'warplens-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

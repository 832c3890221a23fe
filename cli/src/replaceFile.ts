// Replaces a file's contents so that the complete old or new bytes exist at every moment, crashes and full disks
// included.
import { randomBytes } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
  type Stats,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

/**
 * Writes `bytes` in place of `before`, the present contents. The new bytes go to a file beside it, which then takes its
 * name: links to it stay links, its mode and owner stay. A file of several names (hard links), of another owner, or in
 * a folder that takes no new file is written in place, with the old bytes kept in a file beside it, or in the temporary
 * folder, until the new ones are on the disk; after a crash they are there. Throws what the system throws; then the
 * contents are the old ones.
 */
export function replaceFile(path: string, before: Uint8Array, bytes: Uint8Array): void {
  const file = realpathSync(path);
  accessSync(file, constants.W_OK);
  const found = statSync(file);
  if (!found.isFile()) throw Object.assign(new Error(`${path} is not a plain file`), { code: 'EINVAL' });
  clearAway(file);
  if (found.nlink > 1 || !rename(file, found, bytes)) overwrite(file, before, bytes);
}

/**
 * Makes a file that is not there yet, whole or not at all. Throws what the system throws: `EEXIST` where another has
 * been made in the meantime.
 */
export function createFile(path: string, bytes: Uint8Array): void {
  clearAway(path);
  const beside = besideName(dirname(path), path, 'new');
  const target = openSync(beside, 'wx', 0o666);
  try {
    try {
      writeAll(target, bytes);
      fsyncSync(target);
    } finally {
      closeSync(target);
    }
    giveName(beside, path);
  } finally {
    quietly(() => unlinkSync(beside));
  }
  syncFolder(dirname(path));
}

/** A link never takes an existing name; a disk without links (FAT) can only rename. */
function giveName(beside: string, path: string): void {
  try {
    linkSync(beside, path);
  } catch (error) {
    if (!['EPERM', 'ENOTSUP', 'ENOSYS'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    renameSync(beside, path);
  }
}

/** False when this file cannot be replaced by another; throws when there is no room for it. */
function rename(file: string, found: Stats, bytes: Uint8Array): boolean {
  const beside = besideName(dirname(file), file, 'new');
  let target: number;
  try {
    target = openSync(beside, 'wx', 0o600);
  } catch (error) {
    if (['EACCES', 'EPERM', 'EROFS', 'ENAMETOOLONG'].includes((error as NodeJS.ErrnoException).code ?? ''))
      return false;
    throw error;
  }
  try {
    try {
      writeAll(target, bytes);
      if (!keepsOwner(target, found)) {
        unlinkSync(beside);
        return false;
      }
      fchmodSync(target, found.mode & 0o7777);
      fsyncSync(target);
    } finally {
      closeSync(target);
    }
    renameSync(beside, file);
  } catch (error) {
    quietly(() => unlinkSync(beside));
    throw error;
  }
  syncFolder(dirname(file));
  return true;
}

function keepsOwner(target: number, found: Stats): boolean {
  const made = fstatSync(target);
  if (made.uid === found.uid && made.gid === found.gid) return true;
  try {
    fchownSync(target, found.uid, found.gid);
    return true;
  } catch {
    return false;
  }
}

function overwrite(file: string, before: Uint8Array, bytes: Uint8Array): void {
  const saved = save(file, before);
  let target: number | undefined;
  let whole = true;
  try {
    target = openSync(file, 'r+');
    whole = false;
    // Room for the longer of the two is taken before a byte of the old text is overwritten.
    if (bytes.length > before.length) writeAll(target, bytes.subarray(before.length), before.length);
    writeAll(target, bytes.subarray(0, before.length), 0);
    ftruncateSync(target, bytes.length);
    fsyncSync(target);
    whole = true;
  } catch (error) {
    if (target !== undefined) {
      writeAll(target, before, 0);
      ftruncateSync(target, before.length);
      fsyncSync(target);
      whole = true;
    }
    throw error;
  } finally {
    if (target !== undefined) closeSync(target);
    // If the old bytes could not be restored, the copy stays.
    if (whole) quietly(() => unlinkSync(saved));
  }
}

/** The old bytes, on disk under another name. */
function save(file: string, before: Uint8Array): string {
  let failure: unknown;
  for (const folder of [dirname(file), tmpdir()]) {
    const name = besideName(folder, file, 'before');
    try {
      const target = openSync(name, 'wx', 0o600);
      try {
        writeAll(target, before);
        fsyncSync(target);
      } catch (error) {
        quietly(() => unlinkSync(name));
        throw error;
      } finally {
        closeSync(target);
      }
      syncFolder(folder);
      return name;
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

function writeAll(target: number, bytes: Uint8Array, position = 0): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(target, bytes, at, bytes.length - at, position + at);
}

/** `.name.warplens-new-PID-RANDOM`: hidden, of no extension that anything reads. */
function besideName(folder: string, file: string, what: 'new' | 'before'): string {
  return join(
    folder,
    `.${basename(file).slice(0, 180)}.warplens-${what}-${process.pid}-${randomBytes(4).toString('hex')}`,
  );
}

/** Files of new bytes left behind by a killed run. Copies of old bytes are kept for the user. */
function clearAway(file: string): void {
  const start = `.${basename(file).slice(0, 180)}.warplens-new-`;
  quietly(() => {
    for (const name of readdirSync(dirname(file))) {
      if (!name.startsWith(start)) continue;
      const pid = Number(name.slice(start.length).split('-')[0]);
      if (Number.isInteger(pid) && !runs(pid)) quietly(() => unlinkSync(join(dirname(file), name)));
    }
  });
}

/** Copies of a file's text left beside it by a run that was killed while writing. */
export function savedCopies(path: string): readonly string[] {
  const start = `.${basename(path).slice(0, 180)}.warplens-before-`;
  try {
    return readdirSync(dirname(path))
      .filter((name) => name.startsWith(start) && !runs(Number(name.slice(start.length).split('-')[0])))
      .map((name) => join(dirname(path), name));
  } catch {
    return [];
  }
}

function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function syncFolder(folder: string): void {
  quietly(() => {
    const handle = openSync(folder, constants.O_RDONLY);
    try {
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  });
}

/** Steps that may fail without harm: cleanup, and syncing a folder where the system cannot. */
function quietly(act: () => void): void {
  try {
    act();
  } catch {
    /* no harm */
  }
}

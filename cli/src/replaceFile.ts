// Writes files that a full disk or the end of the process at any moment leaves whole.
import { randomBytes } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { BadUse } from './badUse';

/**
 * Writes a file by another beside it that takes its name: links to it stay links, its mode and owner stay. Throws
 * BadUse, and leaves what was there, where the system refuses, and for a file of several names, which would become two.
 */
export function replaceFile(path: string, name: string, text: string | Buffer): void {
  let found: Stats | undefined;
  try {
    found = statSync(path, { throwIfNoEntry: false });
    if (found && !found.isFile()) writeFileSync(path, text);
    else if (found && found.nlink > 1)
      throw new BadUse(`${name} has several names (hard links) and was not written. Copy it to a file of one name.`);
    else writeBeside(found ? realpathSync(path) : path, found, text);
  } catch (error) {
    if (error instanceof BadUse) throw error;
    const { code = 'unknown reason' } = error as NodeJS.ErrnoException;
    const kept = found ? '; it is unchanged' : '';
    throw new BadUse(`${name} cannot be written (${reasons[code] ?? code})${kept}.`);
  }
}

function writeBeside(file: string, found: Stats | undefined, text: string | Buffer): void {
  if (found) accessSync(file, constants.W_OK);
  // Hidden, and of no extension that anything reads.
  const beside = join(dirname(file), `.${basename(file).slice(0, 180)}.warplens-${randomBytes(6).toString('hex')}`);
  try {
    const target = openSync(beside, 'wx', found ? 0o600 : 0o666);
    try {
      writeFileSync(target, text);
      if (found) fchownSync(target, found.uid, found.gid);
      if (found) fchmodSync(target, found.mode & 0o7777);
      fsyncSync(target);
    } finally {
      closeSync(target);
    }
    renameSync(beside, file);
  } finally {
    rmSync(beside, { force: true });
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full',
  EFBIG: 'it would be larger than the limit on files',
  ENOENT: 'its folder does not exist',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
};

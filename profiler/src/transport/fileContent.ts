/** Whole files of this machine: whether two have the same content, and copies. */

import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { copyFile, stat } from 'node:fs/promises';

/** False where one of them cannot be read. */
export async function haveSameContent(one: string, other: string): Promise<boolean> {
  try {
    const [a, b] = await Promise.all([stat(one), stat(other)]);
    return a.size === b.size && (await hashOf(one)) === (await hashOf(other));
  } catch {
    return false;
  }
}

/** A clone costs no space where the disk can share; a link would follow what is written into the file later. */
export async function copyContent(from: string, to: string): Promise<void> {
  await copyFile(from, to, constants.COPYFILE_FICLONE);
}

export async function modifiedAt(path: string): Promise<Date> {
  return (await stat(path)).mtime;
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

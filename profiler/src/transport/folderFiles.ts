/** Files of a folder of this machine, listed within bounds. */

import type { Dirent } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Folders that hold no sources of the user's. */
const passedOver = /^(\..*|node_modules|CMakeFiles|__pycache__)$/;

/**
 * Paths of the files that `accepts` takes by name and that are at most so large, nearest first; hidden folders are
 * passed over, and links are not followed.
 */
export async function filesBelow(
  folder: string,
  accepts: (name: string) => boolean,
  most: { readonly files: number; readonly bytes: number; readonly folders: number },
): Promise<string[]> {
  const found: string[] = [];
  const waiting = [folder];
  for (let looked = 0; waiting.length > 0 && looked < most.folders && found.length < most.files; looked++) {
    const here = waiting.shift()!;
    let entries: Dirent[];
    try {
      entries = await readdir(here, { withFileTypes: true });
    } catch {
      continue;
    }
    for (const entry of entries.sort((a, b) => a.name.localeCompare(b.name))) {
      const path = join(here, entry.name);
      if (entry.isDirectory() && !passedOver.test(entry.name)) waiting.push(path);
      if (entry.isFile() && accepts(entry.name) && found.length < most.files && (await sizeOf(path)) <= most.bytes)
        found.push(path);
    }
  }
  return found;
}

/** Removes files; missing ones are ignored. */
export async function removeFiles(paths: readonly string[]): Promise<void> {
  for (const path of paths) await rm(path, { force: true });
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch {
    return Infinity;
  }
}

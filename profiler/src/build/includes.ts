/**
 * Which files a source needs beside it: its quoted includes and those found in the folders given with -I, all the way
 * down.
 */

import { dirname, resolve } from 'node:path';

/** Files beyond this are somebody's library, which should be installed on the host or built by its own build. */
export const mostIncludedFiles = 2000;

/**
 * The sources themselves first, then every file that they include and that exists here. Conditions are not evaluated: a
 * header too many costs a copy, one too few costs the build. System headers (`<…>` outside the given folders) are the
 * host's.
 * `read` gives a file's text, or undefined when there is no such file.
 */
export async function includeClosure(
  sources: readonly string[],
  folders: readonly string[],
  read: (path: string) => Promise<string | undefined>,
): Promise<string[]> {
  const found = new Set<string>();
  const waiting = [...sources];
  while (waiting.length > 0 && found.size < mostIncludedFiles) {
    const path = waiting.shift()!;
    if (found.has(path)) continue;
    const text = await read(path);
    if (text === undefined) continue;
    found.add(path);
    for (const { name, quoted } of includesOf(text)) {
      const places = [...(quoted ? [dirname(path)] : []), ...folders].map((folder) => resolve(folder, name));
      for (const place of places) {
        if (found.has(place)) break;
        if ((await read(place)) !== undefined) {
          waiting.push(place);
          break;
        }
      }
    }
  }
  return [...found];
}

function includesOf(text: string): { name: string; quoted: boolean }[] {
  const includes = [];
  for (const match of text.matchAll(/^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)/gm)) {
    includes.push({ name: match[1] ?? match[2]!, quoted: match[1] !== undefined });
  }
  return includes;
}

/** The deepest folder that holds all the files. Paths are absolute. */
export function commonFolder(files: readonly string[]): string {
  let folder = dirname(files[0]!);
  for (const file of files) {
    while (
      !file.startsWith(folder.endsWith('/') || folder.endsWith('\\') ? folder : `${folder}/`) &&
      !file.startsWith(`${folder}\\`)
    ) {
      const above = dirname(folder);
      if (above === folder) return folder;
      folder = above;
    }
  }
  return folder;
}

// Where an `#include` leads.
import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { FileSystem } from './fileSystem';

/** Folders beside the file, where projects without a compilation database keep their headers. */
const customary = ['include', 'inc', '../include', '../inc', '../common', '../src', '..'];

/**
 * Path of an included file, or undefined: quoted includes beside the including file first, then the include folders, then the customary folders of the project.
 * Headers of the toolkit and the standard library are not looked for; what they define is known.
 */
export function resolveInclude(
  fileSystem: FileSystem,
  spelled: string,
  system: boolean,
  from: string,
  includeDirs: readonly string[],
  root?: string,
): string | undefined {
  if (isAbsolute(spelled)) return fileSystem.version(spelled) === undefined ? undefined : spelled;
  const folder = dirname(from);
  const folders = [
    ...(system ? [] : [folder]),
    ...includeDirs,
    ...(system || spelled.startsWith('.') ? [] : customary.map((part) => join(folder, part))),
    ...(root === undefined || system ? [] : [root]),
  ];
  for (const candidate of folders) {
    const path = resolve(candidate, spelled);
    if (fileSystem.version(path) !== undefined) return path;
  }
  return undefined;
}

// Where an `#include` leads.
import { dirname, extname, isAbsolute, join, resolve, sep } from 'node:path';
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
  const folder = dirname(from);
  // The project: where there is no workspace folder, the file's folder and the one above, unless that is all of the disk.
  const own = [folder, dirname(folder), ...(root === undefined ? [] : [root])].filter((each) => dirname(each) !== each);
  const known = (path: string): boolean =>
    fileSystem.version(path) !== undefined && mayBeIncluded(path, [...own, ...includeDirs]);
  if (isAbsolute(spelled)) return known(spelled) ? spelled : undefined;
  const folders = [
    ...(system ? [] : [folder]),
    ...includeDirs,
    ...(system || spelled.startsWith('.') ? [] : customary.map((part) => join(folder, part))),
    ...(root === undefined || system ? [] : [root]),
  ];
  for (const candidate of folders) {
    const path = resolve(candidate, spelled);
    if (known(path)) return path;
  }
  return undefined;
}

/** What sources that are written to be included end in; headers without an ending are those of include folders. */
export const sourceEndings =
  /^\.(?:c|cc|cpp|cxx|cu|cuh|cuf|h|hh|hpp|hxx|h\+\+|inc|inl|ipp|tpp|txx|tcc|impl|def|gen|f|for|f90|f95|f03|f08|fi|fh|acc|ptx)$/i;
/** Files there are the kernel's, and devices. */
const notOnDisk = /^\/(?:proc|sys|dev)\//;

/**
 * Whether a file may be read because another one names it. Outside of the workspace and the include folders a source could
 * name anything, a password file among it: there only what is named like source text counts.
 */
function mayBeIncluded(path: string, folders: readonly string[]): boolean {
  if (notOnDisk.test(path)) return false;
  return (
    sourceEndings.test(extname(path)) ||
    folders.some((folder) => path.startsWith(folder.endsWith(sep) ? folder : folder + sep))
  );
}

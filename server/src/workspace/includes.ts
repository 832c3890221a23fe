// Where an `#include` leads: what the compiler would find, and where a header that no flag leads to is likely to stand.
import { basename, dirname, extname, isAbsolute, join, resolve, sep } from 'node:path';
import { readIfThere, type FileSystem } from './fileSystem';
import { isKnownHeader } from './knownHeaders';
import { createKept, type Observer } from './observedFiles';
import { highestProject } from './sourceIndex';

/** Folders beside the file, where projects without a compilation database keep their headers. */
const customary = ['include', 'inc', '../include', '../inc', '../common', '../src', '..'];
/** Folders of a project in which a header may stand that is named from there. */
const projectFolders = ['', 'include', 'src', 'inc', 'lib', 'source', 'cpp/include', 'csrc'];
/** Include folders for a header, those named first; every header that is nowhere is sought in all. */
export const mostIncludeDirs = 256;

/**
 * Path of an included file, or undefined: quoted includes beside the including file first, then the include folders,
 * then the customary folders of the project. Headers of the toolkit and the standard library are not looked for; what
 * they define is known.
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
  const trusted = [...ownFolders(folder, root), ...includeDirs];
  const known = (path: string): boolean => mayBeIncluded(path, trusted) && fileSystem.version(path) !== undefined;
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

export interface FoundInclude {
  readonly path: string;
  /** The folder that it is named from, where no flag leads there: the place is a guess. */
  readonly guessedIn?: string;
}

/** `unit`: the source that is compiled, in whose folder is sought at last what a header of another folder names. */
export type FindInclude = (spelled: string, system: boolean, from: string, unit?: string) => FoundInclude | undefined;

/**
 * Finds includes, by guess where nothing else leads to them; guesses are kept until files change, and so is what is
 * found in a file system that does not change by itself. `namedInProject` gives the files of a name in a folder's
 * project.
 */
export function createIncludes(
  fileSystem: FileSystem,
  observer: Observer,
  root: string | undefined,
  namedInProject: (name: string, folder: string) => readonly string[] = () => [],
) {
  const guesses = createKept<FoundInclude | undefined>(observer);
  const found = new Map<string, typeof guesses>();
  const cmakeFolders = createKept<readonly string[]>(observer);

  /** The include folders that CMakeLists.txt in a folder names. */
  function cmakeIncludes(folder: string): readonly string[] {
    return cmakeFolders.of(folder, () => {
      const read = readIfThere(fileSystem, join(folder, 'CMakeLists.txt'));
      return read ? cmakeIncludeFolders(read.text, folder).slice(0, mostIncludeDirs) : [];
    });
  }

  function guess(spelled: string, system: boolean, folder: string, unitFolder: string): FoundInclude | undefined {
    // What a guess leads to is trusted no more for it: neither folders above the project nor those that a build file
    // names.
    const trusted = ownFolders(folder, root);
    const known = (path: string): boolean => mayBeIncluded(path, trusted) && fileSystem.version(path) !== undefined;
    for (let above = folder, left = highestProject; left > 0; left--) {
      for (const part of projectFolders) {
        const base = join(above, part);
        const path = resolve(base, spelled);
        if (known(path)) return { path, guessedIn: base };
      }
      for (const base of cmakeIncludes(above)) {
        const path = resolve(base, spelled);
        if (known(path)) return { path, guessedIn: base };
      }
      const parent = dirname(above);
      if (parent === above || above === root || fileSystem.version(join(above, '.git')) !== undefined) break;
      above = parent;
    }
    // One of several variants of a program gives the driver that they share what is its own.
    const path = resolve(unitFolder, spelled);
    const isThere = mayBeIncluded(path, ownFolders(unitFolder, root)) && fileSystem.version(path) !== undefined;
    if (isThere) return { path, guessedIn: unitFolder };
    // A build script that is not read may name the folder: it is the one that has such a file.
    if (spelled.startsWith('.') || (system && !spelled.includes('/'))) return undefined;
    const ending = `${sep}${join(spelled)}`;
    const [only, another] = namedInProject(basename(spelled), folder).filter((each) => each.endsWith(ending));
    if (only === undefined || another !== undefined || !known(only)) return undefined;
    return { path: only, guessedIn: only.slice(0, -ending.length) };
  }

  /** What the include folders lead to from a folder. */
  function keptOf(includeDirs: readonly string[]): typeof guesses {
    const key = includeDirs.join('\n');
    let kept = found.get(key);
    if (!kept) found.set(key, (kept = createKept(observer)));
    return kept;
  }

  return {
    /** What finds the includes of the units that have these include folders. */
    from(includeDirs: readonly string[]): FindInclude {
      const kept = fileSystem.isStill ? keptOf(includeDirs) : undefined;
      return (spelled, system, from, unit = from) => {
        const folder = dirname(from);
        const look = (): FoundInclude | undefined => {
          const path = resolveInclude(fileSystem, spelled, system, from, includeDirs, root);
          return path === undefined ? undefined : { path };
        };
        const named = kept ? kept.of(`${system ? '<' : '"'}${spelled}\n${folder}`, look) : look();
        if (named || isAbsolute(spelled) || isKnownHeader(spelled)) return named;
        const unitFolder = dirname(unit);
        return guesses.of(`${system ? '<' : '"'}${spelled}\n${folder}\n${unitFolder}`, () =>
          guess(spelled, system, folder, unitFolder),
        );
      };
    },
    /** Files came or went. */
    changed(): void {
      guesses.clear();
      found.clear();
      cmakeFolders.clear();
    },
  };
}

/**
 * Folders that `include_directories` and `target_include_directories` name in the CMakeLists.txt of `folder`; those
 * that depend on other variables are omitted.
 */
export function cmakeIncludeFolders(text: string, folder: string): readonly string[] {
  const found: string[] = [];
  const bare = text.replace(/#[^\n]*/g, '');
  for (const match of bare.matchAll(/\b(?:target_)?include_directories[ \t]*\(([^()]*)\)/gi)) {
    const words = match[1]!.split(/[\s"]+/).filter((word) => word !== '');
    if (/^target_/i.test(match[0])) words.shift();
    for (const word of words) {
      if (/^(?:PUBLIC|PRIVATE|INTERFACE|SYSTEM|BEFORE|AFTER)$/.test(word)) continue;
      // `$<BUILD_INTERFACE:…>` is what holds within the project itself.
      const plain = word
        .replace(/^\$<BUILD_INTERFACE:([^<>]*)>$/, '$1')
        .replace(/^\$\{(?:CMAKE_CURRENT_SOURCE_DIR|CMAKE_CURRENT_LIST_DIR|PROJECT_SOURCE_DIR|CMAKE_SOURCE_DIR)\}/, '.');
      if (plain.includes('$')) continue;
      found.push(resolve(folder, plain));
    }
  }
  return found;
}

/** What sources that are written to be included end in; headers without an ending are those of include folders. */
export const sourceEndings =
  /^\.(?:c|cc|cpp|cxx|cu|cuh|cuf|h|hh|hpp|hxx|h\+\+|inc|inl|ipp|tpp|txx|tcc|impl|def|gen|f|for|f90|f95|f03|f08|fi|fh|acc|ptx)$/i;
/** Files there are the kernel's, and devices. */
const notOnDisk = /^\/(?:proc|sys|dev)\//;

/** The project: without a workspace folder the file's and the one above, unless that is the whole disk. */
function ownFolders(folder: string, root: string | undefined): readonly string[] {
  return [folder, dirname(folder), ...(root === undefined ? [] : [root])].filter((each) => dirname(each) !== each);
}

/**
 * Whether a file may be read because another one names it. Outside of the workspace and the include folders a source
 * could name anything, a password file among it: there only what is named like source text counts.
 */
function mayBeIncluded(path: string, folders: readonly string[]): boolean {
  if (notOnDisk.test(path)) return false;
  return (
    sourceEndings.test(extname(path)) ||
    folders.some((folder) => path.startsWith(folder.endsWith(sep) ? folder : folder + sep))
  );
}

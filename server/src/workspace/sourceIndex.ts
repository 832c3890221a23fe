// Keeps, for every source file that was looked at, what it includes, launches and defines, and answers who includes a
// file and who launches a kernel.
import { basename, dirname, extname, join } from 'node:path';
import type { FileSystem, FolderEntry } from './fileSystem';
import { digestOf } from './observedFiles';
import { scanSource, type SourceScan } from './sourceScan';

/** What can hold or launch a kernel, or include a file that does. */
export const sourceExtensions: ReadonlySet<string> = new Set([
  '.cu',
  '.cuh',
  '.h',
  '.hh',
  '.hpp',
  '.hxx',
  '.cpp',
  '.cc',
  '.cxx',
  '.inl',
  '.c',
]);
export function isSource(name: string): boolean {
  return sourceExtensions.has(extname(name).toLowerCase());
}
/** Files of which a compiler makes an object: they include others and are seldom included. */
export function isRootSource(name: string): boolean {
  return /^\.(cu|cpp|cc|cxx|c)$/i.test(extname(name));
}

interface Known {
  readonly version: number;
  readonly length: number;
  readonly scan: SourceScan;
  readonly digest: string;
}

export type SourceIndex = ReturnType<typeof createSourceIndex>;
export function createSourceIndex(fileSystem: Pick<FileSystem, 'read' | 'version'>) {
  const known = new Map<string, Known>();
  const includers = new Map<string, Set<string>>();
  const launchersByKernel = new Map<string, Set<string>>();
  const definers = new Map<string, Set<string>>();
  const byName = new Map<string, Set<string>>();
  let revision = 0;
  const changes = new Map<string, number>();
  /** Names whose callers were asked for. */
  const asked = new Set<string>();

  function put(map: Map<string, Set<string>>, name: string, path: string): void {
    const set = map.get(name);
    if (set) set.add(path);
    else map.set(name, new Set([path]));
  }
  function drop(map: Map<string, Set<string>>, name: string, path: string): void {
    const set = map.get(name);
    set?.delete(path);
    if (set?.size === 0) map.delete(name);
  }

  function changed(path: string): void {
    revision++;
    changes.set(path, (changes.get(path) ?? 0) + 1);
  }

  function remove(path: string): void {
    const before = known.get(path);
    changed(path);
    if (!before) return;
    known.delete(path);
    drop(byName, basename(path), path);
    for (const each of before.scan.defined) drop(definers, each, path);
    for (const each of before.scan.includes) drop(includers, includedName(each), path);
    for (const each of launchedElsewhere(before.scan)) drop(launchersByKernel, each, path);
  }

  function take(path: string, version: number, text: string): boolean {
    const before = known.get(path);
    changed(path);
    const scan = scanSource(text);
    const digest = digestOf(JSON.stringify([scan.includes, [...scan.launched], [...scan.defined], scan.main]));
    if (before?.digest === digest) {
      known.set(path, { ...before, version, length: text.length, scan });
      return [...asked].some((name) => calls(scan, name) !== calls(before.scan, name));
    }
    remove(path);
    known.set(path, { version, length: text.length, scan, digest });
    put(byName, basename(path), path);
    for (const each of scan.defined) put(definers, each, path);
    for (const each of scan.includes) put(includers, includedName(each), path);
    for (const each of launchedElsewhere(scan)) put(launchersByKernel, each, path);
    return true;
  }

  return {
    /**
     * Reads a file if its version is another than the one known. True when what it includes, launches or calls of what
     * was asked for is different now.
     */
    update(path: string): boolean {
      const version = fileSystem.version(path);
      const before = known.get(path);
      if (version !== undefined && before?.version === version) return false;
      const read = version === undefined ? undefined : fileSystem.read(path);
      if (read) return take(path, read.version, read.text);
      remove(path);
      return before !== undefined;
    },
    /** Takes a file whose text is at hand. True when what it includes or launches is different now. */
    take,
    remove,
    /** What is known of a file; files that were never looked at are unknown. */
    scanOf: (path: string) => known.get(path)?.scan,
    /** Of a file's scan; empty for files that were never looked at. */
    digestOf: (path: string) => known.get(path)?.digest ?? '',
    /** Length of a file's text in UTF-16 units when it was looked at. */
    lengthOf: (path: string) => known.get(path)?.length ?? 0,
    /** Files that include something of this name, in the order of their paths. */
    includersOf: (name: string) => [...(includers.get(name) ?? [])].sort(),
    /** Files that launch one of these kernels and do not define it, in the order of their paths. */
    launchersOf(kernels: Iterable<string>): readonly string[] {
      const found = new Set<string>();
      for (const kernel of kernels) for (const path of launchersByKernel.get(kernel) ?? []) found.add(path);
      return [...found].sort();
    },
    /** Sources that call or define a function of one of these names, in the order of their paths. */
    callersOf(names: readonly string[]): string[] {
      for (const name of names) asked.add(name);
      const found = [...known].filter(
        ([path, { scan }]) => isRootSource(path) && names.some((each) => calls(scan, each)),
      );
      return found.map(([path]) => path).sort();
    },
    /** Files of this name, whatever their folder. */
    named: (name: string) => [...(byName.get(name) ?? [])].sort(),
    /** Files that define a kernel of this name. */
    definersOf: (kernel: string) => [...(definers.get(kernel) ?? [])].sort(),
    /** Files that launch kernels of other files. */
    launchers: () => new Set([...launchersByKernel.values()].flatMap((paths) => [...paths])).size,
    paths: () => known.keys(),
    /** Another number whenever a file but this one may be another. */
    revision: (but: string) => revision - (changes.get(but) ?? 0),
  };
}

function calls({ calls: names }: SourceScan, name: string): boolean {
  return names.includes(` ${name} `);
}

export function launchedElsewhere(scan: SourceScan): string[] {
  return [...scan.launched].filter((name) => !scan.defined.has(name));
}

/** The last part of an include's path: `../a/b.cuh` is looked for as `b.cuh`. */
export function includedName(spelled: string): string {
  return spelled.slice(Math.max(spelled.lastIndexOf('/'), spelled.lastIndexOf('\\')) + 1);
}

// ---- where to look --------------------------------------------------------------------------------------------------

/** Folders that hold what was generated or what others wrote. */
export const skippedFolders = /^(\..*|node_modules|CMakeFiles|__pycache__|cmake-build-.*|build|dist|out|target)$/i;
/** The contents of the folder of a whole program. */
const projectFiles: ReadonlySet<string> = new Set(
  (
    '.git .hg CMakeLists.txt Makefile makefile GNUmakefile compile_commands.json meson.build setup.py BUILD ' +
    'BUILD.bazel'
  ).split(' '),
);
/** So many folders upwards, the first included, are taken to be the same project. */
export const highestProject = 8;

/** The folders from `own` up to the first that holds a build file, and that one, where there is one. */
export function projectAround(
  list: (folder: string) => readonly FolderEntry[] | undefined,
  own: string,
  root?: string,
): { readonly chain: readonly string[]; readonly project?: string } {
  const chain: string[] = [];
  for (let folder = own; chain.length < highestProject; folder = dirname(folder)) {
    chain.push(folder);
    if (list(folder)?.some((entry) => projectFiles.has(entry.name))) return { chain, project: folder };
    if (dirname(folder) === folder || folder === root) break;
  }
  return { chain };
}

/** Bounds of the files that are looked at for one file's surroundings: a tree of thousands must not be read for one. */
export interface SurroundingsLimit {
  readonly files: number;
  readonly text: number;
}

/**
 * The files around a file, nearest first: those of its folder and the folders below, those of the folders above up to
 * the program's (where a build file stands; one above where there is none), and of the program's other folders, as far
 * as the limit goes.
 */
export function* surroundings(
  list: (folder: string) => readonly FolderEntry[] | undefined,
  path: string,
  root?: string,
): Generator<string> {
  const own = dirname(path);
  const seen = new Set<string>();
  function* files(folder: string): Generator<string> {
    if (seen.has(folder)) return;
    seen.add(folder);
    for (const entry of list(folder) ?? []) if (!entry.folder && isSource(entry.name)) yield join(folder, entry.name);
  }
  function* below(top: string): Generator<string> {
    const queue = [top];
    for (let folder = queue.shift(); folder !== undefined; folder = queue.shift()) {
      yield* files(folder);
      for (const entry of list(folder) ?? [])
        if (entry.folder && !skippedFolders.test(entry.name)) queue.push(join(folder, entry.name));
    }
  }
  yield* files(own);
  const { chain, project } = projectAround(list, own, root);
  if (project !== undefined) {
    for (const folder of chain.slice(1)) yield* files(folder);
    yield* below(own);
    if (project !== own) yield* below(project);
  }
  // A program may be driven from the folder above, or from what is customarily beside it.
  const top = project ?? own;
  const above = dirname(top);
  if (above === top || top === root) return;
  yield* files(above);
  for (const entry of list(above) ?? [])
    if (entry.folder && /^(src|source|test|tests|app|apps|bench|examples?)$/i.test(entry.name))
      yield* files(join(above, entry.name));
}

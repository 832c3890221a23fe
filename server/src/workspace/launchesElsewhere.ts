// The launches that other files make of a file's kernels: looked for around it, and computed once for each version of a
// file that launches.
import { dirname } from 'node:path';
import { callSitesOf, collectLaunches, functionsWith, lastPart, type LaunchConfiguration } from '../semantic';
import type { Gpu } from '../semantic/model';
import type { FunctionDecl, SourceFile, TranslationUnit } from '../syntax';
import { functionKey } from '../syntax/pieces';
import type { FileSystem } from './fileSystem';
import { createKept, type Observer } from './observedFiles';
import type { Around, Roots } from './roots';
import type { SourceIndex } from './sourceIndex';

/** Launches by the name of their kernel. */
type Launches = ReadonlyMap<string, readonly LaunchConfiguration[]>;

/** Launches of one file: with the files that define the kernel as far as its unit shows one. */
export interface FileLaunches {
  readonly launches: ReadonlyMap<
    string,
    { readonly configurations: readonly LaunchConfiguration[]; readonly definedIn: readonly string[] }
  >;
}

export interface LaunchesElsewhereOptions {
  readonly fileSystem: FileSystem;
  readonly index: SourceIndex;
  readonly roots: Roots;
  readonly observer: Observer;
  readonly gpuOf: (path: string) => Gpu;
  readonly toPath: (uri: string) => string;
  /** The unit of a file on disk as its own main file; let go of when the work is done. */
  readonly withUnit: <T>(path: string, work: (unit: TranslationUnit) => T) => T | undefined;
}

/**
 * Does a launch of `launcher` mean the kernel that `path` defines? Yes where the launcher's own unit includes it; where
 * that unit sees no definition at all, the same folder must do, or no other file nearby may define a kernel of that
 * name.
 */
export function binds(
  kernel: string,
  definedIn: readonly string[],
  launcher: string,
  uri: string,
  path: string,
  around: Around,
  index: SourceIndex,
): boolean {
  if (definedIn.length > 0) return definedIn.includes(uri);
  return (
    dirname(launcher) === dirname(path) || !index.definersOf(kernel).some((each) => each !== path && around.has(each))
  );
}

/** Files parsed for one file's launches. */
const mostLaunchers = 24;
/** Files parsed for the calls that lead to them; more call what a library offers. */
const mostCallers = 8;

export function createLaunchesElsewhere(options: LaunchesElsewhereOptions) {
  const { fileSystem, index, roots, observer } = options;
  const launchesOf = createKept<FileLaunches | undefined>(observer);
  /** Launches elsewhere, while no file changed and the file defines the same kernels: typing reads no folders. */
  const elsewhere = createKept<Launches>(observer);

  function launchesIn(path: string): FileLaunches | undefined {
    const version = fileSystem.version(path);
    if (version === undefined) return undefined;
    const read = (): FileLaunches | undefined => {
      const scan = index.scanOf(path);
      if (scan && scan.launched.size === 0) return { launches: new Map() };
      return options.withUnit(path, (unit) => {
        const launches = new Map<
          string,
          { configurations: readonly LaunchConfiguration[]; definedIn: readonly string[] }
        >();
        for (const [name, configurations] of collectLaunches(unit, { gpu: options.gpuOf(path) }))
          launches.set(name, {
            configurations,
            definedIn: unit.files
              .filter((file) => functionsNamed(file, new Set([name])).some((fn) => fn.global && fn.body))
              .map((file) => file.uri),
          });
        return { launches };
      });
    };
    return launchesOf.of(path, read, version);
  }

  function find(uri: string, path: string, kernels: ReadonlySet<string>): Launches {
    const found = new Map<string, LaunchConfiguration[]>();
    const around = roots.look(path);
    for (const launcher of nearestFirst(index.launchersOf(kernels), path, around).slice(0, mostLaunchers)) {
      for (const [name, { configurations, definedIn }] of launchesIn(launcher)?.launches ?? []) {
        if (!kernels.has(name) || !binds(name, definedIn, launcher, uri, path, around, index)) continue;
        found.set(name, [...(found.get(name) ?? []), ...configurations]);
      }
    }
    return found;
  }

  /** Other sources of the project with these names before parentheses. */
  function sourcesThatCall(names: readonly string[], path: string): readonly string[] {
    if (names.length === 0) return [];
    const found = roots.inProject(index.callersOf(names), dirname(path)).filter((each) => each !== path);
    observer.note(`calls ${names} ${path}`, () => found.join('\n'));
    return found;
  }

  /** Nothing where several programs call them, or another source defines one: which it is would be a guess. */
  function findCallers(path: string, unit: TranslationUnit, launching: ReadonlySet<string>): readonly SourceFile[] {
    const files = [...unit.files];
    const read = new Set(unit.files.map(({ uri }) => options.toPath(uri)));
    const most = read.size + mostCallers;
    for (let names = leadingTo(launching, unit); ; names = leadingTo(names, { ...unit, files: [...files] })) {
      const more = sourcesThatCall([...names], path).filter((each) => !read.has(each));
      const isProgram = (each: string): boolean => index.scanOf(each)?.main === true;
      if (more.length === 0) break;
      for (const each of more) read.add(each);
      if (read.size > most || [...read].filter(isProgram).length > 1) return [];
      const found = more.flatMap((each) => options.withUnit(each, (caller) => caller.files) ?? []);
      const isNew = ({ uri }: SourceFile): boolean => !files.some((file) => file.uri === uri);
      for (const file of found.filter(isNew)) {
        if (functionsNamed(file, names).some(({ body }) => body)) return [];
        if (isNew(file)) files.push(file);
      }
    }
    return files.slice(unit.files.length);
  }

  const callers = createKept<readonly SourceFile[]>(observer);
  const called = createKept<Launches>(observer);

  return {
    /** A unit with the sources that lead to its launches by calls, over any number of steps. */
    programOf(uri: string, path: string, unit: TranslationUnit, launches: Launches): TranslationUnit {
      const launching = new Set([...launches.values()].flat().map(({ within }) => lastPart(within)));
      const about = `${index.revision(path)} ${[...launching]}`;
      const more = callers.of(uri, () => findCallers(path, unit, launching), about);
      return more.length > 0 ? { ...unit, files: [...unit.files, ...more] } : unit;
    },
    answer(question: string): string | undefined {
      const [, names, path] = /^calls (\S*) (.*)$/s.exec(question) ?? [];
      return path === undefined ? undefined : sourcesThatCall(names!.split(','), path).join('\n');
    },
    /** The launches that one file makes; undefined when it cannot be read. */
    in: launchesIn,
    /**
     * The launches of a file's own host functions as its callers make them: their blocks may arrive in parameters and
     * structures that are set there. `functions` launch with a block that nothing in the file settles.
     */
    asCalled(uri: string, path: string, program: TranslationUnit, functions: ReadonlySet<string>): Launches {
      const keys = program.files.flatMap((file) => functionsNamed(file, functions).map((fn) => fn.key));
      const about = `${index.revision(path)} ${keys.join(' ')}`;
      const find = (): Launches =>
        new Map(
          [...collectLaunches(program, { gpu: options.gpuOf(path) })].map(([name, configurations]) => [
            name,
            configurations.filter((each) => each.at.uri === uri && each.block.x !== undefined),
          ]),
        );
      return called.of(uri, find, about);
    },
    /** A launch counts where it names this file's kernel: its file includes this one, or has no definition. */
    of: (uri: string, path: string, kernels: ReadonlySet<string>): Launches =>
      elsewhere.of(uri, () => find(uri, path, kernels), [...kernels].sort().join(' ')),
    /** Files changed. */
    changed(): void {
      elsewhere.clear();
      called.clear();
    },
    /** Other settings: what was computed is of no use. */
    clear(): void {
      elsewhere.clear();
      called.clear();
      callers.clear();
      launchesOf.clear();
    },
    forget(uri: string): void {
      elsewhere.delete(uri);
      called.delete(uri);
      callers.delete(uri);
    },
  };
}

/** The other files around one: those of the same folder are likelier to mean its kernels. */
function nearestFirst(paths: readonly string[], path: string, around: Around): readonly string[] {
  const isApart = (each: string): number => Number(dirname(each) !== dirname(path));
  return paths.filter((each) => each !== path && around.has(each)).sort((a, b) => isApart(a) - isApart(b));
}

/** Names of functions, and of those that call them, but for `main`. */
function leadingTo(names: ReadonlySet<string>, unit: TranslationUnit): ReadonlySet<string> {
  const all = new Set(names);
  for (const name of all)
    for (const fn of functionsWith(unit, [name]))
      if (fn.body && fn.name === name) for (const { caller } of callSitesOf(unit, fn, 'host')) all.add(caller.name);
  all.delete('main');
  return all;
}

/** Of an included file nothing else is parsed. */
function functionsNamed({ pieces }: SourceFile, names: ReadonlySet<string>): readonly FunctionDecl[] {
  return pieces.flatMap((piece) =>
    [...names].some((name) => piece.names.has(functionKey(name)))
      ? piece.declared().functions.filter(({ name }) => names.has(name))
      : [],
  );
}

// The launches that other files make of a file's kernels: looked for around it, and computed once for each version of a
// file that launches.
import { dirname } from 'node:path';
import { collectLaunches, type LaunchConfiguration } from '../semantic';
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

/** Programs that are run for the sake of a file that they call. */
const mostPrograms = 3;
/** Files parsed for one file's launches. */
const mostLaunchers = 24;

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

  const called = createKept<Launches>(observer);
  function runPrograms(uri: string, path: string, unit: TranslationUnit, functions: ReadonlySet<string>): Launches {
    const found = new Map<string, LaunchConfiguration[]>();
    const around = roots.look(path);
    const own = new Set(unit.files.map((file) => file.uri));
    let left = mostPrograms;
    for (const program of nearestFirst(index.programs(), path, around)) {
      if (left <= 0) break;
      options.withUnit(program, (caller) => {
        // It calls what it declares, and does not define that itself.
        const mentions = (file: TranslationUnit['main']): boolean =>
          functionsNamed(file, functions).some((fn) => !(fn.body && !own.has(file.uri)));
        if (caller.files.some((file) => file.uri === uri) || !caller.files.some(mentions)) return;
        left--;
        const files = [
          ...caller.files,
          ...unit.files.filter((file) => !caller.files.some(({ uri: at }) => at === file.uri)),
        ];
        for (const [name, configurations] of collectLaunches({ ...caller, files }, { gpu: options.gpuOf(path) })) {
          const here = configurations.filter((each) => each.at.uri === uri && each.block.x !== undefined);
          if (here.length > 0) found.set(name, [...(found.get(name) ?? []), ...here]);
        }
      });
    }
    return found;
  }

  return {
    /** The launches that one file makes; undefined when it cannot be read. */
    in: launchesIn,
    /**
     * The launches of a file's own host functions as a program in another file calls them: their blocks may arrive in
     * parameters and structures that are set there. `unit` is the file's, and `functions` launch with a block that
     * nothing in it settles.
     */
    asCalled(uri: string, path: string, unit: TranslationUnit, functions: ReadonlySet<string>): Launches {
      const about = unit.files.flatMap((file) => functionsNamed(file, functions).map((fn) => fn.key)).join(' ');
      return called.of(uri, () => runPrograms(uri, path, unit, functions), about);
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
      launchesOf.clear();
    },
    forget(uri: string): void {
      elsewhere.delete(uri);
      called.delete(uri);
    },
  };
}

/** The other files around one: those of the same folder are likelier to mean its kernels. */
function nearestFirst(paths: readonly string[], path: string, around: Around): readonly string[] {
  const isApart = (each: string): number => Number(dirname(each) !== dirname(path));
  return paths.filter((each) => each !== path && around.has(each)).sort((a, b) => isApart(a) - isApart(b));
}

/** Of an included file nothing else is parsed. */
function functionsNamed({ pieces }: SourceFile, names: ReadonlySet<string>): readonly FunctionDecl[] {
  return pieces.flatMap((piece) =>
    [...names].some((name) => piece.names.has(functionKey(name)))
      ? piece.declared().functions.filter(({ name }) => names.has(name))
      : [],
  );
}

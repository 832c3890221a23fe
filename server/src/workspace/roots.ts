// Which translation unit a file belongs to: found over any number of includes, from the file up to a source that is
// compiled.
import { basename, dirname, join, sep } from 'node:path';
import { createSurroundings, type SurroundingsOptions } from './around';
import { createKept } from './observedFiles';
import { isRootSource, projectAround, type SourceIndex } from './sourceIndex';

export type Roots = ReturnType<typeof createRoots>;

interface Found {
  readonly roots: readonly string[];
  readonly includers: readonly string[];
}

export interface Around {
  has(path: string): boolean;
}

export interface RootsOptions extends SurroundingsOptions {
  readonly index: SourceIndex;
  /** All that the index knows counts as being around a file: somebody else fills it with a whole tree. */
  readonly whole: boolean;
  /** Where an include of a file leads. */
  readonly resolve: (spelled: string, from: string) => string | undefined;
}

/** Steps upwards, and files looked at on the way: a header of a large library is included by thousands. */
const mostSteps = 12;
const mostIncluders = 256;
const mostRoots = 4;

const everything: Around = { has: () => true };

export function createRoots(options: RootsOptions) {
  const { index, observer, whole } = options;
  const around = createSurroundings(options);
  const found = createKept<Found>(observer);

  /** Looks at the files around one, once while no file changes; gives those that count as being around it. */
  function look(path: string): Around {
    const { digest, paths } = around.of(path);
    observer.note(`around ${path}`, () => digest);
    return whole ? everything : paths;
  }

  function find(path: string): Found {
    const nearby = [look(path)];
    const own = index.scanOf(path);
    const seen = new Set([path]);
    const tops: { readonly path: string; readonly steps: number; readonly source: boolean }[] = [];
    let level = [path];
    for (let steps = 1; steps <= mostSteps && level.length > 0 && seen.size < mostIncluders; steps++) {
      const above: string[] = [];
      for (const included of level) {
        if (steps > 1) nearby.push(look(included));
        let top = true;
        for (const includer of index.includersOf(basename(included))) {
          if (seen.has(includer) || seen.size >= mostIncluders || !nearby.some((each) => each.has(includer))) continue;
          const leads = index
            .scanOf(includer)!
            .includes.some(
              (spelled) => spelled.endsWith(basename(included)) && options.resolve(spelled, includer) === included,
            );
          if (!leads) continue;
          top = false;
          seen.add(includer);
          above.push(includer);
        }
        if (top && steps > 1) tops.push({ path: included, steps, source: isRootSource(included) });
      }
      level = above;
    }
    for (const included of level) tops.push({ path: included, steps: mostSteps, source: isRootSource(included) });
    const launches = (each: string): boolean => {
      const scan = index.scanOf(each);
      return scan !== undefined && own !== undefined && [...scan.launched].some((name) => own.defined.has(name));
    };
    // Where there are kernels somebody may call what a header holds.
    const hasKernels = (each: string): boolean => (index.scanOf(each)?.defined.size ?? 0) > 0;
    const rank = (each: (typeof tops)[number]): number =>
      (each.source ? 0 : 8) +
      (launches(each.path) ? 0 : 4) +
      (dirname(each.path) === dirname(path) ? 0 : 2) +
      (hasKernels(each.path) ? 0 : 1);
    const rooted = tops
      // A plain header without includers is not a unit; one with device code may be all that is available.
      .filter((each) => each.source || !/\.(h|hh|hpp|hxx|inl)$/i.test(each.path))
      .sort((a, b) => rank(a) - rank(b) || a.steps - b.steps || (a.path < b.path ? -1 : 1))
      .slice(0, mostRoots)
      .map((each) => each.path);
    return { roots: rooted, includers: [...seen].slice(1) };
  }

  const foundFor = (path: string): Found => found.of(path, () => find(path));

  return {
    look,
    /** Of some files those in the project of a folder: below the build file nearest above it, or else the folder. */
    inProject(paths: readonly string[], folder: string): readonly string[] {
      const { project } = projectAround((where) => options.fileSystem.list(where), folder, options.root);
      const near = look(join(folder, 'any'));
      return paths.filter((each) => each.startsWith((project ?? folder) + sep) && near.has(each));
    },
    /** Sources whose units may hold this file, likeliest first. Each has to be parsed to be sure. */
    of: (path: string): readonly string[] => foundFor(path).roots,
    /** Files that include this one over any number of steps, as far as files around it are known. */
    includersOf: (path: string): readonly string[] => foundFor(path).includers,
    /** The answer to a question of this room that an analysis asked (`around /p/a.cuh`). */
    answer: (question: string): string | undefined => around.answer(question),
    changed(): void {
      around.changed();
      found.clear();
    },
  };
}

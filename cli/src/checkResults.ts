// Results of many files: cached ones of unchanged files, and computed ones of the others.
import { availableParallelism } from 'node:os';
import { createChecker, type CheckSettings, type FileResult } from './checking';
import { checkInWorkers, workersFor } from './checkWorkers';
import { openResultCache } from './resultCache';
import type { Source } from './source';

/** Cached results where there are any; the others are computed, by several workers if there are many. */
export async function resultsOf(
  sources: readonly Source[],
  settings: CheckSettings,
  {
    jobs = availableParallelism(),
    cache: isKept,
    done,
  }: {
    readonly jobs?: number | undefined;
    readonly cache: boolean;
    /** Hears each result as it comes, with its place among the sources. */
    readonly done?: (at: number, result: FileResult) => void;
  },
): Promise<readonly FileResult[]> {
  const cache = isKept ? openResultCache(settings) : undefined;
  const results = sources.map(({ path }) => cache?.get(path));
  const leftAt = [...sources.keys()].filter((at) => results[at] === undefined);
  const left = leftAt.map((at) => sources[at]!);
  for (const [at, result] of results.entries()) if (result) done?.(at, result);
  const workers = workersFor(left.length, jobs);
  // Each result is stored at once, so an interrupted run is not lost.
  const keep = (at: number, result: FileResult): void => {
    cache?.put(left[at]!.path, result);
    done?.(leftAt[at]!, result);
  };
  let made: readonly FileResult[] = [];
  if (workers > 1) made = await checkInWorkers(left, settings, workers, keep, done !== undefined);
  else if (left.length > 0) {
    const checker = await createChecker(settings);
    const one: FileResult[] = [];
    for (const [at, source] of left.entries()) {
      one.push(await checker.check(source));
      keep(at, one[at]!);
      // Between two files others of this thread have their turn.
      if (done) await new Promise(setImmediate);
    }
    made = one;
  }
  cache?.trim();
  let next = 0;
  return results.map((known) => known ?? made[next++]!);
}

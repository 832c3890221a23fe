// Results of many files: those kept of an earlier run where nothing changed since, and the others computed.
import { availableParallelism } from 'node:os';
import { createChecker, type CheckSettings, type FileResult } from './checking';
import { checkInWorkers, workersFor } from './checkWorkers';
import { openResultCache } from './resultCache';
import type { Source } from './source';

/** Kept results where there are any, and the others computed, by several workers where there are many. */
export async function resultsOf(
  sources: readonly Source[],
  settings: CheckSettings,
  { jobs = availableParallelism(), cache: isKept }: { readonly jobs?: number | undefined; readonly cache: boolean },
): Promise<readonly FileResult[]> {
  const cache = isKept ? openResultCache(settings) : undefined;
  const results = sources.map(({ path }) => cache?.get(path));
  const left = sources.filter((_, at) => results[at] === undefined);
  const workers = workersFor(left.length, jobs);
  // Kept as they come: a run that is stopped has not worked for nothing.
  const keep = (at: number, result: FileResult): void => cache?.put(left[at]!.path, result);
  let made: readonly FileResult[] = [];
  if (workers > 1) made = await checkInWorkers(left, settings, workers, keep);
  else if (left.length > 0) {
    const checker = await createChecker(settings);
    const one: FileResult[] = [];
    for (const [at, source] of left.entries()) {
      one.push(await checker.check(source));
      keep(at, one[at]!);
    }
    made = one;
  }
  cache?.trim();
  let next = 0;
  return results.map((known) => known ?? made[next++]!);
}

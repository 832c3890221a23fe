// Counts the work of an analysis in steps, so that the same text ends it at the same place on every machine.

/** Thrown at each step beyond the limit: what was found before it stays. */
export class TooManySteps extends Error {}

let taken = 0;
let limit = Infinity;
/** One for all of them: the trace of each would take longer than the steps. */
const beyond = new TooManySteps('it takes too long');

/** Does some work: its result, and how many steps it took, for what keeps the result to take as many. */
export function counted<T>(work: () => T): { readonly value: T; readonly steps: number } {
  const before = taken;
  return { value: work(), steps: taken - before };
}

/** Takes steps. Throws beyond the limit. */
export function step(steps = 1): void {
  if ((taken += steps) > limit) throw beyond;
}

/** A list, with a step for each of its items. */
export function stepsOf<T extends { readonly length: number }>(list: T): T {
  step(list.length);
  return list;
}

/** What a finder finds: within the steps, for it keeps what it found until they end. */
export function foundBy<T>(find: () => Iterable<T>): T[] {
  const found: T[] = [];
  withinSteps(Infinity, () => {
    for (const one of find()) found.push(one);
  });
  return found;
}

/** Does small work whose steps depend on what is kept already: within so many, of which none are taken. */
export function untaken<T>(most: number, work: () => T): T | undefined {
  const [before, around] = [taken, limit];
  limit = before + most;
  try {
    return work();
  } catch (error) {
    if (error !== beyond) throw error;
    return undefined;
  } finally {
    [taken, limit] = [before, around];
  }
}

/** Does some work in so many steps: its result unless it was ended, how many steps it took, and whether that is all. */
export function withinSteps<T>(
  most: number,
  work: () => T,
): { readonly result: T | undefined; readonly steps: number; readonly isWhole: boolean } {
  const [before, around] = [taken, limit];
  limit = Math.min(around, before + most);
  let result: T | undefined;
  let isWhole = true;
  try {
    result = work();
  } catch (error) {
    if (error !== beyond) throw error;
  } finally {
    isWhole = taken <= limit;
    limit = around;
  }
  return { result, steps: taken - before, isWhole };
}

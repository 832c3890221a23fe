/** Repeated measurements as a median with its spread, and when two of them count as different. */

/** Measured values in one unit: nanoseconds for times. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  /** In the order in which they were measured. */
  readonly values: readonly number[];
}

/** Undefined for no values. */
export function spreadOf(values: readonly number[]): Spread | undefined {
  if (values.length === 0) return undefined;
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const median = sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
  return { median, min: sorted[0]!, max: sorted.at(-1)!, values };
}

/** A difference below this share of the time does not count, however small the spread. */
export const leastShare = 0.01;

/**
 * How many times as far apart as the wider range the medians have to be, by the number of values. With normal noise and
 * no difference at all, fewer than one comparison in a hundred gets past it (two values: 6.0, measured 5.7 for 1 %;
 * three: 2.0, 1.7; four: 1.25, 1.05).
 */
const timesTheRange = (values: number): number => (values <= 2 ? 6 : values === 3 ? 2 : values === 4 ? 1.25 : 1);

/** With a single value on a side nothing is known of the noise. */
const leastShareOfOne = 0.2;

/**
 * Whether `after` is another time than `before`: the ranges do not meet, the medians are further apart than the ranges
 * allow for so few values, and by one per cent at least. `same` is the answer in every doubtful case.
 */
export function compareSpreads(before: Spread, after: Spread): 'faster' | 'slower' | 'same' {
  const apart = Math.abs(before.median - after.median);
  const values = Math.min(before.values.length, after.values.length);
  const width = Math.max(before.max - before.min, after.max - after.min);
  if (apart < (values < 2 ? leastShareOfOne : leastShare) * before.median || apart <= timesTheRange(values) * width)
    return 'same';
  if (after.max < before.min) return 'faster';
  return after.min > before.max ? 'slower' : 'same';
}

// Random numbers that a seed decides, for tools that must be able to do the same again.
export interface Random {
  /** At least 0, below 1. */
  next(): number;
  /** A whole number, at least 0, below `end`. */
  below(end: number): number;
  chance(of: number): boolean;
  pick<T>(from: readonly T[]): T;
}

/** The sequence of one seed: mulberry32. */
export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (end: number): number => Math.floor(next() * end);
  return { next, below, chance: (of) => next() < of, pick: (from) => from[below(from.length)]! };
}

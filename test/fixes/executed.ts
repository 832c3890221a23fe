// Variations whose fixes were executed on both sides, and what the fixes were.
import { join } from 'node:path';
import type { Pair } from '../support/onProcessor/pairs';
import type { Family } from './families';
import { drawFrom, fixedBy, hashOf, type Variation } from './variations';

/** By family and number of the variation: a hash of what `fixedBy` made of it, or `none`. */
export const executedFile = join(__dirname, 'executed.json');
const count = 24;
const seed = 77;

export interface Recorded {
  readonly number: string;
  readonly outcome: string;
  readonly pair?: Pair;
}

export function executedVariation(family: Family, number: number): Variation {
  return family.vary(drawFrom(seed * 100_003 + number), `${family.name} ${number}`);
}

/** The numbers of the variations of a family that are compared with the record. */
export const executedNumbers: readonly string[] = Array.from({ length: count }, (_, number) => String(number));

/** Each of these variations of a family as the fix of today makes it. */
export async function recorded(family: Family, numbers = executedNumbers): Promise<readonly Recorded[]> {
  const all: Recorded[] = [];
  for (const number of numbers) {
    const { text, reference = text, ...rest } = executedVariation(family, Number(number));
    const fixed = await fixedBy(text, family.titles);
    all.push({
      number,
      outcome: fixed ? hashOf(text, fixed) : 'none',
      ...(fixed ? { pair: { ...rest, before: reference, after: fixed.after } } : {}),
    });
  }
  return all;
}

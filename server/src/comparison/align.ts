// Finds which member of one list became which of another, where names, lines and some of the members changed.
import { diffArrays } from 'diff';
import { append } from '../semantic/language';

/** Pairs in the order of `after`, then what is left of each side. */
export interface Alignment<T> {
  readonly pairs: readonly (readonly [before: T, after: T])[];
  readonly gone: readonly T[];
  readonly added: readonly T[];
}

/** Lists that differ by more members are matched by their keys alone: the time grows with the square of this. */
const longestEdit = 2000;

/**
 * Matches members with equal keys, the first of the keys first: each is tried on what those before it left, and within
 * one key the order of both lists is kept as far as it can be (longest common subsequence).
 */
export function align<T>(
  before: readonly T[],
  after: readonly T[],
  keys: readonly ((member: T) => string)[],
): Alignment<T> {
  const partner = new Map<T, T>();
  let left = [...before];
  let right = [...after];
  for (const key of keys) {
    for (const [one, other] of inOrder(left, right, key)) partner.set(other, one);
    const taken = new Set(partner.values());
    left = left.filter((each) => !taken.has(each));
    right = right.filter((each) => !partner.has(each));
  }
  return {
    pairs: after.flatMap((each) => {
      const one = partner.get(each);
      return one === undefined ? [] : [[one, each] as const];
    }),
    gone: left,
    added: right,
  };
}

function inOrder<T>(
  before: readonly T[],
  after: readonly T[],
  key: (member: T) => string,
): readonly (readonly [T, T])[] {
  const changes = diffArrays(before.map(key), after.map(key), { maxEditLength: longestEdit }) ?? [];
  const pairs: (readonly [T, T])[] = [];
  let row = 0;
  let column = 0;
  for (const { added, removed, count } of changes) {
    if (!added && !removed) for (let at = 0; at < count; at++) pairs.push([before[row + at]!, after[column + at]!]);
    if (!added) row += count;
    if (!removed) column += count;
  }
  // What moved past its neighbours is still the same.
  const taken = new Set(pairs.flat());
  const waiting = new Map<string, T[]>();
  for (const each of before) if (!taken.has(each)) append(waiting, key(each), each);
  for (const each of after) {
    const partner = taken.has(each) ? undefined : waiting.get(key(each))?.shift();
    if (partner !== undefined) pairs.push([partner, each]);
  }
  return pairs;
}

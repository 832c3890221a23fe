// What all arms of a branch do to one place.
import { meetsEach } from './repeats';
import type { PendingCount, Run } from './values';

/**
 * Loads that all arms begin with, and stores that all end with, are those of all lanes: the compiler moves them before
 * and behind the branch, in order, until an access differs. Accesses of each arm as groups that were joined before; of
 * each group of the first the one of every other.
 */
export function sharedByArms(
  run: Run,
  arms: readonly PendingCount[][][],
): readonly (readonly [group: PendingCount[], others: readonly PendingCount[]])[] {
  const [first = [], ...others] = arms;
  const shared: [PendingCount[], PendingCount[]][] = [];
  const share = (mode: 'load' | 'store', at: number): boolean => {
    const group = first.at(at)!;
    const [one] = group;
    const same = others.map((arm) => arm.at(at)![0]!);
    const isSame = (each: PendingCount): boolean =>
      each.weight === one!.weight && each.mask === one!.mask && meetsEach(run, one!, each);
    if (one!.record.mode !== mode || !same.every(isSame)) return false;
    shared.push([group, same]);
    return true;
  };
  const shortest = others.length > 0 ? Math.min(...arms.map(({ length }) => length)) : 0;
  let leading = 0;
  while (leading < shortest && share('load', leading)) leading++;
  for (let left = 1; leading + left <= shortest && share('store', -left); left++);
  return shared;
}

// Unknowns as intervals: what a figure may be over all values that the code allows, and a choice among these values.
import { onceWith } from '../semantic/language';
import { type AccessFact, contains, type LoopRef, type Span, type Work } from '../semantic/model';
import type { Interval } from '../semantic/figures';
import { thresholds } from './grade';

/** Values for what the code leaves open. */
export interface Choice {
  /** Iterations of a loop whose count is not known, and which is not known itself where undefined. */
  trips(loop: Pick<LoopRef, 'at'> | undefined): number;
  /** Of what an access may ask for, and how often it is made: the least, the most, or the geometric mean of both. */
  figure(fact: AccessFact): 'least' | 'usual' | 'most';
  /** Blocks of a grid that is not known; so many that neither launch nor L2 matters where it is left out. */
  readonly blocks?: number;
}

/** Iterations of a loop of unknown length, for a figure that has to be one number. */
export const usualTrips = thresholds.extent;
export const usual: Choice = { trips: () => usualTrips, figure: () => 'usual' };

/** What the choice makes of an interval. */
export function chosen([least, most]: Interval, which: 'least' | 'usual' | 'most'): number {
  if (which === 'usual') return least === most ? most : Math.sqrt(Math.max(least, 1) * most);
  return which === 'least' ? least : most;
}

/** How often a thread does work. */
export function repetitionsOf({ loops }: Pick<Work, 'loops'>, choice: Choice): number {
  let known = 1;
  let open = 1;
  let most: number = usualTrips;
  for (const loop of loops)
    if (loop.trips !== undefined) known *= loop.trips;
    else {
      open *= choice.trips(loop);
      most = Math.max(most, choice.trips(loop));
    }
  // As of accesses: loops of unknown length within each other are no more than the square of one together.
  return known * Math.min(open, most ** 2);
}

/** The innermost bodies and loops of a kernel's work around a place, one for each way of calls to it. */
export const placesOf = onceWith((work: readonly Work[], at: Span): readonly Work[] => {
  const around = work.filter((one) => contains(one.at, at));
  const least = Math.min(...around.map(({ at: { start, end } }) => end - start));
  return around.filter(({ at: { start, end } }) => end - start === least);
});

/** How often a thread comes to a place. */
export function timesAt(at: Span, work: readonly Work[], choice: Choice): number {
  return placesOf(work, at).reduce((sum, one) => sum + one.calls * repetitionsOf(one, choice), 0);
}

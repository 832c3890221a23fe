// Unknowns as intervals: what a figure may be over all values that the code allows, and a choice among these values.
import type { AccessFact, Assumption, LoopRef } from '../semantic/model';
import type { Interval } from '../semantic/figures';
import { thresholds } from './grade';

/** Values for what the code leaves open. */
export interface Choice {
  /** Iterations of a loop whose count is not known, and which is not known itself where undefined. */
  trips(loop: LoopRef | undefined): number;
  /** Of what an access may ask for, and how often it is made: the least, the most, or the geometric mean of both. */
  figure(fact: AccessFact): 'least' | 'usual' | 'most';
}

/** Iterations of a loop of unknown length, for a figure that has to be one number. */
export const usualTrips = thresholds.extent;
export const usual: Choice = { trips: () => usualTrips, figure: () => 'usual' };

/** Part of the warp instructions counted that are made: none for sure where data or unseen threads decide. */
export function executedRange({ assumed }: AccessFact): Interval {
  return assumed.some((one) => one.kind === 'reached' || (one.kind === 'by-data' && !one.again)) ? [0, 1] : [1, 1];
}

/**
 * Data or an unknown type decide how many sectors or wavefronts it asks for, or data whether it is made at all.
 */
export function isUpToData({ gather, assumed }: AccessFact): boolean {
  return gather !== undefined || assumed.some(isOpen);
}
function isOpen(assumption: Assumption): boolean {
  const { kind } = assumption;
  if (kind === 'type-size') return assumption.free === true;
  return kind === 'loaded-index' || kind === 'type' || (kind === 'by-data' && !assumption.again);
}

/** Data decide how many lanes make it after the first iteration. */
export function isLeft({ assumed }: AccessFact): boolean {
  return assumed.some((one) => one.kind === 'by-data' && one.again === true);
}

/** What the choice makes of an interval. */
export function chosen([least, most]: Interval, which: 'least' | 'usual' | 'most'): number {
  if (which === 'usual') return least === most ? most : Math.sqrt(Math.max(least, 1) * most);
  return which === 'least' ? least : most;
}

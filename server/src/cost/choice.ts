// Unknowns as intervals: what a figure may be over all values that the code allows, and a choice among these values.
import type { Interval } from '../rules/rule';
import type { AccessFact, LoopRef } from '../semantic/model';
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

/** Sectors, or wavefronts, of a warp instruction whose lanes lie side by side, as far as its bytes tell. */
export function idealOf(fact: AccessFact): number {
  const known = fact.space === 'shared' ? fact.wavefrontsIdeal : fact.sectorsIdeal;
  return known ?? Math.max(1, Math.ceil((fact.activeLanes * fact.elementBytes) / 32));
}

/**
 * Sectors, or wavefronts, that a warp instruction may ask for: one number where text and launch settle it; for a gather
 * from the ideal to as many as its lanes can touch; for what rests on an assumption from what it is without it.
 */
export function figureRange(fact: AccessFact): Interval {
  const known = fact.space === 'shared' ? fact.wavefronts : fact.sectors;
  const ideal = idealOf(fact);
  if (known === undefined) {
    const most = fact.gather?.sectorsAtMost ?? 0;
    return [Math.min(most, ideal), most];
  }
  let least = known;
  for (const one of fact.assumed) {
    switch (one.kind) {
      case 'stride':
        // The length of rows that the kernel walks along is an extent of its data, and as long as these.
        if (!one.rows && !one.long) least = Math.min(least, one.otherwise * ideal);
        break;
      case 'block':
        // Lanes that are apart along x are so in every block.
        if (one.origin === 'guessed' && fact.laneStride === undefined) least = Math.min(least, ideal);
        break;
      case 'unsettled':
      case 'type-size':
      case 'loaded-index':
        least = Math.min(least, ideal);
        break;
      default:
        break;
    }
  }
  return [Math.min(least, known), known];
}

/** The same by its ideal; undefined where nothing is known of it. */
export function ratioRange(fact: AccessFact): Interval | undefined {
  const ideal = idealOf(fact);
  const [least, most] = figureRange(fact);
  return fact.space === 'constant' || ideal <= 0 || most <= 0 ? undefined : [least / ideal, most / ideal];
}

/** Part of the warp instructions counted that are made: none for sure where data or unseen threads decide. */
export function executedRange({ assumed }: AccessFact): Interval {
  return assumed.some(({ kind }) => kind === 'reached' || kind === 'by-data') ? [0, 1] : [1, 1];
}

/** Data decide how many sectors or wavefronts it asks for, or whether it is made at all. */
export function isUpToData({ gather, assumed }: AccessFact): boolean {
  return gather !== undefined || assumed.some(({ kind }) => kind === 'by-data' || kind === 'loaded-index');
}

/** What the choice makes of an interval. */
export function chosen([least, most]: Interval, which: 'least' | 'usual' | 'most'): number {
  if (which === 'usual') return least === most ? most : Math.sqrt(Math.max(least, 1) * most);
  return which === 'least' ? least : most;
}

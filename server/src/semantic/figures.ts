// What the model says of an access as one figure or as an interval.
import type { AccessFact, HostLoops, Span } from './model';

/** Iterations that a run makes of a loop of unknown length. */
export const unknownIterations = 3;

/** Iterations of a host loop around a launch whose count is unknown. */
export const usualLaunches = 10;

/** How often a launch is made in these host loops: unknown ones in each other count as the square of one together. */
export function launchCount(loops: HostLoops): number {
  const unknown = loops.filter((trips) => trips === undefined).length;
  const known = loops.reduce<number>((product, trips) => product * Math.max(1, trips ?? 1), 1);
  return known * usualLaunches ** Math.min(2, unknown);
}

/** Least and most. */
export type Interval = readonly [number, number];

/** Sectors, or wavefronts, of a warp instruction whose lanes lie side by side, as far as its bytes tell. */
export function idealOf(fact: AccessFact): number {
  const known = fact.space === 'shared' ? fact.wavefrontsIdeal : fact.sectorsIdeal;
  return known ?? Math.max(1, Math.ceil((fact.activeLanes * fact.elementBytes) / 32));
}

/** Data decide which of its lanes are active. */
export function isMasked({ gather, assumed }: Pick<AccessFact, 'gather' | 'assumed'>): boolean {
  return gather === undefined && assumed.some(({ kind }) => kind === 'by-data');
}

/** The ideal of all masks that data may leave: that of one lane at least. */
export function idealRange(fact: AccessFact): Interval {
  const ideal = idealOf(fact);
  return [isMasked(fact) ? Math.min(1, ideal) : ideal, ideal];
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
  let most = known;
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
      case 'launches':
        least = Math.min(least, one.least * ideal);
        most = Math.max(most, one.most * ideal);
        break;
      case 'type':
        least = Math.min(least, one.otherwise * ideal);
        break;
      case 'unsettled':
      case 'type-size':
      case 'loaded-index':
        least = Math.min(least, ideal);
        break;
      case 'by-data':
        // One element is no wider than a sector.
        least = Math.min(least, 1);
        break;
      default:
        break;
    }
  }
  return [Math.min(least, known), most];
}

/** The same by its ideal; undefined where nothing is known of it. */
export function ratioRange(fact: AccessFact): Interval | undefined {
  const ideal = idealOf(fact);
  const [least, most] = figureRange(fact);
  if (fact.space === 'constant' || ideal <= 0 || most <= 0) return undefined;
  if (!isMasked(fact)) return [least / ideal, most / ideal];
  // A single lane has its ideal. At most each active lane has a sector that no other active one touches.
  const apart = fact.space === 'shared' ? 1 : Math.min(fact.worst ?? most, sectorBytes / fact.elementBytes);
  return [1, Math.max(1, most / ideal, apart)];
}
const sectorBytes = 32;

/** What it would ask for at best where it asks for the most: data may leave lanes that all fit in one sector. */
export function idealOfMost(fact: AccessFact): number {
  const ratio = isMasked(fact) ? ratioRange(fact)?.[1] : undefined;
  return ratio === undefined ? idealOf(fact) : figureRange(fact)[1] / ratio;
}

/**
 * Lanes of an atomic addition that are served one after the other: those at one address, of types that the hardware
 * does not add up by itself (it does integers of four bytes whose result is not used).
 */
export function serialLanes(access: AccessFact): number {
  const { mode, atomic, addresses, activeLanes } = access;
  if (mode !== 'atomic' || !atomic || addresses === undefined) return 1;
  return isAddedUp(access) ? 1 : Math.max(1, activeLanes / Math.max(1, addresses));
}

function isAddedUp({ atomic, elementType, elementBytes }: AccessFact): boolean {
  return !atomic?.used && elementBytes === 4 && elementType !== 'float';
}

export function isReal({ elementType }: AccessFact): boolean {
  return /float|double/.test(elementType);
}

/**
 * Atomic additions of a block, by the requests that it makes, at addresses of the grid that are few. At best the lanes
 * at one address add up first; where the hardware does that, or lanes are at several addresses, the block does.
 */
export function turnsOf(access: AccessFact, requests: number, isIdeal: boolean): number {
  const { places = Infinity, addresses, activeLanes, atomic, nativeAtomic } = access;
  // One lane of each warp has added up its warp already.
  const isOfBlock = isAddedUp(access) || activeLanes < 2;
  if (addresses === 1 && atomic?.settled && (isOfBlock || (isIdeal && !nativeAtomic)))
    return isIdeal && isOfBlock ? Math.min(requests, places) : requests;
  return isIdeal && !nativeAtomic ? Math.min(requests * activeLanes, places) : requests * activeLanes;
}

/** Atomics of a block, of `runs` launch shapes: all, or those of an iteration of loops of unknown length. */
export function atomicsOfIteration(fact: AccessFact, runs: number): number {
  const open = fact.loops.filter(({ trips, modelled }) => trips === undefined && modelled === undefined).length;
  return turnsOf(fact, fact.executions / unknownIterations ** open / runs, false);
}

/**
 * Loads of a record of each thread, element by element, that L1 holds from the first to the last of them: all loads of
 * the array are in one loop, with no other between them, and the records of all resident threads fit beside shared
 * memory. `bytes`: of L1 for each resident thread. Measured: loads in docs/measurements/h200-neighbours.md.
 */
export function heldRecords(accesses: readonly AccessFact[], threads: number, bytes: number): ReadonlySet<AccessFact> {
  const records = new Map<string, AccessFact[]>();
  const taken = new Map<string, number>();
  for (const access of accesses) {
    const { cause, mode, space, array, laneStride = Infinity } = access;
    if (space === 'shared') taken.set(array.name, (array.bytes ?? Infinity) / threads);
    if (mode !== 'load' || space !== 'global' || !cause || !recordCauses.has(cause)) continue;
    taken.set(array.name, Math.max(taken.get(array.name) ?? 0, Math.abs(laneStride)));
    records.set(array.name, [...(records.get(array.name) ?? []), access]);
  }
  if ([...taken.values()].reduce((sum, one) => sum + one, 0) > bytes) return new Set();
  const loops = accesses.flatMap((access) => access.loops.map(({ at }) => at));
  return new Set([...records.values()].filter((its) => areTogether(its, loops)).flat());
}
const recordCauses: ReadonlySet<string> = new Set(
  'stride struct-field vector-type row-per-thread chunk-per-thread'.split(' '),
);

/** Does no loop enclose only some of the accesses, or run between them? */
function areTogether(its: readonly AccessFact[], loops: readonly Span[]): boolean {
  const [first, last] = [Math.min(...its.map(({ at }) => at.start)), Math.max(...its.map(({ at }) => at.start))];
  const { uri } = its[0]!.at;
  return (
    its.every(({ at }) => at.uri === uri) &&
    loops.every((loop) => loop.uri !== uri || loop.end <= first || loop.start > last || around(loop, first, last))
  );
}
function around({ start, end }: Span, first: number, last: number): boolean {
  return start <= first && last < end;
}

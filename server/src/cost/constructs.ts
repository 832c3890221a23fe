// How long an OpenACC kernel takes by its iterations, accesses and lanes, and what transfers and waits add to it.
import { contains, type Facts, type Gpu, type Model } from '../semantic/model';
import type { Layout, Waste } from '../rules/rule';
import { constantsOf, type GpuConstants } from '../../../hardware/src/constants';
import type { Gain, Wasted } from './wasted';
import { thresholds } from './grade';
import { manyBlocks, overlap, threadsOfMultiprocessor, unrolled } from './kernelTime';

type Work = Facts['acc-work'];
/** Iterations of a loop, by the place of its head. */
type Trips = (loop: number) => number;

const sectorBytes = 32;
const blocksOfMultiprocessor = 32;
const usualThreads = 128;
/** Loops whose unknown lengths differ; those beyond are as long as the last of them. */
const mostUnknown = 5;

/** Microseconds of the kernels, and with what is around them now and then. */
type Times = (trips: Trips, end: 0 | 1) => readonly [busy: number, now: number, then: number];

/** Undefined of wastes that are not those of OpenACC kernels, or of kernels that are not known. */
export function gainOfConstructs(wasted: readonly Wasted[], model: Model, gpu: Gpu): Gain | undefined {
  const gains = wasted.flatMap(({ fact, waste }) => {
    const places = 'at' in waste && waste.at ? waste.at : [fact.at];
    const works = model.facts['acc-work'].filter(({ at }) =>
      places.some((place) => contains(place, at) || contains(at, place)),
    );
    const times = works.length > 0 ? timesOf(waste, works, gpu) : undefined;
    if (!times) return [];
    const { range } = rangeOf(works, times, gpu);
    return ['maybe' in waste && waste.maybe ? ([1, range[1]] as const) : range];
  });
  const best = gains.sort((a, b) => b[0] - a[0] || b[1] - a[1])[0];
  // No share of programs says which of the values is usual: what holds of all of them is expected.
  return best && { range: best, expected: best[0] };
}

/** The least over values at which the kernels take longer than their launches, and the most over all. */
function rangeOf(works: readonly Work[], times: Times, gpu: Gpu): { readonly range: readonly [number, number] } {
  let least = Infinity;
  let most = 1;
  let longest = { time: 0, gain: 1 };
  for (const trips of valuesOf(works, gpu))
    for (const end of [0, 1] as const) {
      const [busy, now, then] = times(trips, end);
      const gain = Math.max(1, now / then);
      most = Math.max(most, gain);
      if (busy > longest.time) longest = { time: busy, gain };
      if (busy >= 2 * constantsOf(gpu).launch * works.length) least = Math.min(least, gain);
    }
  return { range: [least === Infinity ? Math.min(longest.gain, most) : least, most] };
}

function* valuesOf(works: readonly Work[], gpu: Gpu): Generator<Trips> {
  const loops = works.flatMap((work) => work.loops);
  const grids = new Set(works.flatMap(({ accesses }) => accesses.map((access) => access.loops[0]?.at)));
  const ends = new Map(
    loops.map(({ at, trips, shared }): [number, readonly [number, number]] => {
      const block = works.some(({ lane }) => lane === at) ? usualThreads : 1;
      const many = shared && grids.has(at) ? manyBlocks * gpu.multiprocessors * block : thresholds.extent ** 2;
      const most = trips?.atMost ?? many;
      return [at, trips?.exact ? [most, most] : [Math.min(thresholds.extent, most), most]];
    }),
  );
  const open = [...ends].filter(([, [least, most]]) => least < most).map(([at]) => at);
  for (let choice = 0; choice < 2 ** Math.min(mostUnknown, open.length); choice++)
    yield (loop) => {
      const bit = Math.min(mostUnknown - 1, Math.max(0, open.indexOf(loop)));
      return ends.get(loop)?.[((choice >> bit) & 1) as 0 | 1] ?? 1;
    };
}

function timesOf(waste: Waste, works: readonly Work[], gpu: Gpu): Times | undefined {
  const constants = constantsOf(gpu);
  const { launch, link, wait } = constants;
  const timeOf = (work: Work, trips: Trips, kept: boolean, layout: Layout = {}): number =>
    launch + microseconds(work, layout, trips, kept, gpu, constants);
  const kernels = (trips: Trips, end: 0 | 1): number[] => works.map((work) => timeOf(work, trips, end === 0));
  switch (waste.kind) {
    case 'layout':
      return (trips, end) => {
        const [work] = works as [Work];
        const now = timeOf(work, trips, end === 0, waste.now);
        return [now, now, timeOf(work, trips, end === 0, waste.then)];
      };
    case 'transfer':
      return (trips, end) => {
        const moved =
          waste.arrays.length * link.wait +
          (waste.bytes ?? bytesOf(works, waste.arrays, trips)) / (1e3 * (end === 0 ? link.pinned : link.pageable));
        const turns = waste.repeated ? thresholds.extent ** (2 - end) : 1;
        const busy = sumOf(kernels(trips, end));
        const whole = turns * busy;
        return [busy, whole + waste.ways[0] * moved, whole + waste.ways[1] * moved];
      };
    case 'host':
      return (trips, end) => {
        const each = kernels(trips, end);
        const whole = sumOf(each);
        // Kernels that fill the GPU do not run at once.
        const atOnce = end === 0 ? whole - (each.length - 1) * launch : Math.max(...each);
        return [whole, whole + waste.times * wait, waste.overlap ? atOnce : whole];
      };
    default:
      return undefined;
  }
}

/** Of all arrays, each as far as the loops around its accesses reach. */
function bytesOf(works: readonly Work[], arrays: readonly string[], trips: Trips): number {
  const bytes = new Map<string, number>();
  for (const { accesses } of works)
    for (const { array, bytes: each, loops } of accesses)
      if (arrays.includes(array)) {
        const reached = each * iterations(loops, trips, ({ sectors }) => sectors > 0);
        bytes.set(array, Math.max(bytes.get(array) ?? 0, reached));
      }
  return sumOf([...bytes.values()]);
}

/** Without the launch. `kept`: what a lane will use of a sector stays in L1 and L2 until then. */
function microseconds(
  { loops, lane: known, accesses }: Work,
  layout: Layout,
  trips: Trips,
  kept: boolean,
  { multiprocessors }: Gpu,
  { dram, l1, l2, latency, life, gigahertz }: GpuConstants,
): number {
  const lane = layout.lane?.start ?? known;
  const more = layout.shared?.map(({ start }) => start) ?? [];
  const shared = new Set(loops.flatMap((loop) => (loop.shared ? [loop.at] : [])).concat(more, lane ?? []));
  const isShared = ({ at }: { readonly at: number }): boolean => !layout.alone && shared.has(at);
  const { threads = lane === undefined ? sectorBytes : usualThreads } = layout;
  const { useful = layout.alone || lane === undefined ? 1 : threads } = layout;
  let [parallel, steps, cycles] = [1, 0, { l1: 0, l2: 0, dram: 0 }];
  for (const { bytes, loops: around } of accesses) {
    const times = iterations(around, trips);
    const own = Math.min(1, bytes / sectorBytes);
    const apart = layout.alone ? 1 : (around.find(({ at }) => at === lane)?.sectors ?? 0);
    const needed = (iterations(around, trips, ({ sectors }) => sectors > 0) * own) / times;
    const isKept = kept && around.some(({ sectors }) => sectors > 0 && sectors <= own);
    cycles.l1 += times * Math.max(apart > own ? 1 : apart / 4, own / usualThreads) * l1.line;
    cycles.l2 += times * Math.max(isKept ? Math.min(apart, own) : apart, 1 / 32) * l2.load.sector;
    cycles.dram += times * (isKept ? needed : Math.max(needed, Math.min(apart, 1) * (needed / own))) * dram.read;
    parallel = Math.max(parallel, iterations(around, trips, isShared));
    steps += iterations(around, trips, (loop) => !isShared(loop));
  }
  parallel = Math.min(parallel, (layout.gangs ?? Infinity) * useful);
  const resident = Math.min(blocksOfMultiprocessor, Math.floor(threadsOfMultiprocessor / threads)) * useful;
  const busy = Math.min(multiprocessors, Math.max(1, parallel / useful));
  const rounds = Math.max(1, parallel / (resident * multiprocessors));
  const all = sumOf(accesses.map(({ loops }) => iterations(loops, trips)));
  const inARow = layout.gangs ? all / parallel : steps;
  const waits = rounds * (life.block + (latency.dram * inARow) / unrolled);
  const resources = [cycles.l1 / busy, cycles.l2 / busy, cycles.dram / multiprocessors, waits];
  return sumOf(resources.map((one) => one ** overlap)) ** (1 / overlap) / (gigahertz * 1e3);
}

function iterations<L extends { readonly at: number }>(
  loops: readonly L[],
  trips: Trips,
  counts: (loop: L) => boolean = () => true,
): number {
  return loops.reduce((product, loop) => product * (counts(loop) ? Math.max(1, trips(loop.at)) : 1), 1);
}

function sumOf(all: readonly number[]): number {
  return all.reduce((sum, one) => sum + one, 0);
}

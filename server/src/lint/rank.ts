// Predicts what each kernel of a model moves and how much of it each fact stands for, so that what matters comes first.
import {
  type AccessFact,
  type BranchCost,
  type BranchFact,
  type FactKind,
  type Facts,
  type Gpu,
  type KernelFact,
  type LaunchFact,
  type Model,
  type Span,
  contains,
} from '../semantic/model';
import { spanIndex, type Around } from './spanIndex';

/** What is predicted of one kernel. */
export interface KernelTraffic {
  readonly name: string;
  /** The definition; absent for a kernel of another file that reaches functions of this one. */
  readonly at?: Span;
  /** 32-byte sectors of global memory and wavefronts of shared memory that one block asks for. */
  readonly sectors: number;
  readonly wavefronts: number;
  /** Blocks of all its launches: grids as far as they are known, `usualBlocks` a multiprocessor where not. */
  readonly blocks: number;
  /** Something of the count above is a stated default. */
  readonly assumed: boolean;
  /** Its memory's cycles, all blocks and launches, by those of the heaviest kernel that is defined beside it, 0…1. */
  readonly weight: number;
  /** It reads global memory, textures included. */
  readonly reads: boolean;
  /** What the model says of it, where its definition is in sight. */
  readonly fact?: KernelFact;
}
export interface FactShare {
  readonly kernel: KernelTraffic;
  /** Part of the kernel's sectors, wavefronts or operations, 0…1. */
  readonly share: number;
  /** The share if loops of unknown length ran but a few times and gathers were coalesced: what it may well be. */
  readonly atMost: number;
  /** The share if loops of unknown length ran a thousand times, where that is less: what is sure of it. */
  readonly atLeast: number;
  /** Part of the kernel's cycles of memory that such traffic (sectors, or wavefronts) is, 0…1. */
  readonly ofMemory: number;
  /** Cycles of what it is a part of, in all blocks and launches of the kernel. */
  readonly cycles: number;
}
export interface Rank {
  readonly kernels: readonly KernelTraffic[];
  /** The kernels whose definitions contain a place. */
  readonly around: Around<KernelTraffic>;
  /** Those that contain one of the places, or have one of the names; each once, in the order of `kernels`. */
  concerned(places: readonly Span[], names: readonly string[]): readonly KernelTraffic[];
  /** Undefined where nothing is known of what a fact costs, or of the kernel around it. */
  shareOf<K extends FactKind>(fact: Facts[K]): FactShare | undefined;
}

/** Cycles of a multiprocessor: L2 hands over 64 bytes (two sectors) in one, shared memory serves a wavefront in one. */
export const cyclesOf = { sectors: 0.5, wavefronts: 1 } as const;

/** Iterations of a loop whose count nothing in sight tells. */
export const usualTrips = 32;
/** Iterations of such a loop where it is long: what stands beside it, the end of a matrix product say, is little. */
const longTrips = 1000;
/** Iterations that a run makes of such a loop (`unknownIterations` and `unknownWeight` of semantic/run). */
const modelledTrips = 3;
/** Blocks a multiprocessor of a launch whose grid nothing in sight tells. */
export const usualBlocks = 16;
/** Repetitions of a launch in a host loop whose count nothing in sight tells. */
export const usualLaunches = 10;

export function createRank(model: Model, gpu: Gpu): Rank {
  const kernels = model.facts.kernel.filter(({ global }) => global).map((fact) => createTally(fact.name, fact));
  const byName = new Map<string, Tally[]>();
  for (const tally of kernels) byName.set(tally.name, [...(byName.get(tally.name) ?? []), tally]);
  const defined = spanIndex(kernels, ({ at }) => at);
  const ofFact = (fact: { readonly at: Span; readonly kernels: readonly string[] }): readonly Tally[] => {
    const [around] = defined(fact.at);
    if (around) return [around];
    return fact.kernels.flatMap((name) => {
      const named = byName.get(name);
      if (named) return named;
      const other = createTally(name);
      byName.set(name, [other]);
      kernels.push(other);
      return [other];
    });
  };
  for (const access of model.facts.access) {
    const its = ofFact(access);
    for (const tally of its) {
      tally.reads ||= access.mode !== 'store' && access.space !== 'shared' && access.space !== 'local';
      tally[unitOf(access)] += trafficOf(access) / its.length;
      tally.least[unitOf(access)] += leastTrafficOf(access) / its.length;
      tally.long[unitOf(access)] += trafficOf(access, longTrips) / its.length;
    }
  }
  for (const tally of kernels) countFetches(tally);
  const order = new Map(kernels.map((tally, at) => [tally, at]));
  const launches = new Map<string, LaunchFact[]>();
  for (const launch of model.facts.launch) {
    const key = launch.kernelAt && placeOf(launch.kernelAt);
    const others = key === undefined ? undefined : launches.get(key);
    if (others) others.push(launch);
    else if (key !== undefined) launches.set(key, [launch]);
  }
  for (const tally of kernels) countBlocks(tally, (tally.fact && launches.get(placeOf(tally.fact.nameAt))) ?? [], gpu);
  weigh(kernels);

  return {
    kernels,
    around: defined,
    concerned(places, names) {
      const its = new Set([...places.flatMap(defined), ...names.flatMap((name) => byName.get(name) ?? [])]);
      return [...its].sort((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0));
    },
    shareOf(fact) {
      switch (fact.kind) {
        case 'access':
          return shareOfAccess(fact, ofFact(fact));
        case 'branch':
          return shareOfBranch(fact, ofFact(fact));
        default:
          return undefined;
      }
    },
  };
}

interface Tally {
  readonly name: string;
  readonly fact?: KernelFact;
  readonly at?: Span;
  sectors: number;
  wavefronts: number;
  /** The same without what is guessed of loops and gathers. */
  readonly least: { sectors: number; wavefronts: number };
  /** The same where loops of unknown length are long. */
  readonly long: { sectors: number; wavefronts: number };
  blocks: number;
  weight: number;
  reads: boolean;
  assumed: boolean;
}

function createTally(name: string, fact?: KernelFact): Tally {
  const place = fact ? { fact, at: fact.at } : {};
  const nothing = (): Tally['least'] => ({ sectors: 0, wavefronts: 0 });
  return {
    name,
    ...place,
    ...nothing(),
    least: nothing(),
    long: nothing(),
    blocks: 0,
    weight: 1,
    reads: false,
    assumed: false,
  };
}

function unitOf({ space }: AccessFact): 'sectors' | 'wavefronts' {
  return space === 'shared' ? 'wavefronts' : 'sectors';
}

/**
 * Sectors, or wavefronts, that the access asks for in all warps of the blocks that were run. A gather counts as the
 * geometric mean of the least and the most that it may ask for; loops of which fewer iterations were run than they
 * have, or whose count is unknown, are scaled.
 */
export function trafficOf(fact: AccessFact, unknownTrips = usualTrips): number {
  const [least, most] = figuresOf(fact);
  return Math.sqrt(least * most) * executionsOf(fact) * loopScale(fact, unknownTrips);
}
/** Warp instructions that issue the access, counted as `trafficOf` does. */
export function requestsOf(fact: AccessFact, unknownTrips = usualTrips): number {
  return executionsOf(fact) * loopScale(fact, unknownTrips);
}
function leastTrafficOf(fact: AccessFact): number {
  return figuresOf(fact)[0] * executionsOf(fact) * loopScale(fact, 0);
}
/** Those that were run, without the iterations that the compiler takes the load out of. */
export function executionsOf({ executions, loops, hoisted = 0 }: AccessFact): number {
  const iterations = loops
    .slice(0, hoisted)
    .reduce((product, { trips, modelled }) => product * Math.max(1, modelled ?? trips ?? modelledTrips), 1);
  return executions / iterations;
}
/** Least and most sectors, or wavefronts, of a warp instruction. */
function figuresOf(fact: AccessFact): readonly [number, number] {
  const known = fact.space === 'shared' ? fact.wavefronts : fact.sectors;
  if (known !== undefined) return [known, known];
  const most = fact.gather?.sectorsAtMost ?? 0;
  return [Math.min(most, Math.ceil((fact.activeLanes * fact.elementBytes) / 32)), most];
}

/** Loops of unknown length within each other are no more than the square of one together. */
function mostScale(unknown: number): number {
  return Math.max(usualTrips, unknown) ** 2;
}

/** `unknown`: iterations of a loop whose count is not known. */
function loopScale({ loops, hoisted = 0 }: Pick<AccessFact, 'loops' | 'hoisted'>, unknown: number): number {
  let scale = 1;
  for (const { trips, modelled } of loops.slice(hoisted)) {
    if (trips !== undefined) scale *= modelled === undefined ? 1 : Math.max(1, trips / modelled);
    else scale *= Math.max(1, unknown / (modelled ?? modelledTrips));
  }
  return Math.min(scale, mostScale(unknown));
}

function shareOfAccess(fact: AccessFact, its: readonly Tally[]): FactShare | undefined {
  const unit = unitOf(fact);
  const kernel = heaviest(its, unit);
  // The runs of all shapes were added up, as in the kernel's own sums.
  const traffic = trafficOf(fact) / Math.max(1, its.length) / runsOf(kernel);
  if (!kernel || kernel[unit] <= 0 || traffic <= 0) return undefined;
  const least = leastTrafficOf(fact) / Math.max(1, its.length);
  const long = trafficOf(fact, longTrips) / Math.max(1, its.length);
  const share = Math.min(1, traffic / kernel[unit]);
  return {
    kernel,
    share,
    atLeast: kernel.long[unit] > 0 ? Math.min(share, long / kernel.long[unit]) : share,
    atMost: kernel.least[unit] > 0 ? Math.min(1, least / kernel.least[unit]) : 1,
    ofMemory: (kernel[unit] * cyclesOf[unit]) / memoryCycles(kernel),
    cycles: kernel[unit] * cyclesOf[unit] * kernel.blocks,
  };
}

function heaviest(tallies: readonly Tally[], unit: 'sectors' | 'wavefronts'): Tally | undefined {
  return tallies.reduce<Tally | undefined>((most, one) => (!most || one[unit] > most[unit] ? one : most), undefined);
}

/** The part of the kernel's statements that stands under the branch, loops counted as `BranchCost` counts them. */
function shareOfBranch(fact: BranchFact, its: readonly Tally[]): FactShare | undefined {
  const kernel = its.length === 1 ? its[0] : undefined;
  const cost = kernel?.fact?.cost;
  if (!kernel || !cost || !kernel.at || !contains(kernel.at, fact.at)) return undefined;
  const repeated = Math.min(64, 8 ** (fact.loops.length + (fact.form === 'for' || fact.form === 'while' ? 1 : 0)));
  const under = repeated * (workOf(fact.under) + (fact.otherwise ? workOf(fact.otherwise) : 0));
  const whole = Math.max(workOf(cost), under);
  if (whole <= 0) return undefined;
  const cycles = memoryCycles(kernel) * kernel.blocks;
  return { kernel, share: under / whole, atMost: under / whole, atLeast: under / whole, ofMemory: 1, cycles };
}

/** Of one block. */
function memoryCycles({ sectors, wavefronts }: Pick<KernelTraffic, 'sectors' | 'wavefronts'>): number {
  return sectors * cyclesOf.sectors + wavefronts * cyclesOf.wavefronts;
}

/** Issue slots, roughly: memory and calls take more of them than arithmetic. */
export function workOf(cost: BranchCost): number {
  return cost.operations + 4 * (cost.loads + cost.stores) + 8 * cost.calls + 8 * cost.barriers;
}

/** By what is usual, or by the fewest iterations and the best gathers: whichever makes more of a kernel. */
function weigh(tallies: readonly Tally[]): void {
  const all = tallies.filter(({ at }) => at);
  for (const tally of all) tally.weight = 0;
  for (const cyclesOfAll of [
    (tally: Tally) => memoryCycles(tally) * tally.blocks,
    (tally: Tally) => (memoryCycles(tally.least) / runsOf(tally)) * tally.blocks,
  ]) {
    const most = all.reduce((heaviest, tally) => Math.max(heaviest, cyclesOfAll(tally)), 0);
    for (const tally of all) tally.weight = Math.max(tally.weight, most > 0 ? cyclesOfAll(tally) / most : 1);
  }
}

function runsOf(tally: Tally | undefined): number {
  return Math.max(1, tally?.fact?.shapes.length ?? 0);
}

function placeOf({ uri, start }: Span): string {
  return `${uri}@${start}`;
}

/** Neighbouring lanes fetch neighbouring texels of four bytes, most often. */
const sectorsOfFetch = 4;

/** Fetches from textures, in all warps of the blocks that were run. */
function countFetches(tally: Tally): void {
  const { fetches = [], shapes = [] } = tally.fact ?? {};
  tally.reads ||= fetches.length > 0;
  const warps = shapes.reduce((sum, { block }) => sum + Math.ceil((block[0] * block[1] * block[2]) / 32), 0);
  for (const loops of fetches) {
    const times = (unknown: number): number =>
      Math.min(
        mostScale(unknown),
        loops.reduce<number>((product, trips) => product * (trips ?? unknown), 1),
      );
    tally.sectors += sectorsOfFetch * warps * times(usualTrips);
    tally.least.sectors += sectorsOfFetch * warps * times(modelledTrips);
    tally.long.sectors += sectorsOfFetch * warps * times(longTrips);
  }
}

function countBlocks(tally: Tally, launches: readonly LaunchFact[], gpu: Gpu): void {
  const { fact } = tally;
  const shapes = fact?.shapes ?? [];
  // The runs of all shapes were added up: one block is their mean.
  const runs = runsOf(tally);
  tally.sectors /= runs;
  tally.wavefronts /= runs;
  const usual = usualBlocks * gpu.multiprocessors;
  const product = ({ x, y, z }: { x?: number; y?: number; z?: number }): number | undefined =>
    x === undefined || y === undefined || z === undefined ? undefined : x * y * z;
  if (launches.length === 0) {
    const known = shapes.map(({ grid }) => product(grid)).filter((blocks) => blocks !== undefined);
    tally.blocks = known.length > 0 ? known.reduce((sum, blocks) => sum + blocks, 0) : usual;
    tally.assumed = known.length === 0;
    return;
  }
  for (const { grid, gridExact, loop } of launches) {
    const blocks = gridExact ? product(grid) : undefined;
    const times = loop ? (loop.trips ?? usualLaunches) : 1;
    tally.blocks += (blocks ?? usual) * times;
    tally.assumed ||= blocks === undefined || (loop !== undefined && loop.trips === undefined);
  }
}

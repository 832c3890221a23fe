// Predicts what each kernel of a model moves and how much of it each fact stands for.
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
  type Work,
  contains,
} from '../semantic/model';
import { figureRange, idealOf, launchCount, unknownIterations, usualLaunches } from '../semantic/figures';
import { append } from '../semantic/language';
import { executedRange } from '../semantic/assumption';
import type { GpuConstants } from '../../../hardware/src/constants';
import { type Choice, chosen, timesAt, usual, usualTrips } from './choice';
import { spanIndex, type Around } from './spanIndex';

/** What is predicted of one kernel. */
export interface KernelTraffic {
  readonly name: string;
  /** The definition; absent for a kernel of another file that reaches functions of this one. */
  readonly at?: Span;
  /** 32-byte sectors of global memory and wavefronts of shared memory that one block asks for. */
  readonly sectors: number;
  readonly wavefronts: number;
  /** Blocks of its launches, each once: grids where they are known, `usualBlocks` a multiprocessor where not. */
  readonly blocks: number;
  /** How often the host launches it, loops around launches and their callers counted. */
  readonly launches: number;
  /** Blocks of each of its launches; absent where a grid is unknown. */
  readonly grids?: readonly number[];
  /** Blocks of its launches with numbers in the place of what is not known: these tell two grids apart, no more. */
  readonly sampled?: number;
  /** Something of the count above is a stated default. */
  readonly assumed: boolean;
  /** What the model says of it, where its definition is known. */
  readonly fact?: KernelFact;
}
export interface FactShare {
  readonly kernel: KernelTraffic;
  /** Part of the kernel's sectors, wavefronts or operations, 0…1. */
  readonly share: number;
  /** The same if loops of unknown length iterate as often as they were run, and not as often as is usual. */
  readonly shareIfFew: number;
  /** Cycles of what it is a part of, in all blocks and launches of the kernel. */
  readonly cycles: number;
}
export interface Rank {
  readonly model: Model;
  readonly gpu: Gpu;
  readonly kernels: readonly KernelTraffic[];
  /** The kernels whose definitions contain a place. */
  readonly around: Around<KernelTraffic>;
  /** Those that contain one of the places, or have one of the names; each once, in the order of `kernels`. */
  concerned(places: readonly Span[], names: readonly string[]): readonly KernelTraffic[];
  /** The kernel around a fact, or those that call the function around it. */
  ownersOf(fact: { readonly at: Span; readonly kernels: readonly string[] }): readonly KernelTraffic[];
  /** The accesses that count for the kernel: of it, and of functions that it calls. */
  accessesOf(kernel: KernelTraffic): readonly AccessFact[];
  /** A kernel that the host launches at least ten times as often, and a block of which moves no less. */
  heavierThan(kernel: KernelTraffic): { readonly name: string; readonly times: number } | undefined;
  /** Undefined where nothing is known of what a fact costs, or of the kernel around it. */
  shareOf<K extends FactKind>(fact: Facts[K]): FactShare | undefined;
}

export const bytesOfLine = 128;
const asRun: Choice = { ...usual, trips: () => unknownIterations };

/** Cycles of a multiprocessor: L2 hands over 64 bytes (two sectors) in one, shared memory serves a wavefront in one. */
const cyclesOf = { sectors: 0.5, wavefronts: 1 } as const;

/** Blocks a multiprocessor of a launch whose grid is unknown. */
const usualBlocks = 16;

export function createRank(model: Model, gpu: Gpu): Rank {
  const kernels = model.facts.kernel.filter(({ global }) => global).map((fact) => createTally(fact.name, fact));
  const byName = new Map<string, Tally[]>();
  for (const tally of kernels) append(byName, tally.name, tally);
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
  const accesses = new Map<KernelTraffic, AccessFact[]>();
  for (const access of model.facts.access) {
    const its = ofFact(access);
    for (const tally of its) {
      append(accesses, tally, access);
      const unit = unitOf(access);
      tally[unit] += trafficOf(access) / its.length;
      tally.ifFew[unit] += trafficOf(access, asRun) / its.length;
    }
  }
  for (const tally of kernels) countFetches(tally);
  const launches = new Map<string, LaunchFact[]>();
  for (const launch of model.facts.launch) {
    const instance = launch.bodyAt ?? launch.kernelAt;
    if (instance) append(launches, placeOf(instance), launch);
  }
  for (const tally of kernels) countBlocks(tally, (tally.fact && launches.get(placeOf(tally.fact.nameAt))) ?? [], gpu);

  return {
    model,
    gpu,
    kernels,
    around: defined,
    ownersOf: ofFact,
    accessesOf: (kernel) => accesses.get(kernel) ?? [],
    concerned(places, names) {
      const its = new Set([...places.flatMap(defined), ...names.flatMap((name) => byName.get(name) ?? [])]);
      return its.size < 2 ? [...its] : kernels.filter((kernel) => its.has(kernel));
    },
    heavierThan(kernel) {
      const [most] = kernels
        .filter((each) => memoryCycles(each) >= memoryCycles(kernel))
        .sort((a, b) => b.launches * memoryCycles(b) - a.launches * memoryCycles(a));
      const times = (most?.launches ?? 0) / kernel.launches;
      return times >= usualLaunches ? { name: most!.name, times } : undefined;
    },
    shareOf(fact) {
      if (fact.kind === 'access') return shareOfAccess(fact, ofFact(fact));
      return fact.kind === 'branch' ? shareOfBranch(fact, ofFact(fact)) : undefined;
    },
  };
}

type Tally = { -readonly [Name in keyof KernelTraffic]: KernelTraffic[Name] } & {
  readonly ifFew: { sectors: number; wavefronts: number };
};

function createTally(name: string, fact?: KernelFact): Tally {
  const place = fact ? { fact, at: fact.at } : {};
  const ifFew = { sectors: 0, wavefronts: 0 };
  return { name, ...place, sectors: 0, wavefronts: 0, ifFew, blocks: 0, launches: 0, assumed: false };
}

function unitOf({ space }: AccessFact): 'sectors' | 'wavefronts' {
  return space === 'shared' ? 'wavefronts' : 'sectors';
}

/** What the access asks for in all warps of the blocks that were run, with as many iterations as loops have. */
export function trafficOf(fact: AccessFact, choice: Choice = usual): number {
  return figureOf(fact, choice) * requestsOf(fact, choice);
}
/** Sectors, or wavefronts, of one warp instruction. */
export function figureOf(fact: AccessFact, choice: Choice = usual): number {
  const known = fact.space === 'shared' ? fact.wavefronts : fact.sectors;
  const which = choice.figure(fact);
  return which === 'usual' && known !== undefined ? known : chosen(figureRange(fact), which);
}
/** Warp instructions that issue the access, counted as `trafficOf` does. */
export function requestsOf(fact: AccessFact, choice: Choice = usual): number {
  if (fact.kept === 'register') return 0;
  const which = choice.figure(fact);
  const made = which === 'least' ? executedRange(fact)[0] : 1;
  return made * executionsOf(fact) * loopScale(fact, choice);
}
/** Those that were run, without the iterations that the compiler takes the load out of. */
export function executionsOf({ executions, loops, hoisted = 0 }: AccessFact): number {
  const iterations = loops
    .slice(0, hoisted)
    .reduce((product, { trips, modelled }) => product * Math.max(1, modelled ?? trips ?? unknownIterations), 1);
  return executions / iterations;
}

function loopScale({ loops, hoisted = 0 }: Pick<AccessFact, 'loops' | 'hoisted'>, choice: Choice): number {
  let scale = 1;
  let most = 1;
  for (const loop of loops.slice(hoisted)) {
    const { trips, modelled } = loop;
    if (trips !== undefined) scale *= modelled === undefined ? 1 : Math.max(1, trips / modelled);
    else {
      const chosen = choice.trips(loop);
      most = Math.max(most, chosen);
      scale *= Math.max(1, chosen / (modelled ?? unknownIterations));
    }
  }
  // Loops of unknown length within each other are no more than the square of one together.
  return Math.min(scale, Math.max(usualTrips, most) ** 2);
}

function shareOfAccess(fact: AccessFact, its: readonly Tally[]): FactShare | undefined {
  const unit = unitOf(fact);
  const kernel = heaviest(its, unit);
  // The runs of all shapes were added up, as in the kernel's own sums.
  const runs = Math.max(1, its.length) * runsOf(kernel);
  const traffic = trafficOf(fact) / runs;
  if (!kernel || kernel[unit] <= 0 || (traffic <= 0 && fact.kept !== 'register')) return undefined;
  const share = Math.min(1, traffic / kernel[unit]);
  const shareIfFew = Math.min(1, trafficOf(fact, asRun) / runs / kernel.ifFew[unit]);
  return { kernel, share, shareIfFew, cycles: cyclesIn(kernel, kernel[unit] * cyclesOf[unit]) };
}

function heaviest(tallies: readonly Tally[], unit: 'sectors' | 'wavefronts'): Tally | undefined {
  return tallies.reduce<Tally | undefined>((most, one) => (!most || one[unit] > most[unit] ? one : most), undefined);
}

/** The part of the kernel's statements that is under the branch, loops counted as `BranchCost` counts them. */
function shareOfBranch(fact: BranchFact, its: readonly Tally[]): FactShare | undefined {
  const kernel = its.length === 1 ? its[0] : undefined;
  const cost = kernel?.fact?.cost;
  if (!kernel || !cost || !kernel.at || !contains(kernel.at, fact.at)) return undefined;
  const repeated = Math.min(64, 8 ** (fact.loops.length + (fact.form === 'for' || fact.form === 'while' ? 1 : 0)));
  const under = repeated * (workOf(fact.under) + (fact.otherwise ? workOf(fact.otherwise) : 0));
  const whole = Math.max(workOf(cost), under);
  if (whole <= 0) return undefined;
  const cycles = cyclesIn(kernel, memoryCycles(kernel));
  return { kernel, share: under / whole, shareIfFew: under / whole, cycles };
}

/** Of all blocks of all launches, where one block takes so many. */
function cyclesIn({ blocks, launches, fact }: KernelTraffic, ofBlock: number): number {
  return (ofBlock * blocks * launches) / Math.max(1, fact?.hostLoops.length ?? 0);
}

/** Of one block. */
function memoryCycles({ sectors, wavefronts }: Pick<KernelTraffic, 'sectors' | 'wavefronts'>): number {
  return sectors * cyclesOf.sectors + wavefronts * cyclesOf.wavefronts;
}

/** Issue slots, roughly: memory and calls take more of them than arithmetic. */
function workOf(cost: BranchCost): number {
  return cost.operations + 4 * (cost.loads + cost.stores) + 8 * cost.calls + 8 * cost.barriers;
}

function runsOf(tally: Tally | undefined): number {
  return Math.max(1, tally?.fact?.shapes.length ?? 0);
}

function placeOf({ uri, start }: Span): string {
  return `${uri}@${start}`;
}

/** Neighbouring lanes fetch neighbouring texels of four bytes, most often. */
export const sectorsOfFetch = 4;

/** Fetches from textures, in all warps of the blocks that were run. */
function countFetches(tally: Tally): void {
  const { fetches = [], shapes = [] } = tally.fact ?? {};
  const warps = shapes.reduce((sum, { block }) => sum + Math.ceil((block[0] * block[1] * block[2]) / 32), 0);
  for (const loops of fetches)
    for (const [sums, assumed] of [[tally, usualTrips] as const, [tally.ifFew, unknownIterations] as const]) {
      const times = loops.reduce<number>((product, trips) => product * (trips ?? assumed), 1);
      sums.sectors += sectorsOfFetch * warps * Math.min(usualTrips ** 2, times);
    }
}

function countBlocks(tally: Tally, launches: readonly LaunchFact[], gpu: Gpu): void {
  const { fact } = tally;
  const shapes = fact?.shapes ?? [];
  // The runs of all shapes were added up: one block is their mean.
  const runs = runsOf(tally);
  for (const sums of [tally, tally.ifFew]) {
    sums.sectors /= runs;
    sums.wavefronts /= runs;
  }
  const usual = usualBlocks * gpu.multiprocessors;
  const product = ({ x, y, z }: { x?: number; y?: number; z?: number }): number | undefined =>
    x === undefined || y === undefined || z === undefined ? undefined : x * y * z;
  tally.launches = fact?.hostLoops.length ? fact.hostLoops.reduce((sum, loops) => sum + launchCount(loops), 0) : 1;
  if (launches.length === 0) {
    const known = shapes.map(({ grid }) => product(grid)).filter((blocks) => blocks !== undefined);
    tally.blocks = known.length > 0 ? known.reduce((sum, blocks) => sum + blocks, 0) : usual;
    tally.assumed = known.length === 0;
    if (known.length > 0 && known.length === shapes.length) tally.grids = known;
    return;
  }
  const grids = launches.map(({ grid, gridExact }) => (gridExact ? product(grid) : undefined));
  if (!grids.includes(undefined)) tally.grids = grids.flatMap((blocks) => blocks ?? []);
  tally.sampled = launches.reduce((sum, { gridSample }) => sum + (product({ y: 1, z: 1, ...gridSample }) ?? 0), 0);
  for (const blocks of grids) tally.blocks += blocks ?? usual;
  tally.assumed = grids.includes(undefined);
}

/** Each thread goes over a piece of the array, one element after the other. */
export function isWalk({ cause }: AccessFact): boolean {
  return cause === 'row-per-thread' || cause === 'chunk-per-thread';
}

/** What has to come at all of the sectors of a request that L1 holds: all where no thread uses the rest of one. */
export function neededSectors(access: AccessFact, sectors: number): number {
  const { cause, perThread, elementBytes } = access;
  const ideal = idealOf(access);
  if (cause !== 'struct-field' && cause !== 'stride') return ideal;
  return Math.max(ideal, (sectors * elementBytes) / Math.max(elementBytes, perThread?.used ?? 0));
}

/** Lines of 128 bytes of a request: as the stride says, or each sector in its own where they are scattered. */
export function linesOf(access: AccessFact, sectors: number): number {
  const { laneStride, activeLanes, elementBytes } = access;
  const ideal = idealOf(access);
  if (sectors <= ideal) return Math.max(1, sectors / 4);
  if (laneStride !== undefined) {
    const bytes = activeLanes * Math.max(Math.abs(laneStride), elementBytes);
    return Math.max(1, Math.min(sectors, Math.ceil(bytes / bytesOfLine)));
  }
  return sectors > 1.5 * ideal ? sectors : Math.max(1, sectors / 4);
}

/** What one block does between its outermost loops, or in one of them. */
export interface Phase {
  l1: number;
  l2: number;
  /** Sectors of each access as written, by array and direction; those of which the rest is filled by a read. */
  readonly moved: Map<string, { readonly array: string; readonly sectors: number; readonly filled: boolean }>;
  /** Lines of which a store fills parts, iteration by iteration, and the bytes of a line that a thread fills. */
  parts: number;
  piece: number;
  atomics: number;
  /** Cycles that a warp waits in a row, in each loop. */
  readonly waits: Map<string, number>;
}

/**
 * Adds what a block does to an array of each thread; the requests. Each thread has a column of words: lanes at one
 * element share a line. Stores go through to L2, and loads of what L1 cannot keep of the columns of all threads.
 */
export function addLocal(
  phase: Phase,
  local: Facts['local-array'],
  work: readonly Work[],
  warps: number,
  heldPart: number,
  { l1, l2 }: GpuConstants,
  choice: Choice,
  ideal?: ReadonlySet<object>,
): number {
  const isIdeal = ideal?.has(local) ?? false;
  const words = Math.ceil(local.elementBytes / 4);
  // The geometric mean of what data may ask for.
  const most = isIdeal ? 1 : Math.sqrt(Math.min(32, local.bytes / local.elementBytes));
  return local.accesses.reduce((sum, { at, loads, apart }) => {
    const requests = warps * timesAt(at, work, choice);
    const lines = words * (apart ? most : 1);
    const { sector, line } = loads ? l2.load : l2.store;
    const passed = isIdeal ? 0 : loads ? Math.max(0, 1 - heldPart) : 1;
    phase.l1 += requests * lines * l1.line;
    phase.l2 += requests * passed * Math.max(Math.max(lines, 4 * words) * sector, lines * line);
    return sum + requests;
  }, 0);
}

/** Threads of a block, of a launch that is known where there is one; undefined of a kernel without any shape. */
export function threadsOf({ shapes }: KernelFact): number | undefined {
  const shape = shapes.find(({ assumed }) => !assumed) ?? shapes[0];
  return shape && shape.block[0] * shape.block[1] * shape.block[2];
}

// Predicts how long a kernel takes, from what its warps ask L1, shared memory, L2 and DRAM for, from what they compute,
// and from how long they wait in a row.
import {
  type AccessFact,
  type BranchFact,
  type Facts,
  type Gpu,
  type KernelFact,
  type LoopRef,
  type Model,
  type Span,
  type Work,
  contains,
} from '../semantic/model';
import { identityOf } from '../semantic/identity';
import { heldRecords, idealOf, idealOfMost, isReal, serialLanes, turnsOf } from '../semantic/figures';
import { type Choice, repetitionsOf, usual } from './choice';
import { additionCycles, constantsOf, type GpuConstants } from '../../../hardware/src/constants';
import { multiprocessorLimits } from '../../../hardware/src/occupancy';
import {
  bytesOfLine,
  createRank,
  figureOf,
  isWalk,
  addLocal,
  type KernelTraffic,
  type Phase,
  linesOf,
  neededSectors,
  type Rank,
  requestsOf,
  sectorsOfFetch,
  threadsOf,
} from './traffic';

export const threadsOfMultiprocessor = 2048;
/** Part of L1, taken as large as a block's shared memory may be, in which a thread finds its record again. */
const heldPart = 0.5;
/** Loads of so many iterations are under way at once: what nvcc unrolls a loop by where it does not know better. */
export const unrolled = 4;
/** Blocks a multiprocessor where the grid is not known: so many that neither launch nor L2 matters. */
export const manyBlocks = 1000;

/** The exponent of the norm by which the times of resources make one, fitted to docs/measurements/gains.md. */
export const overlap = 4;

export interface KernelTime {
  readonly microseconds: number;
  /** Microseconds without its launch; of all resources one after the other; and of what a warp waits in a row. */
  readonly busy: number;
  readonly throughput: number;
  readonly latency: number;
  /** What takes longest. */
  readonly bound: 'L1' | 'L2' | 'DRAM' | 'issue' | 'double' | 'atomics' | 'blocks' | 'latency';
}

/** The time of a kernel before a change over its time after it. */
export interface Gain {
  readonly before: KernelTime;
  readonly after: KernelTime;
  readonly gain: number;
  /** The grid or the iterations of a loop were assumed. */
  readonly assumed: boolean;
}

/** What a kernel would not do without the waste of a finding. */
export interface Saved {
  /** Accesses whose lanes lie side by side, meet in no bank, and are served together; arrays not in local memory. */
  readonly ideal?: ReadonlySet<object>;
  /** Part of an access's requests that is left. */
  readonly requests?: ReadonlyMap<AccessFact, number>;
  /** Part of what threads compute in a place that is left. */
  readonly left?: ReadonlyMap<Work, number>;
  /** Facts of loops whose iterations all threads of the block share. */
  readonly spread?: ReadonlySet<object>;
  /** Part of the instructions that are issued, 0…1. */
  readonly issued?: number;
  /** Cycles that a block spends on operations and on waiting. */
  readonly operations?: number;
  readonly doubles?: number;
  readonly waits?: number;
  /** Part of each block's lanes that do nothing. */
  readonly idle?: number;
}

/**
 * Of the kernel around `at`, or else of the one with the most traffic; undefined where nothing is known of its traffic
 * on one of the sides. Both sides need the same data: of each array the least that either seems to need. Where counts
 * are assumed, both sides do as much.
 */
export function predictedGain(before: Model, after: Model, gpu: Gpu, at?: Span): Gain | undefined {
  const rank = createRank(before, gpu);
  const kernel = at ? rank.around(at)[0] : heaviest(rank);
  return kernel && gainOfKernel(kernel, rank, createRank(after, gpu), usual);
}

/** Of each kernel that both sides have, by its name. */
export function predictedGains(before: Model, after: Model, gpu: Gpu, choice: Choice): ReadonlyMap<string, Gain> {
  const [first, second] = [createRank(before, gpu), createRank(after, gpu)];
  const gains = new Map<string, Gain>();
  for (const kernel of first.kernels) {
    const gain = gainOfKernel(kernel, first, second, choice);
    if (gain && !gains.has(kernel.name)) gains.set(kernel.name, gain);
  }
  return gains;
}

/** Microseconds of each kernel that is launched, in all its launches, by its name. */
export function predictedMicroseconds(model: Model, gpu: Gpu, choice: Choice): ReadonlyMap<string, number> {
  const rank = createRank(model, gpu);
  const times = new Map<string, number>();
  for (const kernel of rank.kernels) {
    const { length } = model.facts.launch.filter(({ kernelName }) => kernelName === kernel.name);
    const now = times.has(kernel.name) || length === 0 ? undefined : describe(rank, kernel, choice);
    if (!now) continue;
    const grids = kernel.grids ?? [now.blocks];
    const { launch } = constantsOf(gpu);
    times.set(
      kernel.name,
      grids.reduce((sum, blocks) => sum + timeAlone(withBlocks(now, blocks), gpu).busy, length * launch),
    );
  }
  return times;
}

function gainOfKernel(kernel: KernelTraffic, first: Rank, second: Rank, choice: Choice): Gain | undefined {
  const now = describe(first, kernel, choice);
  const same = now && second.kernels.find(({ name }) => name === kernel.name);
  const described = describe(second, same, choice);
  if (!now || !described || now.kernel.sectors === 0 || described.kernel.sectors === 0) return undefined;
  // Of a grid that is not known the text may still say that there are more blocks than before.
  const more = (described.kernel.sampled ?? 0) / (kernel.sampled ?? 0);
  const isCounted = choice.blocks !== undefined && !described.kernel.grids && Number.isFinite(more) && more > 0;
  const then = isCounted ? withBlocks(described, described.blocks * more) : described;
  const sum = (needs: ReadonlyMap<string, number>): number => [...needs.values()].reduce((all, one) => all + one, 0);
  const scale = now.assumed || then.assumed ? sum(now.needs) / Math.max(1, sum(then.needs)) : 1;
  return gainBetween(now, then, first.gpu, scale);
}

/** `scale`: iterations of `second`, as part of those of `first`. */
export function gainBetween(first: Described, second: Described, gpu: Gpu, scale = 1): Gain {
  const least = new Map(first.needs);
  for (const [array, sectors] of second.needs)
    least.set(array, Math.min(scale * sectors, least.get(array) ?? Infinity));
  const assumed = first.assumed || second.assumed;
  const before = timeOf(first, gpu, assumed ? least : first.needs, 1);
  const after = timeOf(second, gpu, least, scale);
  return { before, after, gain: before.microseconds / after.microseconds, assumed };
}

export interface Described {
  readonly kernel: KernelTraffic;
  readonly threads: number;
  readonly blocks: number;
  readonly assumed: boolean;
  readonly phases: ReadonlyMap<string, Phase>;
  /** Sectors that all blocks bring or take away, by array and direction. */
  readonly needs: ReadonlyMap<string, number>;
  /** Cycles of a block's issue slots and of double precision; additions at one address, which all blocks wait for. */
  readonly issue: number;
  readonly double: number;
  readonly atomics: number;
  readonly saved: Saved;
  /** So many blocks share the work of each. */
  readonly shared?: number;
}

function heaviest({ kernels }: Rank): KernelTraffic | undefined {
  return [...kernels].sort((a, b) => b.sectors + b.wavefronts - (a.sectors + a.wavefronts))[0];
}

/** What the kernel asks of a multiprocessor, where what is unknown is as `choice` has it. */
export function describe(
  rank: Rank,
  kernel: KernelTraffic | undefined,
  choice: Choice = usual,
  saved: Saved = {},
  steps = 0,
): Described | undefined {
  const fact = kernel?.fact;
  const threads = fact && threadsOf(fact);
  if (!kernel || !fact || !threads) return undefined;
  const { gpu } = rank;
  const constants = constantsOf(gpu);
  const warps = Math.ceil(threads / 32);
  const { entries, barriers, worked, locals, l1Bytes, hasUnknownLoops } = prepare(rank, kernel, fact);
  const phases = new Map<string, Phase>();
  const phaseOf = (key: string): Phase => {
    let phase = phases.get(key);
    if (!phase) {
      phase = { l1: 0, l2: 0, moved: new Map(), parts: 0, piece: 0, atomics: 0, waits: new Map() };
      phases.set(key, phase);
    }
    return phase;
  };
  const blocks = kernel.grids
    ? Math.max(...kernel.grids)
    : (choice.blocks ?? Math.max(kernel.blocks, manyBlocks * gpu.multiprocessors));
  const trying = Math.min(threads * blocks, threadsOfMultiprocessor * gpu.multiprocessors);
  const grid = { blocks, trying, resident: trying / threads };
  let made = 0;
  for (const entry of entries) {
    const { access } = entry;
    const requests = (requestsOf(access, choice) / fact.shapes.length) * (saved.requests?.get(access) ?? 1);
    if (requests <= 0) continue;
    made += requests;
    const isIdeal = saved.ideal?.has(access) ?? false;
    const makers = warpsAt(entry.serial, saved.spread, warps);
    addAccess(phaseOf(entry.phase), entry, requests, makers, grid, constants, choice, isIdeal);
  }
  const together = Math.min(threadsOfMultiprocessor, threads * Math.ceil(blocks / gpu.multiprocessors));
  const columns = together * locals.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const local of locals)
    made += addLocal(phaseOf('local'), local, worked, warps, l1Bytes / columns, constants, choice, saved.ideal);
  for (const loops of fact.fetches ?? []) {
    const times = loops.reduce<number>((product, trips) => product * (trips ?? choice.trips(undefined)), 1);
    const phase = phaseOf('fetches');
    phase.l1 += warps * times * constants.l1.line;
    phase.l2 += warps * times * sectorsOfFetch * constants.l2.load.sector;
  }
  // What several walks bring is brought once.
  const brought = new Map<string, { readonly array: string; readonly sectors: number }>();
  for (const { moved } of phases.values()) for (const [key, one] of moved) brought.set(key, one);
  const needs = new Map<string, number>();
  for (const { array, sectors } of brought.values()) needs.set(array, (needs.get(array) ?? 0) + sectors * blocks);
  for (const { key, phase, loops } of barriers) {
    const times = loops.reduce((product, loop) => product * (loop.trips ?? choice.trips(loop)), 1);
    phaseOf(phase).waits.set(key, times * (constants.barrier.block + constants.barrier.warp * warps));
  }
  const computed = { slots: 0, doubles: 0 };
  for (const work of worked) {
    // As many instructions as before where more warps share them.
    const makers = warpsAt(work.serial, undefined, warps) * repetitionsOf(work, choice) * (saved.left?.get(work) ?? 1);
    computed.slots += makers * work.slots;
    computed.doubles +=
      makers * (work.doubles * constants.double.operation + work.conversions * constants.double.conversion);
  }
  const slots = computed.slots * (saved.issued ?? 1) + made;
  return {
    kernel,
    threads,
    blocks,
    assumed: kernel.grids === undefined || hasUnknownLoops,
    phases,
    needs,
    issue: Math.max(0, slots / constants.issue + steps - (saved.operations ?? 0)),
    double: Math.max(0, computed.doubles - (saved.doubles ?? 0)),
    atomics: [...phases.values()].reduce((sum, phase) => sum + phase.atomics, 0),
    saved,
  };
}

/** An access with the names that its part of a kernel's time is kept by. */
interface Entry {
  readonly access: AccessFact;
  /** Loops in which the compiler leaves it, and the outermost of all. */
  readonly loops: readonly LoopRef[];
  readonly phase: string;
  readonly loop: string;
  readonly array: string;
  readonly moved: string;
  readonly held: boolean;
  readonly serial: BranchFact | undefined;
}
interface Prepared {
  readonly entries: readonly Entry[];
  readonly barriers: readonly { readonly key: string; readonly phase: string; readonly loops: readonly LoopRef[] }[];
  readonly worked: readonly Worked[];
  readonly locals: readonly Facts['local-array'][];
  readonly l1Bytes: number;
  /** All that it follows from. */
  readonly facts: readonly object[];
  readonly hasUnknownLoops: boolean;
}
/** What a thread computes, loops with the iterations that accesses know. */
type Worked = Work & { readonly serial: BranchFact | undefined };

/** The work of a kernel's threads. */
export function workOf(rank: Rank, kernel: KernelTraffic): readonly Work[] {
  return kernel.fact ? prepare(rank, kernel, kernel.fact).worked : [];
}
const prepared = new WeakMap<KernelTraffic, Prepared>();

/** What a kernel's time follows from beside a choice: equal while it is, whatever its place. */
export function causeOf(kernel: KernelTraffic, rank: Rank): readonly unknown[] {
  const { fact, at: _, ...traffic } = kernel;
  if (!fact) return [traffic];
  const { shapes, work, fetches, cost } = fact;
  const { facts } = prepare(rank, kernel, fact);
  const blocks = shapes.map(({ block, assumed }) => [block, assumed]);
  const computed = work.map(({ at: _, loops, ...sums }) => [sums, loops.map(({ trips }) => trips)]);
  return [rank.gpu, traffic, blocks, computed, fetches, cost, facts.map((one) => identityOf(one).id)];
}

/** What does not depend on a choice: a kernel is described many times. */
function prepare(rank: Rank, kernel: KernelTraffic, fact: KernelFact): Prepared {
  const { model, gpu } = rank;
  const known = prepared.get(kernel);
  if (known) return known;
  const accesses = rank.accessesOf(kernel);
  const met = new Map<string, number>();
  const l1Bytes = multiprocessorLimits(gpu.computeCapability)?.sharedBytesOfBlockOptIn ?? 0;
  const held = heldRecords(accesses, threadsOf(fact) ?? 1, heldPart * (l1Bytes / threadsOfMultiprocessor));
  const serial = model.facts.branch.filter((one) => one.serial && one.kernels.includes(kernel.name));
  const entries: Entry[] = [];
  for (const access of accesses) {
    const loops = access.loops.slice(access.hoisted ?? 0);
    const array = `${access.mode === 'load' ? 'from' : 'to'} ${access.array.name}`;
    const phase = String(access.loops.at(-1)?.at.start);
    const walked = `${array} ${access.text}`;
    const nth = (met.get(`${phase} ${walked}`) ?? -1) + (access.kept ? 0 : 1);
    met.set(`${phase} ${walked}`, nth);
    entries.push({
      access,
      loops,
      phase,
      loop: String(loops[0]?.at.start),
      array,
      moved: `${walked} ${Math.max(0, nth)}`,
      held: held.has(access),
      serial: serial.find(({ statementAt }) => contains(statementAt, access.at)),
    });
  }
  const waited = model.facts.barrier.filter(({ at, scope }) => scope === 'block' && contains(fact.at, at));
  const barriers = waited.map(({ at }) => {
    let loops: readonly LoopRef[] = [];
    for (const { loops: around } of accesses)
      if (around.length > loops.length && contains(around[0]!.at, at)) loops = around;
    return { key: `barrier ${at.start}`, phase: String(loops.at(-1)?.at.start), loops };
  });
  const hasUnknownLoops = accesses.some(({ loops }) => loops.some(({ trips }) => trips === undefined));
  const trips = new Map<number, number>();
  for (const { loops } of accesses)
    for (const loop of loops) if (loop.trips !== undefined) trips.set(loop.at.start, loop.trips);
  const worked = fact.work.map((work) => ({
    ...work,
    loops: work.loops.map(({ at, trips: literal }) => {
      const iterations = trips.get(at.start) ?? literal;
      return { at, ...(iterations === undefined ? {} : { trips: Math.max(1, iterations) }) };
    }),
    serial: serial.find(({ statementAt }) => contains(statementAt, work.at)),
  }));
  const locals = model.facts['local-array'].filter(({ kernels }) => kernels.includes(kernel.name));
  const facts = [...accesses, ...serial, ...waited, ...locals];
  const made = { entries, barriers, worked, locals, l1Bytes, facts, hasUnknownLoops };
  prepared.set(kernel, made);
  return made;
}

function addAccess(
  phase: Phase,
  { access, loops, loop, array, moved, held }: Entry,
  requests: number,
  warps: number,
  grid: { readonly blocks: number; readonly trying: number; readonly resident: number },
  constants: GpuConstants,
  choice: Choice,
  isIdeal: boolean,
): void {
  const { l1, l2, latency } = constants;
  const [inner] = loops;
  const atOnce = inner ? Math.min(unrolled, inner.trips ?? unrolled) : 1;
  const wait = (cycles: number): void => {
    phase.waits.set(loop, Math.max(phase.waits.get(loop) ?? 0, (requests / warps / atOnce) * cycles));
  };
  const lanesTogether = isIdeal ? 1 : serialLanes(access);
  if (access.space === 'constant') {
    phase.l1 += requests * constants.constant * (isIdeal ? 1 : Math.max(1, access.addresses ?? 1));
    return;
  }
  const figure = isIdeal ? Math.min(figureOf(access, choice), idealOfMost(access)) : figureOf(access, choice);
  if (access.space === 'shared') {
    const { shared, swapped } = constants.atomic;
    const served = access.mode !== 'atomic' ? 0 : isReal(access) ? swapped : shared;
    phase.l1 += requests * Math.max(figure * l1.wavefront, lanesTogether * served);
    if (access.mode === 'load') wait(latency.shared);
    return;
  }
  const sectors = figure;
  const lines = isIdeal ? Math.max(1, sectors / 4) : linesOf(access, sectors);
  // What all lanes and iterations share stays in L1.
  const isLost = isIdeal || (!held && choice.figure(access) === 'most');
  const needed = access.laneStride === 0 ? 0 : Math.min(sectors, isLost ? sectors : neededSectors(access, sectors));
  // The rest of a sector that is written in part is read first, unless the kernel reads it anyway.
  const filled = access.mode === 'store' && needed > idealOf(access);
  // What L1 loses of a walk before the thread comes back to it, L2 still has.
  const ofBlock = isWalk(access) ? Math.min(needed, idealOf(access)) : needed;
  // What all blocks ask for comes from DRAM once.
  const brought = access.ofGrid ? ofBlock / grid.blocks : ofBlock;
  phase.moved.set(moved, { array, sectors: requests * brought, filled });
  if (access.mode === 'load') {
    // Lines whose distance is not a multiple of half a line meet in no bank of the tags, and go in pairs.
    const pairs = access.laneStride !== undefined && access.laneStride % (bytesOfLine / 2) !== 0 && lines > 1 ? 0.5 : 1;
    phase.l1 += requests * lines * l1.line * pairs;
    const passed = sectors > 0 ? needed / sectors : 0;
    phase.l2 += requests * passed * Math.max(sectors * l2.load.sector, lines * l2.load.line);
    // One load of each thread is in the life of its block.
    if (loops.length > 0) wait(latency.dram);
    return;
  }
  phase.l1 += requests * Math.max(Math.max(sectors, lanesTogether) * l2.store.sector, lines * l2.store.line);
  const { places } = access;
  // Of all threads that try to swap at one address one succeeds in a round.
  const tries = access.nativeAtomic && !isIdeal && places ? 1 + (constants.atomic.retried * grid.trying) / places : 1;
  if (places !== undefined)
    phase.atomics += tries * turnsOf(access, requests, isIdeal) * additionCycles(constants, places, isReal(access));
  else if (serialLanes(access) > 1) {
    // Addresses of blocks are side by side; those in one line are served in turn.
    const lines = access.ofGrid ? 1 : Math.max(1, (grid.resident * access.elementBytes) / bytesOfLine);
    phase.atomics += (requests * lanesTogether * constants.atomic.global) / lines;
  }
  if (!isIdeal && isWalk(access)) {
    phase.parts += requests * lines;
    phase.piece = Math.max(phase.piece, Math.min(bytesOfLine, (inner?.trips ?? Infinity) * access.elementBytes));
  }
}

/** Of a kernel by itself: what it moves is what it needs. */
export function timeAlone(of: Described, gpu: Gpu): KernelTime {
  const { shared = 1 } = of;
  return timeOf(withBlocks(of, of.blocks * shared), gpu, of.needs, 1 / shared);
}

/** The same kernel with so many blocks, each as it is. */
export function withBlocks(of: Described, blocks: number): Described {
  const needs = new Map([...of.needs].map(([array, sectors]) => [array, (sectors * blocks) / of.blocks]));
  return { ...of, blocks, needs };
}

/** `least`: sectors of each array that have to move; `longer`: iterations of each block, as part of those described. */
function timeOf(of: Described, gpu: Gpu, least: ReadonlyMap<string, number>, longer: number): KernelTime {
  const { threads, blocks, phases, needs, saved } = of;
  const constants = constantsOf(gpu);
  const warps = Math.ceil(threads / 32);
  const even = blocks / gpu.multiprocessors;
  const most = Math.ceil(even);
  const busy = 1 - (saved.idle ?? 0);
  const resident = Math.max(1, Math.min(32, Math.floor(threadsOfMultiprocessor / (warps * 32))));
  const generations = most / Math.min(resident, most);
  const inL2 = 32 * [...least.values()].reduce((sum, one) => sum + one, 0) < constants.l2.bytes;
  // Threads that walk on their own keep what they walk of a line, of all arrays, until all of it was used.
  const walked = [...phases.values()].reduce((bytes, { piece, moved }) => bytes + piece * moved.size, 0);
  const kept = Math.min(most, resident) * threads * gpu.multiprocessors * walked <= constants.l2.bytes;
  const { dram } = constants;
  const dramOf = ({ moved, parts }: Phase): number => {
    let cycles = 0;
    for (const { array, sectors, filled } of moved.values()) {
      const needed = Math.min(1, (least.get(array) ?? 0) / Math.max(1, longer * (needs.get(array) ?? 0)));
      const isRead = array.startsWith('from');
      const read = isRead || (filled && !needs.has(array.replace(/^to/, 'from'))) ? dram.read : 0;
      cycles += sectors * needed * (read + (isRead ? 0 : dram.written));
    }
    return inL2 ? 0 : kept ? cycles : cycles + parts * dram.part;
  };
  const waitsOf = ({ waits }: Phase): number => [...waits.values()].reduce((sum, one) => sum + one, 0);
  const life = constants.life.block + constants.life.thread * threads;
  const all = [...phases.values()];
  const sum = (what: (phase: Phase) => number): number => longer * all.reduce((total, one) => total + what(one), 0);
  const l1 = busy * sum((phase) => phase.l1);
  const waits = Math.max(0, sum(waitsOf) - (saved.waits ?? 0));
  const times = {
    L1: most * l1,
    L2: even * sum(({ l2 }) => l2),
    DRAM: even * sum(dramOf),
    issue: most * busy * longer * of.issue,
    double: most * busy * longer * of.double,
    atomics: blocks * longer * of.atomics,
    blocks: constants.block * even * busy,
    latency: generations * busy * (life + waits),
  };
  const [[bound]] = Object.entries(times).sort(([, a], [, b]) => b - a) as [[KernelTime['bound'], number]];
  // Blocks that all start together go through the phases together, too.
  const together = sum((one) => Math.max(one.l1 * most, one.l2 * even, dramOf(one) * even, waitsOf(one)));
  const overlapped = Object.values(times).reduce((total, one) => total + one ** overlap, 0) ** (1 / overlap);
  const cycles = Math.max(overlapped, generations <= 1 ? life + together - (saved.waits ?? 0) : 0);
  const microseconds = (of: number): number => of / (constants.gigahertz * 1000);
  const { latency, ...throughput } = times;
  return {
    microseconds: constants.launch + microseconds(cycles),
    busy: microseconds(cycles),
    throughput: microseconds(Object.values(throughput).reduce((total, one) => total + one, 0)),
    latency: microseconds(latency),
    bound,
  };
}

/** Warps of a block that share what a loop of few threads does: its own, or, once it is spread, as many as fill it. */
function warpsAt(loop: BranchFact | undefined, spread: ReadonlySet<object> | undefined, all: number): number {
  if (!loop?.serial) return all;
  const { warps, of, threads } = loop.serial;
  return spread?.has(loop) ? (warps * of) / threads : warps;
}

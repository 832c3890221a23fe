// Predicts how long a kernel takes, from what its warps ask L1, shared memory, L2 and DRAM for, from how long they wait
// in a row, and from what was measured of an H200.
import { type AccessFact, type Gpu, type Model, type Span, contains } from '../semantic/model';
import { type KernelTraffic, type Rank, createRank, requestsOf, trafficOf, usualTrips } from './rank';

/**
 * Cycles of a multiprocessor of an H200 with all of them at work (docs/measurements/h200-constants.md; the program is
 * test/gpu/constants.cu). None of them comes from a kernel that the prediction is held against.
 */
const h200 = {
  gigahertz: 1.977,
  /** L1 looks one line of 128 bytes up for a request at a time, and hands over one wavefront of shared memory. */
  lineOfL1: 1,
  wavefront: 1,
  /** Of a request that goes to L2: whichever of its sectors and its lines takes longer. */
  load: { sector: 0.93, line: 1.66 },
  store: { sector: 2.27, line: 3.5 },
  /** A sector from DRAM, and one to it; and what is written of a line that L2 cannot keep until all of it was. */
  dram: { read: 2, written: 2.5, part: 12 },
  bytesOfL2: 50e6,
  /** Blocks start one after the other. */
  block: 158,
  /** A block that loads a value, stores it and makes room for the next: its latency, and what each thread adds. */
  life: { block: 1440, thread: 0.42 },
  latency: { shared: 33, l2: 288, dram: 687 },
  barrier: { block: 12, warp: 2 },
  /** An empty kernel between two events, microseconds. */
  launch: 4.5,
} as const;

const threadsOfMultiprocessor = 2048;
const bytesOfLine = 128;
/** Loads of so many iterations are under way at once: what nvcc unrolls a loop by where it does not know better. */
const unrolled = 4;
/** Blocks a multiprocessor where the grid is not known: so many that neither launch nor L2 matters. */
const manyBlocks = 1000;

export interface KernelTime {
  readonly kernel: KernelTraffic;
  readonly microseconds: number;
  /** What takes longest. */
  readonly bound: 'L1' | 'L2' | 'DRAM' | 'blocks' | 'latency';
}

/** The time of a kernel before a change over its time after it. */
export interface Gain {
  readonly before: KernelTime;
  readonly after: KernelTime;
  readonly gain: number;
  /** The grid or the iterations of a loop were assumed. */
  readonly assumed: boolean;
}

/**
 * Of the kernel around `at`, or else of the one with the most traffic; undefined where nothing is known of its traffic
 * on one of the sides. Both sides need the same data: of each array the least that either seems to need. Where counts
 * are assumed, both sides do as much.
 */
export function predictedGain(before: Model, after: Model, gpu: Gpu, at?: Span): Gain | undefined {
  const first = describe(before, gpu, (rank) => (at ? rank.around(at)[0] : heaviest(rank)));
  const second = first && describe(after, gpu, ({ kernels }) => kernels.find(({ name }) => name === first.kernel.name));
  if (!first || !second) return undefined;
  const assumed = first.assumed || second.assumed;
  const sum = (needs: ReadonlyMap<string, number>): number => [...needs.values()].reduce((all, one) => all + one, 0);
  const scale = assumed ? sum(first.needs) / Math.max(1, sum(second.needs)) : 1;
  const least = new Map(first.needs);
  for (const [array, sectors] of second.needs)
    least.set(array, Math.min(scale * sectors, least.get(array) ?? Infinity));
  const from = timeOf(first, gpu, least, 1);
  const to = timeOf(second, gpu, least, scale);
  return { before: from, after: to, gain: from.microseconds / to.microseconds, assumed };
}

interface Described {
  readonly kernel: KernelTraffic;
  readonly threads: number;
  readonly blocks: number;
  readonly assumed: boolean;
  readonly phases: ReadonlyMap<string, Phase>;
  /** Sectors that all blocks bring or take away, by array and direction. */
  readonly needs: ReadonlyMap<string, number>;
}
/** What one block does between its outermost loops, or in one of them. */
interface Phase {
  l1: number;
  l2: number;
  /** Sectors of each access as written, by array and direction. */
  readonly moved: Map<string, { readonly array: string; readonly sectors: number }>;
  /** Lines of which a store fills parts, iteration by iteration. */
  parts: number;
  /** Cycles that a warp waits in a row, in each loop. */
  readonly waits: Map<string, number>;
}

function heaviest({ kernels }: Rank): KernelTraffic | undefined {
  return [...kernels].sort((a, b) => b.sectors + b.wavefronts - (a.sectors + a.wavefronts))[0];
}

function describe(model: Model, gpu: Gpu, choose: (rank: Rank) => KernelTraffic | undefined): Described | undefined {
  const rank = createRank(model, gpu);
  const kernel = choose(rank);
  const fact = model.facts.kernel.find(({ name, global }) => global && name === kernel?.name);
  const shape = fact?.shapes.find(({ assumed }) => !assumed) ?? fact?.shapes[0];
  if (!kernel || kernel.sectors === 0 || !fact || !shape) return undefined;
  const threads = shape.block[0] * shape.block[1] * shape.block[2];
  const warps = Math.ceil(threads / 32);
  const accesses = model.facts.access.filter((access) => rank.shareOf(access)?.kernel === kernel);
  const phases = new Map<string, Phase>();
  const met = new Set<string>();
  for (const access of accesses) {
    // The compiler loads what is written twice once.
    const inner = access.loops[0]?.at.start;
    const same = `${access.mode} ${access.text} ${inner}`;
    if (access.mode === 'load' && met.has(same)) continue;
    met.add(same);
    const key = String(access.loops.at(-1)?.at.start);
    const phase = phases.get(key) ?? { l1: 0, l2: 0, moved: new Map(), parts: 0, waits: new Map() };
    phases.set(key, phase);
    const requests = requestsOf(access) / fact.shapes.length;
    if (requests > 0) addAccess(phase, access, requests, warps);
  }
  const blocks = kernel.assumed ? manyBlocks * gpu.multiprocessors : kernel.blocks;
  // What several walks bring is brought once.
  const brought = new Map([...phases.values()].flatMap(({ moved }) => [...moved]));
  const needs = new Map<string, number>();
  for (const { array, sectors } of brought.values()) needs.set(array, (needs.get(array) ?? 0) + sectors * blocks);
  for (const { at, scope } of model.facts.barrier) {
    if (scope !== 'block' || !contains(fact.at, at)) continue;
    const around = accesses.filter(({ loops: [inner] }) => inner && contains(inner.at, at)).map(({ loops }) => loops);
    const loops = around.reduce((most, one) => (one.length > most.length ? one : most), []);
    const phase = phases.get(String(loops.at(-1)?.at.start));
    const times = loops.reduce((product, { trips }) => product * (trips ?? usualTrips), 1);
    phase?.waits.set(`barrier ${at.start}`, times * (h200.barrier.block + h200.barrier.warp * warps));
  }
  const assumed = kernel.assumed || accesses.some(({ loops }) => loops.some(({ trips }) => trips === undefined));
  return { kernel, threads, blocks, assumed, phases, needs };
}

function addAccess(phase: Phase, access: AccessFact, requests: number, warps: number): void {
  const loops = access.loops.slice(access.hoisted ?? 0);
  const atOnce = loops.length > 0 ? Math.min(unrolled, loops[0]!.trips ?? unrolled) : 1;
  const wait = (cycles: number): void => {
    const loop = String(loops[0]?.at.start);
    phase.waits.set(loop, Math.max(phase.waits.get(loop) ?? 0, (requests / warps / atOnce) * cycles));
  };
  if (access.space === 'shared') {
    phase.l1 += requests * (access.wavefronts ?? 1) * h200.wavefront;
    if (access.mode === 'load') wait(h200.latency.shared);
    return;
  }
  const sectors = access.sectors ?? trafficOf(access) / requestsOf(access);
  const lines = linesOf(access, sectors);
  // What all lanes and iterations share stays in L1.
  const needed = access.laneStride === 0 ? 0 : Math.min(sectors, neededSectors(access, sectors));
  const array = `${access.mode === 'load' ? 'from' : 'to'} ${access.array.name}`;
  phase.moved.set(`${array} ${access.text}`, { array, sectors: requests * needed });
  if (access.mode === 'load') {
    phase.l1 += requests * lines * h200.lineOfL1;
    const passed = needed / sectors;
    phase.l2 += requests * passed * Math.max(sectors * h200.load.sector, lines * h200.load.line);
    // One load of each thread is in the life of its block.
    if (loops.length > 0) wait(h200.latency.dram);
  } else {
    phase.l1 += requests * Math.max(sectors * h200.store.sector, lines * h200.store.line);
    if (access.cause === 'row-per-thread' || access.cause === 'chunk-per-thread') phase.parts += requests * lines;
  }
}

/** What has to come at all of the sectors of a request: where nobody uses the rest of one, all of it. */
function neededSectors({ sectorsIdeal = 0, cause, perThread, elementBytes }: AccessFact, sectors: number): number {
  if (cause !== 'struct-field' && cause !== 'stride') return sectorsIdeal;
  return Math.max(sectorsIdeal, (sectors * elementBytes) / Math.max(elementBytes, perThread?.used ?? 0));
}

/** Lines of 128 bytes of a request: as the stride says, or each sector in its own where they are scattered. */
function linesOf({ laneStride, activeLanes, elementBytes, sectorsIdeal = 0 }: AccessFact, sectors: number): number {
  if (laneStride !== undefined) {
    const bytes = activeLanes * Math.max(Math.abs(laneStride), elementBytes);
    return Math.max(1, Math.min(sectors, Math.ceil(bytes / bytesOfLine)));
  }
  return sectors > 1.5 * sectorsIdeal ? sectors : Math.max(1, sectors / 4);
}

/** `least`: sectors of each array that have to move; `longer`: iterations of each block, as part of those described. */
function timeOf(of: Described, gpu: Gpu, least: ReadonlyMap<string, number>, longer: number): KernelTime {
  const { kernel, threads, blocks, phases, needs } = of;
  const warps = Math.ceil(threads / 32);
  const even = blocks / gpu.multiprocessors;
  const most = Math.ceil(even);
  const resident = Math.max(1, Math.min(32, Math.floor(threadsOfMultiprocessor / (warps * 32))));
  const generations = most / Math.min(resident, most);
  const inL2 = 32 * [...least.values()].reduce((sum, one) => sum + one, 0) < h200.bytesOfL2;
  // Threads that walk on their own keep a line each, of all arrays, until all of it was used.
  const walks = [...phases.values()].reduce((count, { parts, moved }) => count + (parts > 0 ? moved.size : 0), 0);
  const kept = Math.min(most, resident) * threads * gpu.multiprocessors * walks * bytesOfLine <= h200.bytesOfL2;
  const dramOf = ({ moved, parts }: Phase): number => {
    let cycles = 0;
    for (const { array, sectors } of moved.values()) {
      const needed = Math.min(1, (least.get(array) ?? 0) / Math.max(1, longer * (needs.get(array) ?? 0)));
      cycles += sectors * needed * (array.startsWith('from') ? h200.dram.read : h200.dram.written);
    }
    return inL2 ? 0 : kept ? cycles : cycles + parts * h200.dram.part;
  };
  const waitsOf = ({ waits }: Phase): number => [...waits.values()].reduce((sum, one) => sum + one, 0);
  const life = h200.life.block + h200.life.thread * threads;
  const all = [...phases.values()];
  const sum = (what: (phase: Phase) => number): number => longer * all.reduce((total, one) => total + what(one), 0);
  const l1 = sum((phase) => phase.l1);
  const times = {
    L1: most * l1,
    L2: even * sum(({ l2 }) => l2),
    DRAM: even * sum(dramOf),
    blocks: h200.block * even,
    latency: generations * (life + Math.max(sum(waitsOf), l1)),
  };
  const [[bound, longest]] = Object.entries(times).sort(([, a], [, b]) => b - a) as [[KernelTime['bound'], number]];
  // Blocks that all start together go through the phases together, too.
  const together = sum((one) => Math.max(one.l1 * most, one.l2 * even, dramOf(one) * even, waitsOf(one)));
  const cycles = Math.max(longest, generations <= 1 ? life + together : 0);
  return { kernel, microseconds: h200.launch + cycles / (h200.gigahertz * 1000), bound };
}

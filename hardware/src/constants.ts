// What each GPU hands over, in cycles of a multiprocessor with all of them at work: data for the cost model.

/** Operations whose cost is a constant of the GPU. */
export type Operation =
  | 'double-operand'
  | 'float-power'
  | 'double-power'
  | 'float-exponential'
  | 'double-exponential'
  | 'reciprocal-root'
  | 'double-reciprocal-root';

/** What is asked of a GPU: its name as in the settings, and its multiprocessors. */
interface Gpu {
  readonly name: string;
  readonly multiprocessors: number;
}

/** Cycles are those of one multiprocessor; a request is one warp instruction. */
export interface GpuConstants {
  readonly gigahertz: number;
  /** Warp instructions that a multiprocessor issues in a cycle. */
  readonly issue: number;
  /** L1 looks up one line of 128 bytes of a request in so many cycles; lines whose tags meet no bank go in pairs. */
  readonly l1: { readonly line: number; readonly wavefront: number };
  /** Of a request that goes to L2: whichever of its sectors and its lines takes longer. */
  readonly l2: {
    readonly load: { readonly sector: number; readonly line: number };
    readonly store: { readonly sector: number; readonly line: number };
    readonly bytes: number;
  };
  /** A sector from DRAM, one to it, and what is written of a line that L2 cannot keep until all of it was. */
  readonly dram: { readonly read: number; readonly written: number; readonly part: number };
  /**
   * Atomic additions at one address: cycles each, of the whole GPU (global, and of integers) or of the multiprocessor
   * (shared); in shared memory those of floating-point numbers are loops of compare-and-swap. `spread`: the least
   * cycles each at addresses side by side, and their product with the addresses where there are many. `retried`: what
   * each other thread that tries at the address adds to a compare-and-swap, as part of an addition.
   */
  readonly atomic: {
    readonly global: number;
    readonly integer: number;
    readonly spread: { readonly cycles: number; readonly product: number };
    readonly retried: number;
    readonly shared: number;
    readonly swapped: number;
  };
  /** Cycles of a warp of a double-precision instruction, and of a conversion from or to double. */
  readonly double: { readonly operation: number; readonly conversion: number };
  /** Issue slots of a warp, and its cycles of double precision, of an operation beyond what could replace it. */
  readonly operations: Readonly<Record<Operation, { readonly slots: number; readonly doubles: number }>>;
  /** A step of a sweep: issue slots of a warp, and the latency of a block, to which each warp adds. */
  readonly step: { readonly slots: number; readonly block: number; readonly warp: number };
  /** One address of a request for constant memory. */
  readonly constant: number;
  /** Blocks start one after the other. */
  readonly block: number;
  /** A block that loads a value, stores it and makes room for the next: its latency, and what each thread adds. */
  readonly life: { readonly block: number; readonly thread: number };
  readonly latency: { readonly shared: number; readonly l2: number; readonly dram: number };
  readonly barrier: { readonly block: number; readonly warp: number };
  /** Microseconds: an empty kernel between two events, a wait of the host, an allocation with its release. */
  readonly launch: number;
  readonly wait: number;
  readonly allocation: number;
  /** A transfer between host and GPU: microseconds of a short one, and GB/s from pageable and from pinned memory. */
  readonly link: { readonly wait: number; readonly pageable: number; readonly pinned: number };
}

/**
 * By the cycles of one double-precision operation of a warp and of a conversion. An operand that is double takes the
 * other there and the result back. A double power takes 92 double-precision operations by its PTX, 72 more than
 * `exp2`; the slots are what then remains of the measured time.
 */
function operationsBy(operation: number, conversion: number): Pick<GpuConstants, 'double' | 'operations'> {
  const operations = {
    'double-operand': { slots: 0, doubles: operation + 2 * conversion },
    'float-power': { slots: 72, doubles: 0 },
    'double-power': { slots: 206, doubles: 92 * operation },
    'float-exponential': { slots: 26, doubles: 0 },
    'double-exponential': { slots: 190, doubles: 72 * operation },
    'reciprocal-root': { slots: 17, doubles: 0 },
    'double-reciprocal-root': { slots: 0, doubles: 11.6 * operation },
  };
  return { double: { operation, conversion }, operations };
}

/**
 * Measured on an H200 (docs/measurements/h200-constants.md), none of it from a kernel that a prediction is held
 * against; `atomic`, `operations`, `step`, `constant`, `wait`, `allocation` and `link` on an H100, whose
 * multiprocessors are the same.
 */
const h200: GpuConstants = {
  gigahertz: 1.977,
  issue: 4,
  l1: { line: 1, wavefront: 1 },
  l2: { load: { sector: 0.93, line: 1.66 }, store: { sector: 2.27, line: 3.5 }, bytes: 50e6 },
  dram: { read: 2, written: 2.5, part: 12 },
  atomic: {
    global: 3.5,
    integer: 1.45,
    spread: { cycles: 0.147, product: 19 },
    retried: 0.11,
    shared: 1.05,
    swapped: 13.6,
  },
  ...operationsBy(0.55, 1.58),
  step: { slots: 17, block: 82, warp: 3.1 },
  constant: 2,
  block: 158,
  life: { block: 1440, thread: 0.42 },
  latency: { shared: 33, l2: 288, dram: 687 },
  barrier: { block: 12, warp: 2 },
  launch: 4.5,
  wait: 5.4,
  allocation: 3.05,
  link: { wait: 6, pageable: 10, pinned: 50 },
};

/**
 * Memory, latency and launch measured on an H100 80GB HBM3 by the same program
 * (lab/severity/data/h100-constants.txt); multiprocessors and host are those of the H200.
 */
const h100: GpuConstants = {
  ...h200,
  l2: { load: { sector: 1.08, line: 1.93 }, store: { sector: 2.62, line: 4.06 }, bytes: 50e6 },
  dram: { read: 2.9, written: 3.1, part: 13.6 },
  latency: { shared: 33, l2: 283, dram: 689 },
  launch: 4.3,
};

const measured: Readonly<Record<string, GpuConstants>> = { H100: h100, H200: h200 };

/**
 * Boost clock (GHz), memory bandwidth (GB/s), L2 (MB), double-precision lanes and 64-bit conversions a cycle of a
 * multiprocessor, after NVIDIA's product briefs and white papers, and the table "Throughput of Native Arithmetic
 * Instructions" of the CUDA C++ Programming Guide. The rows have not been compared with these sources one by one.
 */
const published: Readonly<Record<string, readonly [number, number, number, number, number]>> = {
  V100: [1.53, 900, 6, 32, 16],
  T4: [1.59, 320, 4, 2, 2],
  'RTX 2080 Ti': [1.545, 616, 5.5, 2, 2],
  A100: [1.41, 1555, 40, 32, 16],
  A30: [1.44, 933, 24, 32, 16],
  A10: [1.695, 600, 6, 2, 2],
  A40: [1.74, 696, 6, 2, 2],
  'RTX A6000': [1.8, 768, 6, 2, 2],
  'RTX 3080': [1.71, 760, 5, 2, 2],
  'RTX 3090': [1.695, 936, 6, 2, 2],
  'Jetson AGX Orin': [1.3, 205, 4, 2, 2],
  L4: [2.04, 300, 48, 2, 2],
  L40S: [2.52, 864, 96, 2, 2],
  'RTX 4080': [2.505, 717, 64, 2, 2],
  'RTX 4090': [2.52, 1008, 72, 2, 2],
  'RTX 6000 Ada': [2.505, 960, 96, 2, 2],
  'H100 PCIe': [1.755, 2039, 50, 64, 16],
  GH200: [1.98, 4000, 60, 64, 16],
  B200: [1.965, 8000, 126, 64, 16],
  B300: [1.965, 8000, 126, 2, 2],
  'RTX 5080': [2.617, 960, 64, 2, 2],
  'RTX 5090': [2.407, 1792, 96, 2, 2],
  'RTX PRO 6000': [2.6, 1792, 128, 2, 2],
  GB10: [2.4, 273, 24, 2, 2],
};
/** Part of the published bandwidth that reading a gigabyte reaches (4.35 of 4.8 TB/s on the H200). */
const reached = 0.9;
const sectorBytes = 32;

/**
 * The most bytes that DRAM moves in a second, by kHz of its clock and bits of its bus: two transfers a clock (CUDA C++
 * Best Practices Guide, "Theoretical Bandwidth Calculation").
 */
export function peakBandwidth(kilohertz: number, bits: number): number {
  return 2 * kilohertz * 1e3 * (bits / 8);
}

/** Cycles of the whole GPU of one atomic addition among `addresses` side by side. */
export function additionCycles({ atomic }: GpuConstants, addresses: number, isReal: boolean): number {
  const inTurn = (isReal ? atomic.global : atomic.integer) / addresses;
  return Math.max(inTurn, Math.min(atomic.spread.cycles, atomic.spread.product / addresses));
}

/** Of a GPU without an entry, those of the H200. */
export function constantsOf(gpu: Gpu): GpuConstants {
  let constants = known.get(gpu);
  if (!constants) known.set(gpu, (constants = madeFor(gpu)));
  return constants;
}
const known = new WeakMap<Gpu, GpuConstants>();

function madeFor({ name, multiprocessors }: Gpu): GpuConstants {
  const limits = published[name];
  if (!limits) return measured[name] ?? h200;
  const [gigahertz, bandwidth, l2, lanes, conversions] = limits;
  const read = (sectorBytes * multiprocessors * gigahertz) / (reached * bandwidth);
  const scale = read / h200.dram.read;
  return {
    ...h200,
    gigahertz,
    l2: { ...h200.l2, bytes: l2 * 1e6 },
    dram: { read, written: scale * h200.dram.written, part: scale * h200.dram.part },
    ...operationsBy(32 / lanes, 32 / conversions),
  };
}

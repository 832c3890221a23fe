// How many blocks and warps of a kernel a multiprocessor holds at once, and which resource allows no more.

/** What a multiprocessor has to hand out, by compute capability. Bytes of shared memory, 32-bit registers. */
export interface MultiprocessorLimits {
  readonly computeCapability: number;
  readonly threads: number;
  readonly blocks: number;
  readonly registers: number;
  readonly sharedBytes: number;
  /** Of a block: without asking, and after `cudaFuncAttributeMaxDynamicSharedMemorySize`. */
  readonly sharedBytesOfBlock: number;
  readonly sharedBytesOfBlockOptIn: number;
  /** What the driver takes of each block. */
  readonly sharedBytesReserved: number;
  /** Shared memory is handed out in multiples of this. */
  readonly sharedGranularity: number;
  /** The sizes that shared memory can be given beside L1, ascending. */
  readonly sharedSizes: readonly number[];
  /** Named barriers of all blocks together; undefined where they have never been what is short. */
  readonly barriers?: number;
}

const warpSize = 32;
const mostThreadsOfBlock = 1024;
const mostRegistersOfThread = 256;
/** A warp's registers come in multiples of this. */
const registerGranularity = 256;
const registersOfBlock = 65_536;
/** Each has a quarter of the registers, and whole warps. */
const partitions = 4;

const kilobyte = 1024;
const upTo = (...kilobytes: readonly number[]): readonly number[] => kilobytes.map((size) => size * kilobyte);
const carveouts100 = upTo(0, 8, 16, 32, 64, 100);
const carveouts164 = [...carveouts100, ...upTo(132, 164)];
const carveouts228 = [...carveouts164, ...upTo(196, 228)];

/**
 * Threads, blocks, registers and shared memory are those of the table "Technical Specifications per Compute
 * Capability" of the CUDA C++ Programming Guide 13.0; granularities, sizes beside L1 and barriers are what the
 * occupancy calculator of the toolkit goes by.
 */
const limits: readonly MultiprocessorLimits[] = (
  [
    [7.0, 2048, 32, 96, upTo(0, 8, 16, 32, 64, 96), undefined],
    [7.5, 1024, 16, 64, upTo(32, 64), undefined],
    [8.0, 2048, 32, 164, carveouts164, undefined],
    [8.6, 1536, 16, 100, carveouts100, undefined],
    [8.7, 1536, 16, 164, carveouts164, undefined],
    [8.9, 1536, 24, 100, carveouts100, undefined],
    [9.0, 2048, 32, 228, carveouts228, 64],
    [10.0, 2048, 32, 228, carveouts228, 64],
    [10.3, 2048, 32, 228, carveouts228, 64],
    [12.0, 1536, 24, 100, carveouts100, 24],
    [12.1, 1536, 24, 100, carveouts100, 24],
  ] as const
).map(([computeCapability, threads, blocks, shared, sharedSizes, barriers]) => {
  const reserved = computeCapability >= 8 ? kilobyte : 0;
  return {
    computeCapability,
    threads,
    blocks,
    registers: 65_536,
    sharedBytes: shared * kilobyte,
    sharedBytesOfBlock: 48 * kilobyte,
    sharedBytesOfBlockOptIn: shared * kilobyte - reserved,
    sharedBytesReserved: reserved,
    sharedGranularity: computeCapability >= 8 ? 128 : 256,
    sharedSizes,
    ...(barriers === undefined ? {} : { barriers }),
  };
});

/** All compute capabilities whose limits are known, ascending. */
export const knownCapabilities: readonly number[] = limits.map(({ computeCapability }) => computeCapability);

/** @param computeCapability as in `9.0`; undefined for one that is not in the table */
export function multiprocessorLimits(computeCapability: number): MultiprocessorLimits | undefined {
  return limits.find((each) => each.computeCapability === computeCapability);
}

/** What a block of a kernel asks for. */
export interface BlockResources {
  readonly threads: number;
  /** Of a thread, as ptxas and profiles say them. */
  readonly registers: number;
  readonly staticSharedBytes?: number;
  readonly dynamicSharedBytes?: number;
  /**
   * The most dynamic shared memory that the kernel was allowed by `cudaFuncSetAttribute`; as much as it asks for when
   * absent, since a launch that asks for more than it may fails.
   */
  readonly dynamicSharedBytesAllowed?: number;
  /** Named barriers; 1 when absent. */
  readonly barriers?: number;
  /**
   * Per cent of the largest size of shared memory that the kernel prefers over L1
   * (`cudaFuncAttributePreferredSharedMemoryCarveout`).
   */
  readonly carveout?: number;
}

export type Resource = 'threads' | 'blocks' | 'registers' | 'shared memory' | 'barriers';

export interface Occupancy {
  /** Resident on a multiprocessor at once; 0 where the launch cannot run. */
  readonly blocks: number;
  readonly warps: number;
  readonly mostWarps: number;
  /** Blocks that each resource allows; absent for what the kernel does not use. */
  readonly allowed: Readonly<Partial<Record<Resource, number>>>;
  /** The resources that allow no more than `blocks`; empty where the warps fill the multiprocessor. */
  readonly limiters: readonly Resource[];
}

/**
 * The arithmetic of NVIDIA's occupancy calculator (`cuda_occupancy.h` of CUDA 13.0), which tools/occupancy holds it
 * against: warps by threads; registers by warp, in multiples of 256, out of four partitions; shared memory in multiples
 * of its granularity with what the driver takes, out of the size that is set beside L1. All numbers are whole and not
 * negative, `threads` is at least 1.
 */
export function occupancy(of: MultiprocessorLimits, block: BlockResources): Occupancy {
  const warpsOfBlock = Math.ceil(block.threads / warpSize);
  const mostWarps = of.threads / warpSize;
  const allowed: Partial<Record<Resource, number>> = {
    threads: block.threads > mostThreadsOfBlock ? 0 : Math.floor(mostWarps / warpsOfBlock),
    blocks: of.blocks,
  };
  const registers = blocksByRegisters(of, warpsOfBlock, block.registers);
  if (registers !== undefined) allowed.registers = registers;
  const shared = blocksBySharedMemory(of, block);
  if (shared !== undefined) allowed['shared memory'] = shared;
  const barriers = block.barriers ?? 1;
  if (of.barriers !== undefined && barriers > 0) allowed.barriers = Math.floor(of.barriers / barriers);
  const blocks = Math.min(...Object.values(allowed));
  const warps = blocks * warpsOfBlock;
  return {
    blocks,
    warps,
    mostWarps,
    allowed,
    limiters:
      warps >= mostWarps
        ? []
        : (Object.entries(allowed) as [Resource, number][]).flatMap(([by, most]) => (most === blocks ? [by] : [])),
  };
}

/** Undefined where the kernel uses none. */
function blocksByRegisters(of: MultiprocessorLimits, warpsOfBlock: number, registers: number): number | undefined {
  if (registers > mostRegistersOfThread) return 0;
  const ofWarp = roundUp(registers * warpSize, registerGranularity);
  // The hardware checks a launch as if each partition held as many of its warps.
  if (ofWarp * roundUp(warpsOfBlock, partitions) > registersOfBlock) return 0;
  if (ofWarp === 0) return undefined;
  const warpsOfPartition = Math.floor(of.registers / partitions / ofWarp);
  return Math.floor((warpsOfPartition * partitions) / warpsOfBlock);
}

/** Undefined where a block takes none, the driver's part included. */
function blocksBySharedMemory(
  of: MultiprocessorLimits,
  { staticSharedBytes = 0, dynamicSharedBytes = 0, dynamicSharedBytesAllowed, carveout }: BlockResources,
): number | undefined {
  const mayAsk = dynamicSharedBytesAllowed ?? dynamicSharedBytes;
  const fixed = staticSharedBytes + of.sharedBytesReserved;
  const taken = roundUp(fixed + dynamicSharedBytes, of.sharedGranularity);
  const isOptIn = fixed + mayAsk > of.sharedBytesOfBlock;
  const mostOfBlock = (isOptIn ? of.sharedBytesOfBlockOptIn : of.sharedBytesOfBlock) + of.sharedBytesReserved;
  if (dynamicSharedBytes > mayAsk || taken > mostOfBlock) return 0;
  if (taken === 0) return undefined;
  const preferred = carveout === undefined ? of.sharedBytes : Math.floor((carveout * of.sharedBytes) / 100);
  const set = sizeFor(of, Math.max(sizeFor(of, preferred), taken));
  return Math.floor(set / taken);
}

/** The smallest size beside L1 that holds so many bytes. */
function sizeFor({ sharedSizes, sharedBytes }: MultiprocessorLimits, bytes: number): number {
  return sharedSizes.find((size) => size >= bytes) ?? sharedBytes;
}

function roundUp(value: number, multiple: number): number {
  return Math.ceil(value / multiple) * multiple;
}

/**
 * The most registers a thread may have for a kernel to reach so many resident blocks, all else equal; undefined where
 * another resource forbids them.
 */
export function registersFor(of: MultiprocessorLimits, block: BlockResources, blocks: number): number | undefined {
  for (let registers = 255; registers >= 16; registers--)
    if (occupancy(of, { ...block, registers }).blocks >= blocks) return registers;
  return undefined;
}

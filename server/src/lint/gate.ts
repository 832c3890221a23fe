// What a wasteful access has to show, beside its share of a kernel, to be a warning: that the kernel is one whose time
// its traffic can be.
import type { AccessFact, Assumption } from '../semantic/model';
import { cyclesOf, type KernelTraffic } from './rank';

/** A launch of so few blocks leaves nearly every multiprocessor idle: latency is its time, and no sector. */
const fewBlocks = 4;
/** Structures of more bytes are numbers and points that functions compute on for long, wherever functions take them. */
const longStructure = 128;
/** A kernel that moves less than this part of what the heaviest one beside it moves is no place to begin at. */
const leastWeight = 0.15;
/**
 * So many operators of a warp for each cycle of its sectors at L2, that is eight a sector, take longer than all of
 * these would from DRAM (4 additions of floats a cycle, 2 of integers; a sector in 1.6 cycles of a multiprocessor).
 */
const operatorsACycle = 16;
/**
 * A sector from DRAM takes so many cycles of a multiprocessor, in each of which shared memory serves a wavefront: where
 * those are more (tables of ciphers, tiles of products) they are the time of the kernel.
 */
const cyclesOfSector = 2;
/**
 * Bytes of a record (a particle, a box, a hit), of which a thread moves half and more. Its loads find in L1 what the
 * first of them brought (docs/measurements/h200-neighbours.md), so that half of it is all that can be saved; whole
 * records are stored as the program and who calls it lay them out.
 */
const shortRecord = 48;
/** One call may be what copies the structure. */
const severalCalls = 2;

/** Whether the access is no warning, whatever it wastes: an information at most. */
export function isBarred(fact: AccessFact, kernel: KernelTraffic | undefined): boolean {
  if (!kernel) return false;
  if (isOfFewThreads(kernel) || isBesideTheWork(kernel.name)) return true;
  if (fact.space !== 'global') return false;
  return (
    isFill(fact, kernel) ||
    kernel.weight < leastWeight ||
    fact.onePlace !== undefined ||
    isOfRecord(fact) ||
    isOfArithmetic(kernel) ||
    kernel.wavefronts >= cyclesOfSector * kernel.sectors ||
    isComputedOn(fact, kernel)
  );
}

/**
 * `k_build_solid_mask`, `generateCosts`, `draw_vectors`, `applyBoundary`: what is made before the work, for a test of
 * it or at its edges, as often as not.
 */
function isBesideTheWork(kernel: string): boolean {
  const words = wordsOf(kernel);
  const [first] = words.filter((word) => !/^(?:k|d|gpu|cu|cuda|dev|device|kern|kernel)$/.test(word));
  return (
    /^(?:bake|build|check|prepare|generate|create|make|reset|clear)$/.test(first ?? '') ||
    words.some((word) => /^(?:repack|draw|boundar(?:y|ies)|halos?|ghosts?)$/.test(word)) ||
    isForTests(kernel)
  );
}

/** What nobody waits for, by the kernel's name: `test_codebook`, `printEntrails`, `verify_sum`. */
export function isForTests(kernel: string): boolean {
  return wordsOf(kernel).some((word) => /^(?:test|print|dump|debug|verify|validate)$/.test(word));
}

function wordsOf(kernel: string): string[] {
  return kernel
    .replace(/([a-z0-9])(?=[A-Z])/g, '$1_')
    .toLowerCase()
    .split('_');
}

/** Where neighbouring stores can become wider ones, there is something to do that leaves the layout as it is. */
function isOfRecord({ mode, laneStride, perThread, cause, elementBytes, wideStores }: AccessFact): boolean {
  if (mode === 'atomic' || perThread === undefined || wideStores !== undefined) return false;
  const isOneStride = laneStride !== undefined || cause === 'vector-type' || cause === 'struct-field';
  const bytes = Math.max(perThread.bytes, Math.abs(laneStride ?? 0));
  return isOneStride && bytes > 2 * elementBytes && bytes <= shortRecord && 2 * perThread.used >= perThread.bytes;
}

/** So far apart at most are the numbers of one record that an array without a structure holds. */
const longRecord = 128;

/**
 * What is apart because records lie one behind the other: not the order of the threads but the layout of the data is
 * its cause, in which a whole program and who calls it have a say.
 */
export function isOfLayout({ space, mode, cause, laneStride, unknownStride, wideStores }: AccessFact): boolean {
  if (space !== 'global' || mode === 'atomic') return false;
  if (wideStores !== undefined || unknownStride !== undefined) return false;
  if (cause === 'vector-type' || cause === 'struct-field') return true;
  return cause === 'stride' && laneStride !== undefined && Math.abs(laneStride) <= longRecord;
}

/** By the launches in sight, all of them, with what host loops repeat. */
function isOfFewThreads({ assumed, blocks }: KernelTraffic): boolean {
  return !assumed && blocks <= fewBlocks;
}

/** Who adds to one place in a kernel of a few blocks has little to add. */
export function isContentionOfFew(rule: string, kernel: KernelTraffic | undefined): boolean {
  return rule === 'cuda/atomic-contention' && kernel !== undefined && isOfFewThreads(kernel);
}

/** A kernel that reads nothing and repeats nothing: it gives memory its first values. */
function isFill({ mode, loops }: AccessFact, { fact, reads }: KernelTraffic): boolean {
  return mode === 'store' && !reads && loops.length === 0 && fact?.cost.loops === 0 && fact.cost.calls === 0;
}

/** Hashes, ciphers and the like: what a thread computes takes longer than what it moves, were none of it in L1. */
function isOfArithmetic({ fact, sectors }: KernelTraffic): boolean {
  const [shape] = fact?.shapes ?? [];
  if (!fact || !shape) return false;
  const warps = Math.ceil((shape.block[0] * shape.block[1] * shape.block[2]) / 32);
  return fact.arithmetic * warps >= operatorsACycle * cyclesOf.sectors * sectors;
}

/** Moved as a whole, in a kernel that hands its values to functions. */
function isComputedOn({ laneStride = 0, elementBytes, cause }: AccessFact, { fact }: KernelTraffic): boolean {
  return (
    cause === 'vector-type' &&
    Math.abs(laneStride) > longStructure &&
    Math.abs(laneStride) > elementBytes &&
    (fact?.cost?.calls ?? 0) >= severalCalls
  );
}

/**
 * Rows of a few elements, which L1 holds, as far as the text tells: nothing in it says how long they are. And what data
 * decide on may be seldom.
 */
export function mayBeLittle(fact: AccessFact): boolean {
  return isByData(fact) || (isWalked(fact) && fact.assumed.some((one) => one.kind === 'stride' && !one.long));
}
/**
 * Loads, and what a thread stores one after the other, as often as nobody knows: where rows are short (taps of a
 * filter, say) nothing is left out.
 */
function isWalked({ mode, loops }: AccessFact): boolean {
  return mode === 'load' || (mode === 'store' && loops[0] !== undefined && loops[0].trips === undefined);
}
function isByData({ assumed }: AccessFact): boolean {
  return assumed.some(({ kind }) => kind === 'by-data');
}

/**
 * What decides on its cost is out of sight: how far apart the lanes of a read are, which L1 may hold, or which of the
 * lanes come there.
 */
export function isOfUnknownWeight(fact: AccessFact): boolean {
  const { space, assumed } = fact;
  const has = (kind: Assumption['kind']): boolean => assumed.some((one) => one.kind === kind);
  return has('by-data') || (space === 'global' && isWalked(fact) && has('stride'));
}

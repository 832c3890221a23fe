// What a wasteful access has to show, beside its share of a kernel, to be a warning: that the kernel is one whose time
// its traffic can be.
import type { AccessFact } from '../semantic/model';
import type { KernelTraffic } from './rank';

/** A launch of so few blocks leaves nearly every multiprocessor idle: latency is its time, and no sector. */
const fewBlocks = 4;
/** Structures of more bytes are numbers and points that functions compute on for long, wherever functions take them. */
const longStructure = 128;
/** One call may be what copies the structure. */
const severalCalls = 2;

/** Whether the access is no warning, whatever it wastes: an information at most. */
export function isBarred(fact: AccessFact, kernel: KernelTraffic | undefined): boolean {
  if (fact.space !== 'global' || !kernel) return false;
  return isOfFewThreads(kernel) || isComputedOn(fact, kernel);
}

/** By the launches in sight, all of them, with what host loops repeat. */
function isOfFewThreads({ assumed, blocks }: KernelTraffic): boolean {
  return !assumed && blocks <= fewBlocks;
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

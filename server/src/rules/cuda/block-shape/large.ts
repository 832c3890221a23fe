// Whether a block is large for no reason in this file.
import { beginAlike, contains, type LaunchFact, type Model } from '../../../semantic/model';
import { largestBlock } from './limits';

/** Threads from which on a problem of usual size may be fewer blocks than the GPU has multiprocessors. */
const large = 512;

/** Blocks of many threads, as many as run-time values ask for, of a kernel that runs loops over memory. */
export function isLargeWithoutNeed(fact: LaunchFact, model: Model): boolean {
  const { block, blockExact, gridExact, kernelCountsThreads, kernelIsSetup } = fact;
  const { x = 0, y, z } = block;
  if (!blockExact || x < large || x > largestBlock || x % 32 !== 0 || y !== 1 || z !== 1) return false;
  if (gridExact || !kernelCountsThreads || kernelIsSetup) return false;
  return hasLoops(fact, model);
}

/** Is there memory that the kernel, or what it calls, touches in a loop? */
export function hasLoops(fact: LaunchFact, model: Model): boolean {
  const kernel = kernelOf(fact, model);
  if (!kernel || kernel.cost.loops + kernel.cost.calls === 0) return false;
  return model.facts.access.some(({ via, at, loops }) => contains(kernel.at, via ?? at) && loops.length > 0);
}

type Kernel = Model['facts']['kernel'][number];

function kernelOf({ kernelAt }: LaunchFact, model: Model): Kernel | undefined {
  return model.facts.kernel.find(({ nameAt }) => beginAlike(nameAt, kernelAt));
}

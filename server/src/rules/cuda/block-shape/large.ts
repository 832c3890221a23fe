// Whether a block is large for no reason in this file.
import { contains, type LaunchFact, type Model, type Span } from '../../../semantic/model';
import { largestBlock } from './limits';

/** Threads from which on a problem of usual size may be fewer blocks than the GPU has multiprocessors. */
const large = 512;

/** Blocks of many threads, as many as run-time values ask for, of a kernel that runs loops over memory. */
export function isLargeWithoutNeed(fact: LaunchFact, model: Model): boolean {
  const { block, blockExact, gridExact, kernelCountsThreads, kernelIsSetup } = fact;
  const { x = 0, y, z } = block;
  if (!blockExact || x < large || x > largestBlock || x % 32 !== 0 || y !== 1 || z !== 1) return false;
  if (gridExact || !kernelCountsThreads || kernelIsSetup) return false;
  const kernel = kernelOf(fact, model);
  return !!kernel && (kernel.cost.loops > 0 || kernel.cost.calls > 0) && runsLoops(kernel.at, model);
}

/** Is there memory that the kernel, or what it calls, touches in a loop? */
function runsLoops(at: Span, model: Model): boolean {
  return model.facts.access.some(({ via, at: own, loops }) => contains(at, via ?? own) && loops.length > 0);
}

type Kernel = Model['facts']['kernel'][number];

function kernelOf({ kernelAt }: LaunchFact, model: Model): Kernel | undefined {
  return model.facts.kernel.find(
    ({ nameAt }) => kernelAt !== undefined && nameAt.uri === kernelAt.uri && nameAt.start === kernelAt.start,
  );
}

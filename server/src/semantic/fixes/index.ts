// The door of this room: the edits of fixes, one file or folder a family.
export { alignedStructs } from './alignedStructs';
export { assignsOne, warpSplit } from './branches';
export { gridStride } from './chunkLoops';
export { dividedGuard } from './dividedGuard';
export { correctDefinitions } from './doubleMacros';
export { findDoubles } from './doubles';
export {
  type AccessFamily,
  attempt,
  type Family,
  type Places,
  type Seen,
  type SeenAccess,
  type SharedSample,
} from './writing/family';
export { apartLoopOf } from './apartLoops';
export { launchShapeOf, type LaunchShapeFacts } from './launchShapes';
export { type KernelFacts, kernelFacts } from './launchShapes/kernels';
export { keepLayout, relaidOut } from './writing/layout';
export { nativeAtomicOf, nativeAtomics } from './nativeAtomics';
export { ownAtomics } from './restructuring/ownAtomics';
export { ownAccessesOf, sharedArrayOf } from './ownArray';
export { registerSums } from './registerSums';
export { accumulatorIn } from './iterations/accumulators';
export { rowWarps } from './rowWarps';
export { secondBuffer } from './secondBuffers';
export { sharedIterationsOf } from './serialLoops';
export { findSlowMath } from './slowMath';
export { structArrays } from './structArrays';
export { swapAxes } from './swapAxes';
export { tileLayouts } from './tileLayouts';
export { transposeTile } from './transposeTile';
export { withoutUnused } from './unusedHelpers';
export { warpAtomics } from './warpAtomics';
export { wideLoads, wideStores } from './wideAccesses';
export { wideBlocks } from './launchShapes/wideBlocks';
export { conjuncts } from './reductions/barriers';
export { blockAtomics } from './reductions/blockAtomics';
export { findSweeps } from './reductions/find';
export { findFusions } from './restructuring/fusions';
export { keysOfLaunches } from './restructuring/keys';
export { findProducts } from './restructuring/allProducts';
export { findReplays } from './restructuring/replays';

// The door of this room: the edits of fixes, one file or folder a family.
export { alignedStructs } from './alignedStructs';
export { assignsOne, warpSplit } from './branches';
export { gridStride } from './chunkLoops';
export { dividedGuard, meets } from './dividedGuard';
export { correctDefinitions } from './doubleMacros';
export { findDoubles } from './doubles';
export { freshNamesOf, longestLine, negated, deletionOf, parenthesised } from './writing/edits';
export {
  type AccessFamily,
  attempt,
  type Family,
  type Places,
  type Seen,
  type SeenAccess,
  type SharedSample,
} from './writing/family';
export { dim3Parts, extentParts, isStartedOtherwise } from './launchShapes/launchGrids';
export { launchShapeOf, type LaunchShapeFacts } from './launchShapes';
export { type KernelFacts, kernelFacts } from './launchShapes/kernels';
export { keepLayout, relaidOut } from './writing/layout';
export { nativeAtomicOf, nativeAtomics } from './nativeAtomics';
export { ownAccessesOf, sharedArrayOf } from './ownArray';
export { asSpelled } from './ownType';
export { refuser } from './writing/refusals';
export { registerSums } from './registerSums';
export { rowWarps } from './rowWarps';
export { sharedIterationsOf } from './serialLoops';
export { findSlowMath } from './slowMath';
export { structArrays } from './structArrays';
export { swapAxes } from './swapAxes';
export { tileLayouts } from './tileLayouts';
export { unrolledCost } from './tileLayouts/layouts';
export { walksByElement } from './tileLayouts/walks';
export { transposeTile } from './transposeTile';
export { withoutUnused } from './unusedHelpers';
export { warpAtomics, meetsAtOne, arrayIn, isEven, typeBehind } from './warpAtomics';
export { wideLoads, wideStores } from './wideAccesses';
export { wideBlocks } from './launchShapes/wideBlocks';

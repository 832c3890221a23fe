// The families of fixes that are executed on both sides, each with its generator of variations.
import { alignedStructs } from './alignedStructs';
import { blockAtomics } from './blockAtomics';
import { blockProducts } from './blockProducts';
import { blockRows } from './blockRows';
import { branches } from './branches';
import { chunkLoops } from './chunkLoops';
import { dividedGuard } from './dividedGuard';
import { fusions } from './fusions';
import { hostCopies } from './hostCopies';
import { hostLoops } from './hostLoops';
import { literals, literalsTogether } from './literals';
import { moreBlocks } from './moreBlocks';
import { nativeAtomics } from './nativeAtomics';
import { oneThread } from './oneThread';
import { oneThreadEnds } from './oneThreadEnds';
import { ownAtomics } from './ownAtomics';
import { productCalls } from './productCalls';
import { registerSums } from './registerSums';
import { relaunch } from './relaunch';
import { slowMath } from './slowMath';
import { rowWarps } from './rowWarps';
import { swapAxes } from './swapAxes';
import { sharedSums } from './sharedSums';
import { structArrays } from './structArrays';
import { sweeps } from './sweeps';
import { tileLayouts } from './tileLayouts';
import { transposeTile } from './transposeTile';
import { warpAtomics } from './warpAtomics';
import { wideBlocks } from './wideBlocks';
import { wideStoreLoops } from './wideStoreLoops';
import { wideStores } from './wideStores';
import type { Draw, Variation } from './variations';

export interface Family {
  readonly name: string;
  /** The titles of its fixes. */
  readonly titles: RegExp;
  vary(draw: Draw, name: string): Variation;
}

export const families: readonly Family[] = [
  rowWarps,
  blockRows,
  swapAxes,
  sweeps,
  transposeTile,
  tileLayouts,
  dividedGuard,
  wideBlocks,
  wideStores,
  wideStoreLoops,
  structArrays,
  alignedStructs,
  slowMath,
  warpAtomics,
  blockAtomics,
  nativeAtomics,
  ownAtomics,
  registerSums,
  sharedSums,
  relaunch,
  moreBlocks,
  oneThread,
  oneThreadEnds,
  hostLoops,
  hostCopies,
  chunkLoops,
  literals,
  literalsTogether,
  branches,
  fusions,
  productCalls,
  blockProducts,
];

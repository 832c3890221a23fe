// Every family of fixes, in the order in which their refusals are said: a family sees what those before it found.
import type { Refusal } from '../model';
import {
  alignedStructs,
  blockAtomics,
  dividedGuard,
  gridStride,
  nativeAtomics,
  ownAtomics,
  registerSums,
  rowWarps,
  secondBuffer,
  structArrays,
  swapAxes,
  tileLayouts,
  transposeTile,
  warpAtomics,
  warpSplit,
  wideBlocks,
  wideStores,
} from '../fixes';

export const families = [
  gridStride,
  registerSums,
  tileLayouts,
  structArrays,
  alignedStructs,
  wideStores,
  wideBlocks,
  swapAxes,
  transposeTile,
  rowWarps,
  warpAtomics,
  blockAtomics,
  nativeAtomics,
  ownAtomics,
  warpSplit,
  dividedGuard,
  secondBuffer,
] as const;

type Listed = (typeof families)[number];
type FoundBy = { readonly [F in Listed as F['id']]: Exclude<ReturnType<F['find']>, Refusal | undefined> };
declare module '../model' {
  interface Rewrites extends FoundBy {}
}

// Why a finding has no fix, in words: the families that came near, and what each failed on.
import type { FixFamily } from '../semantic/model';
import type { ResolvedFinding } from './finding';

const familyNames: Readonly<Record<FixFamily, string>> = {
  'row-warps': 'one warp per row',
  'swap-axes': 'swapping x and y',
  'grid-stride': 'a grid-stride loop',
  'transpose-tile': 'a tile in shared memory',
  'tile-layout': 'another layout in shared memory',
  'divided-guard': 'splitting the guard',
  'wide-stores': 'one wide store',
  'warp-atomics': 'one atomic per warp',
  'block-atomics': 'one atomic per block',
  'native-atomics': 'a native atomic',
  'own-atomics': 'a plain update',
  'register-sums': 'a sum in a register',
  'struct-arrays': 'a structure of arrays',
  'aligned-structs': 'another alignment',
  shuffles: 'warp shuffles',
  'warp-split': 'a split by warps',
  'block-shape': 'another block',
  guards: 'a guard',
  'second-buffer': 'a second buffer',
};

/** One sentence a family, the most telling first; undefined where the finding has fixes or no family came near. */
export function refusalText({ fixes, refusals = [] }: ResolvedFinding): string | undefined {
  if (fixes.length > 0 || refusals.length === 0) return undefined;
  return refusals.map(({ family, why }) => `No automatic fix with ${familyNames[family]}: ${why}.`).join(' ');
}

// Blocks that are narrower than a warp, of kernels that take any block: as many threads, 32 of them along x.
import type { Edit, Refusal, RewriteFact } from '../../model';
import { append, type Fn, type LaunchSite } from '../../language';
import { dim3Parts, extentOf, extentParts, takesSharedMemory } from './launchGrids';
import { comesToEnds } from './launchedEnds';
import { ownEndOf } from './ownEnd';
import { endsPlane, otherThanNumbers } from './planes';
import { whyTogether } from './relaunch';
import { withBlock } from './values';
import type { AccessFamily } from '../writing/family';
import { refuser } from '../writing/refusals';

const refused = refuser<'kernel' | 'number' | 'together' | 'shared' | 'extents' | 'guard' | 'values'>('block-shape');

export const wideBlocks: AccessFamily<'block-shape'> = {
  id: 'block-shape',
  on: 'access',
  of: 'kernel',
  causes: ['narrow-block'],
  find: ({ fn, elsewhere }) => wideBlocksOf(fn, elsewhere),
};

const warp = 32;

/** A launch's block, its extents known. */
interface Narrow {
  readonly x: number;
  readonly y: number;
  /** Written as numbers: nothing changes them from elsewhere. */
  readonly literal: boolean;
}

/**
 * The launches of the kernel of `fn` whose blocks are narrower than a warp, with blocks of 32 threads along x and
 * as many as before. Rows of blocks are split, so that there are as many threads along y; along x the last block may be
 * filled up, beyond an end that the launch comes to, or else one that the kernel is given.
 */
export function wideBlocksOf(fn: Fn, launchedElsewhere: boolean): RewriteFact | Refusal {
  const { decl } = fn;
  const sites = fn.launchSites(decl.name).filter(({ kernel }) => kernel === decl);
  if (!decl.global || !decl.body || sites.length === 0) return refused('kernel', 'no launch of the kernel is known');
  // Lanes are asked of any block here, not of those of one launch.
  const inside = fn.of(decl);
  const together = whyTogether(inside);
  if (together !== undefined) return refused('together', together);
  if (otherThanNumbers(inside) !== undefined)
    return refused('number', 'the kernel uses its place in the block, or constants instead of `blockDim`');
  /** The launches to change, by the threads along y that their blocks will have. */
  const narrow = new Map<number, LaunchSite[]>();
  const ends = endsPlane(inside);
  const comes = ends && sites.every((site) => comesToEnds(site, ['x', 'y']));
  for (const site of sites) {
    const block = shapeOf(site);
    if (block && block.x >= warp) continue;
    const isPlane = [extentOf(site, 0), extentOf(site, 1)].every((extent) => extent?.y !== undefined);
    if (!block || !isPlane || (block.x * block.y) % warp !== 0)
      return refused('extents', 'grid and block are not both written as planes of whole warps');
    if (takesSharedMemory(site)) return refused('shared', 'the launch has dynamic shared memory');
    if (!block.literal && !ends)
      return refused('guard', 'its block is made of constants, and the kernel has no bounds check along x and y');
    const high = (block.x * block.y) / warp;
    if (block.y % high !== 0 && !comes)
      return refused('guard', "the launch is not known to cover the kernel's bounds along x and y");
    append(narrow, high, site);
  }
  if (narrow.size === 0) return refused('extents', 'no launch with a narrow block is known');
  const ownEnd = comes ? [] : ownEndOf(inside, launchedElsewhere, true);
  if (typeof ownEnd === 'string')
    return refused('guard', `the launch is not known to cover the kernel's bounds; ${ownEnd}`);
  const edits: Edit[] = [];
  for (const [high, group] of narrow) {
    const changed = withBlock(group, [warp, high], comes);
    if (typeof changed === 'string') return refused('values', changed);
    edits.push(...changed);
  }
  const shapes = [...narrow.keys()].map((high) => `${warp} × ${high}`);
  return {
    edits: [...ownEnd, ...edits],
    title: `Use blocks of ${shapes.join(' and ')} (${comes ? 'last ones padded' : 'adds a count parameter'})`,
  };
}

/** The block's extents, where the text fixes them. */
function shapeOf(site: LaunchSite): Narrow | undefined {
  const expr = site.launch.config[1]!;
  const [x, y] = dim3Parts(expr, site) ?? extentParts(expr);
  const [wide, high] = [x, y].map((part) => part && site.host.types.constant(part));
  if (!x || !y || wide === undefined || high === undefined) return undefined;
  return { x: wide, y: high, literal: [x, y].every((part) => part.kind === 'number' && !part.macro) };
}

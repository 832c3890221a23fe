// Grids that may have more blocks: kernels whose loops share their work among any number of threads.
import type { LaunchFact } from '../../model';
import type { Fn, LaunchSite } from '../../language';
import { dim3Parts, extentOf, extentParts } from './launchGrids';
import { mayWait, unseenIn } from '../../program';
import { whyTogether } from './relaunch';
import { withMoreBlocks } from './values';
import { numberPlacesOf } from '../threadNumbers/rows';

const factors = [2, 3, 4, 6, 8, 16];
const largestInt = 2 ** 31 - 1;

/**
 * The launch with more blocks than its constant number, of a kernel that asks for the number of its threads. A run of
 * both texts has to show that it takes any number of them.
 */
export function moreBlocksOf(site: LaunchSite): NonNullable<LaunchFact['moreBlocks']> {
  const { kernel, host } = site;
  if (!kernel?.body) return [];
  const [grid, block] = [extentOf(site, 0), extentOf(site, 1)];
  const [blocks, threads] = [0, 1].map((at) => {
    const expr = site.launch.config[at]!;
    const [x] = dim3Parts(expr, site) ?? extentParts(expr);
    return x && host.types.constant(x);
  });
  if (!grid?.oneDimensional || !block?.oneDimensional || !blocks || !threads) return [];
  const fn = host.of(kernel);
  const places = numberPlacesOf(fn, threads);
  if (typeof places === 'string' || places.numbers.length === 0 || places.totals.length === 0) return [];
  if (whyTogether(fn) !== undefined || unseenIn(fn) || mayWait(kernel, fn.program)) return [];
  const most = mostThreads(fn);
  return factors.flatMap((factor) => {
    const edits = blocks * threads * factor <= most ? withMoreBlocks(site, factor) : '';
    if (typeof edits === 'string') return [];
    return [{ factor, title: `Launch ${blocks * factor} blocks: the loops share the work`, edits }];
  });
}

/** A run does not see products of a thread's number overflow. */
function mostThreads(fn: Fn): number {
  const products = fn.locals.nodes.flatMap((node) => {
    const factor = node.kind === 'binary' && node.op === '*' && fn.index(node)?.split('threadIdx.x')?.factor;
    return factor ? (factor.number ?? Infinity) : [];
  });
  return largestInt / Math.max(1, ...products.map(Math.abs)) - 1;
}

// Grids that may have more blocks: kernels whose loops share their work among any number of threads.
import type { ForStmt } from '../../../syntax/ast';
import type { LaunchFact } from '../../model';
import {
  constantPolynomial,
  type Fn,
  fixedPolynomial,
  type Index,
  type LaunchSite,
  type AnySyntax,
  reachesMemory,
  isConditionLoop,
  countsUp,
} from '../../language';
import { dim3Parts, extentOf, extentParts } from './launchGrids';
import { onlyStrides } from './strides';
import { mayWait, unseenIn, isPureCall } from '../../program';
import { accumulatorsOf } from '../iterations/accumulators';
import { steppedLoopOf } from '../iterations/loops';
import { hinderedByMemory, memoryWritesOf } from '../iterations/memory';
import { whyTogether } from './relaunch';
import { withMoreBlocks } from './values';
import { type NumberPlaces, numberPlacesOf, threadNumber } from '../threadNumbers/rows';

const factors = [2, 3, 4, 6, 8, 16];
/** What a product in a loop's head may come to. */
const largestInt = 2 ** 31 - 1;

/** The launch with more blocks than its constant number, where the kernel takes any number of them. */
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
  const most = onlyStrides(fn, places) ? Infinity : mostThreads(fn, places, threads);
  if (!isApart(fn, [site])) return [];
  return factors
    .filter((factor) => blocks * threads * factor <= most)
    .flatMap((factor) => {
      const edits = withMoreBlocks(site, factor);
      if (typeof edits === 'string') return [];
      return [{ factor, title: `Launch ${blocks * factor} blocks: the loops share the work`, edits }];
    });
}

/**
 * Of a kernel whose memory is touched by nothing but loops from `all * number / threads` to `all * (number + 1) /
 * threads`: so many threads that the products do not overflow. Of others 0.
 */
function mostThreads(fn: Fn, { numbers, totals }: NumberPlaces, threads: number): number {
  const loops: ForStmt[] = [];
  let most = Infinity;
  for (const node of fn.locals.nodes) {
    const all = node.kind === 'for' ? partOf(node, fn, threads) : undefined;
    if (all === undefined || node.kind !== 'for') continue;
    loops.push(node);
    most = Math.min(most, largestInt / all - 1);
  }
  const inHead = (node: AnySyntax): boolean =>
    loops.some((loop) => fn.isInside(node, loop) && !fn.isInside(node, loop.body));
  const usedInHeads = (place: AnySyntax): boolean => {
    const holder = fn.parent(place);
    const local = holder?.kind === 'var' ? fn.locals.all.find(({ variable }) => variable === holder) : undefined;
    return inHead(place) || (!!local && local.writes.length === 0 && local.uses.every(inHead));
  };
  const inLoop = (node: AnySyntax): boolean => loops.some((loop) => fn.isInside(node, loop.body));
  const touches = (node: AnySyntax): boolean => (node.kind === 'call' ? !isPureCall(node, fn) : reachesMemory(node));
  return [...numbers, ...totals].every(usedInHeads) && fn.locals.nodes.every((node) => !touches(node) || inLoop(node))
    ? most
    : 0;
}

/** The iterations that all threads share, of a loop that takes a thread's part of them. */
function partOf(loop: ForStmt, fn: Fn, threads: number): number | undefined {
  const head = fn.counted(loop);
  if (!head?.declared || head.bound?.op !== '<' || !countsUp(head)) return undefined;
  const [counter, start, end] = [head.local, head.first, head.bound.end];
  if (start.kind !== 'binary' || end.kind !== 'binary' || start.op !== '/' || end.op !== '/') return undefined;
  if (counter.addressTaken || counter.writes.length !== 1) return undefined;
  const extents = [fixedPolynomial('blockDim.x'), constantPolynomial(threads)];
  const isTotal = (value: Index | undefined): boolean =>
    !!value && extents.some((extent) => value.equals(fixedPolynomial('gridDim.x').times(extent)));
  if (![start.right, end.right].every((expr) => isTotal(fn.index(expr)))) return undefined;
  const [first, last] = [start.left, end.left].map((expr) => fn.index(expr));
  const factor = first?.split('threadIdx.x')?.factor;
  const all = factor?.number;
  if (!first || !last || !factor || all === undefined || all < 1 || !last.equals(first.plus(factor))) return undefined;
  return extents.some((extent) => first.equals(threadNumber(extent).times(factor))) ? all : undefined;
}

/** Whether an iteration hands nothing to the next: no variable from outside, and no element that another one reads. */
function isApart(fn: Fn, sites: readonly LaunchSite[]): boolean {
  const writes = memoryWritesOf(fn);
  if (typeof writes === 'string') return false;
  return fn.locals.nodes.every((node) => {
    if (!isConditionLoop(node) || [...fn.around(node)].some(isConditionLoop)) return true;
    const loop = steppedLoopOf(node, fn);
    return !!loop && !hinderedByMemory(loop, writes, sites, fn) && accumulatorsOf(loop, fn).length === 0;
  });
}

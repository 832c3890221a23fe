// Row per thread to warp per row: where each thread walks a separate row, the lanes of a warp walk it together, put
// their parts together by shuffles, and one lane writes. The launch asks for 32 times the threads.
import type { Expr, Stmt } from '../../../syntax/ast';
import type { Refusal, RewriteFact } from '../../model';
import { once, type Fn, type LaunchSite, isConditionLoop, type AnySyntax, tripsBetween, some } from '../../language';
import { extentOf, extentParts, isStartedOtherwise, timesBlocks } from '../launchShapes/launchGrids';
import { isOfNumbers } from '../launchShapes/values';
import { endsAll, numberAlong } from '../launchShapes/planes';
import { onlyStrides } from '../launchShapes/strides';
import { accumulatorsOf, warp } from '../iterations/accumulators';
import { subscriptsIn, type WalkingLoop, walkingLoopOf } from '../iterations/loops';
import { hinderedByMemory, type MemoryWrite, memoryWritesOf } from '../iterations/memory';
import { type NumberPlaces, rowPlacesOf } from '../threadNumbers/rows';
import { type Plan, writeRowWarps } from './write';
import type { AccessFamily } from '../writing/family';
import { blockRowsOf } from './blockRows';
import { refuser } from '../writing/refusals';

/** So often may a loop that every lane repeats run before the repetition costs what the rows gain. */
const fewIterations = 8;

const refused = refuser<
  | 'kernel'
  | 'launches'
  | 'name'
  | 'rows'
  | 'grid'
  | 'block'
  | 'guard'
  | 'writes'
  | 'walks'
  | 'loops'
  | 'length'
  | 'columns'
  | 'carried'
  | 'memory'
>('row-warps');

export const rowWarps: AccessFamily<'row-warps'> = {
  id: 'row-warps',
  on: 'access',
  causes: ['row-per-thread', 'chunk-per-thread', 'stride', 'slow-axis', 'other', undefined],
  when: ({ expr, fixes }) => !!expr && !fixes['grid-stride'] && !fixes['swap-axes'],
  isNear: ({ isPlane }, { precondition }) => !isPlane || precondition !== 'rows',
  find({ fn, expr, elsewhere }) {
    const whole = rowWarpsOf(fn, expr!, elsewhere);
    const stretch = 'edits' in whole || elsewhere ? undefined : blockRowsOf(fn, expr!);
    return stretch ?? whole;
  },
};
const isRefusal = (value: object): value is Refusal => 'precondition' in value;

/**
 * The edits that give each row to a warp, where `access`, a subscript in the kernel, runs along a row with the loop
 * around it; a refusal with the precondition that fails. `launchedElsewhere`: other files launch the kernel.
 */
export function rowWarpsOf(fn: Fn, access: Expr, launchedElsewhere = false): RewriteFact | Refusal {
  if (!fn.decl.global || !fn.decl.body) return refused('kernel', 'it is in a function that the kernel calls');
  if (launchedElsewhere) return refused('launches', 'other files launch the kernel');
  const plan = planOf(fn);
  if (isRefusal(plan)) return plan;
  if (!plan.shared.some(({ loop }) => fn.isInside(access, loop.body)))
    return refused('walks', 'the enclosing loop does not run along the row');
  return writeRowWarps(plan, fn);
}

const planOf = once((fn: Fn): Plan | Refusal => {
  const sites = fn.launchSites(fn.decl.name).filter(({ kernel }) => !kernel || kernel === fn.decl);
  if (sites.length === 0) return refused('launches', 'no launch of the kernel is known');
  if (sites.some(({ kernel }) => kernel !== fn.decl) || isStartedOtherwise(fn))
    return refused('name', 'the kernel is also launched or named elsewhere');
  const shapes = fn.blockShapes;
  if (shapes.some(([, y, z]) => y > 1 || z > 1)) return refused('rows', 'its blocks have more than one dimension');
  const known = shapes.length > 0 && fn.allShapesKnown !== false;
  const widths = new Set(shapes.map(([x]) => x));
  const wholeWarps = known && shapes.every(([x]) => x % warp === 0);
  const places = rowPlacesOf(fn, wholeWarps && widths.size === 1 ? [...widths][0] : undefined);
  if (typeof places === 'string') return refused('rows', places);
  for (const site of sites) {
    const [grid, block] = [extentOf(site, 0), extentOf(site, 1)];
    if (!grid) return refused('grid', 'the grid size is not written as a number or a dim3');
    if (!wholeWarps && !(block?.oneDimensional && grid.oneDimensional))
      return refused('block', 'the block may not consist of whole warps in one dimension');
    if (!wholeWarps && (grid.isVariable || block?.isVariable))
      return refused('block', 'the block may not consist of whole warps, and other launches may use its `dim3`');
    if (!wholeWarps && !isOfNumbers(extentParts(site.launch.config[1]!)[0]!))
      return refused('block', 'the block may not consist of whole warps, and its size has a name');
  }
  if (wholeWarps && !timesBlocks(sites, warp))
    return refused('grid', 'the `dim3` of a grid changes after its declaration');
  if (!wholeWarps && fn.decl.launchBounds?.length)
    return refused('block', 'the block may not consist of whole warps, and the kernel bounds it');
  const strides = onlyStrides(fn, places);
  if (!wholeWarps && !(places.totals.length > 0 ? strides : endsAll(fn, [numberAlong('x')])))
    return refused('guard', 'the block may not consist of whole warps, and the kernel has no bounds check on rows');
  const writes = memoryWritesOf(fn);
  if (typeof writes === 'string') return refused('writes', writes);
  const shared: WalkingLoop[] = [];
  const refusal = collectLoops(fn.decl.body!, shared, writes, sites, places, fn);
  if (refusal) return refusal;
  return { places, sites, shared, writes, wholeWarps, strides };
});

/** Takes the outermost loops along rows; refuses where one may not be shared, or all lanes would repeat another. */
function collectLoops(
  around: AnySyntax,
  shared: WalkingLoop[],
  writes: readonly MemoryWrite[],
  sites: readonly LaunchSite[],
  places: NumberPlaces,
  fn: Fn,
): Refusal | undefined {
  for (const node of fn.locals.nodes) {
    if (node.kind !== 'for' && node.kind !== 'while' && node.kind !== 'do') continue;
    if (node === around || !fn.isInside(node, around) || shared.some(({ loop }) => fn.isInside(node, loop))) continue;
    if (stepsOverGrid(node, places, fn)) continue;
    const walking = walkingLoopOf(node, fn);
    const subscripts = walking ? [...subscriptsIn(walking, fn)] : [];
    const walks = walking && subscripts.some(({ factor }) => isStep(factor, walking));
    if (!walking || !walks) {
      if (containsWalk(node, fn) || isShort(node, fn)) continue;
      return refused('loops', `every lane would repeat the loop \`${headText(node, fn)}\``);
    }
    const trips = tripsOf(walking, fn);
    if (trips !== undefined && trips < warp)
      return refused('length', `rows of ${trips} elements are shorter than a warp`);
    if (subscripts.some(({ factor, byThread }) => byThread !== undefined && Math.abs(byThread) === 1 && factor !== 1))
      return refused('columns', 'neighbouring threads already read another array coalesced');
    const carried = accumulatorsOf(walking, fn);
    if (typeof carried === 'string') return refused('carried', carried);
    const hindered = hinderedByMemory(walking, writes, sites, fn);
    if (hindered) return refused('memory', hindered);
    shared.push(walking);
  }
  return undefined;
}

function stepsOverGrid(loop: Stmt, places: NumberPlaces, fn: Fn): boolean {
  return places.totals.some((total) => {
    for (const outer of fn.around(total)) if (isConditionLoop(outer)) return outer === loop;
    return false;
  });
}

function containsWalk(loop: AnySyntax, fn: Fn): boolean {
  return some(loop, (node) => {
    const walking = node === loop || node.kind !== 'for' ? undefined : walkingLoopOf(node, fn);
    return !!walking && [...subscriptsIn(walking, fn)].some(({ factor }) => isStep(factor, walking));
  });
}

/** Does a subscript with this factor of the loop's variable go on by one element from iteration to iteration? */
function isStep(factor: number | undefined, { step }: WalkingLoop): boolean {
  return factor !== undefined && Math.abs(factor * step) === 1;
}

function tripsOf({ head }: WalkingLoop, fn: Fn): number | undefined {
  return tripsBetween(head, (expr) => fn.types.constant(expr));
}

function isShort(loop: Stmt, fn: Fn): boolean {
  const walking = walkingLoopOf(loop, fn);
  const trips = walking && tripsOf(walking, fn);
  return trips !== undefined && trips <= fewIterations;
}

function headText(loop: Stmt, fn: Fn): string {
  const end = loop.kind === 'for' ? loop.headerEnd : loop.kind === 'while' ? loop.cond.end + 1 : loop.start + 2;
  return fn.text({ start: loop.start, end }).replace(/\s+/g, ' ').trim();
}

// Loops of a single block that blocks could share: no iteration knows of another.
import type { LaunchExpr } from '../../syntax/ast';
import type { Span } from '../model';
import {
  type AnySyntax,
  atomName,
  countsUp,
  type Fn,
  fixedPolynomial,
  isConditionLoop,
  isStable,
  type LaunchSite,
  launchSiteAt,
  localsIn,
  reachesMemory,
  sameExpr,
} from '../language';
import { argumentRoots, isOwn, mayOverlap, rootOf } from '../program';
import { accumulatorsOf } from './iterations/accumulators';
import type { WalkingLoop } from './iterations/loops';
import { hinderedByMemory, type MemoryWrite, memoryWritesOf } from './iterations/memory';
import { dim3Parts, extentParts } from './launchShapes/launchGrids';

/**
 * Of a launch of one block: the outermost loop in which its kernel writes all that it writes, each iteration to places
 * that no other one reaches, where no thread meets another.
 */
export function apartLoopOf(caller: Fn, call: LaunchExpr): Span | undefined {
  const site = launchSiteAt(caller, call);
  const { kernel, host, launch } = site;
  const grid = launch.config[0]!;
  const isOne = (dim3Parts(grid, site) ?? extentParts(grid)).every((part) => host.types.constant(part) === 1);
  if (!kernel?.body || !isOne) return undefined;
  const fn = host.of(kernel);
  const writes = memoryWritesOf(fn);
  if (typeof writes === 'string' || writes.length === 0 || writes.some(({ atomic }) => atomic)) return undefined;
  const loop = [...fn.around(writes[0]!.statement)].filter(isConditionLoop).at(-1);
  if (loop?.kind !== 'for' || !writes.every(({ statement }) => fn.isInside(statement, loop))) return undefined;
  const head = fn.counted(loop);
  if (!head?.declared || !head.bound?.op.startsWith('<')) return undefined;
  const by = head.step?.by && fn.index(head.step.by);
  const isOfBlock = head.step?.sign === 1 && !!by?.equals(fixedPolynomial('blockDim.x'));
  const { local: variable, first: start } = head;
  if (!(countsUp(head) || isOfBlock) || variable.addressTaken || variable.writes.length !== 1) return undefined;
  const walking: WalkingLoop = { loop, head, variable, start, step: 1, stepAt: loop.step! };
  const carried = accumulatorsOf(walking, fn);
  if (typeof carried === 'string' || carried.length > 0) return undefined;
  // What unknown functions give a host's variables is taken for separate memory; a place that is passed twice is not.
  const passed = launch.args.flatMap((arg, at) =>
    kernel.params[at]?.type.kind === 'pointer' ? [...(argumentRoots(arg, host.locals) ?? [])] : [],
  );
  const sites = new Set(passed).size < passed.length ? [site] : [];
  const isApart = (write: MemoryWrite): boolean =>
    isRow(write, walking, sites, fn) || !hinderedByMemory(walking, [write], sites, fn);
  return writes.every(isApart) ? fn.span(loop) : undefined;
}

/** `a[p * width + d]`, where nothing else in the loop may reach into the array: rows of a length that a run decides. */
function isRow(
  { target, root }: MemoryWrite,
  { loop, variable }: WalkingLoop,
  sites: readonly LaunchSite[],
  fn: Fn,
): boolean {
  const split = target.kind === 'index' ? fn.index(target.index)?.split(atomName(variable, fn.locals)) : undefined;
  if (!split || split.factor.number !== undefined) return false;
  const isSteady = [split.factor, split.rest].every((part) =>
    [...localsIn(part)].every((local) => isStable(local) || fn.isInside(local.variable ?? loop, loop)),
  );
  const meets = (node: AnySyntax): boolean => {
    if (!reachesMemory(node) || !fn.isInside(node, loop) || isOwn(node, fn)) return false;
    const other = rootOf(node, fn.locals);
    return (other === undefined || mayOverlap(other, root, sites, fn)) && !sameExpr(node, target);
  };
  return isSteady && !fn.locals.nodes.some(meets);
}

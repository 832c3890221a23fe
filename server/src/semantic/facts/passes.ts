// Passes of a block over its part of an array in global memory, between barriers, where threads read what others wrote.
import type { AssignExpr, Expr, Stmt } from '../../syntax/ast';
import { type AnySyntax, type Fn, isConditionLoop, isWork, reachesMemory, sameExpr, some, walk } from '../language';
import { isOwn, rootOf } from '../program';
import { calledName, tripsOf } from '../flow';
import { type Place, traced } from './windows';

/** Below so many passes the copies to shared memory and back cost what they save, as measured on an H200. */
const fewPasses = 8;

/** Each thread stores to one place in all passes of a loop: what the block goes over is as long as the block. */
export function* findPasses(fn: Fn): Iterable<Place> {
  if (!fn.decl.body || !isWork(fn)) return;
  const found = new Set<string>();
  for (const loop of fn.locals.nodes) {
    if (!isConditionLoop(loop) || (tripsOf(loop, fn) ?? Infinity) < fewPasses || !meetsInBlock(loop)) continue;
    for (const store of fn.locals.nodes) {
      if (store.kind !== 'assign' || !fn.isInside(store, loop)) continue;
      const array = arrayOf(store, loop, fn);
      if (array !== undefined && !found.has(array)) yield { at: store.target, loop, array };
      if (array !== undefined) found.add(array);
    }
  }
}

/** By barriers of the block, and not with other blocks. */
function meetsInBlock(loop: Stmt): boolean {
  const calls = (name: RegExp): boolean =>
    some(loop, (node) => node.kind === 'call' && name.test(calledName(node) ?? ''));
  return calls(/^__syncthreads$/) && !calls(/^(?:sync|__threadfence)$/);
}

/** The array of a store at a place that the loop leaves, where it reads another thread's place, too. */
function arrayOf({ target }: AssignExpr, loop: Stmt, fn: Fn): string | undefined {
  const root = target.kind === 'index' && !isOwn(target, fn) ? rootOf(target, fn.locals) : undefined;
  if (target.kind !== 'index' || typeof root !== 'object' || !root.parameter) return undefined;
  const moves = (node: AnySyntax): boolean =>
    some(node, (name) => {
      const { variable, writes = [] } = (name.kind === 'name' && fn.local(name)) || {};
      return [variable, ...writes.map((write) => write.node)].some((made) => made && fn.isInside(made, loop));
    });
  if (moves(target)) return undefined;
  const others: Expr[] = [];
  walk(loop, (node) => {
    if (node.kind === 'index' && !sameExpr(node, target) && rootOf(node, fn.locals) === root) others.push(node.index);
  });
  // Places that data decide may be in other blocks, and so are those at an even distance from a block's ends.
  const isPlain = others.every((index) => traced(index, fn, (node) => (reachesMemory(node) ? undefined : true)));
  const wraps = (node: AnySyntax): boolean => node.kind === 'binary' && /^[%&^]$/.test(node.op);
  return isPlain && others.some((index) => moves(index) || some(index, wraps)) ? root.name : undefined;
}

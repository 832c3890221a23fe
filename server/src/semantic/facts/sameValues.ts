// Values that neighbouring threads all compute by the same loop over data, and all store to the same place.
import type { AssignExpr, Expr, Stmt } from '../../syntax/ast';
import { type Fn, isConditionLoop, isWork, type Local, reachesMemory, some, usesAxis, walk } from '../language';
import { hidesEffects, isOwn, isPureCall, rootOf } from '../program';
import { accumulatorIn } from '../fixes';
import { tripsOf } from '../flow';
import type { Place } from './windows';

type Loop = Extract<Stmt, { kind: 'for' | 'while' | 'do' }>;

export function* findSameValues(fn: Fn): Iterable<Place> {
  if (!fn.decl.body || !isWork(fn) || some(fn.decl.body, hidesEffects)) return;
  for (const node of fn.locals.nodes) {
    if (node.kind !== 'assign' || !reachesMemory(node.target) || isOwn(node.target, fn)) continue;
    const root = rootOf(node.target, fn.locals);
    const loop = typeof root === 'object' && root.parameter ? loopOf(node, fn) : undefined;
    if (loop && (tripsOf(loop, fn) ?? Infinity) >= 32) yield { at: node.target, loop, array: fn.text(node.target) };
  }
}

/** The loop over data from which a store gets a value that does not depend on the thread's place along x. */
function loopOf(store: AssignExpr, fn: Fn): Loop | undefined {
  const isUneven = (expr: Expr): boolean => usesAxis(expr, fn.decl, 'x', fn.program);
  if (isUneven(store.target) || isUneven(store.value)) return undefined;
  const seen = new Set<Local>();
  const loops = new Set<Loop>();
  const pending: Expr[] = [store.target, store.value];
  let isSame = true;
  for (let next = pending.pop(); next && isSame; next = pending.pop())
    walk(next, (node) => {
      if (node.kind === 'call') isSame &&= isPureCall(node, fn);
      const local = node.kind === 'name' ? fn.local(node) : undefined;
      if (!local || seen.has(local)) return;
      seen.add(local);
      const { init, type } = local.variable ?? {};
      if (local.addressTaken || (type?.kind === 'array' && local.variable?.space === 'none')) isSame = false;
      if (init && init.kind !== 'initList') pending.push(init);
      for (const { node: write, value } of local.writes) {
        if (value) pending.push(value);
        // Who comes to the store does not matter: who comes to a part of the sum does.
        for (const around of fn.around(write)) {
          if (fn.isInside(store, around)) break;
          if (isConditionLoop(around)) loops.add(around);
          if ((isConditionLoop(around) || around.kind === 'if') && around.cond && isUneven(around.cond)) isSame = false;
        }
      }
    });
  const readsData = (loop: Stmt): boolean =>
    some(loop, (node) => {
      const root = reachesMemory(node) && !isOwn(node, fn) ? rootOf(node, fn.locals) : undefined;
      return typeof root === 'object' && root.parameter !== undefined;
    });
  // Threads can share what iterations only add up, and no recurrence.
  const addsUp = (loop: Loop): boolean =>
    [...seen].every((local) => {
      const isWritten = local.writes.some((write) => fn.isInside(write.node, loop));
      const isInner = local.variable && fn.isInside(local.variable, loop);
      const isCounter = local.uses.some((use) => !!loop.cond && fn.isInside(use, loop.cond));
      return !isWritten || isInner || isCounter || typeof accumulatorIn(local, loop, fn) !== 'string';
    });
  return isSame ? [...loops].find((loop) => readsData(loop) && addsUp(loop)) : undefined;
}

// Windows of two loops that each thread adds up again, though its neighbours need most of the same sums.
import type { Expr, ForStmt, Stmt } from '../../syntax/ast';
import {
  type AnySyntax,
  atomName,
  dependsOnThread,
  type Fn,
  isConditionLoop,
  isWork,
  type Local,
  reachesMemory,
  some,
  walk,
} from '../language';
import { hidesEffects, isOwn, isPureCall, rootOf } from '../program';
import { accumulatorIn, conjuncts } from '../fixes';
import { tripsOf } from '../flow';

/** Two passes over all data take as long as a narrower window. */
const narrowest = 9;

/** Where a loop does work again, in or from which array. */
export interface Place {
  readonly at: Expr;
  readonly loop: Stmt;
  readonly array: string;
}

export function* findWindows(fn: Fn): Iterable<Place> {
  if (!fn.decl.body || !isWork(fn)) return;
  for (const loop of fn.locals.nodes) {
    const [outer, inner] = isConditionLoop(loop) ? nestOf(loop, fn) : [];
    const window = outer && inner && windowOf(outer, inner, fn);
    if (window) yield window;
  }
}

type Counter = { readonly loop: ForStmt; readonly variable: Local };

/** The loop and the only loop in it, both from and to ends that all threads share, one step at a time. */
function nestOf(loop: Stmt, fn: Fn): Counter[] {
  const loops: AnySyntax[] = [];
  walk(loop, (node) => {
    if (isConditionLoop(node)) loops.push(node);
  });
  if (loops.length !== 2) return [];
  return loops.flatMap((each) => {
    const head = fn.counted(each as Stmt);
    const isEven =
      head?.bound && ![head.first, head.bound.end].some((end) => dependsOnThread(end, fn.decl, fn.program));
    const isWide = head && (tripsOf(head.loop, fn) ?? Infinity) >= narrowest;
    return isEven && isWide && head.step && !head.step.by ? [{ loop: head.loop, variable: head.local }] : [];
  });
}

function windowOf(outer: Counter, inner: Counter, fn: Fn): Place | undefined {
  const loop = outer.loop;
  const leaves = (node: AnySyntax): boolean =>
    /^(?:break|continue|return|goto)$/.test(node.kind) ||
    hidesEffects(node) ||
    (node.kind === 'call' && !isPureCall(node, fn));
  if (some(loop, leaves)) return undefined;
  const steps = [outer, inner].map(({ variable }) => variable);
  const loads = new Set<Expr>();
  let isSum = true;
  walk(loop, (node) => {
    const target = node.kind === 'assign' ? node.target : node.kind === 'update' ? node.operand : undefined;
    if (node.kind === 'if' || node.kind === 'conditional')
      isSum &&= conjuncts(node.cond).every((part) => isOfOne(part, steps, fn));
    const local = target && fn.local(target);
    if (!target || (local && (steps.includes(local) || isWithin(local, loop, fn)))) return isSum;
    const sum = local && fn.isInside(node, inner.loop) ? accumulatorIn(local, loop, fn) : undefined;
    isSum &&= typeof sum === 'object' && !sum.companions && /^(?:\+|max|min)$/.test(sum.combination);
    if (isSum && node.kind === 'assign') isSum = addLoads(node.value, steps, loads, fn);
    return isSum;
  });
  const [load] = loads;
  if (!isSum || load?.kind !== 'index' || loads.size > 1) return undefined;
  const root = rootOf(load, fn.locals);
  const index = fn.index(load.index);
  if (!index || typeof root !== 'object' || !root.parameter) return undefined;
  // A step along the window comes to where the next thread is.
  const meets = ({ variable }: Counter, axis: string): boolean => {
    const [byStep, byThread] = [index.split(atomName(variable, fn.locals)), index.split(`threadIdx.${axis}`)];
    return !!byStep && !!byThread && byStep.factor.number !== 0 && byStep.factor.plus(byThread.factor, -1).number === 0;
  };
  const isMet = (meets(inner, 'x') && meets(outer, 'y')) || (meets(inner, 'y') && meets(outer, 'x'));
  return isMet ? { at: load, loop, array: root.name } : undefined;
}

function isWithin(local: Local, loop: Stmt, fn: Fn): boolean {
  return local.variable !== undefined && fn.isInside(local.variable, loop);
}

/** Whether a condition is about a row or about a column of the window, and no data. */
function isOfOne(cond: Expr, steps: readonly Local[], fn: Fn): boolean {
  const met = new Set<Local>();
  const isPlain = traced(cond, fn, (node) => {
    const local = node.kind === 'name' ? fn.local(node) : undefined;
    if (local && steps.includes(local)) met.add(local);
    return (reachesMemory(node) && !isOwn(node, fn)) || (local && met.size > 1) ? undefined : true;
  });
  return isPlain && met.size <= 1;
}

/** Adds what a value loads; false where it holds anything else that the thread or the place in the window decides. */
function addLoads(value: Expr, steps: readonly Local[], loads: Set<Expr>, fn: Fn): boolean {
  return traced(value, fn, (node) => {
    if (reachesMemory(node) && !isOwn(node, fn)) {
      loads.add(node as Expr);
      return false;
    }
    const local = node.kind === 'name' ? fn.local(node) : undefined;
    return (local && steps.includes(local)) || (node.kind === 'name' && node.name === 'threadIdx') ? undefined : true;
  });
}

/** Visits a value and what the variables in it hold; false where the visit ends it with `undefined`. */
export function traced(value: Expr, fn: Fn, visit: (node: AnySyntax) => boolean | undefined): boolean {
  const seen = new Set<unknown>();
  const pending: Expr[] = [value];
  let isPlain = true;
  for (let next = pending.pop(); next && isPlain; next = pending.pop())
    walk(next, (node) => {
      const goes = visit(node);
      if (goes === undefined) isPlain = false;
      const local = node.kind === 'name' ? fn.local(node) : undefined;
      if (local && !seen.has(local)) {
        seen.add(local);
        if (local.addressTaken) isPlain = false;
        const { init } = local.variable ?? {};
        if (init && init.kind !== 'initList') pending.push(init);
        for (const { value: written } of local.writes) if (written) pending.push(written);
      }
      return goes === true;
    });
  return isPlain;
}

// Kernels that do all their work in loops over the grid, to which the number of threads is all the same.
import type { Expr, Stmt } from '../../../syntax/ast';
import { countStep, type Fn, type Local, type AnySyntax, reachesMemory, orderedBy } from '../../language';
import { steppedLoopOf } from '../iterations/loops';
import type { NumberPlaces } from '../threadNumbers/rows';
import { isSameForAll } from './planes';
import { isPureCall } from '../../program';

type Loop = Extract<AnySyntax, { kind: 'for' | 'while' }>;

/**
 * Whether nothing but loops `for (i = number; i < end; i += all threads)` touches memory, and nothing but their
 * variables knows the thread: what each thread has for itself (`state[number]`) has one place a thread, and more
 * threads would go beyond it. No iteration reads what the one before left in a variable: which one that was depends on
 * the number of threads.
 */
export function onlyStrides(fn: Fn, { numbers, totals }: NumberPlaces): boolean {
  const loops = new Map<Loop, Local>();
  for (const node of fn.locals.nodes) {
    if (node.kind !== 'for' && node.kind !== 'while') continue;
    const counter = counterOf(node, { numbers, totals }, fn);
    if (counter) loops.set(node, counter);
  }
  const counters = new Set(loops.values());
  const isInLoopOf = (node: AnySyntax, counter: Local): boolean =>
    [...loops].some(([loop, of]) => of === counter && fn.isInside(node, loop));
  const startsCounter = (expr: Expr): boolean => {
    const holder = fn.parent(expr);
    if (holder?.kind === 'assign' && holder.value === expr && holder.target.kind === 'name') {
      const counter = fn.local(holder.target);
      return !!counter && counters.has(counter) && counter.uses.every((use) => isInLoopOf(use, counter));
    }
    if (holder?.kind !== 'var') return false;
    const local = fn.locals.all.find(({ variable }) => variable === holder);
    if (!local) return false;
    if (counters.has(local)) return local.uses.every((use) => isInLoopOf(use, local));
    return fn.definition(local) === expr && local.uses.length > 0 && local.uses.every(startsCounter);
  };
  return (
    numbers.every(startsCounter) &&
    totals.every((total) => isStep(total, counters, fn) || isStepAlone(total, counters, fn)) &&
    fn.locals.nodes.every(
      (node) => !touchesMemory(node, fn) || [...loops.keys()].some((loop) => fn.isInside(node, loop)),
    ) &&
    [...loops].every(([loop, counter]) =>
      fn.locals.all.every((local) => local === counter || !isCarried(local, loop, fn)),
    )
  );
}

/** Does an iteration read of a variable from outside of the loop what another iteration may have left in it? */
function isCarried(local: Local, loop: Loop, fn: Fn): boolean {
  if (local.variable && (fn.isInside(local.variable, loop) || local.variable.space !== 'none')) return false;
  const uses = local.uses.filter((use) => fn.isInside(use, loop));
  return uses.some((use) => changes(use, local, fn)) && !uses.every((use) => isSetBefore(use, local, loop, fn));
}

/** Is the variable, a field or an element of it written here, or its address taken? */
function changes(use: Expr, local: Local, fn: Fn): boolean {
  if (local.addressTaken) return true;
  let place: AnySyntax = use;
  let parent = fn.parent(place);
  const isValue = (local.variable ?? local.parameter)?.type.kind !== 'pointer';
  while (
    isValue &&
    ((parent?.kind === 'index' && parent.base === place) || (parent?.kind === 'member' && !parent.arrow))
  ) {
    place = parent;
    parent = fn.parent(place);
  }
  return (parent?.kind === 'assign' && parent.target === place) || parent?.kind === 'update';
}

/** Has the same iteration written the whole variable before this use of it, or does the use write it? */
function isSetBefore(use: Expr, local: Local, loop: Loop, fn: Fn): boolean {
  const sets = (node: AnySyntax | undefined): boolean =>
    node?.kind === 'expr' &&
    node.expr.kind === 'assign' &&
    node.expr.op === '=' &&
    node.expr.target.kind === 'name' &&
    fn.local(node.expr.target) === local &&
    !fn.isInside(use, node.expr.value);
  let below: AnySyntax = use;
  for (const around of fn.around(use)) {
    if (around === loop) return false;
    if (sets(around) || (around.kind === 'for' && around.init !== below && sets(around.init))) return true;
    if (around.kind === 'block' && around.body.slice(0, around.body.indexOf(below as Stmt)).some(sets)) return true;
    below = around;
  }
  return false;
}

/** The variable that a loop steps by the number of all threads until it reaches an end that all threads have alike. */
function counterOf(
  loop: Loop,
  { numbers, totals }: Pick<NumberPlaces, 'numbers' | 'totals'>,
  fn: Fn,
): Local | undefined {
  const stepped = steppedLoopOf(loop, fn);
  const { low, high } = (loop.cond && orderedBy(loop.cond)) ?? {};
  const bound = high && fn.index(high);
  if (!stepped || !bound || !isSameForAll(bound) || low?.kind !== 'name') return undefined;
  const { variable, stepAt } = stepped;
  if (fn.local(low) !== variable) return undefined;
  const isOneOf = (places: readonly Expr[], expr: Expr | undefined): boolean => {
    if (!expr || places.includes(expr)) return !!expr;
    const local = expr.kind === 'name' ? fn.local(expr) : undefined;
    const value = local && fn.definition(local);
    return !!value && places.includes(value);
  };
  const starts = [
    ...(variable.variable?.init ? [variable.variable.init] : []),
    ...variable.writes.filter(({ node }) => node !== stepAt).map(({ value }) => value),
  ];
  const step = countStep(stepAt, (expr) => expr.kind === 'name' && fn.local(expr) === variable);
  const isStart = starts.length === 1 && isOneOf(numbers, starts[0]);
  return isStart && step?.sign === 1 && isOneOf(totals, step.by) ? variable : undefined;
}

/** `i += gridDim.x * blockDim.x`, `i = i + gridDim.x * blockDim.x`. */
function isStep(total: Expr, counters: ReadonlySet<Local>, fn: Fn): boolean {
  const parent = fn.parent(total);
  const step = parent?.kind === 'binary' ? fn.parent(parent) : parent;
  const target = step?.kind === 'assign' && step.target.kind === 'name' ? fn.local(step.target) : undefined;
  return !!target && counters.has(target);
}

/** `const int stride = gridDim.x * blockDim.x`, used for nothing but the steps of such loops. */
function isStepAlone(total: Expr, counters: ReadonlySet<Local>, fn: Fn): boolean {
  const holder = fn.parent(total);
  const local = holder?.kind === 'var' ? fn.locals.all.find(({ variable }) => variable === holder) : undefined;
  return !!local && fn.definition(local) === total && local.uses.every((use) => isStep(use, counters, fn));
}

function touchesMemory(node: AnySyntax, fn: Fn): boolean {
  return node.kind === 'call' ? !isPureCall(node, fn) : reachesMemory(node);
}

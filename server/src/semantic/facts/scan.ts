// Loops in which each thread of the grid reads the same data to find its part of them.
import type { Expr, Stmt } from '../../syntax/ast';
import {
  type AnySyntax,
  calleeName,
  dependsOnThread,
  type Fn,
  isConditionLoop,
  isWork,
  reachesMemory,
  sameExpr,
  some,
  walk,
  argumentOf,
} from '../language';
import { isOwn, rootOf } from '../program';
import { tripsOf } from '../flow';
import type { Span } from '../model';
import type { FunctionKind } from './kinds';
import { findSameValues } from './sameValues';
import { findWindows, type Place, traced } from './windows';

export interface ScanFact {
  readonly kind: 'scan';
  /** Each thread picks its part of all data, computes what its neighbours compute, or adds up what they add up. */
  readonly form: 'part' | 'same' | 'window';
  readonly at: Span; // the comparison, or the place that is stored to
  readonly loopAt: Span;
  readonly array: string;
  readonly kernels: readonly string[];
}
declare module '../model' {
  interface Facts {
    scan: ScanFact;
  }
}

export const scan: FunctionKind<'scan'> = {
  kind: 'scan',
  from: 'function',
  find: (fn) => [
    ...factsOf('part', findScans(fn), fn),
    ...factsOf('same', findSameValues(fn), fn),
    ...factsOf('window', findWindows(fn), fn),
  ],
};

/** A loop that is no longer is over before atomics would be. */
const fewIterations = 32;
const flipped: Readonly<Record<string, string>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' };

/** A comparison of what a loop reads with what the thread's number gives, as seen by the kernel. */
interface Comparison {
  readonly at: Expr;
  readonly op: string;
  readonly data: Expr;
  readonly array: string;
}

function* findScans(fn: Fn): Iterable<Place> {
  if (!fn.decl.body || !isWork(fn)) return;
  for (const loop of fn.locals.nodes) {
    if (!isConditionLoop(loop) || !loop.cond || dependsOnThread(loop.cond, fn.decl, fn.program)) continue;
    if ((tripsOf(loop, fn) ?? Infinity) <= fewIterations || isLeft(loop) || !keepsResult(loop, fn)) continue;
    const found = comparisonsIn(loop, fn);
    const own = found.find(({ op, data }) => /^[!=]=$/.test(op) || found.some((other) => isOtherEnd(other, op, data)));
    if (!own) continue;
    yield { at: own.at, loop, array: own.array };
  }
}

function factsOf(form: ScanFact['form'], places: Iterable<Place>, fn: Fn): ScanFact[] {
  return [...places].map(({ at, loop, array }) => {
    const [span, loopAt] = [fn.span(at), fn.span(loop)];
    return { kind: 'scan', form, at: span, loopAt, array, kernels: fn.kernels };
  });
}

/** A search ends at what it finds. */
function isLeft(loop: Stmt): boolean {
  return some(loop, ({ kind }) => kind === 'break' || kind === 'return' || kind === 'goto');
}

/** `x >= low` beside `x < high`. */
function isOtherEnd({ op, data }: Comparison, first: string, value: Expr): boolean {
  return op[0] !== first[0] && sameExpr(data, value);
}

/** Whether the loop leaves anything to what follows it: a variable from outside, or memory. */
function keepsResult(loop: Stmt, fn: Fn): boolean {
  return some(loop, (node) => {
    const target = node.kind === 'assign' ? node.target : node.kind === 'update' ? node.operand : undefined;
    const local = target && fn.local(target);
    if (!target || (loop.kind === 'for' && loop.step && fn.isInside(node, loop.step))) return false;
    return !local || !(local.variable && fn.isInside(local.variable, loop));
  });
}

/** Those of the loop's own text, and of helpers that are given the element and the thread's share. */
function comparisonsIn(loop: Stmt, fn: Fn): Comparison[] {
  const found: Comparison[] = [];
  const add = (node: AnySyntax, at: Expr, asSeen: (side: Expr) => Expr): void => {
    if (node.kind !== 'binary' || !/^([<>]=?|[!=]=)$/.test(node.op)) return;
    for (const [data, share, op] of [
      [node.left, node.right, node.op],
      [node.right, node.left, flipped[node.op] ?? node.op],
    ] as const) {
      const array = arrayReadBy(asSeen(data), loop, fn);
      if (array !== undefined && isShare(asSeen(share), fn)) found.push({ at, op, data, array });
    }
  };
  walk(loop, (node) => {
    add(node, node as Expr, (side) => side);
    if (node.kind !== 'call') return;
    const [helper, ...others] = fn.program.functions(calleeName(node) ?? '');
    if (!helper?.body || others.length > 0) return;
    const argument = (side: Expr): Expr =>
      (side.kind === 'name' ? argumentOf(side.name, helper, node.args) : undefined) ?? side;
    walk(helper.body, (inner) => add(inner, node, argument));
  });
  return found;
}

/** The array that a value comes from, of which each iteration loads an element, the same in all threads of the grid. */
function arrayReadBy(value: Expr, loop: Stmt, fn: Fn): string | undefined {
  const loads: Expr[] = [];
  const isPlain = traced(value, fn, (node) => {
    if (!reachesMemory(node) || isOwn(node, fn)) return true;
    loads.push(node);
    return false;
  });
  const [load] = loads;
  if (!isPlain || !load || !fn.isInside(load, loop) || dependsOnThread(value, fn.decl, fn.program)) return undefined;
  const names: Expr[] = [];
  walk(load, (node) => {
    if (node.kind === 'name') names.push(node);
  });
  const moved = names.filter((name) => fn.local(name)?.writes.some(({ node }) => fn.isInside(node, loop)));
  if (moved.length === 0) return undefined;
  // A pointer that walks began somewhere.
  const begun = moved.flatMap((name) => fn.local(name)?.variable?.init ?? []);
  for (const from of [load, ...begun]) {
    const root = from.kind === 'initList' ? undefined : rootOf(from, fn.locals);
    if (typeof root === 'object' && root.parameter) return root.name;
  }
  return undefined;
}

/** Computed from the thread's number without memory, and another one in each thread: no remainder, no quotient. */
function isShare(value: Expr, fn: Fn): boolean {
  if (!dependsOnThread(value, fn.decl, fn.program)) return false;
  return traced(value, fn, (node) => {
    const parts = node.kind === 'binary' && /^(%|&|\/|>>|[<>!=]=?|&&|\|\|)$/.test(node.op);
    return parts && dependsOnThread(node.left, fn.decl, fn.program)
      ? undefined
      : !(reachesMemory(node) && !isOwn(node, fn)) || undefined;
  });
}

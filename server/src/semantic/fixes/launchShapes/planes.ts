// Kernels over a plane of threads that ask for nothing but their thread's numbers along x and y, and end both.
import type { Expr, Stmt } from '../../../syntax/ast';
import {
  counted,
  type CountStep,
  type Fn,
  fixedPolynomial,
  type Index,
  isStable,
  localsIn,
  orderedBy,
  isPlaceAtom,
} from '../../language';
import { type Axis, numberPlacesOf, threadNumber } from '../threadNumbers/rows';
import { isArithmetic, isBlockBarrier, isReturn } from '../../program';

const axes: readonly Axis[] = ['x', 'y'];

/** Why the kernel's threads are more than their numbers along x and y; undefined where they are nothing else. */
export function otherThanNumbers(fn: Fn): string | undefined {
  for (const axis of axes) {
    const places = numberPlacesOf(fn, undefined, axis);
    if (typeof places === 'string') return places;
    if (places.numbers.length === 0) return `its threads have no index along ${axis}`;
    if (places.totals.length > 0) return 'it uses the number of threads';
  }
  return undefined;
}

/**
 * Whether threads beyond an end of x and of y touch no memory: comparisons that leave come before everything
 * else, or the last statement is an `if` that asks for both. What a condition reads, it reads behind both.
 */
export function endsPlane(fn: Fn): boolean {
  return endsAll(fn, axes.map(numberAlong));
}

/** Of a kernel whose blocks are of one thread. */
export const blockNumber: OwnNumber = { atom: 'blockIdx.x', number: fixedPolynomial('blockIdx.x') };

export const numberAlong = (axis: Axis): OwnNumber => ({
  atom: `threadIdx.${axis}`,
  number: threadNumber(fixedPolynomial(`blockDim.${axis}`), axis),
});

/** A number that each thread has for itself, and the built-in that tells neighbours apart in it. */
export interface OwnNumber {
  readonly atom: string;
  readonly number: Index;
}

type Side = 'inside' | 'outside';
/** Whether none but threads below a bound, or at it as well, come further; of a loop also by its step. */
export type IsEnd = (number: OwnNumber, index: Expr, bound: Expr, orEqual: boolean, step?: CountStep) => boolean;

/** The same of any numbers: work is behind conditions, or in a loop, that end all of them. */
export function endsAll(fn: Fn, numbers: readonly OwnNumber[], isEnd: IsEnd = isNumberEnd(fn)): boolean {
  const ended = new Set<OwnNumber>();
  let guards = false;
  for (const stmt of fn.decl.body?.body ?? []) {
    if (ended.size === numbers.length) return true;
    if (isHarmless(stmt, fn)) continue;
    if (stmt.kind === 'if' && !stmt.else && !stmt.init) {
      const isExit = isReturn(stmt.then);
      const all = isExit ? ended : new Set(ended);
      for (const part of partsOf(stmt.cond, isExit ? 'outside' : 'inside')) {
        const one = endedBy(part, numbers, isEnd);
        if (one) all.add(one);
        else if (all.size < numbers.length && !isArithmetic(part.cond, fn)) return false;
      }
      if (!isExit && all.size < numbers.length) return false;
      guards ||= !isExit;
      continue;
    }
    const [number, more] = numbers;
    const head = more ? undefined : counted(stmt);
    if (!number || !head?.declared || !head.alone || !head.bound?.op.startsWith('<')) return false;
    if (!isEnd(number, head.first, head.bound.end, head.bound.op === '<=', head.step)) return false;
    guards = true;
  }
  return guards || ended.size === numbers.length;
}

/** Accesses no memory in any thread. */
function isHarmless(stmt: Stmt, fn: Fn): boolean {
  if (stmt.kind === 'empty' || stmt.kind === 'type') return true;
  if (stmt.kind === 'decl')
    return stmt.vars.every(({ init, space }) => space === 'none' && (!init || isArithmetic(init, fn)));
  if (stmt.kind !== 'expr') return false;
  const { expr } = stmt;
  if (expr.kind === 'call') return isBlockBarrier(expr);
  if (expr.kind !== 'assign' || expr.target.kind !== 'name') return false;
  return !!fn.local(expr.target)?.variable && isArithmetic(expr.value, fn);
}

interface Part {
  readonly cond: Expr;
  readonly side: Side;
}

/** What all have to hold inside of a condition, or any of outside of it, in the order in which they are asked. */
export function partsOf(cond: Expr, side: Side): Part[] {
  if (cond.kind === 'unary' && cond.op === '!') return partsOf(cond.operand, side === 'inside' ? 'outside' : 'inside');
  if (cond.kind === 'binary' && cond.op === (side === 'inside' ? '&&' : '||'))
    return [...partsOf(cond.left, side), ...partsOf(cond.right, side)];
  return [{ cond, side }];
}

/** The number that a comparison ends. */
export function endedBy({ cond, side }: Part, numbers: readonly OwnNumber[], isEnd: IsEnd): OwnNumber | undefined {
  const ordered = orderedBy(cond);
  if (!ordered) return undefined;
  const { low, high, orEqual } = ordered;
  return numbers.find((number) =>
    side === 'inside' ? isEnd(number, low, high, orEqual) : isEnd(number, high, low, !orEqual),
  );
}

/** `number < bound`, multiplied or moved by what all threads have alike. */
export function isNumberEnd(fn: Fn): IsEnd {
  return ({ atom, number }, index, bound) => {
    if (!isArithmetic(index, fn) || !isArithmetic(bound, fn)) return false;
    const [value, end] = [fn.index(index), fn.index(bound)];
    const factor = value?.split(atom)?.factor;
    return (
      !!factor &&
      (factor.number ?? 0) > 0 &&
      isSameForAll(value!.plus(number.times(factor), -1)) &&
      !!end &&
      isSameForAll(end)
    );
  };
}
/** Neither built-ins of a thread, nor variables that a thread may have changed. */
export function isSameForAll(value: Index): boolean {
  return !value.has(isPlaceAtom) && [...localsIn(value)].every(isStable);
}

// Kernels over a plane of threads that ask for nothing but their thread's numbers along x and y, and end both.
import type { Expr } from '../../../syntax/ast';
import { type Fn, fixedPolynomial, type Index, isStable, localsIn, orderedBy, isPlaceAtom } from '../../language';
import { type Axis, numberPlacesOf, threadNumber } from '../threadNumbers/rows';
import { isArithmetic, isReturn } from '../../program';

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
  return endsAll(
    fn,
    axes.map((axis) => ({
      atom: `threadIdx.${axis}`,
      number: threadNumber(fixedPolynomial(`blockDim.${axis}`), axis),
    })),
  );
}

/** A number that each thread has for itself, and the built-in that tells neighbours apart in it. */
interface OwnNumber {
  readonly atom: string;
  readonly number: Index;
}

/** The same of any numbers. */
export function endsAll(fn: Fn, numbers: readonly OwnNumber[]): boolean {
  const ended = new Set<OwnNumber>();
  const body = fn.decl.body?.body ?? [];
  for (const stmt of body) {
    if (ended.size === numbers.length) return true;
    switch (stmt.kind) {
      case 'empty':
      case 'type':
        continue;
      case 'decl':
        if (stmt.vars.every(({ init, space }) => space === 'none' && (!init || isArithmetic(init, fn)))) continue;
        return false;
      case 'expr': {
        const { expr } = stmt;
        const target = expr.kind === 'assign' && expr.target.kind === 'name' ? fn.local(expr.target) : undefined;
        if (expr.kind === 'assign' && target?.variable && isArithmetic(expr.value, fn)) continue;
        return false;
      }
      case 'if': {
        if (stmt.else || stmt.init) return false;
        const isExit = isReturn(stmt.then);
        for (const part of partsOf(stmt.cond, isExit ? '||' : '&&')) {
          const one = endedBy(part, isExit ? 'outside' : 'inside', numbers, fn);
          if (one) ended.add(one);
          else if (ended.size < numbers.length && !isArithmetic(part, fn)) return false;
        }
        if (!isExit) return ended.size === numbers.length && stmt === body.at(-1);
        continue;
      }
      default:
        return false;
    }
  }
  return false;
}

/** In the order in which they are asked. */
function partsOf(cond: Expr, op: '&&' | '||'): Expr[] {
  return cond.kind === 'binary' && cond.op === op ? [...partsOf(cond.left, op), ...partsOf(cond.right, op)] : [cond];
}

/** The number that a comparison ends: `number < bound`, multiplied or moved by what all threads have alike. */
function endedBy(cond: Expr, side: 'inside' | 'outside', numbers: readonly OwnNumber[], fn: Fn): OwnNumber | undefined {
  if (cond.kind === 'unary' && cond.op === '!')
    return endedBy(cond.operand, side === 'inside' ? 'outside' : 'inside', numbers, fn);
  const ordered = orderedBy(cond);
  if (!ordered || !isArithmetic(cond, fn)) return undefined;
  const [index, bound] = side === 'inside' ? [ordered.low, ordered.high] : [ordered.high, ordered.low];
  const [value, end] = [index, bound].map((expr) => fn.index(expr));
  if (!value || !end || !isSameForAll(end)) return undefined;
  return numbers.find(({ atom, number }) => {
    const factor = value.split(atom)?.factor;
    if (!factor || (factor.number ?? 0) <= 0) return false;
    return isSameForAll(value.plus(number.times(factor), -1));
  });
}
/** Neither built-ins of a thread, nor variables that a thread may have changed. */
export function isSameForAll(value: Index): boolean {
  return !value.has(isPlaceAtom) && [...localsIn(value)].every(isStable);
}

// How many iterations a counted loop takes, from its bounds and its step alone.
import { spanIn } from '../../span';
import type { LoopStep, Step, Value } from '../../../syntax/procedures';
import type { Span } from '../../model';
import { keyOf, type ValuePolynomial } from './valuePolynomials';
import { definitionOf, numberAt, polynomialAt, type Scope, variableAt } from './scope';
import { valuesIn } from './steps';

export interface TripBound {
  readonly atMost: number;
  readonly exact: boolean;
  /** The compiler sees the number too: it is in the loop's own bounds. */
  readonly constant: boolean;
  /** What the bound follows from, as the end of a sentence: `the array \`w\` has 9 elements`. */
  readonly why: string;
  readonly at?: Span;
}

/** Lines count from 0. */
export function lineOf(scope: Scope, offset: number): number {
  let line = 0;
  const { text } = scope.file;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

/** Not through a global variable: calls may change what it was given, and a compiler does not rely on it. */
function compilerSees(scope: Scope, bound: Value, loop: LoopStep): boolean {
  return !valuesIn(bound).some((part) => {
    const variable = part.kind === 'name' ? variableAt(scope, part.name, loop.start) : undefined;
    return variable?.role === 'global' && !variable.constant && numberAt(scope, part, loop) !== undefined;
  });
}

/** From the loop's own bounds, where their difference is a number: `i = -1; i <= 1`, `j = k; j < min(k + 32, n)`. */
export function countedTrips(scope: Scope, loop: LoopStep): TripBound | undefined {
  const step = strideOf(scope, loop);
  if (step === undefined || !loop.lower || !loop.upper) return undefined;
  const rising = step > 0;
  let best: number | undefined;
  const uppers = arms(scope, loop.upper, loop, rising ? 'min' : 'max'),
    lowers = arms(scope, loop.lower, loop, rising ? 'max' : 'min');
  for (const upper of uppers)
    for (const lower of lowers) {
      const distance = upper.plus(lower, -1).number;
      if (distance === undefined) continue;
      const trips = Math.max(0, Math.ceil((distance * Math.sign(step) + (loop.inclusive ? 1 : 0)) / Math.abs(step)));
      best = best === undefined ? trips : Math.min(best, trips);
    }
  if (best === undefined) return undefined;
  const exact = uppers.length === 1 && lowers.length === 1;
  const constant = exact && [loop.lower, loop.upper].every((bound) => compilerSees(scope, bound, loop));
  return {
    atMost: best,
    exact,
    constant,
    why: constant ? 'its bounds are constants' : exact ? 'its bounds have one value' : 'its bounds allow no more',
    at: spanIn(scope.file, loop.header),
  };
}

/** The loop's step as a number; 1 where none is written. */
export function strideOf(scope: Scope, loop: LoopStep): number | undefined {
  if (loop.form !== 'counted' || loop.variable === undefined) return undefined;
  const step = loop.step ? numberAt(scope, loop.step, loop) : 1;
  return step === 0 ? undefined : step;
}

/**
 * The values of which a bound is the least (or the greatest): the arguments of `min`, the arms of `a < b ? a : b`, else
 * itself.
 */
function arms(scope: Scope, value: Value, at: Step, which: 'min' | 'max', depth = 0): ValuePolynomial[] {
  if (value.kind === 'call' && new RegExp(`(^|::)(f?${which}[fl]?|${which}[01])$`, 'i').test(value.name))
    return value.args.flatMap((arg) => arms(scope, arg, at, which, depth));
  if (value.kind === 'conditional' && value.cond.kind === 'binary') {
    const { op, left, right } = value.cond;
    const less = op.startsWith('<'),
      more = op.startsWith('>');
    const straight = keyOf(left) === keyOf(value.then) && keyOf(right) === keyOf(value.else),
      crossed = keyOf(left) === keyOf(value.else) && keyOf(right) === keyOf(value.then);
    if ((less || more) && (straight || crossed) && (less === straight) === (which === 'min'))
      return [value.then, value.else].flatMap((arm) => arms(scope, arm, at, which, depth));
  }
  if (value.kind === 'name' && depth < 4) {
    const meant = definitionOf(scope, value.name, at);
    if (meant && (meant.kind === 'call' || meant.kind === 'conditional' || meant.kind === 'name'))
      return arms(scope, meant, at, which, depth + 1);
  }
  const polynomial = polynomialAt(scope, value, at);
  return polynomial ? [polynomial] : [];
}

// By how much a float computation may differ from the same one in double.
import type { Expr } from '../../syntax/ast';
import type { Loss } from '../model';
import { calleeName, isDouble, isFloat, type Typing } from '../language';

/**
 * Most units in the last place that a single-precision function of CUDA is off: CUDA C++ Programming Guide,
 * Mathematical Functions, Standard Functions, the larger figure of releases 11 and 12. Others of the overloaded
 * functions are exact.
 */
const functionUnits: Readonly<Record<string, number>> = {
  rsqrt: 2,
  cbrt: 1,
  rcbrt: 1,
  hypot: 3,
  exp: 2,
  exp2: 2,
  exp10: 2,
  expm1: 1,
  log: 1,
  log2: 1,
  log10: 2,
  log1p: 1,
  sin: 2,
  cos: 2,
  tan: 4,
  sinpi: 2,
  cospi: 2,
  asin: 4,
  acos: 3,
  atan: 2,
  atan2: 3,
  sinh: 3,
  cosh: 2,
  tanh: 2,
  asinh: 3,
  acosh: 4,
  atanh: 3,
  pow: 9,
  erf: 2,
  erfc: 4,
  erfinv: 2,
  normcdf: 5,
  tgamma: 11,
};
/** The relative error of the result is no larger than that of the argument. */
const contractions = /^(sqrt|rsqrt|cbrt|rcbrt|fabs|abs|min|max|fmin|fmax|hypot|copysign|atan|asinh|tanh|erf)$/;
const nonNegative = /^(sqrt|rsqrt|fabs|abs|exp|exp2|exp10|cosh|hypot|erfc|normcdf)$/;

export function worst(losses: readonly Loss[]): Loss {
  let most = 0;
  for (const loss of losses) {
    if (typeof loss === 'string') return loss;
    most = Math.max(most, loss);
  }
  return most;
}

/**
 * Of an expression whose value becomes a float; `operations`: those that combine it with a float at its end. Each
 * constant, conversion and operation rounds by 2⁻²⁴ of its value, which is less than a unit in the last place.
 */
export function lossOf(expr: Expr, typing: Typing, operations: number): Loss {
  const loss = of(expr);
  if (typeof loss === 'string') return loss;
  // The double computation is rounded once, too.
  const units = expr.kind === 'call' && operations === 0 ? unitsOf(expr) : 0;
  return loss - units + operations + 1;

  function sum(left: Loss, right: Loss): Loss {
    return typeof left === 'string' ? left : typeof right === 'string' ? right : left + right;
  }
  function of(each: Expr): Loss {
    const type = typing.typeOf(each);
    if (isFloat(type)) return 0;
    if (!isDouble(type)) return each.kind === 'number' ? 0 : 1;
    switch (each.kind) {
      case 'number':
        return Math.fround(each.value) === each.value ? 0 : 1;
      case 'unary':
        return of(each.operand);
      case 'binary': {
        const inner = sum(of(each.left), of(each.right));
        if (each.op === '*' || each.op === '/') return sum(inner, 1);
        const [left, right] = [signOf(each.left), signOf(each.right)];
        const isKept = left !== 0 && left === (each.op === '-' ? -right : right);
        return isKept ? sum(inner, 1) : 'cancellation';
      }
      case 'conditional':
        return worst([of(each.then), of(each.else)]);
      case 'call': {
        const name = calleeName(each) ?? '';
        const inner = each.args.map(of).reduce(sum, 0);
        if (inner !== 0 && !contractions.test(name)) return inner === 'cancellation' ? inner : 'argument';
        // A unit is at most two roundings of what is computed with the result.
        return name === 'lgamma' ? 'argument' : sum(inner, name === 'sqrt' ? 1 : 2 * unitsOf(each));
      }
      default:
        return 1;
    }
  }
  /** 1 where no value is negative, -1 where none is positive, 0 where that is unknown. */
  function signOf(each: Expr): -1 | 0 | 1 {
    switch (each.kind) {
      case 'number':
        return each.value < 0 ? -1 : 1;
      case 'unary':
        return each.op === '-' ? (-signOf(each.operand) as -1 | 0 | 1) : each.op === '+' ? signOf(each.operand) : 0;
      case 'binary':
        if (each.op === '*' && isSame(each.left, each.right)) return 1;
        if (each.op === '*' || each.op === '/') return (signOf(each.left) * signOf(each.right)) as -1 | 0 | 1;
        return each.op === '+' && signOf(each.left) === signOf(each.right) ? signOf(each.left) : 0;
      case 'call':
        return nonNegative.test((calleeName(each) ?? '').replace(/f$/, '')) ? 1 : 0;
      default:
        return 0;
    }
  }
}

function unitsOf(call: Expr & { kind: 'call' }): number {
  return functionUnits[calleeName(call) ?? ''] ?? 0;
}

/** One variable, read twice. */
function isSame(left: Expr, right: Expr): boolean {
  return left.kind === 'name' && right.kind === 'name' && left.name === right.name;
}

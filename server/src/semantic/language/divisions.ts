// What a quotient or a remainder costs, and where all threads divide by one value that the compiler does not know.
import type { Expr } from '../../syntax/ast';
import { constantOf } from './constants';
import type { Fn } from './fn';
import { mentions } from './statements';
import { isDouble, isFloat } from './typing';

type Cost = Record<'slots' | 'doubles', number>;
/**
 * Issue slots of a quotient and a remainder (nvcc 13.0 for sm_90): of integers by a constant, by a variable of 32 and
 * of 64 bits, by a multiplier of 64 bits; of floats and doubles, with the double-precision instructions of the latter.
 */
const division = { constant: 3, int: 22, long: 30, longConstant: 10, float: 12, double: 17, doubles: 8 };

export function costOfDivision(left: Expr, right: Expr, fn: Fn): Cost {
  const by = numberOf(right, fn);
  const type = fn.typing.typeOf(left);
  const divisor = fn.typing.typeOf(right);
  const double = isDouble(type) || isDouble(divisor);
  if (!double && !isFloat(type) && !isFloat(divisor)) {
    if (by !== undefined || isParameterOfTemplate(right, fn)) return { slots: division.constant, doubles: 0 };
    return { slots: type?.kind === 'scalar' && type.size === 8 ? division.long : division.int, doubles: 0 };
  }
  // The quotient by a power of two is a product.
  if (by !== undefined && Number.isInteger(Math.log2(Math.abs(by)))) return { slots: 1, doubles: double ? 1 : 0 };
  return double ? { slots: division.double, doubles: division.doubles } : { slots: division.float, doubles: 0 };
}

/**
 * What a division by a value that is the same for the whole grid does beyond a product with its reciprocal, or of
 * integers with the multiplier that stands for it; undefined of other divisions and where a type is not known.
 */
export function savedByReciprocal(left: Expr, right: Expr, fn: Fn): (Cost & { real: boolean }) | undefined {
  const types = [left, right].map((side) => fn.typing.typeOf(side));
  if (types.some((type) => type?.kind !== 'scalar')) return undefined;
  const { slots, doubles } = costOfDivision(left, right, fn);
  if (types.some(isFloat) || types.some(isDouble))
    return { slots: slots - 1, doubles: Math.max(0, doubles - 1), real: true };
  return { slots: slots - (slots === division.long ? division.longConstant : division.constant), doubles, real: false };
}

/** The value of a number, of a constant, or of a local variable that always stands for one. */
export function numberOf(expr: Expr, fn: Fn): number | undefined {
  if (expr.kind === 'number') return expr.value;
  const local = fn.local(expr);
  const value = local && fn.definition(local);
  if (value) return numberOf(value, fn);
  if (fn.locals.all.some(({ name }) => mentions(expr, name))) return undefined;
  return constantOf(expr, fn.program, fn.types, undefined, fn.decl.className);
}

export function isParameterOfTemplate(expr: Expr, { decl }: Pick<Fn, 'decl'>, of?: 'type'): boolean {
  return expr.kind === 'name' && !!decl.templateParams?.some((by) => by.name === expr.name && (!of || by.kind === of));
}

// What a quotient or a remainder costs, and where all threads divide by one value that the compiler does not know.
import type { Expr } from '../../syntax/ast';
import { collectCallSites } from './callSites';
import { constantOf } from './constants';
import type { Fn } from './fn';
import { childrenOf, mentions } from './statements';
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
  // What all threads compute alike is a reciprocal itself, or seldom.
  if (levelOf(right, fn) !== 1 || levelOf(left, fn) < 2) return undefined;
  const { slots, doubles } = costOfDivision(left, right, fn);
  if (types.some(isFloat) || types.some(isDouble))
    return { slots: slots - 1, doubles: Math.max(0, doubles - 1), real: true };
  return { slots: slots - (slots === division.long ? division.longConstant : division.constant), doubles, real: false };
}

/** Calls and definitions are followed so far. */
const mostSteps = 4;

/** 0: known to the compiler; 1: the same for all threads of the grid once the kernel is launched; 2: anything else. */
type Level = 0 | 1 | 2;

function levelOf(expr: Expr, fn: Fn, steps = 0): Level {
  if (numberOf(expr, fn) !== undefined || isParameterOfTemplate(expr, fn)) return 0;
  if (expr.kind === 'name') return levelOfName(expr, fn, steps);
  if (!/^(?:member|index|cast|binary)$/.test(expr.kind)) return 2;
  return Math.max(0, ...childrenOf(expr).map((part) => levelOf(part as Expr, fn, steps))) as Level;
}

function levelOfName(expr: Expr & { kind: 'name' }, fn: Fn, steps: number): Level {
  const local = fn.local(expr);
  if (!local) return fn.program.globals(expr.name).some(({ space }) => space === 'constant') ? 1 : 2;
  if (!local.parameter) {
    // A constructor may ask for its block.
    const value = steps < mostSteps && fn.typing.typeOf(expr)?.kind === 'scalar' ? fn.definition(local) : undefined;
    return value ? levelOf(value, fn, steps + 1) : 2;
  }
  if (local.writes.length > 0 || local.addressTaken) return 2;
  return fn.decl.global ? 1 : levelAtCalls(expr.name, fn, steps);
}

function levelAtCalls(name: string, fn: Fn, steps: number): Level {
  const sites = steps < mostSteps ? collectCallSites(fn.unit, fn.decl) : [];
  const nth = fn.decl.params.findIndex((param) => param.name === name);
  let level: Level = sites.length > 0 ? 0 : 2;
  for (const { caller, args } of sites) {
    level = Math.max(level, levelOf(args[nth]!, fn.of(caller), steps + 1)) as Level;
    if (level === 2) break;
  }
  return level;
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

function isParameterOfTemplate(expr: Expr, { decl }: Fn): boolean {
  return expr.kind === 'name' && decl.templateParams?.some(({ name }) => name === expr.name) === true;
}

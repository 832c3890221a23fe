// Where the host holds what kernels and copies write, and addresses that lead there.
import type { Expr } from '../../syntax/ast';
import { type AnySyntax, calleeName, categoryOf, type Fn, type Local, withoutCasts, calledName } from '../language';

/** Places that hold what kernels write: `x`, `grid.cells`, `parts[]`. */
export type Results = ReadonlySet<string>;
/** In place of results that are not known one by one: all memory that leads somewhere may be one. */
export const everything: Results = new Set();

/** Where a value comes from: a variable, its members, its elements; undefined for what no variable holds. */
export function placeOf(expr: Expr): string | undefined {
  switch (expr.kind) {
    case 'name':
      return expr.name;
    case 'member': {
      const object = placeOf(expr.object);
      return object === 'this' ? expr.field : object && `${object}.${expr.field}`;
    }
    case 'cast':
      return placeOf(expr.operand);
    case 'index': {
      const base = placeOf(expr.base);
      return base && `${base}[]`;
    }
    case 'unary': {
      const operand = placeOf(expr.operand);
      return expr.op === '*' ? operand && `${operand}[]` : operand;
    }
    case 'binary':
      return expr.op === '+' || expr.op === '-' ? (placeOf(expr.left) ?? placeOf(expr.right)) : undefined;
    case 'call':
      if (expr.callee.kind === 'member') return placeOf(expr.callee.object);
      return /^(thrust::)?raw_pointer_cast$/.test(calleeName(expr) ?? '') && expr.args[0]
        ? placeOf(expr.args[0])
        : undefined;
    default:
      return undefined;
  }
}
export function within(place: string, outer: string): boolean {
  return place === outer || place.startsWith(`${outer}.`) || place.startsWith(`${outer}[]`);
}
export function holds(results: Results, place: string): boolean {
  // The host's object holds pointers; what they lead to is looked at by an index, or another arrow.
  if (results === everything) return place !== 'this';
  for (const result of results) if (within(place, result)) return true;
  return false;
}
/** How results hold a variable that a copy fills through its address: its name alone is a look at it. */
export function variableAt(place: string): string {
  return `&${place}`;
}
export function isNumber(expr: Expr, fn: Fn): boolean {
  return fn.typing.typeOf(expr)?.kind === 'scalar';
}
/** Does an address outlive the statement that takes it? Calls of the runtime but those of graphs use it at once. */
export function isKept(address: Expr, fn: Fn): boolean {
  let at: AnySyntax = address;
  let up = fn.parent(at);
  while (up?.kind === 'cast') [at, up] = [up, fn.parent(up)];
  if (up?.kind === 'unary') return false;
  if (up?.kind !== 'call' || up.callee === at) return true;
  const name = calledName(up) ?? '';
  if (/^cu(da)?Graph/.test(name)) return true;
  return categoryOf(name) === undefined && fn.parent(up)?.kind !== 'expr';
}

/** The variable whose address an argument is, under casts. */
export function addressedVariable(arg: Expr | undefined, fn: Fn): Local | undefined {
  const inner = arg && withoutCasts(arg);
  return inner?.kind === 'unary' && inner.op === '&' && inner.operand.kind === 'name'
    ? fn.local(inner.operand)
    : undefined;
}

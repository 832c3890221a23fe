// How many addresses an index can lead to over a whole grid, where its text limits it: a mask, a remainder, a byte.
import type { Expr } from '../../syntax/ast';
import type { Fn } from './fn';

/** Addresses of `array[index]`, side by side, for all threads of a grid; undefined where nothing limits them. */
export function distinctPlaces(access: Expr, fn: Fn): number | undefined {
  const { decl, locals } = fn;

  /** A pointer that the kernel is given and leaves as it is, or an array of the file. */
  const isOne = (expr: Expr): boolean => {
    if (expr.kind !== 'name') return false;
    const local = locals.of(expr);
    if (!local) return fn.typing.typeOf(expr)?.kind === 'array';
    return decl.global && local.parameter !== undefined && local.writes.length === 0;
  };
  const constant = (expr: Expr): number | undefined =>
    expr.kind === 'number' ? expr.value : expr.kind === 'name' ? fn.typing.constantOf(expr) : undefined;

  const values = (expr: Expr, depth = 0): number | undefined => {
    if (depth > 8) return undefined;
    if (constant(expr) !== undefined) return 1;
    return byText(expr, depth + 1) ?? byType(expr);
  };
  const byType = (expr: Expr): number | undefined => {
    const type = fn.typing.typeOf(expr);
    return type?.kind === 'scalar' && !type.float && type.size === 1 ? (type.name === 'bool' ? 2 : 256) : undefined;
  };
  const byText = (expr: Expr, depth: number): number | undefined => {
    switch (expr.kind) {
      case 'name': {
        const local = locals.of(expr);
        if (decl.global && local?.parameter && local.writes.length === 0 && !local.addressTaken) return 1;
        const stands = local && fn.definition(local);
        return stands && values(stands, depth);
      }
      case 'cast':
        return values(expr.operand, depth);
      case 'conditional': {
        const [one, other] = [values(expr.then, depth), values(expr.else, depth)];
        return one === undefined || other === undefined ? undefined : one + other;
      }
      case 'binary':
        return ofBinary(expr, depth);
      default:
        return undefined;
    }
  };
  const ofBinary = ({ op, left, right }: Expr & { kind: 'binary' }, depth: number): number | undefined => {
    const [first, second] = [constant(left), constant(right)];
    switch (op) {
      case '&': {
        const mask = second ?? first;
        return mask !== undefined && mask >= 0 ? mask + 1 : undefined;
      }
      case '%':
        return second !== undefined && second > 0 ? second : undefined;
      case '>>':
      case '/': {
        const all = values(left, depth);
        const by = second === undefined ? undefined : op === '/' ? second : 2 ** second;
        return all === undefined || by === undefined || by < 1 ? undefined : Math.ceil(all / by);
      }
      case '+':
      case '-': {
        const [one, other] = [values(left, depth), values(right, depth)];
        return one === undefined || other === undefined ? undefined : one + other - 1;
      }
      default:
        return /^([<>]=?|[!=]=|&&|\|\|)$/.test(op) ? 2 : undefined;
    }
  };

  let at = access;
  if (at.kind === 'unary' && at.op === '*') at = at.operand;
  if (at.kind !== 'index' && at.kind !== 'binary') return undefined;
  const [base, index] = at.kind === 'index' ? [at.base, at.index] : [at.left, at.right];
  if ((at.kind === 'binary' && at.op !== '+') || !isOne(base)) return undefined;
  const array = fn.typing.typeOf(base);
  const length = array?.kind === 'array' ? array.length : undefined;
  const all = values(index) ?? length;
  return all === undefined ? undefined : Math.min(all, length ?? all);
}

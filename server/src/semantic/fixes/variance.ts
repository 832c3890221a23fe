// Whether values may differ between the threads of a block, as far as the text tells.
import type { Expr } from '../../syntax/ast';
import { calleeName, type Fn, type Local } from '../language';

/** Can the variable differ between threads, as far as the expressions that write it tell? */
function mayVary(local: Local, fn: Fn, depth: number): boolean {
  if (depth > 6) return true;
  const sources = [local.variable?.init, ...local.writes.map((write) => write.value)].filter(
    (expr): expr is Expr => !!expr,
  );
  return sources.some((expr) => expressionMayVary(expr, fn, depth + 1));
}

/** Can the expression differ between the threads of a block? Loads and calls of unknown functions may. */
export function expressionMayVary(expr: Expr, fn: Fn, depth = 0): boolean {
  switch (expr.kind) {
    case 'number':
    case 'string':
    case 'sizeof':
      return false;
    case 'name': {
      const local = fn.local(expr);
      return local
        ? local.parameter
          ? !fn.decl.global && !local.field
          : mayVary(local, fn, depth)
        : expr.name === 'threadIdx';
    }
    case 'member':
      return expressionMayVary(expr.object, fn, depth);
    case 'unary':
      if (expr.op === '&') return addressMayVary(expr.operand, fn, depth);
      return expr.op === '*' || expressionMayVary(expr.operand, fn, depth);
    case 'cast':
      return expressionMayVary(expr.operand, fn, depth);
    case 'binary':
      return expressionMayVary(expr.left, fn, depth) || expressionMayVary(expr.right, fn, depth);
    case 'conditional':
      return [expr.cond, expr.then, expr.else].some((part) => expressionMayVary(part, fn, depth));
    case 'call': {
      const name = calleeName(expr);
      return (
        !name ||
        !/^(min|max|ceil|floor|log2|log2f|ceilf|__ffs|__clz|pow|powf|dim3)$/.test(name) ||
        expr.args.some((arg) => expressionMayVary(arg, fn, depth))
      );
    }
    case 'initList':
      return expr.elements.some((part) => expressionMayVary(part, fn, depth));
    default:
      return true;
  }
}

function addressMayVary(place: Expr, fn: Fn, depth: number): boolean {
  if (place.kind === 'member' && !place.arrow) return addressMayVary(place.object, fn, depth);
  if (place.kind === 'index') return [place.base, place.index].some((part) => expressionMayVary(part, fn, depth));
  // A variable of the file or the block; one of the function's own is another in each thread.
  const local = place.kind === 'name' ? fn.local(place) : undefined;
  return place.kind !== 'name' || (!!local && local.variable?.space !== 'shared');
}

// Accesses that touch one place in each of many rows: a diagonal, or one column, whose neighbours no thread comes for.
import type { Expr, FunctionDecl } from '../../syntax/ast';
import { localsOf, type Local, type Locals } from '../language/scope';
import { Taint, type AccessRecord } from '../run/values';

/** Variables are followed so far. */
const furthest = 8;

/**
 * Are the lanes as far apart as an unknown number says, while nothing but the thread's own number, along one axis,
 * moves the address? Then the kernel leaves the rest of each row alone, and no order of its threads would gather what
 * it reads: the layout is given by who reads whole rows.
 */
export function onePlaceOfRows({ expr, fn, space, taint, loops }: AccessRecord): 'diagonal' | 'column' | undefined {
  if (space !== 'global' || !expr || !(taint & Taint.unknownStride)) return undefined;
  const locals = localsOf(fn);
  const ofLoops = new Set(loops.flatMap(({ variable, fn: around }) => (variable && around === fn ? [variable] : [])));
  const found: string[] = [];
  const isOne = isMovedByPlace(addressOf(expr), { locals, fn, ofLoops, found }, 0) && new Set(found).size === 1;
  return isOne ? (found.length > 1 ? 'diagonal' : 'column') : undefined;
}

interface Search {
  readonly locals: Locals;
  readonly fn: FunctionDecl;
  /** Variables of the loops around the access. */
  readonly ofLoops: ReadonlySet<string>;
  /** The axis of each place of a thread that was met. */
  readonly found: string[];
}

/** `p[i].x`, `*(p + i)`: the terms that make the address. */
function addressOf(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case 'index':
      return [expr.base, expr.index];
    case 'member':
      return addressOf(expr.object);
    case 'unary':
      return expr.op === '*' ? [expr.operand] : [expr];
    default:
      return [expr];
  }
}

function isMovedByPlace(exprs: readonly Expr[], search: Search, depth: number): boolean {
  return exprs.every((expr): boolean => {
    const axis = placeOf(expr, search, 0);
    if (axis) {
      search.found.push(axis);
      return true;
    }
    switch (expr.kind) {
      case 'number':
        return true;
      // What is loaded is one pointer or number for the block, or else data decide, which is another matter.
      case 'index':
        return true;
      case 'cast':
        return isMovedByPlace([expr.operand], search, depth);
      case 'binary':
        return /^[-+*]$/.test(expr.op) && isMovedByPlace([expr.left, expr.right], search, depth);
      case 'name': {
        const local = search.locals.of(expr);
        if (!local) return true;
        if (local.parameter && local.writes.length === 0) return true;
        const init = onlyValue(local);
        return init !== undefined && depth < furthest && isMovedByPlace([init], search, depth + 1);
      }
      default:
        return false;
    }
  });
}

function onlyValue(local: Local): Expr | undefined {
  return local.writes.length === 0 && !local.addressTaken ? local.variable?.init : undefined;
}

/** The axis of a thread's number, in its block or in the whole grid, that `expr` is. */
function placeOf(expr: Expr, search: Search, depth: number): string | undefined {
  if (depth > furthest) return undefined;
  switch (expr.kind) {
    case 'cast':
      return placeOf(expr.operand, search, depth + 1);
    case 'member':
      return expr.object.kind === 'name' && expr.object.name === 'threadIdx' ? expr.field : undefined;
    case 'name': {
      const local = search.locals.of(expr);
      const init = local && (search.ofLoops.has(local.name) ? local.variable?.init : onlyValue(local));
      return init && placeOf(init, search, depth + 1);
    }
    case 'binary': {
      if (expr.op !== '+') return undefined;
      const [own, other] = [placeOf(expr.left, search, depth + 1), placeOf(expr.right, search, depth + 1)];
      const axis = own ?? other;
      if (!axis || (own && other)) return undefined;
      return isStartOfBlock(own ? expr.right : expr.left, axis, search, depth + 1) ? axis : undefined;
    }
    default:
      return undefined;
  }
}

/** `blockIdx.x * blockDim.x`, or another number of threads. */
function isStartOfBlock(expr: Expr, axis: string, search: Search, depth: number): boolean {
  if (expr.kind !== 'binary' || expr.op !== '*') return false;
  return [expr.left, expr.right].some((side) => isBlock(side, axis, search, depth));
}
function isBlock(expr: Expr, axis: string, search: Search, depth: number): boolean {
  if (depth > furthest) return false;
  if (expr.kind === 'cast') return isBlock(expr.operand, axis, search, depth + 1);
  if (expr.kind === 'member')
    return expr.object.kind === 'name' && expr.object.name === 'blockIdx' && expr.field === axis;
  const local = expr.kind === 'name' ? search.locals.of(expr) : undefined;
  const init = local && onlyValue(local);
  return init !== undefined && isBlock(init, axis, search, depth + 1);
}

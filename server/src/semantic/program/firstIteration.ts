// Whether a loop runs at all: what its variable starts with, what it is compared with, and where numbers tell.
import type { Expr, Stmt } from '../../syntax/ast';
import type { Fn } from '../language';

/** Is the first iteration certain: no condition, one that is asked after it, or numbers that say so? */
export function runsOnce(loop: Stmt, fn: Fn): boolean {
  if (loop.kind === 'do') return true;
  if (loop.kind !== 'for') return false;
  if (!loop.cond) return true;
  const start = startOf(loop);
  const sides = start && sidesOf(loop.cond, start.name);
  if (!start || !sides) return false;
  const [from, to] = [fn.types.constant(start.value), fn.types.constant(sides.end)];
  if (from === undefined || to === undefined) return false;
  return { '<': from < to, '<=': from <= to, '>': from > to, '>=': from >= to }[sides.op] ?? false;
}

/** `for (int k = start; …)` or `for (k = start; …)`. */
export function startOf(loop: Stmt): { readonly name: string; readonly value: Expr } | undefined {
  if (loop.kind !== 'for') return undefined;
  const { init } = loop;
  if (init?.kind === 'decl') {
    const [variable, ...more] = init.vars;
    return variable?.init && more.length === 0 ? { name: variable.name, value: variable.init } : undefined;
  }
  if (init?.kind !== 'expr' || init.expr.kind !== 'assign' || init.expr.op !== '=') return undefined;
  const { target, value } = init.expr;
  return target.kind === 'name' ? { name: target.name, value } : undefined;
}

/** `k < end`, or `end > k` turned round. */
export function sidesOf(cond: Expr, name: string): { readonly op: string; readonly end: Expr } | undefined {
  const turned: Readonly<Record<string, string>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' };
  if (cond.kind !== 'binary' || !(cond.op in turned)) return undefined;
  const isName = (expr: Expr): boolean => expr.kind === 'name' && expr.name === name;
  if (isName(cond.left)) return { op: cond.op, end: cond.right };
  return isName(cond.right) ? { op: turned[cond.op]!, end: cond.left } : undefined;
}

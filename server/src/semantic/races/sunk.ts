// Loads whose value is not asked for before the next barrier: nvcc makes them after it, where they are in order.
//
// Observed with nvcc 13.0, -O3: `sum = own + s[31];` before `__syncthreads();` is an `ld.shared` behind `bar.sync`
// where the first use of `sum` is there, and racecheck finds nothing.
import type { Expr, FunctionDecl, Node, Stmt } from '../../syntax/ast';
import { mentions, some, walk } from '../language';
import { isBlockBarrier } from '../program';

/** Is the load one of a variable's new value that nothing takes before the block meets again? */
export function isSunk({ body }: FunctionDecl, load: Node): boolean {
  let sunk = false;
  walk(body, (node) => {
    if (!isAround(node, load)) return false;
    if (node.kind === 'block') sunk ||= isSunkIn(node.body, load);
    return !sunk;
  });
  return sunk;
}

function isSunkIn(statements: readonly Stmt[], load: Node): boolean {
  const at = statements.findIndex((stmt) => isAround(stmt, load));
  const variable = at < 0 ? undefined : assignedBy(statements[at]!);
  if (variable === undefined) return false;
  for (const stmt of statements.slice(at + 1)) {
    if (isBlockBarrier(stmt)) return true;
    if (uses(stmt, variable)) return false;
  }
  return false;
}

function isAround(outer: Node, inner: Node): boolean {
  return outer.start <= inner.start && inner.end <= outer.end;
}

function assignedBy(stmt: Stmt): string | undefined {
  if (stmt.kind === 'decl') return stmt.vars.length === 1 ? stmt.vars[0]!.name : undefined;
  if (stmt.kind !== 'expr' || stmt.expr.kind !== 'assign') return undefined;
  return stmt.expr.target.kind === 'name' ? stmt.expr.target.name : undefined;
}

function uses(stmt: Stmt, variable: string): boolean {
  return some(stmt, (node) => node.kind === 'name' && mentions(node as Expr, variable));
}

// Barriers of a block among the statements of a kernel.
import type { Expr, Stmt } from '../../../syntax/ast';
import { calleeName } from '../../language';
import { type Frame, runApart } from './frame';

/** Is the statement a barrier of the whole block and nothing else, rather than of a warp or a tile? */
export function isBlockBarrier(stmt: Stmt, frame: Frame): boolean {
  const call = stmt.kind === 'expr' ? stmt.expr : undefined;
  if (call?.kind !== 'call' || frame.context.program.functions(calleeName(call) ?? '').length > 0) return false;
  let meets = false;
  runApart(frame, stmt, [stmt], { barrier: (scope) => (meets ||= scope === 'block') });
  return meets;
}

/** Splits a conjunction. */
export function conjuncts(expr: Expr): Expr[] {
  return expr.kind === 'binary' && expr.op === '&&' ? [...conjuncts(expr.left), ...conjuncts(expr.right)] : [expr];
}

// Barriers of a block among the statements of a kernel.
import type { Expr, Stmt } from '../../../syntax/ast';
import { calleeName } from '../../language';
import type { Frame } from './frame';

/** Is the statement a barrier of the whole block and nothing else, rather than of a warp or a tile? */
export function isBlockBarrier(stmt: Stmt, frame: Frame): boolean {
  if (stmt.kind !== 'expr' || stmt.expr.kind !== 'call') return false;
  const { callee, args } = stmt.expr;
  const name = calleeName(stmt.expr);
  if (callee.kind === 'member') return callee.field === 'sync' && isBlockGroup(callee.object, frame);
  if (name === 'sync') return !!args[0] && isBlockGroup(args[0], frame);
  return /^(__syncthreads|__barrier_sync|syncthreads|barrier)$/.test(name ?? '');
}

/** A cooperative group of the whole block. */
function isBlockGroup(object: Expr, { context }: Frame): boolean {
  if (object.kind !== 'name') return calleeName(object) === 'this_thread_block';
  const local = context.local(object);
  const type = local?.variable?.type ?? local?.parameter?.type;
  const named = type?.kind === 'reference' ? type.to : type;
  if (named?.kind === 'named' && /(^|::)thread_block$/.test(named.name)) return true;
  return !!local?.variable?.init && calleeName(local.variable.init) === 'this_thread_block';
}

/** Splits a conjunction. */
export function conjuncts(expr: Expr): Expr[] {
  return expr.kind === 'binary' && expr.op === '&&' ? [...conjuncts(expr.left), ...conjuncts(expr.right)] : [expr];
}

// Reads that a loop makes of neighbouring elements, one an iteration, which the unrolled loop makes together.
import type { Expr, ForStmt } from '../../../syntax/ast';
import { type Fn, atomName, calleeName, some, meetsThreads } from '../../language';
import { walkingLoopOf } from '../rowWarps/loops';

/**
 * Does the innermost loop around `expr` take one step an iteration, and the last subscript with it? A barrier or a loop
 * in its body keeps the iterations apart.
 */
export function walksByElement(expr: Expr, fn: Fn): boolean {
  if (expr.kind !== 'index') return false;
  let loop: ForStmt | undefined;
  for (const around of fn.around(expr)) {
    if (around.kind === 'while' || around.kind === 'do' || around.kind === 'rangeFor') return false;
    if (around.kind !== 'for') continue;
    loop = around;
    break;
  }
  const walking = loop && walkingLoopOf(loop, fn);
  if (!loop || walking?.step !== 1 || keepsApart(loop)) return false;
  const atom = atomName(walking.variable, fn.locals);
  const last = fn.index(expr.index);
  const split = last?.split(atom);
  if (split?.factor.number !== 1) return false;
  for (let { base } = expr; base.kind === 'index'; base = base.base) {
    const index = fn.index(base.index);
    if (!index || index.has((key) => key === atom)) return false;
  }
  return true;
}

function keepsApart(loop: ForStmt): boolean {
  return some(
    loop.body,
    (node) =>
      node.kind === 'for' ||
      node.kind === 'while' ||
      node.kind === 'do' ||
      node.kind === 'asm' ||
      (node.kind === 'call' && meetsThreads(calleeName(node) ?? '')),
  );
}

// What comes after a launch to ask whether it was made: statements that do nothing else.
import type { Expr, Stmt } from '../../../syntax/ast';
import { calleeName, walk } from '../../language';

const checkingCalls = /^(cuda(Get|PeekAt)LastError|cudaGetErrorString|cudaGetErrorName|f?printf|exit|abort|assert)$/;

/** A statement that asks for the launch's error, and does nothing else. */
export function isErrorCheck(statement: Stmt): boolean {
  let asks = false;
  let other = false;
  walk(statement, (node) => {
    if (node.kind === 'launch' || node.kind === 'lambda' || node.kind === 'asm') other = true;
    if (node.kind === 'for' || node.kind === 'while' || node.kind === 'rangeFor') other = true;
    const name = calleeName(node as Expr);
    if (node.kind === 'call') {
      if (name && /^(cuda(Get|PeekAt)LastError|(__)?getLastCudaError|printLastCudaError)$/.test(name)) asks = true;
      // A check takes a status as its argument: `check(cudaGetLastError(), …)`.
      else if (!(name && checkingCalls.test(name)) && !node.args.some((arg) => asksForError(arg))) other = true;
    }
    return !other;
  });
  return statement.kind === 'empty' || (asks && !other);
}

function asksForError(arg: Expr): boolean {
  return /^cuda(Get|PeekAt)LastError$/.test(calleeName(arg) ?? '');
}

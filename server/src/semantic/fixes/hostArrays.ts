// Variables of host code that hold arrays of the GPU: what takes them, and what their sizes are made of.
import type { Expr } from '../../syntax/ast';
import { runtimeCallsOf } from '../flow';
import { type Fn, type Local, some, walk } from '../language';
import { isPureCall } from '../program';

/** What takes a variable, or its address, as an argument, under casts. */
export function passedAs(use: Expr, fn: Fn) {
  let passed: Expr = use;
  let up = fn.parent(passed);
  for (; up?.kind === 'cast' || (up?.kind === 'unary' && up.op === '&'); up = fn.parent(passed)) passed = up;
  const isAddress = some(passed, ({ kind }) => kind === 'unary');
  return { passed, up, isAddress, call: runtimeCallsOf(fn).find(({ call }) => call === up) };
}

/** Is an expression made of constants and of variables that `isKept` holds for? */
export function isMadeOf(expr: Expr, host: Fn, isKept: (local: Local) => boolean): boolean {
  let holds = true;
  walk(expr, (node) => {
    if (node.kind === 'sizeof') return false;
    if (node.kind === 'call') holds &&= isPureCall(node, host);
    else if (node.kind !== 'name') holds &&= /^(number|binary|cast|conditional)$/.test(node.kind);
    else {
      const local = host.local(node);
      const parent = host.parent(node);
      const isCallee = parent?.kind === 'call' && parent.callee === node;
      holds &&= local ? isKept(local) : isCallee || host.types.constant(node) !== undefined;
    }
    return holds;
  });
  return holds;
}

// Facts of what a kernel's runs could not follow.
import type { Expr, FunctionDecl, Node } from '../../syntax/ast';
import { type KernelRun, reportedAt } from '../kernels';
import type { Locator } from '../run';
import { localsOf } from '../language';
import type { UnreadFact } from '../model';

/** Those in file `uri`; what a header's function does is reported where this file calls it. */
export function unreadFacts(run: KernelRun, locate: Locator, uri: string): UnreadFact[] {
  const { kernel } = run;
  return run.unread.flatMap((record): UnreadFact[] => {
    const { node, fn, reason } = record;
    const called = reportedAt(run, record, uri);
    if (fn.uri !== uri && !called) return [];
    const at = called ? locate.span(kernel, called) : locate.span(fn, node);
    const text = locate.text(fn, node);
    const why = reason === 'unknown-pointer' && isOfClass(node, fn) ? 'unknown-type' : reason;
    return [{ kind: 'unread', at, text, kernels: [kernel.name], reason: why }];
  });
}

/** Does the access go through an object, its fields or methods, rather than through a pointer or an array? */
function isOfClass(node: Node & { readonly kind?: string }, fn: FunctionDecl): boolean {
  let root = node as Expr;
  for (;;)
    if (root.kind === 'index') root = root.base;
    else if (root.kind === 'member' && !root.arrow) root = root.object;
    else if (root.kind === 'call' && root.callee.kind === 'member') root = root.callee;
    else break;
  if (root.kind !== 'name') return false;
  const local = localsOf(fn).of(root);
  const type = local?.parameter?.type ?? local?.variable?.type;
  return (type?.kind === 'reference' ? type.to : type)?.kind === 'named';
}

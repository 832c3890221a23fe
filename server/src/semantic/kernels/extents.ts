// Which run-time numbers are extents of what a kernel's threads are spread over, and so as large as those are many.
import type { Expr, FunctionDecl } from '../../syntax/ast';
import { walk, dependsOnThread, once } from '../language';

const orders = new Set(['<', '<=', '>', '>=', '==', '!=']);

/**
 * Whether the number that `written` names (`n`, `p.width`, `w * h`) is one that a thread's own place is compared with
 * (`if (column < n)`, `for (i = threadIdx.x; i < n; …)`), or the product of several, which is the area of something.
 */
export function isExtentOfThreads(written: string, fn: FunctionDecl): boolean {
  if (/^\W*[A-Za-z_][\w.>-]*\s*\*\s*[A-Za-z_][\w.>-]*\W*$/.test(written)) return true;
  return extentsOf(fn).has(written.replace(/\s+/g, ''));
}

const extentsOf = once((fn: FunctionDecl): ReadonlySet<string> => {
  const found = new Set<string>();
  if (!fn.body) return found;
  walk(fn.body, (node) => {
    if (node.kind !== 'binary' || !orders.has(node.op)) return;
    for (const [place, bound] of [
      [node.left, node.right],
      [node.right, node.left],
    ] as const) {
      const name = nameOf(bound);
      if (name !== undefined && dependsOnThread(place, fn)) found.add(name);
    }
  });
  return found;
});

/** `n`, `p.n`, `(int)n`, `n - 1`: the name in it. */
function nameOf(expr: Expr): string | undefined {
  switch (expr.kind) {
    case 'name':
      return expr.name;
    case 'member': {
      const object = nameOf(expr.object);
      return object === undefined ? undefined : `${object}${expr.arrow ? '->' : '.'}${expr.field}`;
    }
    case 'cast':
      return nameOf(expr.operand);
    case 'binary':
      return (expr.op === '-' || expr.op === '+') && expr.right.kind === 'number' ? nameOf(expr.left) : undefined;
    default:
      return undefined;
  }
}

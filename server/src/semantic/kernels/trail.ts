// Provenance: from an expression back over the definitions of its variables to what makes lanes differ, as a trail to
// show.
import type { Expr, FunctionDecl, Node, Stmt } from '../../syntax/ast';
import type { Reason } from '../model';
import type { Locator } from '../run';
import { once, append, rootName, walk } from '../language';

interface Definition {
  readonly node: Node;
  readonly value: Expr | undefined;
}

/** Every definition and assignment of each variable of a function's body. */
const definitionsIn = once((body: Stmt): ReadonlyMap<string, readonly Definition[]> => {
  const found = new Map<string, Definition[]>();
  const add = (name: string | undefined, node: Node, value: Expr | undefined): void => {
    if (name) append(found, name, { node, value });
  };
  walk(body, (node) => {
    if (node.kind === 'var') add(node.name, node, node.init);
    if (node.kind === 'assign' && node.target.kind === 'name') add(node.target.name, node, node.value);
    if (node.kind === 'assign' && node.target.kind === 'member') add(rootName(node.target), node, node.value);
  });
  return found;
});

/** What an expression reads of the thread's or block's place, and of memory. */
function rootsIn(expr: Expr): { thread: boolean; block: boolean; loads: Expr[]; names: string[] } {
  const roots = { thread: false, block: false, loads: [] as Expr[], names: [] as string[] };
  walk(expr, (node) => {
    if (node.kind === 'name') {
      if (node.name === 'threadIdx') roots.thread = true;
      else if (node.name === 'blockIdx') roots.block = true;
      else roots.names.push(node.name);
    }
    if (node.kind === 'call' && node.callee.kind === 'member' && node.callee.field === 'thread_rank')
      roots.thread = true;
    if (node.kind === 'index' || (node.kind === 'unary' && node.op === '*')) roots.loads.push(node as Expr);
    return true;
  });
  return roots;
}

/** Definitions that are looked at before the search for a trail ends. */
const mostSteps = 200;

/** Steps from `expr` to `threadIdx` (or to loads, with `toLoads`), each with the definition it passes; at most five. */
export function trailOf(fn: FunctionDecl, expr: Expr, locate: Locator, toLoads = false): Reason[] {
  const definitions = fn.body && definitionsIn(fn.body);
  const queue: { expr: Expr; path: Reason[] }[] = [{ expr, path: [] }];
  const seen = new Set<string>();
  let steps = 0;
  while (queue.length && steps++ < mostSteps) {
    const { expr: current, path } = queue.shift()!;
    const roots = rootsIn(current);
    if (toLoads ? roots.loads.length > 0 : roots.thread) return path;
    if (path.length >= 5) continue;
    for (const name of roots.names) {
      if (seen.has(name)) continue;
      seen.add(name);
      for (const definition of definitions?.get(name) ?? []) {
        if (queue.length >= mostSteps) break;
        if (!definition.value) continue;
        const shown = locate.text(fn, definition.node).replace(/\s+/g, ' ').slice(0, 100);
        const text = shown.startsWith(name) ? shown : `${name}: ${shown}`;
        queue.push({ expr: definition.value, path: [...path, { at: locate.span(fn, definition.node), text }] });
      }
    }
  }
  return [];
}

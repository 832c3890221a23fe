// Arms that may not be taken, with the only barrier between two accesses: `if (flag) { ...; __syncthreads(); }`.
import type { Expr, IfStmt, Node } from '../../syntax/ast';
import { mentions, some } from '../language';
import type { TracedAccess, TraceEvent } from '../run';

/** The arms whose condition asks for shared memory and nothing else; undefined where there is none. */
export function leftOutOf(events: readonly TraceEvent[]): ((stmt: IfStmt) => boolean) | undefined {
  if (!events.some((event) => event.kind === 'gap' && event.arm)) return undefined;
  const loads = new Set<Node>();
  for (const event of events)
    if (event.kind === 'access' && event.mode === 'load' && event.base.space === 'shared') loads.add(event.node);
  const asksForShared = (expr: Expr): boolean => {
    if (loads.has(expr) || expr.kind === 'number') return true;
    if (expr.kind === 'binary') return asksForShared(expr.left) && asksForShared(expr.right);
    return (expr.kind === 'cast' || (expr.kind === 'unary' && expr.op === '!')) && asksForShared(expr.operand);
  };
  return loads.size > 0 ? ({ cond }) => asksForShared(cond) : undefined;
}

/** Two accesses in their order. */
export interface Pair {
  readonly first: TracedAccess;
  readonly second: TracedAccess;
  /** `second` is in a later iteration of a loop around both. */
  readonly again: boolean;
  /** The barriers between the two are all in this statement's arm, and shared memory decides whether it is taken. */
  readonly untaken?: IfStmt;
}

/** Do both come whether or not the arm is taken? What leaves between the two may depend on it. */
export function comesUntaken({ first, second, again, untaken }: Pair): boolean {
  if (!untaken) return true;
  const { fn, node } = second;
  const isAsked = (cond: Expr): boolean =>
    some(untaken.cond, (part) => part.kind === 'name' && mentions(cond, part.name));
  for (const { conditions } of [first, second])
    for (let at = conditions; at; at = at.outer) if (isAsked(at.cond)) return false;
  if (first.fn !== fn || !fn.body || !some(fn.body, (part) => part === untaken)) return false;
  let [from, to] = [untaken.end, node.start];
  if (again)
    some(fn.body, (loop) => {
      const isAround = loops.has(loop.kind) && isWithin(node, loop) && isWithin(untaken, loop);
      if (isAround) [from, to] = [loop.start, loop.end];
      return isAround;
    });
  return !some(fn.body, ({ kind, start, end }) => leaving.has(kind) && start >= from && end <= to);
}
const loops = new Set<string>(['for', 'while', 'do']);
const leaving = new Set<string>(['break', 'continue', 'return', 'goto']);

export function isWithin(node: Node | undefined, outer: Node): boolean {
  return node !== undefined && outer.start <= node.start && node.end <= outer.end;
}

// Arms that may not be taken, with the only barrier between two accesses: `if (flag) { ...; __syncthreads(); }`.
import type { Expr, FunctionDecl, IfStmt, Node } from '../../syntax/ast';
import { type AnySyntax, type Locals, localsOf, namesIn, sameExpr, some } from '../language';
import type { AnyAccess, Condition, TraceEvent } from '../run';

/** The arms whose condition asks for shared memory and nothing else; undefined where there is none. */
export function leftOutOf(events: readonly TraceEvent[]): ((stmt: IfStmt) => boolean) | undefined {
  if (!events.some((event) => event.kind === 'gap' && event.arm?.stmt)) return undefined;
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
  readonly first: AnyAccess;
  readonly second: AnyAccess;
  /** `second` is in a later iteration of a loop around both. */
  readonly again: boolean;
  /** The barriers between the two are all in this statement's arm, and shared memory decides whether it is taken. */
  readonly untaken?: IfStmt;
}

/** Do both come whether or not the arm is taken? What leaves between the two may depend on it. */
export function comesUntaken(pair: Pair): boolean {
  const { first, second, again, untaken } = pair;
  if (!untaken) return true;
  const fn = functionOfArm(pair);
  const node = fn && nodeIn(fn, second);
  if (!fn?.body || !node || !nodeIn(fn, first)) return false;
  for (const { conditions } of [first, second])
    for (let at = conditions; at; at = at.outer)
      if (at.fn === fn ? !holdsUntaken(at.cond, untaken, localsOf(fn)) : some(at.cond, readsMemory)) return false;
  let [from, to] = [untaken.end, node.start];
  if (again)
    some(fn.body, (loop) => {
      const isAround = loops.has(loop.kind) && isWithin(node, loop) && isWithin(untaken, loop);
      if (isAround) [from, to] = [loop.start, loop.end];
      return isAround;
    });
  return !some(fn.body, ({ kind, start, end }) => leaving.has(kind) && start >= from && end <= to);
}
/** The function of the arm that is left out: one of the two accesses is in it. */
export function functionOfArm({ first, second, untaken }: Pair): FunctionDecl | undefined {
  return [first.fn, second.fn].find(({ body }) => untaken && some(body, (part) => part === untaken));
}

/** May a condition hold where the arm is not taken, and does it not rest on what the arm leaves? */
function holdsUntaken(cond: Expr, untaken: IfStmt, locals: Locals): boolean {
  if (cond.kind === 'binary' && cond.op === '&&')
    return holdsUntaken(cond.left, untaken, locals) && holdsUntaken(cond.right, untaken, locals);
  if (cond.kind === 'unary' && cond.op === '!' && sameExpr(cond.operand, untaken.cond)) return true;
  const asked = namesIn(untaken.cond);
  return !some(cond, (part) => {
    if (part.kind !== 'name') return false;
    const writes = locals.of(part)?.writes ?? [];
    const isOfArm = writes.some(({ node }) => isWithin(node, untaken));
    // A count that the arm starts again goes on where the arm is not taken.
    const isCounted = writes.some(({ node, op }) => op !== '=' && !isWithin(node, untaken));
    return asked.has(part.name) || (isOfArm && !isCounted);
  });
}
const readsMemory = ({ kind }: AnySyntax): boolean => kind === 'member' || kind === 'index' || kind === 'unary';
const loops = new Set<string>(['for', 'while', 'do']);
const leaving = new Set<string>(['break', 'continue', 'return', 'goto']);

/** The access, or the call that leads to it, in a function. */
export function nodeIn(fn: FunctionDecl, access: Pick<AnyAccess, 'fn' | 'node' | 'via'>): Node | undefined {
  return access.fn === fn ? access.node : access.via;
}
/** Is it read to decide whether anything comes under the conditions? */
export function isAskedBy(conditions: Condition | undefined, { node }: AnyAccess): boolean {
  for (let at = conditions; at; at = at.outer) if (isWithin(node, at.cond)) return true;
  return false;
}

export function isWithin(node: Node | undefined, outer: Node): boolean {
  return node !== undefined && outer.start <= node.start && node.end <= outer.end;
}

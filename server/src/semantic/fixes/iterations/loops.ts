// Loops that walk along a row: their headers and their subscripts.
import type { Expr, ForStmt, IndexExpr, Stmt } from '../../../syntax/ast';
import {
  type AnySyntax,
  walk,
  reachesMemory,
  type Fn,
  calleeName,
  type Local,
  atomName,
  type CountedLoop,
  type LocalLoop,
  some,
  countStep,
  isConditionLoop,
  turned,
} from '../../language';
import { isPureCall } from '../../program';

/** A loop whose last act in each iteration is one step of a variable to or from an end that stays. */
export interface SteppedLoop {
  readonly loop: Stmt & { readonly kind: 'for' | 'while' | 'do' };
  readonly variable: Local;
  /** The step as written, `c++` or `c += 4`. */
  readonly stepAt: Expr;
}

/** `for (int c = start; c < end; c += step)`, upwards, its variable declared in its head. */
export interface WalkingLoop extends SteppedLoop {
  readonly loop: ForStmt;
  readonly head: CountedLoop;
  readonly start: Expr;
  readonly step: number;
}

export function steppedLoopOf(loop: Stmt, fn: Fn): SteppedLoop | undefined {
  if (!isConditionLoop(loop) || loop.macro || loop.cond?.kind !== 'binary' || !(loop.cond.op in turned))
    return undefined;
  const body = loop.body.kind === 'block' ? loop.body.body : [loop.body];
  const last = body.at(-1);
  const stepAt = loop.kind === 'for' && loop.step ? loop.step : last?.kind === 'expr' ? last.expr : undefined;
  if (!stepAt) return undefined;
  const isFixed = (expr: Expr): boolean =>
    !some(expr, (node) => {
      const local = node.kind === 'name' ? fn.local(node) : undefined;
      const isWritten = local?.writes.some((write) => fn.isInside(write.node, loop));
      return (
        isWritten ||
        local?.addressTaken ||
        (node.kind === 'call' && !isPureCall(node, fn)) ||
        (reachesMemory(node) && writesMemory(loop))
      );
    });
  for (const [counter, end] of [
    [loop.cond.left, loop.cond.right],
    [loop.cond.right, loop.cond.left],
  ] as const) {
    const variable = counter.kind === 'name' ? fn.local(counter) : undefined;
    if (!variable || variable.addressTaken || !isFixed(end)) continue;
    const step = countStep(stepAt, (expr) => expr.kind === 'name' && fn.local(expr) === variable);
    const init = loop.kind === 'for' ? loop.init : undefined;
    const own = variable.writes.filter(({ node }) => fn.isInside(node, loop) && !(init && fn.isInside(node, init)));
    if (step && (!step.by || isFixed(step.by)) && own.length === 1) return { loop, variable, stepAt };
  }
  return undefined;
}

export function walkingLoopOf(loop: Stmt, fn: Fn): WalkingLoop | undefined {
  const head = fn.counted(loop);
  if (!head || loop.macro || !isOfLoopsAlone(head, fn)) return undefined;
  const { local: variable, first: start, bound } = head;
  const type = fn.types.resolve(variable.variable!.type);
  // `auto c = 0` counts as an int.
  if (!(type.kind === 'scalar' && !type.float && type.size >= 4)) return undefined;
  const by = head.step?.by;
  const number = by?.kind === 'number' && !by.macro && Number.isInteger(by.value) ? by.value : 0;
  const step = by ? number : 1;
  if (!bound?.op.startsWith('<') || head.step?.sign !== 1 || step <= 0 || !steppedLoopOf(loop, fn)) return undefined;
  return { loop: head.loop, head, variable, start, step, stepAt: head.loop.step! };
}

/** Declared in the head, or known to nothing but such loops: what one leaves in it is lost. */
function isOfLoopsAlone({ loop, declared, local }: LocalLoop, fn: Fn): boolean {
  const { variable, writes, addressTaken } = local;
  if (!variable || addressTaken) return false;
  if (declared) return declared.init!.kind !== 'initList' && writes.length === 1;
  const isOfALoop = (node: AnySyntax): boolean =>
    [...fn.around(node)].some((around) => {
      const head = around.kind === 'for' ? fn.counted(around) : undefined;
      return head?.local === local && !head.declared;
    });
  return (
    variable.space === 'none' &&
    !variable.storage &&
    writes.filter(({ node }) => fn.isInside(node, loop)).length === 2 &&
    local.uses.every(isOfALoop) &&
    writes.every(({ node }) => isOfALoop(node))
  );
}

function writesMemory(loop: SteppedLoop['loop']): boolean {
  return some(loop.body, (node) => {
    const target = node.kind === 'assign' ? node.target : node.kind === 'update' ? node.operand : undefined;
    return target ? target.kind !== 'name' : node.kind === 'call' && /^atomic/.test(calleeName(node) ?? '');
  });
}

/** Elements of arrays that are subscripts in the loop, with the loop variable's factor in the index. */
export function* subscriptsIn(
  { loop, variable }: WalkingLoop,
  fn: Fn,
): Iterable<{ readonly node: IndexExpr; readonly factor: number | undefined; readonly byThread: number | undefined }> {
  const atom = atomName(variable, fn.locals);
  const nodes: IndexExpr[] = [];
  // The loop's own nodes: a kernel of thousands of loops must not be visited for each.
  walk(loop.body, (node) => {
    if (node.kind === 'index') nodes.push(node);
  });
  for (const node of nodes) {
    const index = fn.index(node.index);
    const split = index?.split(atom);
    const thread = index?.split('threadIdx.x');
    const hidden =
      !!split &&
      split.rest.has((other) => other.startsWith('(') && new RegExp(`(?<![\\w.])${atom}(?![\\w.])`).test(other));
    yield {
      node,
      factor: split && !hidden ? split.factor.number : undefined,
      byThread: thread?.factor.number,
    };
  }
}

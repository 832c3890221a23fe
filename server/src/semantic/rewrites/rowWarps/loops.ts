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
  orderedBy,
} from '../../language';

/** `for (int c = start; c < end; c += step)`, upwards, its variable declared in its head. */
export interface WalkingLoop {
  readonly loop: ForStmt;
  readonly variable: Local;
  readonly start: Expr;
  readonly step: number;
  /** The step as written, `c++` or `c += 4`. */
  readonly stepAt: Expr;
}

export function walkingLoopOf(loop: Stmt, fn: Fn): WalkingLoop | undefined {
  if (loop.kind !== 'for' || loop.macro || !loop.cond || !loop.step) return undefined;
  const started = startOf(loop, fn);
  if (!started) return undefined;
  const { variable, start } = started;
  const type = fn.types.resolve(variable.variable!.type);
  // `auto c = 0` counts as an int.
  if (!(type.kind === 'scalar' && !type.float && type.size >= 4)) return undefined;
  const { cond } = loop;
  const isVariable = (expr: Expr): boolean => expr.kind === 'name' && fn.local(expr) === variable;
  const ordered = orderedBy(cond);
  const step = ordered && isVariable(ordered.low) ? stepOf(loop.step, isVariable) : undefined;
  if (!ordered || step === undefined) return undefined;
  const end = ordered.high;
  // Start and end have to be what they were when the loop began.
  for (const expr of [start, end]) {
    let fixed = true;
    walk(expr, (node) => {
      if (node.kind === 'name') {
        const local = fn.local(node);
        if (local && (local.addressTaken || local.writes.some((write) => fn.isInside(write.node, loop)))) fixed = false;
      } else if (
        node.kind === 'assign' ||
        node.kind === 'update' ||
        node.kind === 'lambda' ||
        node.kind === 'opaque' ||
        (expr === end && reachesMemory(node) && writesMemory(loop))
      )
        fixed = false;
    });
    if (!fixed) return undefined;
  }
  return { loop, variable, start, step, stepAt: loop.step };
}

/** `for (int c = 0; …)`, or `for (c = 0; …)` where nothing but such loops knows `c`: what one leaves in it is lost. */
function startOf(loop: ForStmt, fn: Fn): { readonly variable: Local; readonly start: Expr } | undefined {
  const { init } = loop;
  if (init?.kind === 'decl') {
    const declared = init.vars.length === 1 ? init.vars[0]! : undefined;
    if (!declared?.init || declared.init.kind === 'initList') return undefined;
    const variable = fn.locals.all.find((local) => local.variable === declared);
    if (!variable || variable.addressTaken || variable.writes.length !== 1) return undefined;
    return { variable, start: declared.init };
  }
  const variable = counterSetIn(loop, fn);
  if (!variable?.variable || variable.addressTaken || variable.variable.space !== 'none' || variable.variable.storage)
    return undefined;
  const isOfALoop = (node: AnySyntax): boolean =>
    [...fn.around(node)].some((around) => around.kind === 'for' && counterSetIn(around, fn) === variable);
  const inThis = variable.writes.filter(({ node }) => fn.isInside(node, loop));
  if (inThis.length !== 2 || !variable.uses.every(isOfALoop) || !variable.writes.every(({ node }) => isOfALoop(node)))
    return undefined;
  return { variable, start: inThis.find(({ node }) => fn.isInside(node, init!))!.value! };
}
function counterSetIn({ init }: ForStmt, fn: Fn): Local | undefined {
  if (init?.kind !== 'expr' || init.expr.kind !== 'assign' || init.expr.op !== '=') return undefined;
  return init.expr.target.kind === 'name' ? fn.local(init.expr.target) : undefined;
}

function writesMemory(loop: ForStmt): boolean {
  let found = false;
  walk(loop.body, (node) => {
    const target = node.kind === 'assign' ? node.target : node.kind === 'update' ? node.operand : undefined;
    if ((target && target.kind !== 'name') || (node.kind === 'call' && /^atomic/.test(calleeName(node) ?? '')))
      found = true;
  });
  return found;
}

function stepOf(step: Expr, isVariable: (expr: Expr) => boolean): number | undefined {
  if (step.kind === 'update') return step.op === '++' && isVariable(step.operand) ? 1 : undefined;
  if (step.kind !== 'assign' || !isVariable(step.target)) return undefined;
  const number = (expr: Expr): number | undefined =>
    expr.kind === 'number' && !expr.macro && Number.isInteger(expr.value) && expr.value > 0 ? expr.value : undefined;
  if (step.op === '+=') return number(step.value);
  if (step.op !== '=' || step.value.kind !== 'binary' || step.value.op !== '+') return undefined;
  const { left, right } = step.value;
  return isVariable(left) ? number(right) : isVariable(right) ? number(left) : undefined;
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

// `for (auto each : range)`: through the iterators of a class whose text is known, once for an unknown element of
// another, or for each that host code lists.
import type { Expr, NameExpr, Stmt, VarDecl } from '../../syntax/ast';
import { bodyLaunches, stripReference } from '../language';
import { methodsOf } from './calling';
import { convert } from './conversions';
import { emptyMask, without, type Mask } from './lanes';
import type { LoopPlan } from './loopPlan';
import { loop } from './loops';
import { truthOf } from './operations';
import { elementsOf } from './owners';
import type { Scope } from './scope';
import { scattered, unseen } from './state';
import { Taint, type Act, type LoopSeen, type LoopState, type Run, type Value } from './values';

type RangeFor = Stmt & { kind: 'rangeFor' };

/** Variables that the language declares for such a loop ([stmt.ranged]). */
const [rangeName, beginName, endName] = ['__range', '__begin', '__end'] as const;

export function compileRangeFor(
  scope: Scope,
  stmt: RangeFor,
  planOf: (scope: Scope, stmt: Stmt, cond: Expr, body: Stmt, step: Expr) => LoopPlan,
): Act {
  const range = scope.expr(stmt.range);
  const { variable } = stmt;
  const type = stripReference(scope.types.resolve(variable.type, scope.bindings(), scope.within));
  const rangeSlot = scope.declare(rangeName);
  const { iterators, condition, step, element } = spelledOut(stmt);
  const begin = scope.statement(iterators);
  const cond = scope.expr(condition);
  const next = scope.expr(step);
  const plan = planOf(scope, stmt, condition, stmt.body, step);
  const take = scope.statement(element);
  const { slot } = scope.lookup(variable.name)!;
  const body = scope.statement(stmt.body);
  const launches = bodyLaunches(stmt.body, scope.program);
  return (path, frame) => {
    const { run } = frame;
    const visited = range(path, frame);
    if (!run.setup.host && hasIterators(run, visited)) {
      frame.slots[rangeSlot] = { name: rangeName, type: visited.type, value: visited, node: variable, fn: frame.fn };
      begin(path, frame);
      const iteration: Act = (at, inner) => body({ ...at, mask: take(at, inner) }, inner);
      return loop(run, plan, (at, inner) => truthOf(cond(at, inner)), iteration, next, path, frame);
    }
    const listed = launches && run.setup.host ? elementsOf(visited) : undefined;
    const seen: LoopSeen = { stmt, fn: frame.fn, variable: variable.name };
    const loops = { seen, outer: path.loops, depth: (path.loops?.depth ?? 0) + 1 };
    const { mayReturn } = frame;
    const breaks: LoopState = {};
    let mask: Mask = path.mask;
    const iterate = (value: Value): void => {
      frame.slots[slot] = { name: variable.name, type: value.type, value, node: variable, fn: frame.fn };
      mask = body({ ...path, mask, loops, breaks }, frame);
    };
    if (listed) for (const value of listed) iterate(type.kind === 'scalar' ? convert(run, value, type) : value);
    else {
      // Each thread of a kernel may have another range, unless it is an array.
      const isAlike = run.setup.host || visited.type.kind === 'pointer' || visited.type.kind === 'array';
      const [taint, lanes] = isAlike ? [Taint.chosen] : [Taint.loaded | Taint.thread, scattered(run)];
      iterate(unseen(run, type, `${variable.name}@${stmt.start}`, taint, lanes));
    }
    if (breaks.mayBreak || frame.mayReturn !== mayReturn) seen.parts = true;
    return without(path.mask, frame.returned ?? emptyMask(run.threads));
  };
}

function hasIterators(run: Run, { type }: Value): boolean {
  return type.kind === 'struct' && ['begin', 'end'].every((name) => methodsOf(run, type, name, 0)[0]?.body);
}

/** The parts of the loop as the standard spells it out. */
function spelledOut({ variable, range: { start, end } }: RangeFor) {
  const at = { start, end };
  const name = (of: string): NameExpr => ({ kind: 'name', name: of, ...at });
  const declare = (of: string, field: string): VarDecl => {
    const callee: Expr = { kind: 'member', object: name(rangeName), field, arrow: false, fieldStart: start, ...at };
    const init: Expr = { kind: 'call', callee, args: [], ...at };
    return { ...variable, name: of, type: { kind: 'named', name: 'auto' }, init, initStyle: '=' };
  };
  const vars = [declare(beginName, 'begin'), declare(endName, 'end')];
  const init: Expr = { kind: 'unary', op: '*', operand: name(beginName), ...at };
  return {
    iterators: { kind: 'decl', vars, ...at } as const,
    condition: {
      kind: 'binary',
      op: '!=',
      opStart: start,
      left: name(beginName),
      right: name(endName),
      ...at,
    } as const,
    step: { kind: 'update', op: '++', prefix: true, operand: name(beginName), ...at } as const,
    element: { kind: 'decl', vars: [{ ...variable, init, initStyle: '=' }], ...at } as const,
  };
}

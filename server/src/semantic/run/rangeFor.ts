// `for (auto each : range)`: once for an unknown element, or for each that host code lists.
import type { Stmt } from '../../syntax/ast';
import { bodyLaunches, stripReference } from '../language';
import { convert } from './conversions';
import { emptyMask, without, type Mask } from './lanes';
import { elementsOf } from './owners';
import type { Scope } from './scope';
import { unseen } from './state';
import { Taint, type Act, type LoopSeen, type LoopState, type Value } from './values';

export function compileRangeFor(
  scope: Scope,
  stmt: Stmt & { kind: 'rangeFor' },
  compileStmt: (scope: Scope, stmt: Stmt) => Act,
): Act {
  const range = scope.expr(stmt.range);
  const { variable } = stmt;
  const type = stripReference(scope.types.resolve(variable.type, scope.bindings(), scope.within));
  const slot = scope.declare(variable.name);
  const body = compileStmt(scope, stmt.body);
  const launches = bodyLaunches(stmt.body, scope.program);
  return (path, frame) => {
    const { run } = frame;
    const visited = range(path, frame);
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
    else iterate(unseen(run, type, `${variable.name}@${stmt.start}`, Taint.chosen));
    if (breaks.mayBreak || frame.mayReturn !== mayReturn) seen.parts = true;
    return without(path.mask, frame.returned ?? emptyMask(run.threads));
  };
}

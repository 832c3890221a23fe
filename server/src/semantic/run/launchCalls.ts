// Launches in host code: what is launched, with which extents, arguments and template arguments.
import type { Expr, LaunchExpr } from '../../syntax/ast';
import { dim3Type, voidType } from '../language';
import { functionNamed } from './callSite';
import { compileArgs } from './packs';
import type { Scope } from './scope';
import { cellAt } from './snapshots';
import { plain, type Code, type Frame, type FunctionNamed, type Path, type Value } from './values';

const nothing: Value = plain(voidType, 0, 0);
const mostLaunches = 512;

export function compileLaunch(scope: Scope, expr: LaunchExpr): Code {
  const config = expr.config.slice(0, 3).map((part, at) => scope.expr(part, at < 2 ? dim3Type : undefined));
  const args = compileArgs(scope, expr.args);
  const launched = compileLaunched(scope, expr.callee);
  return (path, frame) => {
    const { run } = frame;
    const given = args(path, frame);
    if (!run.setup.host) return nothing;
    const [grid, block, shared] = config.map((part) => part(path, frame));
    const named = launched?.(path, frame);
    if (named && grid && block && run.launches.length < mostLaunches)
      run.launches.push({
        ...named,
        node: expr,
        fn: frame.fn,
        grid,
        block,
        args: given,
        ...(shared ? { sharedBytes: shared } : {}),
        ...(path.unsure > 0 || path.shadow > 0 ? { unsure: true } : {}),
      });
    return nothing;
  };
}

/** The function that an expression names, or that a variable holds which it names. */
export function compileLaunched(scope: Scope, expr: Expr): ((path: Path, frame: Frame) => FunctionNamed) | undefined {
  const callee = calleeOf(expr);
  if (!callee) return undefined;
  const ref = scope.lookup(callee.name);
  const written = functionNamed(scope, callee);
  return (path, frame) => (ref && cellAt(frame, ref)?.value?.function) ?? written(path, frame);
}

/** The function that a launch or a pointer to it names. */
export function calleeOf(expr: Expr): (Expr & { kind: 'name' }) | undefined {
  switch (expr.kind) {
    case 'name':
      return expr;
    case 'unary':
      return expr.op === '*' || expr.op === '&' ? calleeOf(expr.operand) : undefined;
    case 'cast':
      return calleeOf(expr.operand);
    default:
      return undefined;
  }
}

// Launches in host code: what is launched, with which extents, arguments and template arguments.
import type { Expr, LaunchExpr } from '../../syntax/ast';
import { dim3Type, voidType } from '../language';
import { compileTemplateNumbers, numbersOf } from './callSite';
import type { Scope } from './scope';
import { cellAt } from './snapshots';
import { plain, type Code, type Value } from './values';

const nothing: Value = plain(voidType, 0, 0);
const mostLaunches = 512;

export function compileLaunch(scope: Scope, expr: LaunchExpr): Code {
  const config = expr.config.slice(0, 3).map((part, at) => scope.expr(part, at < 2 ? dim3Type : undefined));
  const args = expr.args.map((arg) => scope.expr(arg));
  const callee = calleeOf(expr.callee);
  const ref = callee && scope.lookup(callee.name);
  const numbers = compileTemplateNumbers(scope, callee?.templateArgs);
  const bindings = scope.bindings();
  return (path, frame) => {
    const { run } = frame;
    const given = args.map((arg) => arg(path, frame));
    if (!run.setup.host) return nothing;
    const [grid, block, shared] = config.map((part) => part(path, frame));
    const held = ref && cellAt(frame, ref)?.value;
    const kernelName = held?.function?.[0]?.name ?? callee?.name;
    if (kernelName && grid && block && run.launches.length < mostLaunches)
      run.launches.push({
        node: expr,
        fn: frame.fn,
        kernelName,
        templateArgs: callee?.templateArgs,
        templateNumbers: numbersOf(numbers, path, frame),
        bindings,
        grid,
        block,
        args: given,
        ...(shared ? { sharedBytes: shared } : {}),
        ...(path.unsure > 0 || path.shadow > 0 ? { unsure: true } : {}),
      });
    return nothing;
  };
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

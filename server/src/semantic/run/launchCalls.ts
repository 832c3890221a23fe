// Launches in host code: what is launched, with which extents, arguments and template arguments.
import type { CallExpr, Expr, FunctionDecl, LaunchExpr, Node } from '../../syntax/ast';
import { dim3Type, ownTemplateParams, walk } from '../language';
import { type CallSite, functionNamed, nothing, zero } from './callSite';
import { load } from './memory';
import { compileArgs, isExpansion } from './packs';
import type { Scope } from './scope';
import { cellAt } from './snapshots';
import type { Code, Frame, FunctionNamed, LaunchRecord, Path, Value } from './values';

const pointerBytes = 8;
const mostLaunches = 512;

export function compileLaunch(scope: Scope, expr: LaunchExpr): Code {
  const config = expr.config.slice(0, 3).map((part, at) => scope.expr(part, at < 2 ? dim3Type : undefined));
  const args = compileArgs(scope, expr.args);
  const launched = compileLaunched(scope, expr.callee);
  return (path, frame) => {
    const { run } = frame;
    const operands = args(path, frame);
    if (!run.setup.host) return nothing;
    const [grid, block, shared] = config.map((part) => part(path, frame));
    const named = launched?.(path, frame);
    keepLaunch(named && { ...named, ...askedFor(expr, frame) }, { grid, block, shared }, operands, path, frame);
    return nothing;
  };
}

/** Adds a launch to those of the run, where its kernel and its shape are there. */
function keepLaunch(
  of: Omit<LaunchRecord, 'grid' | 'block' | 'args' | 'sharedBytes' | 'unsure'> | undefined,
  { grid, block, shared }: Readonly<Record<'grid' | 'block' | 'shared', Value | undefined>>,
  args: readonly Value[],
  path: Path,
  { run }: Frame,
): void {
  if (!of || !grid || !block || (run.isOver && run.setup.ends) || run.launches.length >= mostLaunches) return;
  run.launches.push({
    ...of,
    grid,
    block,
    args,
    ...(shared ? { sharedBytes: shared } : {}),
    ...(path.unsure > 0 || path.shadow > 0 ? { unsure: true } : {}),
    set: args.map(({ base, lanes }) => (lanes === 0 ? base?.contents?.set : undefined)),
  });
  // A kernel may set all that it gets.
  for (const { base } of args) if (base?.contents) base.contents.set = Infinity;
}

/** `cudaLaunchKernel(kernel, grid, block, arguments, sharedBytes, stream)`. */
export function launchCall(scope: Scope, { expr, args }: CallSite): (path: Path, frame: Frame) => Value | undefined {
  const launched = compileLaunched(scope, expr.args[0]!);
  return (path, frame) => {
    if (!frame.run.setup.host) return undefined;
    const [, grid, block, list, shared] = args.map((arg) => arg(path, frame));
    const named = launched?.(path, frame);
    const pointees = list ? behindPointers(list, expr, path, frame) : [];
    const node = pointees.length > 0 ? asLaunch(expr, pointees.length) : expr;
    keepLaunch(named && { ...named, node, fn: frame.fn }, { grid, block, shared }, pointees, path, frame);
    return zero;
  };
}

/** What the pointers of an array point to, `void *arguments[] = {&a, &b}`, as far as that is known. */
function behindPointers(list: Value, node: Expr, path: Path, frame: Frame): Value[] {
  const values: Value[] = [];
  for (let at = 0; ; at += pointerBytes) {
    const place = list.base?.elements?.get(at)?.target;
    if (!place) return values;
    values.push(load(frame.run, place, { ...path, quiet: true }, frame, node));
  }
}

/** An argument of a launch that the call which asks for it does not show. */
const hiddenIn = ({ start, end }: CallExpr): Expr => ({ kind: 'opaque', start, end, parts: [] });

function asLaunch(call: CallExpr, count: number): LaunchExpr {
  const { start, end, args } = call;
  const [callee, grid, block, , ...others] = args;
  return {
    kind: 'launch',
    asked: true,
    start,
    end,
    callee: calleeOf(callee!) ?? callee!,
    config: [grid!, block!, ...others],
    args: Array.from({ length: count }, () => hiddenIn(call)),
  };
}

/** A launch and, where these give its kernel and its shape, the calls of the function around it, outwards. */
function askedFor(expr: LaunchExpr, frame: Frame): Pick<LaunchRecord, 'node' | 'fn' | 'through'> {
  let node = expr;
  let at = frame;
  for (;;) {
    const { fn, caller } = at;
    const call = caller && isCall(caller.node) ? caller.node : undefined;
    const operands = call && argumentsOf(fn, call);
    const callee = operands && calleeOf(node.callee);
    const kernel = callee && (operands(callee)?.[0] ?? templateArgument(fn, call, callee.name));
    const named = kernel && calleeOf(kernel);
    const parts = node.config.map((part) => operands?.(part)?.[0]);
    const known = parts.indexOf(undefined);
    const config = known < 0 ? parts : parts.slice(0, known);
    if (!named || config.length < 2)
      return { node, fn, ...(node === expr ? {} : { through: { node: expr, fn: frame.fn } }) };
    const { start, end } = call!;
    node = {
      kind: 'launch',
      asked: true,
      start,
      end,
      callee: named,
      config: config.map((part) => part!),
      args: node.args.flatMap((arg) => operands!(arg) ?? [hiddenIn(call!)]),
    };
    at = caller!.frame;
  }
}

function isCall(node: Node): node is CallExpr {
  return 'kind' in node && node.kind === 'call';
}

/** What a call gives for a template parameter, where that names something. */
function templateArgument(fn: FunctionDecl, { callee }: CallExpr, name: string): Expr | undefined {
  const at = ownTemplateParams(fn).findIndex((param) => param.name === name);
  const arg = callee.kind === 'name' || callee.kind === 'member' ? callee.templateArgs?.[at] : undefined;
  if (!arg || 'expr' in arg) return arg?.expr;
  if (arg.type.kind !== 'named') return undefined;
  const { name: named, args } = arg.type;
  return { kind: 'name', name: named, ...(args ? { templateArgs: args } : {}), start: callee.start, end: callee.end };
}

/** What a call gives for a parameter, or for the expansion of a pack; undefined for all else. */
function argumentsOf({ params }: FunctionDecl, { args }: CallExpr): (expr: Expr) => readonly Expr[] | undefined {
  return (expr) => {
    const name = isExpansion(expr) ? packNamed(expr, params) : calleeOf(expr)?.name;
    const at = params.findIndex((param) => param.name === name);
    if (at < 0) return undefined;
    if (params[at]!.pack) return args.slice(at);
    // Behind a pack the arguments have other numbers.
    return args.slice(0, at + 1).some(isExpansion) ? undefined : args.slice(at, at + 1);
  };
}

function packNamed(expr: Expr, params: FunctionDecl['params']): string | undefined {
  let found: string | undefined;
  walk(expr, (node) => {
    if (node.kind === 'name' && params.some(({ name, pack }) => pack && name === node.name)) found = node.name;
  });
  return found;
}

/** The function that an expression names, or that a variable holds which it names. */
export function compileLaunched(scope: Scope, expr: Expr): ((path: Path, frame: Frame) => FunctionNamed) | undefined {
  const callee = calleeOf(expr);
  if (!callee) return undefined;
  const ref = scope.lookup(callee.name);
  const written = functionNamed(scope, callee);
  return (path, frame) =>
    (ref ? cellAt(frame, ref)?.value?.function : frame.functions?.get(callee.name)) ?? written(path, frame);
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

// Blocks whose size is a value of the host's: whole warps where all that may reach the launch is a multiple of 32.
import type { Expr, FunctionDecl } from '../../../syntax/ast';
import { lastPart, functionsWith, calleeName, type Fn, type LaunchSite, localsOf } from '../../language';
import { isHandedOn } from '../../program';
import { dim3Elements, dim3Parts, extentOf } from '../launchGrids';
import { warp } from './plan';

/** Values are followed through so many variables and calls. */
const deepest = 9;

/** Does the launch ask for whole warps in one dimension, whatever the host chooses? Only a program answers that. */
export function asksForWholeWarps(site: LaunchSite): boolean {
  const block = site.launch.config[1];
  const [x] = block ? (dim3Parts(block, site) ?? dim3Elements(block) ?? [block]) : [];
  return x !== undefined && extentOf(site, 1)?.oneDimensional === true && isMultiple(x, site.host, 0);
}

function isMultiple(expr: Expr, host: Fn, depth: number): boolean {
  const through = (inner: Expr): boolean => isMultiple(inner, host, depth + 1);
  if (depth > deepest) return false;
  const value = host.types.constant(expr);
  if (value !== undefined) return value > 0 && value % warp === 0;
  if (expr.kind === 'binary' && expr.op === '*') return through(expr.left) || through(expr.right);
  if (expr.kind === 'conditional') return through(expr.then) && through(expr.else);
  const named = expr.kind === 'index' ? expr.base : expr;
  const local = named.kind === 'name' ? host.local(named) : undefined;
  if (!local || local.writes.length > 0 || local.addressTaken || isHandedOn(local, host)) return false;
  if (expr.kind === 'index') {
    const list = local.variable?.type.kind === 'array' ? local.variable.init : undefined;
    if (list?.kind !== 'initList' || list.elements.length === 0 || !local.uses.every((use) => isRead(use, host)))
      return false;
    return list.elements.every(through);
  }
  if (local.variable) return !!local.variable.init && through(local.variable.init);
  const passed = local.parameter && argumentsFor(host.decl.params.indexOf(local.parameter), host);
  return !!passed?.length && passed.every(([arg, fn]) => isMultiple(arg, host.inside(fn), depth + 1));
}

/** Is an element of the array read there, or its size asked for? */
function isRead(use: Expr, host: Fn): boolean {
  const element = host.parent(use);
  if (element?.kind === 'sizeof') return true;
  if (element?.kind !== 'index' || element.base !== use) return false;
  const around = host.parent(element);
  if (around?.kind !== 'call') return around?.kind === 'var' || around?.kind === 'binary';
  const position = around.args.indexOf(element);
  return host.program
    .functions(calleeName(around) ?? '')
    .every(({ params }) => params[position]?.type.kind !== 'reference');
}

/** What all calls pass for a parameter; undefined where unknown code may call it. */
function argumentsFor(position: number, { decl, program }: Fn): [Expr, FunctionDecl][] | undefined {
  const { unit } = program;
  if (program.functions(decl.name).length !== 1 || !program.functions('main').some(({ body }) => body))
    return undefined;

  if (!unit.main.functions.includes(decl)) return undefined;
  const passed: [Expr, FunctionDecl][] = [];
  for (const caller of functionsWith(unit, [lastPart(decl.name)])) {
    if (!caller.body) continue;
    const locals = localsOf(caller);
    for (const node of locals.nodes) {
      if (node.kind !== 'name' || node.name !== decl.name || locals.of(node)) continue;
      const call = locals.parent(node);
      const args = call?.kind === 'call' ? (call.callee === node ? call.args : handedBehind(node, call, program)) : [];
      const arg = args.length === decl.params.length ? args[position] : undefined;
      if (!arg) return undefined;
      passed.push([arg, caller]);
    }
  }
  return passed;
}

/** The arguments that a function which takes another one and a pack hands to it: `timed(repeats, work, a, b)`. */
function handedBehind(given: Expr, call: Expr & { kind: 'call' }, program: Fn['program']): readonly Expr[] {
  const at = call.args.indexOf(given);
  const called = program.functions(calleeName(call) ?? '');
  const takesPack = called.every(({ params }) => params.length === at + 2 && params.at(-1)!.pack);
  return called.length > 0 && takesPack ? call.args.slice(at + 1) : [];
}

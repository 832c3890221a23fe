// What a kernel makes of its block's shape: whether it guards its index, needs the shape, or is run by one thread.
import type { Expr, Stmt } from '../../../syntax/ast';
import {
  lastPart,
  type AnySyntax,
  type Fn,
  workOf,
  type LaunchSite,
  constantPolynomial,
  fixedPolynomial,
  isThreadName,
} from '../../language';
import { endedBy, endsAll, isNumberEnd, numberAlong, partsOf } from './planes';
import { knowsThreads } from './oneThread';
import { whyTogether } from './relaunch';
import { numberPlacesOf } from '../threadNumbers/rows';
import { isArithmetic } from '../../program';

// ---- what the kernel makes of it
// -------------------------------------------------------------------------------------------

export interface KernelFacts {
  readonly guards: boolean;
  /** Some of its work is behind such a comparison: there are as many blocks as elements ask for. */
  readonly counts: boolean;
  readonly needsShape: boolean;
  readonly setup: boolean;
}

export function kernelFacts(site: LaunchSite, fn: Fn, threads: number | undefined): KernelFacts {
  const kernel = site.kernel!;
  const { fn: decl } = workOf(kernel, site.launch.args, site.host.decl, fn.program);
  const inside = fn.of(decl);
  const guards = endsAll(inside, [numberAlong('x')]);
  return {
    guards,
    counts: guards || countsThreads(inside),
    needsShape: needsShape(inside, site, threads),
    setup: isSetup(inside),
  };
}

const { number: gridThread } = numberAlong('x');
/** The threads of the rows of blocks before one, where blocks are in rows. */
const rowsBefore = fixedPolynomial('blockIdx.y')
  .times(fixedPolynomial('gridDim.x'))
  .times(fixedPolynomial('blockDim.x'));

/** Does the kernel hold the number of its thread in the grid against an end, in blocks along x or in rows? */
function countsThreads(fn: Fn): boolean {
  const numbers = [numberAlong('x'), { atom: 'threadIdx.x', number: gridThread.plus(rowsBefore) }];
  const isEnd = (cond: Expr, side: 'inside' | 'outside'): boolean =>
    partsOf(cond, side).some((part) => !!endedBy(part, numbers, isNumberEnd(fn)));
  return (fn.decl.body?.body ?? []).some(
    (stmt) => stmt.kind === 'if' && (isEnd(stmt.cond, 'inside') || isEnd(stmt.cond, 'outside')),
  );
}

/** A name by which code asks for its threads, as a variable or a group. */
const isLanePlace = (name: string): boolean =>
  isThreadName(lastPart(name)) || /^this_(?:grid|thread_block)$/.test(lastPart(name));

/** Would another block size change what the kernel computes, as far as its text tells? */
function needsShape(fn: Fn, site: LaunchSite, threads: number | undefined): boolean {
  if (threads === 1) return false; // nothing is tied to a block of one
  if (site.kernel?.launchBounds?.length || whyTogether(fn) !== undefined) return true;
  if (typeof numberPlacesOf(fn, undefined, 'x') === 'string') return true;
  const { callee } = site.launch;
  const isThreads = (expr: Expr, host: Fn): boolean => host.types.constant(expr) === threads;
  if (threads !== undefined && callee.kind === 'name')
    if (callee.templateArgs?.some((arg) => 'expr' in arg && isThreads(arg.expr, site.host))) return true;
  return (
    threads !== undefined &&
    threads > 2 &&
    fn.locals.nodes.some(
      (node) => (node.kind === 'number' || (node.kind === 'name' && !fn.local(node))) && isThreads(node, fn),
    )
  );
}

/** A kernel that knows nothing of its threads, or lets one of them do all its work. */
function isSetup(fn: Fn): boolean {
  const mayKnow = (node: AnySyntax): boolean =>
    node.kind === 'call'
      ? knowsThreads(node, fn)
      : node.kind === 'name'
        ? !fn.local(node) && isLanePlace(node.name)
        : node.kind === 'asm' || node.kind === 'opaque';
  if (!fn.locals.nodes.some(mayKnow)) return true;
  return (
    (fn.decl.body?.body ?? []).length > 0 &&
    fn.decl.body!.body.every((stmt, at, all) => {
      if (stmt.kind === 'decl') return stmt.vars.every((variable) => !variable.init || isArithmetic(variable.init, fn));
      if (stmt.kind === 'empty') return true;
      if (stmt.kind !== 'if' || stmt.else)
        return all.slice(0, at).some((before) => before.kind === 'if' && leavesButOne(before, fn));
      return (
        isLeader(stmt.cond, fn) ||
        leavesButOne(stmt, fn) ||
        all.slice(0, at).some((before) => before.kind === 'if' && leavesButOne(before, fn))
      );
    })
  );
}
function leavesButOne(stmt: Stmt, fn: Fn): boolean {
  if (stmt.kind !== 'if' || stmt.else) return false;
  const then = stmt.then.kind === 'block' ? stmt.then.body : [stmt.then];
  if (then.length !== 1 || then[0]!.kind !== 'return' || stmt.cond.kind !== 'binary' || !/^(!=|>)$/.test(stmt.cond.op))
    return false;
  return isLeader({ ...stmt.cond, op: '==' }, fn);
}
/** `threadIdx.x == 0 && blockIdx.x == 0`, or the global index equal to 0. */
function isLeader(cond: Expr, fn: Fn): boolean {
  if (cond.kind === 'binary' && cond.op === '&&') return isLeader(cond.left, fn) || isLeader(cond.right, fn);
  if (cond.kind !== 'binary' || cond.op !== '==') return false;
  const [left, right] = [fn.index(cond.left), fn.index(cond.right)];
  if (!left || !right?.equals(constantPolynomial(0))) return false;
  return left.equals(fixedPolynomial('threadIdx.x')) || left.equals(gridThread);
}

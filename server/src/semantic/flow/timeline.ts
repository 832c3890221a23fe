// The order of a host loop: its statements as an iteration runs them, with what each waits for, queues and gives back.
import type { CallExpr, Stmt } from '../../syntax/ast';
import { type AnySyntax, type Fn, isCalledInPlace, some, throws, walk } from '../language';
import { launchesIn, type HostLoop, type RuntimeCall } from './calls';
import { readsClock } from './callees';

/** A statement of an iteration, blocks opened, or a part of the loop's head. */
export interface Moment {
  readonly node: AnySyntax;
  /** Of the runtime, wherever they are in it. */
  readonly calls: readonly RuntimeCall[];
  /** Those that run whenever the statement does. */
  readonly always: readonly RuntimeCall[];
  readonly launches: boolean;
  readonly readsClock: boolean;
}

/** The moments of an iteration before and after the one of a call, each in the order in which they run. */
export interface Timeline {
  readonly before: readonly Moment[];
  readonly at: Moment;
  readonly after: readonly Moment[];
}

/** Undefined where the call is in no statement of the loop; it is left out of what the moments call. */
export function timelineAround(
  { call }: RuntimeCall,
  loop: HostLoop,
  calls: readonly RuntimeCall[],
  fn: Fn,
): Timeline | undefined {
  const nodes = nodesOf(loop);
  const own = nodes.findIndex((node) => fn.isInside(call, node));
  if (own < 0) return undefined;
  const moments = nodes.map((node): Moment => {
    const inside = calls.filter((one) => one.call !== call && fn.isInside(one.call, node));
    return {
      node,
      calls: inside,
      always: inside.filter((one) => one.loops[0] === loop && runsWith(one, node, fn)),
      launches: launchesIn(node, fn).length > 0,
      readsClock: some(node, (inner) => readsClock(inner, fn)),
    };
  });
  return { before: moments.slice(0, own), at: moments[own]!, after: moments.slice(own + 1) };
}

/** Does the host wait for the GPU by it? */
export function isWait({ category }: RuntimeCall): boolean {
  return category === 'synchronise' || category === 'copy';
}

/** Is the first of the moments for which `yes` or `no` holds one of `yes`? Undefined where there is none. */
export function comesFirst(
  moments: readonly Moment[],
  yes: (moment: Moment) => boolean,
  no: (moment: Moment) => boolean,
): boolean | undefined {
  const first = moments.find((moment) => yes(moment) || no(moment));
  return first && yes(first);
}

/** The statements of the body as they run, blocks opened, then what the head does before the next iteration. */
function nodesOf(loop: HostLoop): AnySyntax[] {
  const open = (stmt: Stmt): AnySyntax[] =>
    stmt.kind === 'block' ? stmt.body.flatMap(open) : stmt.kind === 'empty' ? [] : [stmt];
  const nodes = open(loop.body);
  if (loop.kind === 'for' && loop.step) nodes.push(loop.step);
  if (loop.kind !== 'rangeFor' && loop.cond) nodes.push(loop.cond);
  return nodes;
}

/**
 * Does the call run whenever its statement does: a plain call, wrapped or not (by a macro that makes a block of it,
 * too), or the condition of an `if`?
 */
function runsWith(call: RuntimeCall, node: AnySyntax, fn: Fn): boolean {
  if (call.statement === node) return true;
  // The macro's block is opened, so that its statements are the loop's.
  if (call.statement.kind === 'block' && node.kind === 'expr') return fn.isInside(call.call, node);
  return node.kind === 'if' && fn.isInside(call.call, node.cond);
}

/** Does the loop name one of the variables elsewhere than in these calls, or by code that is not known? */
export function isUsedIn(
  loop: HostLoop,
  names: ReadonlySet<string>,
  isLeftOut: (call: CallExpr) => boolean,
  fn: Fn,
): boolean {
  let used = false;
  walk(loop, (node) => {
    if (node.kind === 'call' && isLeftOut(node)) return false;
    if (node.kind === 'lambda' || node.kind === 'opaque') used ||= !isCalledInPlace(node, fn.locals) && !throws(node);
    if (node.kind === 'asm' || (node.kind === 'name' && names.has(node.name))) used = true;
    return !used;
  });
  return used;
}

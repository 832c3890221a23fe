// A copy to the host that each iteration overwrites, moved after its loop: what comes after it in an iteration may not
// change what it copies, and where the loop may not run at all neither does the copy.
import type { Stmt } from '../../syntax/ast';
import {
  type Fn,
  walk,
  type AnySyntax,
  asksForStatus,
  isPrinting,
  isValueFunction,
  counted,
  calledName,
} from '../language';
import { hasMacro, isProgramFunction } from '../program';
import { blockOf, isLoop, isTakenAlone, launchesIn, tripsOf, type HostLoop, type RuntimeCall } from './calls';
import { directionOf } from './directions';
import { isInvariantIn } from './hoist';
import { indentOf, type Moves, reindented, takeOut } from './moves';
import { placeOf } from './places';
import { readsClock, statusCheckOf } from './callees';

/** The edits, where the copy and its loop are of the form that moves; `calls` are all runtime calls of the function. */
export function copyBehind(
  copy: RuntimeCall,
  loop: HostLoop,
  calls: readonly RuntimeCall[],
  fn: Fn,
): Moves | undefined {
  if (!blockOf(loop, fn) || loop.macro || !isTakenAlone(copy, loop, fn) || loop.body.kind !== 'block') return undefined;
  // What checks a call for errors may leave for good: no one needs results then.
  const checks = new Set<AnySyntax>(calls.flatMap(({ wrapper, statement }) => (wrapper ? [statement] : [])));
  if (jumps(loop.body, checks)) return undefined;
  // Where it copies to, and how much, was found to stay (`isOverwritten`).
  if (!copy.call.args.slice(1).every((arg) => isInvariantIn(arg, loop, fn))) return undefined;
  const source = copy.call.args[1];
  const from = source && placeOf(source);
  if (!from) return undefined;
  const behind = loop.body.body.slice(loop.body.body.indexOf(copy.statement) + 1);
  if (behind.some((stmt) => mayChange(from, stmt, calls, fn))) return undefined;
  const guard = guardOf(loop, fn);
  if (guard === undefined) return undefined;
  const taken = takeOut(fn, copy.written);
  return {
    edits: [taken.edit],
    behind: { text: reindented(taken.text, indentOf(fn, copy.written.start) ?? '', ''), guard },
    title: 'Copy once, after the loop (errors appear later)',
    titleOfAll: 'Copy {count} results once, after the loop (errors appear later)',
  };
}

/** Can an iteration end the loop, or itself, on the way: is the last copy not that of the last iteration? */
function jumps(body: Stmt, checks: ReadonlySet<AnySyntax>): boolean {
  let found = false;
  const visit = (node: AnySyntax, inner: boolean): void =>
    walk(node, (at) => {
      if (checks.has(at)) return false;
      if (at !== node && isLoop(at)) {
        visit(at, true);
        return false;
      }
      if (at.kind === 'return' || at.kind === 'goto' || at.kind === 'label' || at.kind === 'lambda') found = true;
      if (!inner && (at.kind === 'break' || at.kind === 'continue')) found = true;
      return !found;
    });
  visit(body, false);
  return found;
}

/** May a statement after the copy change what it copies, or do what cannot be followed? */
function mayChange(from: string, stmt: Stmt, calls: readonly RuntimeCall[], fn: Fn): boolean {
  if (launchesIn(stmt, fn).length > 0) return true;
  let may = false;
  walk(stmt, (node) => {
    if (node.kind === 'asm' || node.kind === 'opaque' || node.kind === 'lambda') may = true;
    if (node.kind !== 'call' || may) return !may;
    const call = calls.find((one) => one.call === node);
    if (call) {
      const target = call.call.args[0] && placeOf(call.call.args[0]);
      const copies = call.name === 'cudaMemcpy' && directionOf(call, fn) === 'to-host';
      const frees = call.category === 'free' && target !== undefined && target !== from;
      may = !(copies || frees || call.category === 'synchronise' || /^cudaEvent/.test(call.name));
      return !may;
    }
    const name = calledName(node);
    may =
      !name ||
      !(
        statusCheckOf(node, fn) ||
        readsClock(node, fn) ||
        (!isProgramFunction(node, fn) &&
          (isPrinting(name) || isValueFunction(name) || asksForStatus(name) || name === 'count'))
      );
    return !may;
  });
  return may;
}

/** Whether the loop ran, as text after it; empty where it always does, undefined where that is unknown. */
function guardOf(loop: HostLoop, fn: Fn): string | undefined {
  if (loop.kind === 'do' || (tripsOf(loop, fn) ?? 0) > 0) return '';
  if (loop.kind !== 'for' || loop.init?.kind !== 'decl' || !loop.cond) return undefined;
  const { first, bound } = counted(loop) ?? {};
  if (!first || !bound) return undefined;
  const type = fn.types.resolve(loop.init.vars[0]!.type);
  const isCounted = type.kind === 'scalar' && !type.float && type.size >= 4;
  if (!isCounted || first.kind !== 'number' || !Number.isInteger(first.value)) return undefined;
  if (hasMacro(bound.end) || !isInvariantIn(bound.end, loop, fn)) return undefined;
  const end = fn.text(bound.end).trim();
  const isPlain = bound.end.kind === 'name' || bound.end.kind === 'number' || bound.end.kind === 'member';
  return `${fn.text(first).trim()} ${bound.op} ${isPlain ? end : `(${end})`}`;
}

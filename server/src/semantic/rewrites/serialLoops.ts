// Loops that few threads of a block run while the others wait, and whose iterations all of its threads could share.
import type { IfStmt, Stmt } from '../../syntax/ast';
import {
  type FunctionContext,
  calleeName,
  isInside,
  isConditionLoop,
  walk,
  type AnySyntax,
  dependsOnThread,
} from '../language';
import { isPureCall, rootOf } from '../program';
import { accumulatorsOf } from './rowWarps/accumulators';
import { walkingLoopOf } from './rowWarps/loops';
import { hinderedByMemory, type MemoryWrite } from './rowWarps/memory';

/** Whether threads may share the iterations, and the loop adds up what they would have to combine. */
interface SharedIterations {
  readonly combines: boolean;
}

/** Undefined where an iteration may need another one, or the other threads have work until they meet. */
export function sharedIterationsOf(context: FunctionContext, loop: Stmt): SharedIterations | undefined {
  const walking = walkingLoopOf(loop, context);
  if (!walking || !othersWait(loop, context)) return undefined;
  const accumulators = accumulatorsOf(walking, context);
  const writes = writesIn(loop, context);
  if (typeof accumulators === 'string' || !writes) return undefined;
  if (hinderedByMemory(walking, writes, [], context)) return undefined;
  return accumulators.length + writes.length > 0 ? { combines: accumulators.length > 0 } : undefined;
}

/** What a loop writes to memory; undefined where a call may write, or a place has no name. */
function writesIn(loop: Stmt, context: FunctionContext): MemoryWrite[] | undefined {
  const writes: MemoryWrite[] = [];
  let known = true;
  walk(loop, (node) => {
    if (node.kind === 'call') known &&= isPureCall(node, context);
    const target = node.kind === 'assign' ? node.target : node.kind === 'update' ? node.operand : undefined;
    if (!target || target.kind === 'name') return known;
    const root = rootOf(target, context.locals);
    const statement = context.locals.parent(node);
    if (root === undefined || statement?.kind !== 'expr') known = false;
    else if (typeof root === 'string' || !root.variable || !isInside(root.variable, loop, context.locals))
      writes.push({ statement, target, root, atomic: false });
    return known;
  });
  return known ? writes : undefined;
}

/** Whether the threads outside of the condition around the loop come to a barrier next, or to the end of the kernel. */
function othersWait(loop: Stmt, context: FunctionContext): boolean {
  const { fn } = context;
  let below: AnySyntax = loop;
  let guard: IfStmt | undefined;
  for (let at = context.locals.parent(loop); at; below = at, at = context.locals.parent(at)) {
    if (!guard) {
      if (at.kind !== 'if' || !dependsOnThread(at.cond, fn)) continue;
      if (at.else || at.then !== below) return false;
      guard = at;
      continue;
    }
    if (at === fn.body || at.kind === 'block') {
      const list: readonly Stmt[] = (at as Stmt & { kind: 'block' }).body;
      const next = isMet(list.slice(list.indexOf(below as Stmt) + 1), context);
      if (next !== undefined || at === fn.body) return next ?? fn.global;
    } else if (isConditionLoop(at)) {
      const { body } = at;
      if (body.kind !== 'block') return false;
      return (
        isMet(
          body.body.slice(
            0,
            body.body.findIndex((stmt) => isInside(loop, stmt, context.locals)),
          ),
          context,
        ) === true
      );
    } else if (at.kind !== 'if') return false;
  }
  // Without a condition the others have returned.
  return !guard && fn.global;
}

/** Whether a barrier comes before other work; undefined where neither comes. */
function isMet(list: readonly Stmt[], { program }: FunctionContext): boolean | undefined {
  for (const stmt of list) {
    let [met, works] = [false, false];
    walk(stmt, (node) => {
      if (node.kind === 'call') {
        const name = node.callee.kind === 'member' ? node.callee.field : (calleeName(node) ?? '');
        if (/^(?:__sync(?:threads|warp)|sync$)/.test(name)) met = true;
        else if (program.functions(name).length > 0) works = true;
      }
      met ||= node.kind === 'return';
      works ||= isConditionLoop(node);
      return !met;
    });
    if (met) return true;
    if (works) return false;
  }
  return undefined;
}

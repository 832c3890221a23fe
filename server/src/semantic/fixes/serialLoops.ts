// Loops that few threads of a block run while the others wait, and whose iterations all of its threads could share.
import type { IfStmt, Stmt } from '../../syntax/ast';
import { type Fn, calleeName, isConditionLoop, walk, type AnySyntax, dependsOnThread } from '../language';
import { isPureCall, rootOf } from '../program';
import { accumulatorsOf } from './rowWarps/accumulators';
import { walkingLoopOf } from './rowWarps/loops';
import { hinderedByMemory, type MemoryWrite } from './rowWarps/memory';

/** Whether threads may share the iterations, and the loop adds up what they would have to combine. */
interface SharedIterations {
  readonly combines: boolean;
}

/** Undefined where an iteration may need another one, or the other threads have work until they meet. */
export function sharedIterationsOf(fn: Fn, loop: Stmt): SharedIterations | undefined {
  const walking = walkingLoopOf(loop, fn);
  if (!walking || !othersWait(loop, fn)) return undefined;
  const accumulators = accumulatorsOf(walking, fn);
  const writes = writesIn(loop, fn);
  if (typeof accumulators === 'string' || !writes) return undefined;
  if (hinderedByMemory(walking, writes, [], fn)) return undefined;
  return accumulators.length + writes.length > 0 ? { combines: accumulators.length > 0 } : undefined;
}

/** What a loop writes to memory; undefined where a call may write, or a place has no name. */
function writesIn(loop: Stmt, fn: Fn): MemoryWrite[] | undefined {
  const writes: MemoryWrite[] = [];
  let known = true;
  walk(loop, (node) => {
    if (node.kind === 'call') known &&= isPureCall(node, fn);
    const target = node.kind === 'assign' ? node.target : node.kind === 'update' ? node.operand : undefined;
    if (!target || target.kind === 'name') return known;
    const root = rootOf(target, fn.locals);
    const statement = fn.parent(node);
    if (root === undefined || statement?.kind !== 'expr') known = false;
    else if (typeof root === 'string' || !root.variable || !fn.isInside(root.variable, loop))
      writes.push({ statement, target, root, atomic: false });
    return known;
  });
  return known ? writes : undefined;
}

/** Whether the threads outside of the condition around the loop come to a barrier next, or to the end of the kernel. */
function othersWait(loop: Stmt, fn: Fn): boolean {
  let below: AnySyntax = loop;
  let guard: IfStmt | undefined;
  for (let at = fn.parent(loop); at; below = at, at = fn.parent(at)) {
    if (!guard) {
      if (at.kind !== 'if' || !dependsOnThread(at.cond, fn.decl)) continue;
      if (at.else || at.then !== below) return false;
      guard = at;
      continue;
    }
    if (at === fn.decl.body || at.kind === 'block') {
      const list: readonly Stmt[] = (at as Stmt & { kind: 'block' }).body;
      const next = isMet(list.slice(list.indexOf(below as Stmt) + 1), fn);
      if (next !== undefined || at === fn.decl.body) return next ?? fn.decl.global;
    } else if (isConditionLoop(at)) {
      const { body } = at;
      if (body.kind !== 'block') return false;
      return (
        isMet(
          body.body.slice(
            0,
            body.body.findIndex((stmt) => fn.isInside(loop, stmt)),
          ),
          fn,
        ) === true
      );
    } else if (at.kind !== 'if') return false;
  }
  // Without a condition the others have returned.
  return !guard && fn.decl.global;
}

/** Whether a barrier comes before other work; undefined where neither comes. */
function isMet(list: readonly Stmt[], { program }: Fn): boolean | undefined {
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

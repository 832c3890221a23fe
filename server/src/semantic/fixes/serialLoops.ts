// Loops that few threads of a block run while the others wait, and whose iterations all of its threads could share.
import type { Expr, IfStmt, Stmt } from '../../syntax/ast';
import {
  type AnySyntax,
  atomName,
  calleeName,
  dependsOnThread,
  type Fn,
  isConditionLoop,
  sameExpr,
  some,
  walk,
} from '../language';
import { isOwn, isPureCall, mayOverlap, type Root, rootOf } from '../program';
import { accumulatorsOf } from './iterations/accumulators';
import { steppedLoopOf, type SteppedLoop } from './iterations/loops';
import { hinderedByMemory, type MemoryWrite, reachesIn } from './iterations/memory';

/** Whether threads may share the iterations, and the loop adds up what they would have to combine. */
interface SharedIterations {
  readonly combines: boolean;
}

/** Undefined where an iteration may need another one, or the other threads have work until they meet. */
export function sharedIterationsOf(fn: Fn, loop: Stmt): SharedIterations | undefined {
  const stepped = steppedLoopOf(loop, fn);
  if (!stepped || !othersWait(loop, fn)) return undefined;
  const accumulators = accumulatorsOf(stepped, fn);
  const writes = writesIn(loop, fn);
  if (typeof accumulators === 'string' || !writes) return undefined;
  const sums = writes.filter((write) => isSum(write, stepped, fn));
  const others = writes.filter((write) => !sums.includes(write));
  if (hinderedByMemory(stepped, others, [], fn)) return undefined;
  return accumulators.length + writes.length > 0 ? { combines: accumulators.length + sums.length > 0 } : undefined;
}

/** `sum[0] += x[k]`: each iteration only adds to one place, and reads other elements of its array by its own number. */
function isSum({ statement: { expr }, target, root }: MemoryWrite, { loop, variable }: SteppedLoop, fn: Fn): boolean {
  if (expr.kind !== 'assign') return false;
  const { op, value } = expr;
  const moves = some(target, (node) => {
    const local = node.kind === 'name' ? fn.local(node) : undefined;
    return local?.writes.some((write) => fn.isInside(write.node, loop)) ?? false;
  });
  const sides = value.kind === 'binary' && /^[+*&|^]$/.test(value.op) ? [value.left, value.right] : [];
  const itself = op === '=' ? sides.find((side) => sameExpr(side, target)) : undefined;
  if (moves || !(itself ?? /^[-+*&|^]=$/.test(op))) return false;
  const atom = atomName(variable, fn.locals);
  return reachesIn(loop).every((node) => {
    const reach = node as Expr;
    if (reach === target || reach === itself || isOwn(reach, fn)) return true;
    const other = arrayOf(reach, fn);
    if (other !== undefined && !mayOverlap(other, root, [], fn)) return true;
    return reach.kind === 'index' && !!fn.index(reach.index)?.split(atom)?.factor.number;
  });
}

/** A shared array is known by its declaration. */
function arrayOf(place: Expr, fn: Fn): Root | undefined {
  let base = place;
  while (base.kind === 'index') base = base.base;
  const local = base.kind === 'name' ? fn.local(base) : undefined;
  return local?.variable?.space === 'shared' ? local : rootOf(place, fn.locals);
}

/** What a loop writes to memory; undefined where a call may write, or a place has no name. */
function writesIn(loop: Stmt, fn: Fn): MemoryWrite[] | undefined {
  const writes: MemoryWrite[] = [];
  let known = true;
  walk(loop, (node) => {
    if (node.kind === 'call') known &&= isPureCall(node, fn);
    const target = node.kind === 'assign' ? node.target : node.kind === 'update' ? node.operand : undefined;
    if (!target || target.kind === 'name') return known;
    const root = arrayOf(target, fn);
    const statement = fn.parent(node);
    if (root === undefined || statement?.kind !== 'expr') known = false;
    else if (typeof root === 'string' || !root.variable || !fn.isInside(root.variable, loop))
      writes.push({ statement, target, root, atomic: false });
    return known;
  });
  return known ? writes : undefined;
}

/** Whether the threads outside of the condition around the loop come to a barrier next, or to the end of the kernel. */
function othersWait(loop: AnySyntax, fn: Fn): boolean {
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
  // Without a condition the others have returned, or do not call the function.
  if (guard || fn.decl.global) return !guard;
  const sites = fn.callSites ?? [];
  return sites.length > 0 && sites.every(({ caller, args }) => isCallAwaited(args, fn.of(caller)));
}

function isCallAwaited(args: readonly Expr[], caller: Fn): boolean {
  const call = caller.locals.nodes.find((node) => node.kind === 'call' && node.args === args);
  return call !== undefined && othersWait(call, caller);
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

// What a kernel writes to memory, and which arrays may be one: where one lane has to write for its warp, and where the
// lanes have to meet before and after.
import type { CallExpr, Expr, ExprStmt, IndexExpr } from '../../../syntax/ast';
import {
  walk,
  type AnySyntax,
  reachesMemory,
  type Fn,
  type LaunchSite,
  calleeName,
  sameExpr,
  isOrderlessAtomic,
} from '../../language';
import type { SteppedLoop } from './loops';
import { hidesEffects, isOwn, isPure, isPureCall, mayOverlap, rootOf, separation, type Root } from '../../program';

/** A statement that writes to memory, and the array as far as its name tells. */
export interface MemoryWrite {
  readonly statement: ExprStmt;
  readonly target: Expr;
  readonly root: Root;
  readonly atomic: boolean;
}

/** Printed values go nowhere that the kernel reads. */
export const printed = '(printed)';

/** All writes of the kernel to memory; a sentence where one is hidden in what cannot be analysed. */
export function memoryWritesOf(fn: Fn): readonly MemoryWrite[] | string {
  const writes: MemoryWrite[] = [];
  for (const node of fn.locals.nodes) {
    if (hidesEffects(node)) return 'it contains code that cannot be analysed';
    switch (node.kind) {
      case 'goto':
      case 'label':
        return 'it contains code that cannot be analysed';
      case 'var':
        if (node.space !== 'none' || node.storage) return 'its threads use shared memory';
        if (node.type.kind === 'reference') return 'it contains a reference to unknown memory';
        break;
      case 'unary': {
        // An address may be written through later.
        if (node.op !== '&') break;
        const call = fn.parent(node);
        const target = node.operand;
        if (call?.kind === 'call' && /^(atomic\w+|__ldg)$/.test(calleeName(call) ?? '') && call.args[0] === node) break;
        const pointer = call?.kind === 'var' && call.type.kind === 'pointer';
        if (pointer && target.kind === 'index' && rootOf(target, fn.locals) !== undefined) break;
        return 'it takes the address of a value';
      }
      case 'call': {
        const name = calleeName(node);
        if (name?.startsWith('atomic')) {
          const statement = fn.parent(node);
          const target = node.args[0];
          const root = target && rootOf(target, fn.locals);
          if (statement?.kind !== 'expr' || root === undefined || !isOrderlessAtomic(name))
            return `\`${name}\` gives a thread the value of another thread`;
          writes.push({ statement, target: target!, root, atomic: true });
          break;
        }
        const statement = fn.parent(node);
        const isPrint = name === 'printf' && statement?.kind === 'expr' && !node.macro;
        if (isPrint && node.args.every((arg) => isPrinted(arg, fn))) {
          writes.push({ statement, target: node, root: printed, atomic: false });
          break;
        }
        if (!isHarmless(node, fn)) return `\`${name ?? 'a call'}\` may have side effects`;
        break;
      }
      case 'assign':
      case 'update': {
        const target = node.kind === 'assign' ? node.target : node.operand;
        if (isOwn(target, fn)) break;
        const statement = fn.parent(node);
        const root = rootOf(target, fn.locals);
        if (statement?.kind !== 'expr' || root === undefined || statement.macro)
          return 'it writes through an expression that cannot be analysed';
        writes.push({ statement, target, root, atomic: false });
        break;
      }
      default:
        break;
    }
  }
  return writes;
}

/** Only reads and computes; the text of what is printed is a constant. */
function isPrinted(arg: Expr, fn: Fn): boolean {
  return arg.kind === 'string' || isPure(arg, fn);
}

function isHarmless(call: CallExpr, fn: Fn): boolean {
  return isPureCall(call, fn) || calleeName(call) === '__builtin_assume';
}

/** Places outside of `except` that reach into the array, or through a moving pointer into unknown memory. */
export function readsOf(root: Root, except: AnySyntax, fn: Fn): readonly AnySyntax[] {
  return fn.locals.nodes.filter(
    (node) =>
      reachesMemory(node) &&
      !fn.isInside(node, except) &&
      !isOwn(node, fn) &&
      (rootOf(node, fn.locals) ?? root) === root,
  );
}

/** Why the iterations of a loop may not be dealt to lanes for what they write to memory; undefined where they may. */
export function hinderedByMemory(
  { loop, variable }: SteppedLoop,
  writes: readonly MemoryWrite[],
  sites: readonly LaunchSite[],
  fn: Fn,
): string | undefined {
  for (const write of writes) {
    if (!fn.isInside(write.statement, loop)) continue;
    const name = typeof write.root === 'string' ? write.root : write.root.name;
    const others = reachesIn(loop).filter((node) => {
      const root = rootOf(node as Expr, fn.locals);
      return !isOwn(node as Expr, fn) && (root === undefined || mayOverlap(root, write.root, sites, fn));
    });
    if (write.atomic) {
      if (others.some((node) => !isInsideAtomic(node, fn))) return `\`${name}\` is also used without an atomic`;
      continue;
    }
    if (write.target.kind !== 'index') return `\`${name}\` is not only written by subscript`;
    const indices = [];
    for (const node of others) {
      // Through another pointer to the same memory it is unknown which elements meet.
      if (node.kind !== 'index' || !sameExpr(node.base, write.target.base))
        return `\`${name}\` may be both read and written`;
      const index = fn.index((node as IndexExpr).index);
      if (!index) return `the index of \`${name}\` cannot be analysed`;
      indices.push(index);
    }
    const problem = separation(indices, variable, fn.locals);
    if (problem) return `\`${name}\` ${problem}`;
  }
  return undefined;
}

export function reachesIn(loop: AnySyntax): readonly AnySyntax[] {
  const found: AnySyntax[] = [];
  walk(loop, (node) => {
    if (reachesMemory(node)) {
      found.push(node);
      // `a[i][j]` is one reach; what is in the index is another.
      if (node.kind === 'index')
        walk(node.index, (inner) => {
          if (reachesMemory(inner)) found.push(inner);
        });
      return false;
    }
    return undefined;
  });
  return [...new Set(found)];
}

function isInsideAtomic(node: AnySyntax, fn: Fn): boolean {
  for (let at: AnySyntax | undefined = node; at; at = fn.parent(at))
    if (at.kind === 'call' && /^atomic/.test(calleeName(at) ?? '')) return true;
  return false;
}

// What blocks write and the last one reads behind an atomic, with no fence between the write and the atomic.
import type { CallExpr, Expr, Stmt } from '../../syntax/ast';
import { ancestorsOf, type AnySyntax, calleeName, dependsOnBlock, localsOf, sameExpr } from '../language';
import { Taint, type AccessRecord, type RunResult, type Signal, type TracedAccess, type TraceEvent } from '../run';

/** A read of what other blocks wrote, and the atomic by which its block knows that they have. */
export interface UnfencedRead {
  readonly store: TracedAccess;
  readonly load: AccessRecord;
  readonly atomic: Signal;
  /** The statement of a block that the fence goes before. */
  readonly before: Stmt | undefined;
}

/**
 * Reads behind an atomic whose old value is looked at, of places that do not depend on the block, in an array in which
 * each block has written another place, where no fence lies between the write and the atomic (CUDA C++
 * Programming Guide, "Memory Fence Functions").
 */
export function findUnfencedReads({ global, accesses }: RunResult, isOneBlock: boolean): UnfencedRead[] {
  const at = global.findIndex((event) => event.kind === 'signal' && isLookedAt(event));
  const atomic = global[at];
  if (atomic?.kind !== 'signal') return [];
  const before = global.slice(0, at);
  const mayOrder = (event: TraceEvent): boolean =>
    event.kind === 'signal' ? isOfGrid(event, isOneBlock) : event.kind === 'gap' && !event.isOfArm;
  const loads = [...accesses.values()].flat();
  const found = new Map<unknown, UnfencedRead>();
  for (const store of before.slice(before.findLastIndex(mayOrder) + 1)) {
    if (store.kind !== 'access' || store.mode !== 'store' || store.isShadow || !(store.taint & Taint.block)) continue;
    const load = loads.find((each) => readsOthers(each, store, atomic));
    if (load && !found.has(store.base)) found.set(store.base, { store, load, atomic, before: statementOf(atomic) });
  }
  return [...found.values()];
}

/** A write behind a lock, and the atomic that opens it with no fence between the two. */
export interface UnfencedRelease {
  readonly store: TracedAccess;
  readonly release: Signal;
  readonly before: Stmt | undefined;
}

/**
 * Writes behind a lock (`while (atomicCAS(&lock, 0, 1) != 0);`), at places that all threads share, where neither a
 * fence nor a barrier lies between the write and the atomic that opens the lock: the next thread may not see them.
 */
export function findUnfencedReleases({ global }: RunResult, isOneBlock: boolean): UnfencedRelease[] {
  const found: UnfencedRelease[] = [];
  global.forEach((event, at) => {
    const lock = event.kind === 'signal' && isExchange(event) ? lockOf(event) : undefined;
    if (!lock || isLookedAt(event as Signal)) return;
    const isAcquire = (each: TraceEvent): boolean =>
      each.kind === 'signal' && isExchange(each) && isLookedAt(each) && sameExpr(lockOf(each)!, lock);
    const from = global.slice(0, at).findLastIndex(isAcquire);
    const behind = from < 0 ? [] : global.slice(from + 1, at);
    // The number of iterations of the loop that takes the lock is not known.
    const held = behind.slice(behind.findIndex(({ kind }) => kind !== 'iteration' && kind !== 'signal'));
    if (held.slice(1).some(({ kind }) => kind === 'gap')) return;
    const orders = (each: TraceEvent): boolean =>
      each.kind === 'meeting' || (each.kind === 'signal' && each.by === 'fence' && isOfGrid(each, isOneBlock));
    const store = held
      .slice(held.findLastIndex(orders) + 1)
      .find((each) => each.kind === 'access' && each.mode === 'store' && isOfAllBlocks(each));
    if (store?.kind !== 'access' || found.some(({ release }) => release.node === (event as Signal).node)) return;
    found.push({ store, release: event as Signal, before: statementOf(event as Signal) });
  });
  return found;
}

const isOfAllBlocks = ({ taint, base, node, fn }: TracedAccess): boolean =>
  !(taint & (Taint.block | Taint.thread)) && base.space === 'global' && !dependsOnBlock(node as Expr, fn);

/** Does it order what threads of other blocks see, where there are any? */
function isOfGrid({ node }: Signal, isOneBlock: boolean): boolean {
  return isOneBlock || !isOfBlock(node as Expr);
}
/** A fence or an atomic that orders the threads of one block alone. */
export function isOfBlock(node: Expr): boolean {
  return node.kind === 'call' && /_block$/.test(calleeName(node) ?? '');
}

function isExchange({ by, node }: Signal): boolean {
  return by === 'atomic' && /^atomic(?:Exch|CAS)/.test(calleeName(node as CallExpr) ?? '');
}
const lockOf = ({ node }: Signal): Expr | undefined => (node as CallExpr).args[0];

/** Is the old value of an atomic looked at? */
export function isLookedAt({ by, fn, node }: Signal): boolean {
  return by === 'atomic' && localsOf(fn).parent(node as Expr)?.kind !== 'expr';
}

function readsOthers(load: AccessRecord, { base, fn }: TracedAccess, atomic: Signal): boolean {
  const isBehind = load.fn === fn && load.fn === atomic.fn && load.node.start > atomic.node.end;
  return isBehind && load.mode === 'load' && load.base === base && !dependsOnBlock(load.node as Expr, fn);
}

function statementOf({ fn, node }: Signal): Stmt | undefined {
  const locals = localsOf(fn);
  const around = [node as AnySyntax, ...ancestorsOf(node as AnySyntax, locals)];
  return around.find((at): at is Stmt => locals.parent(at)?.kind === 'block');
}

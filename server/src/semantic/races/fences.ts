// What blocks write and the last one reads behind an atomic, with no fence between the write and the atomic.
import type { Expr, Stmt } from '../../syntax/ast';
import { dependsOnBlock, localsOf } from '../language';
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
export function findUnfencedReads({ global, accesses }: RunResult): UnfencedRead[] {
  const at = global.findIndex((event) => event.kind === 'signal' && isLookedAt(event));
  const atomic = global[at];
  if (atomic?.kind !== 'signal') return [];
  const before = global.slice(0, at);
  const mayOrder = (event: TraceEvent): boolean => event.kind === 'signal' || (event.kind === 'gap' && !event.isOfArm);
  const loads = [...accesses.values()].flat();
  const found = new Map<unknown, UnfencedRead>();
  for (const store of before.slice(before.findLastIndex(mayOrder) + 1)) {
    if (store.kind !== 'access' || store.mode !== 'store' || store.isShadow || !(store.taint & Taint.block)) continue;
    const load = loads.find((each) => readsOthers(each, store, atomic));
    if (load && !found.has(store.base)) found.set(store.base, { store, load, atomic, before: statementOf(atomic) });
  }
  return [...found.values()];
}

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
  let at = node as Parameters<typeof locals.parent>[0];
  for (;;) {
    const outer = locals.parent(at);
    if (!outer) return undefined;
    if (outer.kind === 'block') return at as Stmt;
    at = outer;
  }
}

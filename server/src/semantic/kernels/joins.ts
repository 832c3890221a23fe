// Joins what the runs of one kernel under several launches recorded of its branches and barriers.
import type { Expr, Node } from '../../syntax/ast';
import type { BarrierRecord, BranchRecord, RunResult } from '../run';

export function joinBranches(into: Map<Expr, BranchRecord>, result: RunResult): void {
  for (const [cond, record] of result.branches) {
    const known = into.get(cond);
    if (!known) {
      into.set(cond, { ...record });
      continue;
    }
    for (const name of ['warps', 'splits', 'thenBefore', 'thenActive', 'elseBefore', 'elseActive'] as const)
      known[name] += record[name];
    known.taint |= record.taint;
    known.variesInWarp ||= record.variesInWarp;
    known.variesInBlock ||= record.variesInBlock;
    known.uncertain ||= record.uncertain;
    known.comparesLanes ||= record.comparesLanes;
    known.mostLanes = Math.max(known.mostLanes, record.mostLanes);
    known.mostThreads = Math.max(known.mostThreads, record.mostThreads);
  }
}

/** `isExact`: the launch gives the block, so that lanes are those of the program. */
export function joinBarriers(into: Map<Node, BarrierRecord>, result: RunResult, isExact: boolean): void {
  for (const [node, { fault, ...others }] of result.barriers) {
    const record: BarrierRecord = { ...others, ...(fault && isExact ? { fault } : {}) };
    const known = into.get(node);
    if (!known) {
      into.set(node, { ...record });
      continue;
    }
    if (record.under) known.under ??= record.under;
    if (record.afterReturn) known.afterReturn ??= record.afterReturn;
    if (record.fault) known.fault ??= record.fault;
    known.proven ||= record.proven;
  }
}

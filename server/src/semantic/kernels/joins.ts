// Joins what the runs of one kernel under several launches recorded of its accesses, branches and barriers.
import type { Expr, FunctionDecl, Node } from '../../syntax/ast';
import type { Type } from '../language';
import { emptySums, emptyTally } from '../run';
import type { AccessRecord, AccessSums, AccessTally, BarrierRecord, BranchRecord, RunResult } from '../run';

export interface AccessSummary extends AccessTally {
  /** Of the first run that saw it; for names, loops, samples. */
  readonly record: AccessRecord;
  readonly sums: AccessSums;
  byData: boolean;
  /** The figure is another for other blocks of whole warps, and no known code fixes the block. */
  hangsOnBlock: boolean;
  /** Types taken for template parameters, and the least ratio that the place has under those that fit. */
  readonly candidate?: ReadonlyMap<string, Type>;
  leastOfTypes?: number;
  /** Its least and most ratio under one launch. */
  readonly ofLaunches: { least: number; most: number };
}
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

/** Sectors or wavefronts against their ideal. */
function ratioOf(sums: AccessSums): number {
  return (sums.sectors + sums.wavefronts) / Math.max(1e-9, sums.sectorsIdeal + sums.wavefrontsIdeal);
}

function matches(summary: AccessSummary, record: AccessRecord, kernel: FunctionDecl): boolean {
  const { mode, space, bytes, via } = summary.record;
  if (mode !== record.mode || space !== record.space || bytes !== record.bytes) return false;
  return record.fn.uri === kernel.uri || via === record.via;
}

export function joinAccesses(
  into: Map<Node, AccessSummary[]>,
  result: RunResult,
  kernel: FunctionDecl,
  candidate: AccessSummary['candidate'],
): void {
  for (const [node, records] of result.accesses) {
    const list = into.get(node) ?? [];
    into.set(node, list);
    const before = new Map(list.map((each) => [each, { ...each.sums }]));
    for (const record of records.filter(({ sample, warps }) => !sample || warps > 0)) {
      let summary = list.find((each) => matches(each, record, kernel));
      if (summary?.shadow && !record.shadow) {
        list.splice(list.indexOf(summary), 1);
        summary = undefined;
      }
      if (summary && !summary.shadow && record.shadow) continue;
      if (!summary) {
        summary = {
          record,
          sums: emptySums(),
          ...emptyTally(record.shadow),
          byData: false,
          hangsOnBlock: false,
          ofLaunches: { least: Infinity, most: 0 },
          ...(candidate ? { candidate } : {}),
        };
        list.push(summary);
      }
      addRecord(summary, record);
      if (candidate) {
        const least = Math.min(ratioOf(record), ...list.map(({ leastOfTypes = Infinity }) => leastOfTypes));
        for (const each of list) each.leastOfTypes = least;
      }
    }
    for (const each of list) noteLaunch(each, before.get(each) ?? emptySums());
  }
}

/** What one launch added to the sums since `before`. */
function noteLaunch({ sums, shadow, candidate, ofLaunches }: AccessSummary, before: AccessSums): void {
  const ideal = sums.sectorsIdeal + sums.wavefrontsIdeal - before.sectorsIdeal - before.wavefrontsIdeal;
  if (shadow || candidate || ideal <= 0) return;
  const ratio = (sums.sectors + sums.wavefronts - before.sectors - before.wavefronts) / ideal;
  ofLaunches.least = Math.min(ofLaunches.least, ratio);
  ofLaunches.most = Math.max(ofLaunches.most, ratio);
}

function addRecord(summary: AccessSummary, record: AccessRecord): void {
  const { sums, hangs } = summary;
  for (const name of ['sectors', 'sectorsIdeal', 'wavefronts', 'wavefrontsIdeal', 'warps', 'lanes'] as const)
    sums[name] += record[name];
  summary.taint |= record.taint;
  if (record.byData) summary.byData = true;
  if (record.again) summary.again = true;
  summary.kept = Math.min(summary.kept, record.mergedBytes ? 0 : record.kept);
  if (record.shadowOfSome) summary.shadowOfSome = true;
  summary.stride = summary.stride === undefined || summary.stride === record.stride ? record.stride : null;
  summary.worst = Math.max(summary.worst, record.worst);
  summary.best = Math.min(summary.best, record.best);
  summary.mergedBytes = Math.max(summary.mergedBytes, record.mergedBytes);
  for (const name of record.hangs.strides) hangs.strides.add(name);
  hangs.least += record.hangs.least;
  hangs.leastIdeal += record.hangs.leastIdeal;
  hangs.walks ||= record.hangs.walks;
  if (record.hangs.acrossBlocks) hangs.acrossBlocks = true;
  if (record.hangs.byBlock) hangs.byBlock = true;
  hangs.lost ||= record.hangs.lost;
  hangs.open ||= record.hangs.open;
  hangs.offEdge += record.hangs.offEdge;
  if (!hangs.sample && record.hangs.sample) hangs.sample = record.hangs.sample;
}

/** Which accesses cost otherwise under another block: without a run, those that differ between lanes may. */
export function markBlockChanges(
  into: Map<Node, AccessSummary[]>,
  result: RunResult,
  other: RunResult | undefined,
  kernel: FunctionDecl,
): void {
  for (const [node, records] of result.accesses) {
    for (const record of records) {
      const summary = into.get(node)?.find((each) => matches(each, record, kernel));
      if (!summary || summary.hangsOnBlock) continue;
      const { mode, bytes, space, base } = record;
      const alike = other?.accesses.get(node)?.filter((each) => each.mode === mode && each.bytes === bytes);
      const its = alike?.find((each) => each.space === space && each.base.name === base.name);
      summary.hangsOnBlock = its
        ? Math.abs(ratioOf(its) - ratioOf(record)) > 0.01 * ratioOf(record) ||
          Math.abs(its.lanes / its.warps - record.lanes / record.warps) > 0.5
        : record.stride !== 0;
    }
  }
}

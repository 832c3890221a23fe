// Writes down what the warps of a run do: accesses with their sectors and wavefronts, branches, barriers.
import { isOfCall } from './state';
import { sharedByArms } from './arms';
import type { Expr, FunctionDecl, Node, Stmt } from '../../syntax/ast';
import { alignOf, sizeOf } from '../language';
import type { LostReason, UnreadRecord } from './losses';
import { countAccess } from './count';
import { add, variesInBlock, variesInWarp, type Lanes, type Mask } from './lanes';
import { mayMerge, mergedCounts, unrolled } from './stretches';
import { emptySums, emptyTally } from './records';
import type { Unknown } from './unknowns';
import { jumpedUnder } from './exits';
import { createRepeats, meetsEach } from './repeats';
import { createSharedTrace } from './sharedTrace';
import {
  Taint,
  uncertain,
  type AccessRecord,
  type BarrierRecord,
  type BranchRecord,
  type Condition,
  type Frame,
  type LoopChain,
  type LoopSeen,
  type MemoryPlace,
  type Path,
  type PendingCount,
  type Recorder,
  type Run,
  type Value,
  type WarpFault,
} from './values';
import { comparesLanes } from './variance';

function copyOf(record: AccessRecord | BranchRecord | BarrierRecord): object {
  return 'hangs' in record
    ? { ...record, hangs: { ...record.hangs, strides: new Set(record.hangs.strides) } }
    : { ...record };
}
function putBack(record: object, copy: object): void {
  for (const name of Object.keys(record)) if (!(name in copy)) delete (record as Record<string, unknown>)[name];
  Object.assign(record, copy);
}

/** More kinds of one access than these are not distinguished. */
const mostRecordsOfNode = 12;
/** Accesses of straight code that are looked at together. */
const longestStretch = 1024;

const ofData = Taint.loaded | Taint.loadedUniform | Taint.hash | Taint.maybe | Taint.chosen | Taint.assumed;

export function createRecorder(run: Run): Recorder {
  const { setup } = run;
  const shared = createSharedTrace(!setup.host && setup.races === true);
  const repeats = createRepeats(run);
  let stretch: PendingCount[] = [];
  const inArms: PendingCount[][] = [];
  const accesses = new Map<Node, AccessRecord[]>();
  const branches = new Map<Expr, BranchRecord>();
  const barriers = new Map<Node, BarrierRecord>();
  const unread = new Map<Node, UnreadRecord>();

  const journals: ReturnType<typeof journal>[] = [];
  let flushes = 0;
  function touch(record: AccessRecord | BranchRecord | BarrierRecord): void {
    const last = journals.at(-1);
    if (last && !last.before.has(record) && !last.added.has(record)) last.before.set(record, copyOf(record));
  }
  function count(piece: PendingCount): void {
    touch(piece.record);
    countAccess(run, piece);
  }

  function recordOf(
    place: MemoryPlace,
    mode: AccessRecord['mode'],
    path: Path,
    frame: Frame,
    node: Expr,
    width: number | undefined,
  ): AccessRecord | undefined {
    const { base, type } = place;
    const size = width ?? sizeOf(type) ?? 4;
    // One machine instruction moves at most 16 bytes, and no more than the type's alignment allows.
    const unit = width ?? Math.min(size, 16, type.kind === 'struct' ? alignOf(type) : size);
    const pieces = Math.min(16, Math.max(1, Math.ceil(size / unit)));
    let list = accesses.get(node);
    if (!list) {
      list = [];
      accesses.set(node, list);
    }
    const shadow = path.shadow > 0;
    // What a header's function does is reported at each call of it.
    const via = frame.fn.uri === setup.fn.uri ? undefined : frame.via;
    let record = list.find(
      (each) =>
        each.mode === mode &&
        each.base === base &&
        each.bytes === unit &&
        each.shadow === shadow &&
        (via === undefined || each.via === via),
    );
    if (!record) {
      if (list.length > mostRecordsOfNode) return undefined;
      record = {
        node,
        expr: node,
        fn: frame.fn,
        space: base.space,
        mode,
        base,
        type,
        bytes: unit,
        pieces,
        loops: loopsOf(path.loops),
        ...(frame.via ? { via: frame.via } : {}),
        ...emptySums(),
        ...emptyTally(shadow),
        sample: undefined,
        byData: 0,
      };
      list.push(record);
      noteAdded(record, () => list.splice(list.indexOf(record!), 1));
    }
    return record;
  }

  function access(
    place: MemoryPlace,
    mode: AccessRecord['mode'],
    path: Path,
    frame: Frame,
    node: Expr,
    value?: Value,
    width?: number,
  ): void {
    const { base } = place;
    if (setup.host || path.quiet || path.mask.count === 0 || base.name === '"') return;
    if (base.space === 'unknown') {
      if (mode !== 'load') repeats.forget();
      // An array in a structure that is a parameter is in no memory that lanes share; a pointer has no element type.
      if (!base.type) lose(node, place.type.kind === 'unknown' ? 'unknown-type' : 'unknown-pointer', path, frame);
      return;
    }
    if ((sizeOf(place.type) ?? 4) === 0) return;
    const isTraced = width === undefined && (base.space === 'shared' || base.space === 'global');
    if (isTraced) shared.access(place, mode, path, frame, node, value);
    else if (width !== undefined && mode === 'store') shared.lose(place);
    const record = recordOf(place, mode, path, frame, node, width);
    if (!record) return;
    touch(record);
    if (path.shadowOfSome > 0) record.shadowOfSome = true;
    const { bytes: unit, pieces } = record;
    const byData = path.byData > 0 || (path.again > 0 && !record.sample);
    if (byData) record.byData += pieces;
    else if (path.again) record.again = true;
    if (path.guessed || isOfCall(place)) record.hangs.open = true;
    const { taint, form } = place;
    const { mask, weight } = path;
    const part = place.part?.type === place.type && pieces === 1 ? place.part : undefined;
    for (let piece = 0; piece < pieces; piece++) {
      const offset: Lanes = piece ? add(place.offset, piece * unit) : place.offset;
      const entry: PendingCount = {
        record,
        offset,
        form,
        taint,
        bytes: unit,
        mask,
        weight,
        part,
        sections: recorder.sections,
      };
      record.kept = Math.min(record.kept, repeats.note(entry, path));
      if (path.byData && path.unsure && inArms.length < longestStretch) inArms.push([entry]);
      if (width !== undefined) {
        count(entry);
        continue;
      }
      // What merges with nothing only keeps others apart.
      if (mode === 'load' && isInRegister(entry)) continue;
      if (mayMerge(entry) || stretch.some((each) => each.record.space === base.space)) stretch.push(entry);
      else count(entry);
    }
    if (stretch.length > longestStretch) flush();
  }

  /** Has the straight code read this place before, and written nothing since? */
  function isInRegister(entry: PendingCount): boolean {
    const { record, bytes, mask, weight } = entry;
    for (let at = stretch.length - 1; at >= 0; at--) {
      const other = stretch[at]!;
      if (other.record.mode !== 'load' && other.record.space === record.space) return false;
      if (other.record.base !== record.base || other.bytes !== bytes || other.mask !== mask) continue;
      if (other.weight === weight && meetsEach(run, entry, other)) return true;
    }
    return false;
  }

  function lose(node: Node, reason: LostReason, path: Path, { fn, via }: Frame): void {
    repeats.forget();
    if (setup.host || path.quiet || path.mask.count === 0 || unread.has(node)) return;
    const record: UnreadRecord = { node, fn, reason, ...(via ? { via } : {}) };
    unread.set(node, record);
    noteAdded(record, () => unread.delete(node));
  }

  function flush(path?: Path): void {
    repeats.forget(true);
    if (!path?.selecting) flushes++;
    if (stretch.length === 0 || path?.selecting) return;
    const ended = stretch;
    stretch = [];
    for (const piece of mergedCounts(run, ended)) count(piece);
  }

  function flushIteration(path: Path, iteration: Unknown, unroll: number): void {
    const { sections, flushes: before } = journals.at(-1)!;
    if (before === flushes && !path.selecting) stretch = unrolled(run, stretch, iteration, unroll, sections);
    flush(path);
  }

  function unmark(record: AccessRecord): void {
    touch(record);
    record.byData--;
  }
  function joinArms(path: Path, arms: readonly PendingCount[][][]): void {
    for (const [group, others] of sharedByArms(run, arms)) {
      for (const entry of others) {
        if (entry.record.mode === 'store' && entry.record.sample && !entry.record.mergedBytes) {
          count({ ...entry, weight: -entry.weight });
          unmark(entry.record);
        } else group.push(entry);
      }
      if (path.byData) inArms.push(group);
      else for (const { record } of group) unmark(record);
    }
  }

  function branch(
    cond: Expr,
    statement: Stmt | Expr,
    form: BranchRecord['form'],
    value: Value,
    path: Path,
    fn: FunctionDecl,
    entered: Mask = path.mask,
  ): void {
    if (setup.host || path.shadow) return;
    let record = branches.get(cond);
    if (!record) {
      record = emptyBranch({ cond, statement, form, fn, loops: loopsOf(path.loops) });
      branches.set(cond, record);
      noteAdded(record, () => branches.delete(cond));
    }
    touch(record);
    countBranch(run, record, value, path, entered);
  }

  function barrierRecord(
    node: Node,
    name: string,
    scope: BarrierRecord['scope'],
    path: Path,
    frame: Frame,
  ): BarrierRecord {
    let record = barriers.get(node);
    if (!record) {
      record = { node, fn: frame.fn, name, scope, loops: loopsOf(path.loops), proven: false };
      barriers.set(node, record);
      noteAdded(record, () => barriers.delete(node));
    }
    touch(record);
    return record;
  }

  function warpCall(node: Node, name: string, fault: WarpFault, path: Path, frame: Frame): void {
    if (!setup.host) barrierRecord(node, name, 'warp', path, frame).fault ??= fault;
  }

  function barrier(node: Node, name: string, scope: BarrierRecord['scope'], path: Path, frame: Frame): void {
    flush(path);
    repeats.forget();
    if (setup.host) return;
    shared.meeting(scope, path.mask);
    const record = barrierRecord(node, name, scope, path, frame);
    const { mask } = path;
    // `if (t < 32)` sends whole warps in: their lanes all meet, whatever the rest of the block does.
    const wholeWarps = scope === 'warp' && holdsWholeWarps(mask, run.threads);
    const parts = (condition: Condition): boolean =>
      (scope === 'warp' ? condition.hangsInWarp : condition.hangsInBlock) ||
      (condition.varies && !(wholeWarps && (condition.taint & Taint.loaded) === 0));
    let condition = path.conditions;
    while (condition && !parts(condition)) condition = condition.outer;
    condition ??= jumpedUnder(frame);
    const { earlyReturn } = recorder;
    if (condition && !record.under) record.under = { cond: condition.cond, fn: condition.fn };
    if (earlyReturn && parts(earlyReturn) && !record.afterReturn)
      record.afterReturn = { cond: earlyReturn.cond, fn: earlyReturn.fn };
    // What data decide, or unknown numbers, may part the threads, and may as well not.
    const proves = (one: Condition | undefined): boolean => one?.varies === true && !(one.taint & ofData);
    if (!path.unsure && !path.shadow && (proves(condition) || proves(earlyReturn))) {
      if (scope !== 'warp' && mask.count < run.threads) record.proven = true;
      if (scope === 'warp' && !holdsWholeWarps(mask, run.threads)) record.proven = true;
    }
  }

  function noteAdded(record: object, remove: () => void): void {
    journals.at(-1)?.added.set(record, remove);
  }
  /** What records were before an attempt, and which it made. */
  const journal = () => ({
    before: new Map<object, object>(),
    added: new Map<object, () => void>(),
    stretch: [...stretch],
    sections: recorder.sections,
    flushes,
    inArms: inArms.length,
    trace: shared.mark(),
    met: repeats.mark(),
  });
  function begin(): void {
    journals.push(journal());
  }
  function commit(): void {
    const journal = journals.pop()!;
    const outer = journals.at(-1);
    if (!outer) return;
    for (const [record, remove] of journal.added) outer.added.set(record, remove);
    for (const [record, copy] of journal.before)
      if (!outer.before.has(record) && !outer.added.has(record)) outer.before.set(record, copy);
  }
  function rollback(): void {
    const journal = journals.pop()!;
    for (const remove of journal.added.values()) remove();
    for (const [record, copy] of journal.before) putBack(record, copy);
    stretch = journal.stretch;
    inArms.length = journal.inArms;
    shared.back(journal.trace);
    repeats.back(journal.met);
  }

  const recorder: Recorder = {
    shared,
    accesses,
    branches,
    barriers,
    unread,
    access,
    instruction: (place, bytes, mode, path, frame, node) => access(place, mode, path, frame, node, undefined, bytes),
    inArms,
    joinArms,
    branch,
    barrier,
    warpCall,
    lose,
    begin,
    commit,
    rollback,
    flush,
    flushIteration,
    sections: { frontEnd: 0, assembler: 0 },
    earlyReturn: undefined,
  };
  return recorder;
}

/** Innermost first. */
function loopsOf(chain: LoopChain | undefined): LoopSeen[] {
  const loops: LoopSeen[] = [];
  for (let at = chain; at; at = at.outer) loops.push(at.seen);
  return loops;
}

function emptyBranch(of: Pick<BranchRecord, 'cond' | 'statement' | 'form' | 'fn' | 'loops'>): BranchRecord {
  return {
    ...of,
    warps: 0,
    splits: 0,
    thenBefore: 0,
    thenActive: 0,
    elseBefore: 0,
    elseActive: 0,
    taint: 0,
    variesInWarp: false,
    variesInBlock: false,
    mostLanes: 0,
    mostThreads: 0,
    uncertain: false,
    comparesLanes: false,
  };
}

function countBranch(run: Run, record: BranchRecord, value: Value, { mask, weight }: Path, entered: Mask): void {
  record.taint |= value.taint;
  if (!record.comparesLanes && comparesLanes(run, value, variesInWarp, mask)) record.comparesLanes = true;
  if (value.taint & uncertain) {
    record.uncertain = true;
    record.warps += weight * run.cost;
    return;
  }
  if (typeof value.lanes === 'number') {
    record.warps += weight * run.cost;
    if (value.lanes) {
      record.thenBefore += weight * lanesOfWarpsIn(mask, entered);
      record.thenActive += weight * mask.count;
      record.mostLanes = Math.max(record.mostLanes, mostInWarp(mask));
      record.mostThreads = Math.max(record.mostThreads, mask.count);
    } else {
      record.elseBefore += weight * mask.count;
      record.elseActive += weight * mask.count;
    }
    return;
  }
  let inBlock = 0;
  for (let warp = 0; warp < run.threads; warp += 32) {
    let active = 0;
    let inside = 0;
    let came = 0;
    const end = Math.min(run.threads, warp + 32);
    for (let at = warp; at < end; at++) {
      if (entered.bits[at]) came++;
      if (mask.bits[at]) {
        active++;
        if (value.lanes[at]) inside++;
      }
    }
    if (!active) continue;
    record.warps += weight;
    inBlock += inside;
    if (inside && inside < active) {
      record.splits += weight;
      record.variesInWarp = true;
    }
    if (inside) {
      record.thenBefore += weight * Math.max(came, active);
      record.thenActive += weight * inside;
      record.mostLanes = Math.max(record.mostLanes, inside);
    }
    if (inside < active) {
      record.elseBefore += weight * active;
      record.elseActive += weight * (active - inside);
    }
  }
  record.mostThreads = Math.max(record.mostThreads, inBlock);
  if (inBlock && inBlock < mask.count && variesInBlock(value.lanes, mask)) record.variesInBlock = true;
}

/** Lanes in each warp. */
function lanesByWarp({ bits }: Mask): Uint8Array {
  const lanes = new Uint8Array(Math.ceil(bits.length / 32));
  for (let at = 0; at < bits.length; at++) if (bits[at]) lanes[at >> 5]!++;
  return lanes;
}

/** Lanes of the fullest warp, counted where few threads are left. */
function mostInWarp(mask: Mask): number {
  const { count } = mask;
  return count <= 1 || count > 32 ? Math.min(32, count) : Math.max(...lanesByWarp(mask));
}

/** Lanes of `entered` in the warps that have any of `mask`. */
function lanesOfWarpsIn(mask: Mask, entered: Mask): number {
  if (mask.count === entered.count) return mask.count;
  const still = lanesByWarp(mask);
  return lanesByWarp(entered).reduce((sum, came, warp) => (still[warp] ? sum + came : sum), 0);
}

function holdsWholeWarps(mask: Mask, threads: number): boolean {
  return lanesByWarp(mask).every((lanes, warp) => lanes === 0 || lanes === Math.min(32, threads - 32 * warp));
}

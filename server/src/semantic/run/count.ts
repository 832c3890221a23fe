// One access of a block, warp by warp: its sectors or wavefronts, and what they depend on.
import { append } from '../language';
import { open } from './forms';
import { commonStep, sectorBytes, sectorsOf, wavefrontsOf } from './cost';
import { laneAt, modulo, type Lanes, type Mask } from './lanes';
import { requireEvery } from './state';
import { knownOf, type Form, type Monomial, type Term } from './unknowns';
import { uncertain, unsettled, Taint, type AccessRecord, type PendingCount, type Run } from './values';

const addresses = new Float64Array(32);
const shifted = new Float64Array(32);
const leastAddresses = new Float64Array(32);
const laneNumbers = new Uint8Array(32);

/** How the unknowns of an access reach the addresses of one warp. */
interface WarpUnknowns {
  /** Terms whose coefficients differ between the active lanes. */
  readonly varying: readonly Term[];
  /** Where the warp's first byte may lie within a sector: every block of the grid has one of these, equally often. */
  readonly starts: readonly number[];
  /** The largest power of two that divides what other unknowns move all lanes by, up to a sector. */
  readonly step: number;
  readonly lost: boolean;
  /** The lanes' distances may differ from those of the witnesses. */
  readonly open: boolean;
}
const settled: WarpUnknowns = { varying: [], starts: [0], step: sectorBytes, lost: false, open: false };

/** Adds the figures of one access of all warps to its record. */
export function countAccess(run: Run, { record, offset, form, taint, bytes, mask, weight }: PendingCount): void {
  if (bytes > record.mergedBytes && bytes > record.bytes) record.mergedBytes = bytes;
  const isLost = !form && (taint & open & ~Taint.iterated) !== 0;
  record.taint |= form ? taint & ~(Taint.unknownStride | Taint.assumed | Taint.maybe) : taint;
  // Numbers that the run knows are part of the address.
  const terms = form?.filter((term) => !term.of.factors.every((factor) => factor.kind === 'iteration')) ?? [];
  if (form?.some((term) => movesEvenly(term) && !(record.mode === 'load' && goesOnLikeLanes(run, term, offset, form))))
    record.hangs.walks = true;
  if (record.mode === 'store' && form?.some((term) => stepsByBlocks(term, record.bytes)))
    record.hangs.acrossBlocks = true;
  if (run.setup.blockAt || (form ? !form.every(isOfGrid) : taint & (uncertain | unsettled)))
    record.hangs.byBlock = true;
  for (let warp = 0; warp < run.threads; warp += 32) {
    const active = gather(offset, mask, warp, run.threads);
    if (!active) continue;
    const unknowns = terms.length ? unknownsOf(run, terms, warp, active) : settled;
    if (terms.length) takeOut(terms, unknowns, warp, active);
    if (warp > 0 && Math.abs(laneAt(offset, warp) - laneAt(offset, warp - 32)) === bytes)
      record.hangs.acrossWarps = true;
    const stride = countWarp(record, unknowns, warp, active, bytes, isLost, weight);
    if (stride && !isLost && !unknowns.varying.length) noteTouched(record, Math.abs(stride), bytes, form);
  }
}

/** The same in all blocks: a product of arguments, sizes of the grid, and numbers of iterations. */
function isOfGrid({ of: { factors } }: Term): boolean {
  return factors.every(({ kind }) => kind !== 'block' && kind !== 'loaded' && kind !== 'result' && kind !== 'call');
}

/** Lanes further apart than this leave L1 nothing to share between a thread's accesses (h200-neighbours.md). */
const widestShared = 64;

/** Takes down which of a lane's `stride` bytes the warp touches, in all iterations of loops run once. */
function noteTouched(record: AccessRecord, stride: number, bytes: number, form: Form | undefined): void {
  if (record.space !== 'global' || stride < bytes || stride > widestShared) return;
  record.touched ??= { stride, bytes: new Uint8Array(widestShared) };
  // Lanes that are now so far apart, now otherwise, share nothing that is known.
  if (record.touched.stride !== stride) record.touched.stride = 0;
  if (record.touched.stride === 0 || !Number.isInteger(stride)) return;
  // Most warps begin where the first one did, as far as `stride` goes.
  const first = modulo(addresses[0]!, stride);
  const { last } = record.touched;
  if (last && last.first === first && last.bytes === bytes && last.form === form) return;
  record.touched.last = { first, bytes, form };
  let starts = [first];
  for (const { of, by } of form ?? []) {
    if (!of.factors.some(({ kind }) => kind === 'loop' || kind === 'iteration')) continue;
    if (typeof by !== 'number' || !Number.isInteger(by)) return;
    const count = of.factors.length === 1 ? (of.factors[0]!.count ?? stride) : stride;
    const moves = Array.from({ length: Math.min(count, stride) }, (_, at) => at * by);
    starts = [...new Set(starts.flatMap((start) => moves.map((move) => modulo(start + move, stride))))];
  }
  for (const start of starts)
    for (let byte = 0; byte < bytes; byte++) record.touched.bytes[modulo(start + byte, stride)] = 1;
}

/** Moves all lanes alike, by numbers that blocks or iterations count. */
function movesEvenly({ of }: Term): boolean {
  return of.factors.every(({ kind }) => kind === 'block' || kind === 'loop' || kind === 'iteration');
}

/**
 * The next block goes on where the lanes of this one end: the index is one, and no walk beside it. (`row * (n - 1)` of
 * a thread a row moves by `- row`, too.) Asked of reads, which L1 may hold; stores cost wherever they go.
 */
function goesOnLikeLanes(run: Run, { of, by }: Term, offset: Lanes, form: Form): boolean {
  if (of.factors.length !== 1 || of.factors[0]!.kind !== 'block' || typeof by !== 'number') return false;
  const known = knownOf(offset, form);
  if (typeof known === 'number' || run.threads < 2) return false;
  const step = known[1]! - known[0]!;
  return step !== 0 && by === step * run.setup.block[0];
}

/** `counts[lane * blocks + block]`: the order that a scan over all blocks wants. */
function stepsByBlocks({ of, by }: Term, bytes: number): boolean {
  return of.factors.length === 1 && of.factors[0]!.kind === 'block' && by === bytes;
}

/** Brings the offsets of a warp's active lanes together; returns how many there are. */
function gather(offset: Lanes, mask: Mask, warp: number, threads: number): number {
  let active = 0;
  const end = Math.min(threads, warp + 32);
  for (let at = warp; at < end; at++)
    if (mask.bits[at]) {
      addresses[active] = typeof offset === 'number' ? offset : offset[at]!;
      laneNumbers[active] = at - warp;
      active++;
    }
  return active;
}

function unknownsOf(run: Run, terms: Form, warp: number, active: number): WarpUnknowns {
  const varying: Term[] = [];
  const block: { of: Monomial; by: number }[] = [];
  let step = sectorBytes;
  let lost = false;
  for (const term of terms) {
    if (!isUniform(term.by, warp, active)) {
      // How far apart the lanes are differs from iteration to iteration.
      requireEvery(run, [term]);
      varying.push(term);
      if (!isUniform(term.of.witness, warp, active)) lost = true;
      continue;
    }
    if (!isUniform(term.of.witness, warp, active)) {
      lost = true;
      varying.push(term);
      continue;
    }
    const by = laneAt(term.by, warp + laneNumbers[0]!);
    if (movesEvenly(term)) block.push({ of: term.of, by });
    else step = commonStep(step, by);
  }
  const isOpen = terms.some(({ of }) => of.factors.some((factor) => factor.perLane));
  return { varying, starts: startsOf(block), step, lost, open: isOpen };
}

function isUniform(lanes: Lanes, warp: number, active: number): boolean {
  if (typeof lanes === 'number') return true;
  const first = lanes[warp + laneNumbers[0]!];
  for (let at = 1; at < active; at++) if (lanes[warp + laneNumbers[at]!] !== first) return false;
  return true;
}

/** More starts than these are taken as all multiples of their common step. */
const mostStarts = 64;

interface Move {
  readonly of: Monomial;
  readonly by: number;
}

function startsOf(moves: readonly Move[]): readonly number[] {
  let starts: readonly number[] = [0];
  for (const group of byAxis(moves)) {
    const { of, by } = group[0]!;
    const each = of.factors.length === 1 && of.factors[0]!.along ? startsAlong(group) : startsBy(of, by);
    if (each.length === 1) continue;
    if (starts.length * each.length > mostStarts)
      return multiplesOf(moves.reduce((step, one) => commonStep(step, one.by), sectorBytes));
    starts = starts.flatMap((start) => each.map((more) => (start + more) % sectorBytes));
  }
  return starts;
}
/** What moves together from block to block, and everything else alone. */
function byAxis(moves: readonly Move[]): readonly (readonly Move[])[] {
  const groups = new Map<string, Move[]>();
  for (const [at, move] of moves.entries()) {
    const { factors } = move.of;
    const axis = (factors.length === 1 ? factors[0]!.along?.axis : undefined) ?? `alone ${at}`;
    append(groups, axis, move);
  }
  return [...groups.values()];
}

/** Blocks whose starts are looked at: quotients by small numbers repeat within so many. */
const blocksTried = 96;

/** Starts within a sector over the blocks of one axis, in the proportion of the blocks that have them. */
function startsAlong(moves: readonly Move[]): readonly number[] {
  // As in nearly every kernel: whole sectors from block to block.
  if (moves.every(({ by }) => by % sectorBytes === 0)) return [0];
  const count = Math.min(blocksTried, ...moves.map(({ of }) => of.factors[0]!.count ?? blocksTried));
  const often = new Map<number, number>();
  for (let block = 0; block < count; block++) {
    let start = 0;
    for (const { of, by } of moves) start += by * of.factors[0]!.along!.at(block);
    start = modulo(start, sectorBytes);
    often.set(start, (often.get(start) ?? 0) + 1);
  }
  const shared = [...often.values()].reduce(commonDivisor);
  return [...often].flatMap(([start, times]) => Array<number>(times / shared).fill(start));
}
function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b);
}

/** Starts within a sector that one counted number gives. */
function startsBy({ factors }: Monomial, by: number): readonly number[] {
  const counted = factors.filter(({ kind }) => kind !== 'iteration');
  const count = counted.length === 1 && factors.length === 1 ? counted[0]!.count : undefined;
  if (by % sectorBytes === 0) return [0];
  if (count === undefined || count > mostStarts) return multiplesOf(commonStep(sectorBytes, by));
  return Array.from({ length: count }, (_, at) => modulo(by * at, sectorBytes));
}
function multiplesOf(step: number): readonly number[] {
  return Array.from({ length: sectorBytes / step }, (_, at) => at * step);
}

/** Takes out of the addresses what moves all lanes alike: known bytes and unknown distances are left. */
function takeOut(terms: Form, { varying }: WarpUnknowns, warp: number, active: number): void {
  for (const term of terms) {
    if (varying.includes(term)) continue;
    const at = warp + laneNumbers[0]!;
    const moved = laneAt(term.by, at) * laneAt(term.of.witness, at);
    for (let lane = 0; lane < active; lane++) addresses[lane]! -= moved;
  }
}

function countWarp(
  record: AccessRecord,
  unknowns: WarpUnknowns,
  warp: number,
  active: number,
  bytes: number,
  isLost: boolean,
  weight: number,
): number | null | undefined {
  const { hangs } = record;
  record.warps += weight;
  record.lanes += weight * active;
  const apart = strideOf(active);
  const byWitness = isLost ? record.taint & Taint.unknownStride : unknowns.open && record.space === 'shared';
  const stride = apart && byWitness ? null : apart;
  if (active > 1) record.stride = record.stride === undefined ? stride : record.stride === stride ? stride : null;
  const varies = stride !== 0 && active > 1;
  if (varies && (isLost || unknowns.lost)) {
    hangs.lost = true;
    record.taint |= Taint.assumed;
  }
  if (unknowns.open && active > 1) {
    hangs.open = true;
    record.taint |= Taint.assumed;
  }
  const named = unknowns.lost ? [] : unknowns.varying;
  if (named.length) {
    record.taint |= Taint.unknownStride;
    for (const term of named) hangs.strides.add(nameOf(term.of));
  }
  const figure =
    record.space === 'shared'
      ? countShared(record, active, bytes, weight)
      : countGlobal(record, unknowns, active, bytes, weight);
  record.worst = Math.max(record.worst, figure);
  record.best = Math.min(record.best, figure);
  if (named.length) countLeast(record, named, warp, active, bytes, weight);
  else {
    hangs.least += weight * figure;
    hangs.leastIdeal += weight * lastIdeal;
  }
  if (
    !record.sample ||
    record.sample.count < active ||
    (record.sample.count === active && record.sample.uniform && stride !== 0)
  )
    record.sample = {
      addresses: addresses.slice(0, active),
      lanes: laneNumbers.slice(0, active),
      count: active,
      uniform: stride === 0,
    };
  return stride;
}

/** The ideal of the warp counted last. */
let lastIdeal = 0;

/** The warp counted last, with its lanes' distances from the first of them: most warps of an access are its like. */
const last = {
  space: '' as 'shared' | 'global' | '',
  active: 0,
  bytes: 0,
  phase: 0,
  step: 0,
  starts: [] as readonly number[],
  distances: new Float64Array(32),
  lanes: new Uint8Array(32),
  figure: 0,
  ideal: 0,
  offEdge: 0,
};
/** Addresses that differ by this many bytes cost the same: the banks come round, and so do the sectors' edges. */
const period = 128;

/** Whether the warp at hand costs what the last one did; if not, it is taken down as the last one. */
function isLikeLast(
  space: 'shared' | 'global',
  { starts, step }: Pick<WarpUnknowns, 'starts' | 'step'>,
  active: number,
  bytes: number,
): boolean {
  const first = addresses[0]!;
  const phase = modulo(first, period);
  let like =
    last.space === space &&
    last.active === active &&
    last.bytes === bytes &&
    last.phase === phase &&
    last.step === step &&
    last.starts.length === starts.length &&
    last.starts.every((start, at) => start === starts[at]);
  for (let at = 0; like && at < active; at++)
    like = last.distances[at] === addresses[at]! - first && last.lanes[at] === laneNumbers[at];
  if (like) return true;
  last.space = space;
  last.active = active;
  last.bytes = bytes;
  last.phase = phase;
  last.step = step;
  last.starts = starts;
  for (let at = 0; at < active; at++) {
    last.distances[at] = addresses[at]! - first;
    last.lanes[at] = laneNumbers[at]!;
  }
  return false;
}

function countShared(record: AccessRecord, active: number, bytes: number, weight: number): number {
  if (!isLikeLast('shared', settled, active, bytes)) {
    const { wavefronts, ideal } = wavefrontsOf(addresses, laneNumbers, active, bytes);
    last.figure = wavefronts;
    last.ideal = ideal;
  }
  record.wavefronts += weight * last.figure;
  record.wavefrontsIdeal += weight * last.ideal;
  lastIdeal = last.ideal;
  return last.figure;
}

function countGlobal(
  record: AccessRecord,
  unknowns: WarpUnknowns,
  active: number,
  bytes: number,
  weight: number,
): number {
  if (!isLikeLast('global', unknowns, active, bytes)) {
    const { starts, step } = unknowns;
    let sectors = 0;
    let ideal = 0;
    for (const start of starts) {
      const counted = sectorsFrom(start, active, bytes);
      sectors += counted.sectors;
      ideal += counted.ideal;
    }
    last.figure = sectors / starts.length;
    last.ideal = ideal / starts.length;
    last.offEdge = last.figure;
    // An element of a separate sector for each lane has one wherever it starts: its type aligns it.
    const isApart = last.figure === active && (bytes & (bytes - 1)) === 0;
    for (let start = step; start < sectorBytes && !isApart; start += step)
      last.offEdge = Math.max(last.offEdge, sectorsFrom(start, active, bytes).sectors);
  }
  record.sectors += weight * last.figure;
  record.sectorsIdeal += weight * last.ideal;
  lastIdeal = last.ideal;
  record.hangs.offEdge += weight * last.offEdge;
  return last.figure;
}

function sectorsFrom(start: number, active: number, bytes: number): { sectors: number; ideal: number } {
  if (start === 0) return sectorsOf(addresses, active, bytes);
  for (let at = 0; at < active; at++) shifted[at] = addresses[at]! + start;
  return sectorsOf(shifted, active, bytes);
}

/** The same warp with every unknown factor on the distances between its lanes at 1. */
function countLeast(
  record: AccessRecord,
  varying: readonly Term[],
  warp: number,
  active: number,
  bytes: number,
  weight: number,
): void {
  const { hangs } = record;
  for (let at = 0; at < active; at++) {
    let address = addresses[at]!;
    for (const { by, of } of varying) {
      const thread = warp + laneNumbers[at]!;
      address -= laneAt(by, thread) * (laneAt(of.witness, thread) - 1);
    }
    leastAddresses[at] = address;
  }
  if (record.space === 'shared') {
    const { wavefronts, ideal } = wavefrontsOf(leastAddresses, laneNumbers, active, bytes);
    hangs.least += weight * wavefronts;
    hangs.leastIdeal += weight * ideal;
  } else {
    const { sectors, ideal } = sectorsOf(leastAddresses, active, bytes);
    hangs.least += weight * sectors;
    hangs.leastIdeal += weight * ideal;
  }
  if (varying.length !== 1 || (hangs.sample && hangs.sample.known.length >= active)) return;
  const { by, of } = varying[0]!;
  const known = new Float64Array(active);
  const factor = new Float64Array(active);
  for (let at = 0; at < active; at++) {
    const thread = warp + laneNumbers[at]!;
    factor[at] = laneAt(by, thread);
    known[at] = addresses[at]! - factor[at]! * laneAt(of.witness, thread);
  }
  hangs.sample = { known, lanes: laneNumbers.slice(0, active), bytes, by: factor };
}

/** Bytes between neighbouring active lanes, null where they are not evenly apart, undefined for one lane. */
function strideOf(active: number): number | null | undefined {
  let stride: number | undefined;
  for (let at = 1; at < active; at++) {
    const step = (addresses[at]! - addresses[at - 1]!) / (laneNumbers[at]! - laneNumbers[at - 1]!);
    if (stride === undefined) stride = step;
    else if (stride !== step) return null;
  }
  return stride;
}

/** `?` where not all factors have names. */
function nameOf({ factors }: Monomial): string {
  return factors.every(({ name }) => name !== undefined) ? factors.map(({ name }) => name).join(' * ') : '?';
}

// Names the reason for the excess of an access by what its lanes do, for people.
import type { Expr, Stmt } from '../../syntax/ast';
import type { AccessCause } from '../model';
import { counted, mentions, dependsOnThread, some, sizeOf, type Program, type Type } from '../language';
import { Taint } from '../run';
import type { AccessSummary, KernelRun } from './kernelRuns';

/** The index (or address) of an access, as an expression. */
export function indexOf(expr: Expr): Expr {
  // `tail[9]`: what varies is where `tail` points.
  if (expr.kind === 'index') return expr.index.kind === 'number' ? expr.base : expr.index;
  if (expr.kind === 'member') return indexOf(expr.object);
  return expr.kind === 'unary' ? expr.operand : expr;
}

function structOf(type: Type | undefined): Type | undefined {
  return type?.kind === 'array' ? structOf(type.of) : type?.kind === 'struct' ? type : undefined;
}

/** Names the reason for excess, for people: figures never depend on it. */
export function causeOf(summary: AccessSummary, run: KernelRun, program: Program): AccessCause {
  const { record, sums } = summary;
  if (record.space !== 'shared' && onlyMisaligned(summary)) return 'misaligned';
  const lanes = sums.lanes / Math.max(1, sums.warps);
  const blockX = run.shapes[0]?.block[0] ?? 32;
  const blockThreads = (run.shapes[0]?.block ?? [32, 1, 1]).reduce((a, b) => a * b, 1);
  const stride = summary.stride;
  if (record.space === 'shared') {
    if (walksDown(summary)) return 'bank-column';
    if (record.bytes > 4) return 'bank-wide';
    return typeof stride === 'number' ? 'bank-stride' : 'other';
  }
  if (isNarrowed(summary)) return 'narrowed';
  if (lanes <= 4) return 'few-lanes';
  const expr = record.expr;
  // A vector that is one of several fields is a field, before it is a vector.
  const held = structOf(record.base.type);
  if (held && typeof stride === 'number' && stride === sizeOf(held) && (sizeOf(record.type) ?? Infinity) < stride)
    return 'struct-field';
  const inPieces =
    record.pieces > 1 ||
    (record.type.kind === 'struct' && record.type.vector && (sizeOf(record.type) ?? 0) > record.bytes);
  // Lanes that are further apart than the type is wide have more between them than its pieces.
  if (inPieces && !(typeof stride === 'number' && Math.abs(stride) > (sizeOf(record.type) ?? Infinity)))
    return 'vector-type';
  if (expr?.kind === 'member' && expr.object.kind !== 'name' && held && stride === sizeOf(held)) return 'struct-field';
  const index = expr && indexOf(expr);
  const mentioned = record.loops.filter(
    ({ stmt, variable }) => stmt.kind === 'for' && variable && index && mentions(index, variable),
  );
  // A loop by which a thread strides over the grid is the thread's place, not a walk; one that counts rows walks down.
  const inChunk = mentioned.find(({ stmt, variable }) => !stridesOverGrid(stmt) && !countsRows(index!, variable!));
  const acrossRows = record.hangs.acrossWarps === true;
  if (slidesOver(summary, program)) return 'stride';
  if (typeof stride === 'number') {
    if (inChunk && inChunk.stmt.kind === 'for' && startsPerThread(inChunk.stmt)) return 'chunk-per-thread';
    if (inChunk && !acrossRows && Math.abs(stride) >= 32 && Math.abs(stride) > record.bytes) return 'row-per-thread';
    return Math.abs(stride) >= 32 && acrossRows ? 'slow-axis' : 'stride';
  }
  if (blockX > 1 && runsDown(summary, blockX)) return 'slow-axis';
  // Where even the lanes of one row are apart, a wider block would not help.
  if (blockX > 1 && blockX < 32 && stepInRow(summary) > record.bytes)
    return summary.taint & Taint.unknownStride && stepInRow(summary) >= 4096 ? 'stride' : 'other';
  if (blockX < 32 && blockThreads > blockX)
    return sums.sectors / Math.max(1, sums.sectorsIdeal) < 1.3 ? 'misaligned' : 'narrow-block';
  if (lanes < 8) return 'few-lanes';
  if (isInPieces(summary)) return 'short-rows';
  if (isEvenAtFirst(summary)) return 'other';
  if (summary.taint & Taint.unknownStride) return acrossRows ? 'slow-axis' : inChunk ? 'row-per-thread' : 'stride';
  return sums.sectors / Math.max(1, sums.sectorsIdeal) < 1.3 ? 'misaligned' : 'other';
}

/**
 * Does each thread walk on from its own place in steps of what lies between two lanes? Then the next iteration finds in
 * L1 what the neighbours read in this one, and no lane has a separate row.
 */
function slidesOver({ record, stride }: AccessSummary, program: Program): boolean {
  const { touched, expr, fn } = record;
  if (record.mode !== 'load' || !expr || typeof stride !== 'number' || touched?.stride !== Math.abs(stride))
    return false;
  if (touched.bytes.reduce((sum, byte) => sum + byte, 0) !== record.bytes) return false;
  return record.loops.some(
    ({ stmt, variable, fn: around }) =>
      stmt.kind === 'for' &&
      around === fn &&
      variable !== undefined &&
      mentions(indexOf(expr), variable) &&
      !stridesOverGrid(stmt) &&
      dependsOnThread({ kind: 'name', name: variable, start: 0, end: 0 }, fn, program),
  );
}

/** Would the same runs of neighbouring bytes cost the ideal if each started at a sector's edge? */
function onlyMisaligned(summary: AccessSummary): boolean {
  const { sample, bytes } = summary.record;
  if (!sample) return false;
  const sorted = [...sample.addresses].sort((a, b) => a - b);
  let needed = 0;
  let start = sorted[0]!;
  let end = start + bytes;
  for (const address of sorted.slice(1)) {
    if (address <= end) end = Math.max(end, address + bytes);
    else {
      needed += Math.ceil((end - start) / 32);
      start = address;
      end = address + bytes;
    }
  }
  needed += Math.ceil((end - start) / 32);
  const ideal = Math.max(1, Math.ceil((sample.count * bytes) / 32));
  let runs = 1;
  sorted.forEach((address, at) => {
    if (at && address > sorted[at - 1]! + bytes) runs++;
  });
  // Each run of neighbouring bytes can cost one sector more, no more: what costs beyond that has another cause in other
  // warps.
  return (
    needed <= 1.05 * ideal &&
    summary.sums.sectors / Math.max(1, summary.sums.sectorsIdeal) <= (1.05 * (needed + runs)) / ideal
  );
}

/** `(int)labels[i]`: nvcc loads half of each of neighbouring 64-bit integers, and all sectors hold nothing but them. */
function isNarrowed({ record, stride }: AccessSummary): boolean {
  const { base, type, mode } = record;
  const element = base.type?.kind === 'array' ? base.type.of : base.type;
  if (mode !== 'load' || stride !== 8 || type.kind !== 'scalar' || type.float || type.size !== 4) return false;
  return element?.kind === 'scalar' && !element.float && element.size === 8;
}

/** Do the first lanes touch one piece before a gap, a sector at most apart? Then none has a row to itself. */
function isInPieces(summary: AccessSummary): boolean {
  const { sample } = summary.record;
  if (!sample || sample.count < 8 || sample.lanes[1] !== sample.lanes[0]! + 1) return false;
  const [first, second] = sample.addresses;
  const step = Math.abs(second! - first!);
  if (step >= 32) return false;
  return sample.addresses.some((address, at) => at > 0 && Math.abs(address - sample.addresses[at - 1]!) > 32);
}

/** Does an unknown factor lie between later lanes alone? Then not each of them has a row to itself. */
function isEvenAtFirst({ record, hangs }: AccessSummary): boolean {
  const { by, known } = hangs.sample ?? {};
  return by !== undefined && by.length > 1 && by[0] === by[1] && Math.abs(known![1]! - known![0]!) >= record.bytes;
}

/** Bytes from the first lane seen to its neighbour. */
function stepInRow(summary: AccessSummary): number {
  const { sample } = summary.record;
  return sample && sample.count > 1 && sample.lanes[1] === sample.lanes[0]! + 1
    ? Math.abs(sample.addresses[1]! - sample.addresses[0]!)
    : 0;
}

/** Does x step over rows while y steps along them? */
function runsDown(summary: AccessSummary, blockX: number): boolean {
  const { sample, bytes } = summary.record;
  if (!sample || sample.count < 32 || blockX >= 32) return false;
  const alongX = sample.addresses[1]! - sample.addresses[0]!;
  const alongY = sample.addresses[blockX]! - sample.addresses[0]!;
  return Math.abs(alongX) >= 32 && Math.abs(alongY) === bytes;
}

/** `for (i = a thread's own place; …; i += what the threads of a grid or block are)`. */
function countsRows(index: Expr, variable: string): boolean {
  const isWidth = (side: Expr, other: Expr): boolean => mentions(other, variable) && side.kind !== 'number';
  return some(index, (node) => {
    if (node.kind !== 'binary' || node.op !== '*') return false;
    return isWidth(node.left, node.right) || isWidth(node.right, node.left);
  });
}

function stridesOverGrid(stmt: Stmt): boolean {
  const head = counted(stmt);
  return head?.step?.sign === 1 && head.first.kind !== 'number' && !!head.step.by && head.step.by.kind !== 'number';
}

function startsPerThread(stmt: Stmt & { kind: 'for' }): boolean {
  const first = counted(stmt)?.first;
  if (!first || first.kind === 'number') return false;
  // A chunk is walked element by element; a step of the whole grid makes neighbours of neighbouring threads.
  const { step } = stmt;
  return step?.kind === 'update' || (step?.kind === 'assign' && step.op === '+=' && step.value.kind === 'number');
}
/** Are neighbouring lanes in different rows of an array of rows? */
function walksDown(summary: AccessSummary): boolean {
  const { base, sample } = summary.record;
  const row = base.type?.kind === 'array' && base.type.of.kind === 'array' ? sizeOf(base.type.of) : undefined;
  if (!row || !sample || sample.count < 2) return false;
  const step = sample.addresses[1]! - sample.addresses[0]!;
  // A row of an odd number of words is padded already: what conflict is left has another pattern.
  return step !== 0 && step % row === 0 && row % 8 === 0;
}

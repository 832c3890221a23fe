// Neighbouring accesses that the compiler moves with one instruction: shared words side by side, fields of one aligned structure.
import { add, type Lanes, type Mask } from './lanes';
import { deltaOf } from './operations';
import type { AccessRecord } from './records';
import type { Run } from './state';
import type { Form } from './unknowns';

/** An access as it is counted: bytes a lane at an offset from its memory. */
export interface PendingShared {
  readonly record: AccessRecord;
  readonly offset: Lanes;
  readonly form: Form | undefined;
  readonly taint: number;
  readonly bytes: number;
  readonly mask: Mask;
}
export interface PendingField extends PendingShared {
  /** Byte offset in the structure. */
  readonly at: number;
  /** The most bytes that one instruction may move here. */
  readonly chunk: number;
}

/**
 * Shared accesses of one stretch, neighbours fused as nvcc fuses them: `T[a]` and `T[a + 1]` with an even `a` become one access of twice the
 * size, counted where the later stands.
 */
export function mergeShared(run: Run, pending: readonly PendingShared[]): readonly PendingShared[] {
  let list = pending;
  if (list.length < 2) return list;
  for (let size = 1; size <= 8; size *= 2) {
    const fused: PendingShared[] = [];
    const used = new Set<number>();
    for (let at = 0; at < list.length; at++) {
      if (used.has(at)) continue;
      const first = list[at]!;
      const partner =
        first.bytes === size && size >= 4 && first.record.mode !== 'atomic'
          ? partnerOf(run, list, at, used, size)
          : undefined;
      if (!partner) {
        fused.push(first);
        continue;
      }
      used.add(partner.at);
      const second = list[partner.at]!;
      const lower = partner.delta > 0 ? first : second;
      fused.push({ ...lower, record: second.record, bytes: 2 * size });
    }
    list = fused;
  }
  return list;
}

function partnerOf(
  run: Run,
  list: readonly PendingShared[],
  at: number,
  used: ReadonlySet<number>,
  size: number,
): { at: number; delta: number } | undefined {
  const first = list[at]!;
  for (let other = at + 1; other < list.length; other++) {
    const second = list[other]!;
    if (used.has(other) || second.bytes !== size || second.mask !== first.mask) continue;
    if (second.record.base !== first.record.base || second.record.mode !== first.record.mode) continue;
    const delta = deltaOf(run, first, second, first.mask);
    if (delta === size && alignedTo(first, 2 * size)) return { at: other, delta };
    if (delta === -size && alignedTo(second, 2 * size)) return { at: other, delta };
  }
  return undefined;
}

function alignedTo({ offset, mask }: PendingShared, bytes: number): boolean {
  if (typeof offset === 'number') return offset % bytes === 0;
  for (let at = 0; at < offset.length; at++) if (mask.bits[at] && offset[at]! % bytes !== 0) return false;
  return true;
}

/**
 * Fields of one aligned structure as nvcc moves them: `p[i].x` and `p[i].y` of a `float4` in one stretch of straight code are one vector load,
 * gaps included, counted where the first stands; stores join where they fill an aligned piece, counted where the last stands.
 */
export function mergeFields(run: Run, pending: readonly PendingField[]): readonly PendingShared[] {
  const out: PendingShared[] = [];
  const left = [...pending];
  while (left.length) {
    const first = left.shift()!;
    const together = [first];
    for (let at = 0; at < left.length; ) {
      const other = left[at]!;
      if (isOfOneChunk(run, first, other)) {
        together.push(other);
        left.splice(at, 1);
      } else at++;
    }
    if (together.every((entry) => entry.at === first.at)) {
      out.push(...together);
      continue;
    }
    const pieces = first.record.mode === 'load' ? covering(together) : joined(together);
    for (const { entry, at, bytes } of pieces) out.push({ ...entry, offset: add(entry.offset, at - entry.at), bytes });
  }
  return out;
}

function isOfOneChunk(run: Run, first: PendingField, other: PendingField): boolean {
  return (
    other.record.base === first.record.base &&
    other.record.mode === first.record.mode &&
    other.mask === first.mask &&
    other.chunk === first.chunk &&
    Math.floor(other.at / first.chunk) === Math.floor(first.at / first.chunk) &&
    deltaOf(run, first, other, first.mask) === other.at - first.at
  );
}

interface FieldPiece {
  readonly entry: PendingField;
  readonly at: number;
  readonly bytes: number;
}
/** Loads of fields as vectors: each starts at a field that is aligned for its width, and reaches over gaps to the last field that it holds. */
function covering(fields: readonly PendingField[]): FieldPiece[] {
  const pieces: FieldPiece[] = [];
  let rest = [...fields];
  while (rest.length) {
    const from = Math.min(...rest.map((field) => field.at));
    let most = fields[0]!.bytes;
    while (most < fields[0]!.chunk && from % (2 * most) === 0) most *= 2;
    const inside = rest.filter((field) => field.at + field.bytes <= from + most);
    const to = Math.max(...inside.map((field) => field.at + field.bytes));
    let bytes = fields[0]!.bytes;
    while (from + bytes < to) bytes *= 2;
    pieces.push({ entry: inside[0]!, at: from, bytes });
    rest = rest.filter((field) => !inside.includes(field));
  }
  return pieces;
}
/** Neighbouring fields joined two by two into aligned pieces. */
function joined(fields: readonly PendingField[]): FieldPiece[] {
  let pieces: FieldPiece[] = fields
    .filter((field, at) => fields.findLastIndex((other) => other.at === field.at) === at)
    .map((entry) => ({ entry, at: entry.at, bytes: entry.bytes }));
  for (let size = 1; size < fields[0]!.chunk; size *= 2) {
    const next: FieldPiece[] = [];
    for (const piece of pieces) {
      const pairs = (other: FieldPiece): boolean =>
        other.bytes === size &&
        Math.floor(other.at / (2 * size)) === Math.floor(piece.at / (2 * size)) &&
        other.at !== piece.at;
      const partner = piece.bytes === size ? next.findIndex(pairs) : -1;
      if (partner < 0) next.push(piece);
      else next.splice(partner, 1, { entry: piece.entry, at: Math.min(piece.at, next[partner]!.at), bytes: 2 * size });
    }
    pieces = next;
  }
  return pieces;
}

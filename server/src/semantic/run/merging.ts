// Which neighbouring accesses nvcc makes one machine instruction, and on which source line that instruction is counted.
//
// Two passes merge, one after the other (observed with nvcc 13.0, `-O3 -arch=sm_90`; test/semantic/merging holds this
// against recorded kernels and, where nvcc is at hand, against live ones):
//
// 1. The front end (NVVM; `ld.v2`, `st.v4` in PTX), in global, shared and local memory. It knows declared alignments:
//    of the element type or `__align__`, 16 for `extern __shared__`; of pointers that of their element type alone.
//    - Scalars of one type, at most four and at most 16 bytes together.
//    - Loads start at a scalar aligned for the whole: {y, z, w} of a `float4` are y and `ld.v2`. Neighbours in an
//      array must be contiguous, though three are read as four; fields of one structure may leave gaps.
//    - Stores never fill a gap. A run is cut into fours, a four or a three that is not aligned is halved, and a half
//      that is not aligned stays scalar.
//    - A load is counted on the line of the first, a store on that of the highest address.
//    - It reads through what it can tell apart: another array in shared memory, another address space, a `__restrict__`
//      pointer on either side, another offset of the same index; not other types. An atomic stops all in its space.
// 2. The assembler (ptxas), in shared memory. It has laid out the arrays, so it knows where each begins.
//    - Words of an aligned 16-byte window: loads of three or four are one `LDS.128`, two are one `LDS.64` where they
//      are an aligned pair, counted on the line of the first. Scalars of 2 bytes do so in windows of 8, bytes never.
//    - Stores fill their instruction: four words, or an aligned pair, counted on the line of the last.
//    - It tells no two shared addresses apart: `s[2*t] += 1; s[2*t+1] += 1;` of a static array stays two of each.
// 3. Words that no one uses are trimmed: {x, z} of a `float4` is read by two `LDG.32`, not by one `LDG.128`.
//
// A conversion that is inline assembly (`__half2float` at the load) stops both: such loads are `opaque`. What ends the
// stretch is in stretchEnds.ts. Not modelled: unused components of a loaded vector, loads that the compiler
// speculates out of a short `if`, and loads that an earlier store answers; `__half` of static arrays sometimes stays
// apart in pass 2 (9 of 2,082 kernels of the tests differ).

import { append } from '../language';
import type { Sections } from './values';

/** One access of a straight-line stretch, in program order. Addresses are bytes. */
export interface PendingAccess {
  /** Identity of the array, or of what a pointer points to. */
  readonly base: number;
  readonly space: 'global' | 'shared' | 'local';
  readonly mode: 'load' | 'store' | 'atomic';
  /** Bytes that a lane moves, and those of one scalar of it: 16 and 4 for a `float4`. */
  readonly bytes: number;
  readonly scalarBytes: number;
  /** Accesses of one base and one form differ by their `offset` alone, in every lane: `16 * t` in `s[4*t + 1]`. */
  readonly form: number;
  readonly offset: number;
  /** Power of two that the front end proves to divide the form's address: of declaration and index together. */
  readonly alignment: number;
  /** The same as the assembler proves it, from where the shared array lies (`sharedOffsets`). */
  readonly placed?: number;
  /** Accesses under different masks do not merge. */
  readonly mask: number;
  /** The pointer is `__restrict__`. */
  readonly restrict?: boolean;
  /** Identity of the structure of which the access is a field, in one array element. */
  readonly object?: number;
  /** How often code is before it across which the front end, or the assembler, merges nothing. */
  readonly sections?: Sections;
  /** `volatile`, or a `__half` that its own expression converts by inline assembly: never merged. */
  readonly opaque?: boolean;
}

/** A machine instruction: `bytes` from `offset` of its members' form, counted at the access `countedAt`. */
interface MergedInstruction {
  /** Indices of the accesses that it serves, in program order; an access may need several instructions. */
  readonly members: readonly number[];
  readonly countedAt: number;
  readonly offset: number;
  readonly bytes: number;
}

/** The instructions of a straight-line stretch without barriers, in the order of the accesses they are counted at. */
export function mergeAccesses(accesses: readonly PendingAccess[]): MergedInstruction[] {
  const pieces = frontEnd(accesses);
  const shared = pieces.filter(({ index }) => accesses[index]!.space === 'shared');
  const rest = pieces.filter(({ index }) => accesses[index]!.space !== 'shared');
  return [...rest.flatMap((piece) => trimmed(piece)), ...assembler(accesses, shared)]
    .map(({ members, countedAt, offset, bytes }) => ({
      members: [...members].sort((a, b) => a - b),
      countedAt,
      offset,
      bytes,
    }))
    .sort((a, b) => a.countedAt - b.countedAt || a.offset - b.offset);
}

/** One array of shared memory: its size, and the alignment of its element type or `__align__`. */
export interface SharedArray {
  readonly bytes: number;
  readonly alignment: number;
}
/** Where the assembler lays a kernel's static shared arrays, in bytes: in the order of their declarations, aligned. */
export function sharedOffsets(arrays: readonly SharedArray[]): number[] {
  let end = 0;
  return arrays.map(({ bytes, alignment }) => {
    const start = Math.ceil(end / alignment) * alignment;
    end = start + bytes;
    return start;
  });
}

/** What one instruction of PTX moves. `index` stands for base, form, mode and alignment. */
interface Piece {
  readonly index: number;
  readonly offset: number;
  readonly bytes: number;
  readonly scalarBytes: number;
  readonly members: readonly number[];
  readonly countedAt: number;
  /** Offsets of the scalars that are used. */
  readonly used: readonly number[];
  /** Where it stands among the accesses: that of its first load, or of its last store. */
  readonly time: number;
}

const widest = 16;
const mostScalars = 4;

function aligned(alignment: number, offset: number, bytes: number): boolean {
  return alignment >= bytes && offset % bytes === 0;
}

/** Whether the front end must keep the order of two accesses, one of which writes. */
function mayMeet(a: PendingAccess, b: PendingAccess): boolean {
  if (a.space !== b.space) return false;
  if (a.mode === 'atomic' || b.mode === 'atomic') return true;
  if (a.base !== b.base) return a.space === 'global' && !a.restrict && !b.restrict;
  return a.form !== b.form || (a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes);
}

function frontEnd(accesses: readonly PendingAccess[]): Piece[] {
  const pieces: Piece[] = [];
  const open = new Map<string, number[]>();
  const close = (key: string): void => {
    pieces.push(...vectors(accesses, open.get(key)!));
    open.delete(key);
  };
  for (const [index, access] of accesses.entries()) {
    // A store moves down to the last of its vector: what reads or writes its bytes on the way ends the vector.
    for (const [key, run] of [...open]) {
      if (accesses[run[0]!]!.mode === 'store' && run.some((each) => mayMeet(accesses[each]!, access))) close(key);
    }
    if (access.mode === 'atomic' || access.opaque) {
      pieces.push({ ...access, index, members: [index], countedAt: index, used: [access.offset], time: index });
      continue;
    }
    const { base, form, mode, mask, scalarBytes, space, sections } = access;
    const key = [base, form, mode, mask, scalarBytes, space, sections?.frontEnd].join();
    // A load moves up to the first of its vector: what writes its bytes on the way keeps it out.
    const first = access.mode === 'load' ? open.get(key)?.[0] : undefined;
    if (first !== undefined && writesBetween(accesses, first, index)) close(key);
    append(open, key, index);
  }
  for (const key of [...open.keys()]) close(key);
  return pieces;
}

function writesBetween(accesses: readonly PendingAccess[], first: number, load: number): boolean {
  for (let at = first + 1; at < load; at++)
    if (accesses[at]!.mode !== 'load' && mayMeet(accesses[at]!, accesses[load]!)) return true;
  return false;
}

/** The instructions of PTX for accesses of one base, form, mode, mask and type that may move to each other. */
function vectors(accesses: readonly PendingAccess[], run: readonly number[]): Piece[] {
  const { scalarBytes, mode } = accesses[run[0]!]!;
  const scalars = new Map<number, number[]>();
  for (const index of run) {
    const { offset, bytes } = accesses[index]!;
    for (let at = 0; at < bytes; at += scalarBytes) {
      append(scalars, offset + at, index);
    }
  }
  const offsets = [...scalars.keys()].sort((a, b) => a - b);
  const alignment = Math.max(...run.map((index) => accesses[index]!.alignment));
  const groups =
    mode === 'load'
      ? loadGroups(offsets, scalarBytes, alignment, (offset) => accesses[scalars.get(offset)![0]!]!.object)
      : storeGroups(offsets, scalarBytes, alignment);
  return groups.map(({ bytes, used }) => {
    const members = [...new Set(used.flatMap((offset) => scalars.get(offset)!))];
    const first = Math.min(...members);
    return {
      index: first,
      offset: used[0]!,
      bytes,
      scalarBytes,
      members,
      countedAt: mode === 'load' ? first : Math.max(...scalars.get(used.at(-1)!)!),
      used,
      time: mode === 'load' ? first : Math.max(...members),
    };
  });
}

interface Group {
  readonly bytes: number;
  readonly used: readonly number[];
}

/** Loads as vectors: each begins at the lowest offset that is left, and is as wide as that offset is aligned for. */
function loadGroups(
  offsets: readonly number[],
  scalarBytes: number,
  alignment: number,
  objectOf: (offset: number) => number | undefined,
): Group[] {
  const groups: Group[] = [];
  let rest = [...offsets];
  while (rest.length) {
    const from = rest[0]!;
    const object = objectOf(from);
    let group: Group = { bytes: scalarBytes, used: [from] };
    for (let count = mostScalars; count > 1; count /= 2) {
      const bytes = count * scalarBytes;
      if (bytes > widest || !aligned(alignment, from, bytes)) continue;
      const inside = rest.filter(
        (offset, at) =>
          offset < from + bytes &&
          (offset === from + at * scalarBytes || (object !== undefined && objectOf(offset) === object)),
      );
      if (inside.at(-1)! < from + bytes / 2) continue; // half the width does
      group = { bytes, used: inside };
      break;
    }
    groups.push(group);
    rest = rest.filter((offset) => !group.used.includes(offset));
  }
  return groups;
}

/** Stores as vectors: contiguous runs in fours, halved until a half is aligned. */
function storeGroups(offsets: readonly number[], scalarBytes: number, alignment: number): Group[] {
  const groups: Group[] = [];
  const most = Math.min(mostScalars, widest / scalarBytes);
  const emit = (chunk: readonly number[]): void => {
    const bytes = chunk.length * scalarBytes;
    if (chunk.length === 1 || (chunk.length !== 3 && aligned(alignment, chunk[0]!, bytes))) {
      groups.push({ bytes, used: chunk });
      return;
    }
    const half = chunk.length > 2 ? 2 : 1;
    emit(chunk.slice(0, half));
    emit(chunk.slice(half));
  };
  for (let at = 0; at < offsets.length; ) {
    let end = at + 1;
    while (end < offsets.length && end - at < most && offsets[end] === offsets[end - 1]! + scalarBytes) end++;
    emit(offsets.slice(at, end));
    at = end;
  }
  return groups;
}

type Instruction = Pick<Piece, 'members' | 'countedAt' | 'offset' | 'bytes'>;

/** A vector without the words at its ends that no one uses, cut in two where only words apart are used. */
function trimmed(piece: Piece): Instruction[] {
  if (piece.scalarBytes !== 4 || piece.bytes !== widest || piece.used.length > 2) return [piece];
  return instructionsOfWindow(piece.offset, 4, piece.used, true).map(({ offset, bytes }) => ({
    ...piece,
    offset,
    bytes,
  }));
}

/** Instructions for the used of four aligned units: one for three, four or a pair, each alone else. */
function instructionsOfWindow(
  window: number,
  unit: number,
  used: readonly number[],
  gaps: boolean,
): { readonly offset: number; readonly bytes: number; readonly used: readonly number[] }[] {
  if (used.length >= (gaps ? 3 : 4)) return [{ offset: window, bytes: 4 * unit, used }];
  return [window, window + 2 * unit].flatMap((half) => {
    const inside = used.filter((offset) => offset >= half && offset < half + 2 * unit);
    return inside.length === 2
      ? [{ offset: half, bytes: 2 * unit, used: inside }]
      : inside.map((offset) => ({ offset, bytes: unit, used: [offset] }));
  });
}

/** The unit in which the assembler merges a piece: words, single scalars of two bytes, or not at all. */
function unitOf(access: PendingAccess, piece: Piece): number | undefined {
  if (access.opaque || access.mode === 'atomic') return undefined;
  if (piece.bytes >= 4) return 4;
  return piece.bytes === 2 && piece.scalarBytes === 2 ? 2 : undefined;
}

function assembler(accesses: readonly PendingAccess[], pieces: readonly Piece[]): Instruction[] {
  const instructions: Instruction[] = [];
  const open = new Map<string, Piece[]>();
  const closeAll = (keep: PendingAccess['mode'] | undefined): void => {
    for (const [key, run] of [...open]) {
      const access = accesses[run[0]!.index]!;
      if (access.mode === keep) continue;
      instructions.push(...windows(access, run));
      open.delete(key);
    }
  };
  let before = 0;
  for (const piece of [...pieces].sort((a, b) => a.time - b.time)) {
    const access = accesses[piece.index]!;
    const section = accesses[piece.countedAt]!.sections?.assembler ?? 0;
    closeAll(access.mode === 'atomic' || section !== before ? undefined : access.mode);
    before = section;
    const unit = unitOf(access, piece);
    if (unit === undefined) {
      instructions.push(piece);
      continue;
    }
    const key = [access.base, access.form, access.mask, unit].join();
    append(open, key, piece);
  }
  closeAll(undefined);
  return instructions;
}

/** Pieces of one base, form, mode and mask in shared memory as the assembler merges them. */
function windows(access: PendingAccess, run: readonly Piece[]): Instruction[] {
  const unit = unitOf(access, run[0]!)!;
  const alignment = Math.max(access.alignment, access.placed ?? 1);
  if (alignment < 2 * unit || run.length === 1) return run.flatMap((piece) => trimmed(piece));
  const isLoad = access.mode === 'load';
  // A window is as wide as the array's place is known: 16 bytes, or pairs of words in windows of 8.
  const wide = Math.min(alignment, 4 * unit);
  const units = new Map<number, Piece[]>();
  for (const piece of run) {
    const offsets =
      piece.scalarBytes >= 4 || piece.scalarBytes === unit
        ? piece.used.flatMap((offset) =>
            Array.from({ length: piece.scalarBytes / unit }, (_, at) => offset + at * unit),
          )
        : Array.from({ length: piece.bytes / unit }, (_, at) => piece.offset + at * unit);
    for (const offset of offsets) append(units, offset, piece);
  }
  const byWindow = new Map<number, number[]>();
  for (const offset of [...units.keys()].sort((a, b) => a - b)) {
    const window = Math.floor(offset / wide) * wide;
    append(byWindow, window, offset);
  }
  return [...byWindow].flatMap(([window, offsets]): Instruction[] => {
    const times = (used: readonly number[]): number[] =>
      used.flatMap((offset) => units.get(offset)!.map((piece) => (isLoad ? piece.countedAt : piece.time)));
    const instructions = instructionsOfWindow(window, unit, offsets, isLoad);
    return instructions.flatMap(({ offset, bytes, used }): Instruction[] => {
      const parts = [...new Set(used.flatMap((each) => units.get(each)!))];
      const members = [...new Set(parts.flatMap((part) => part.members))];
      // A piece of eight bytes that found no partner stays whole.
      const whole = parts.length === 1 ? parts[0]! : undefined;
      if (whole && bytes <= whole.bytes && whole.scalarBytes > unit && whole.bytes > unit) {
        return used[0] === whole.used[0] ? [whole] : [];
      }
      // The words of one window are read at once and trimmed after: all are counted where the first stands.
      const countedAt = whole
        ? isLoad && unit === 4
          ? Math.min(...times(offsets))
          : whole.countedAt
        : isLoad
          ? Math.min(...times(unit === 4 ? offsets : used))
          : Math.max(...times(used));
      return [{ members, countedAt, offset, bytes }];
    });
  });
}

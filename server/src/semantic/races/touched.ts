// What accesses touch: the places of one memory, in units from its start, and who accessed each last.
import type { VarDecl } from '../../syntax/ast';
import { append, sizeOf } from '../language';
import { add, laneAt, multiply, type Lanes, type MemoryBase, type TracedAccess, type TraceEvent } from '../run';

/** What the lanes of an access touch, in units from the start of its memory. */
export interface Touched {
  readonly at: Lanes;
  readonly units: number;
}
/** The accesses of one memory whose places are known to differ or to be equal. */
export interface Group {
  readonly unit: number;
  readonly low: number;
  readonly cells: Cells;
}
/** By unit: the last write; of reads the last one, the last by another thread of its warp, and by another warp. */
export interface Cells {
  readonly wrote: Int32Array;
  readonly writer: Int16Array;
  readonly read: readonly [Int32Array, Int32Array, Int32Array];
  readonly reader: readonly [Int16Array, Int16Array, Int16Array];
  /** The asynchronous copy that has not arrived. */
  readonly copy: Int32Array;
  readonly copier: Int16Array;
}
/** Memory with more units than this is not looked at. */
const mostUnits = 1 << 16;
/** By access: the memory in which its place is known; absent where its place is not followed. */
export function groupsOf(events: readonly TraceEvent[]): Map<TracedAccess, Group> {
  const byKey = new Map<string, TracedAccess[]>();
  for (const event of events) {
    const key = event.kind === 'access' ? keyOf(event) : undefined;
    if (key === undefined) continue;
    append(byKey, key, event as TracedAccess);
  }
  const groups = new Map<TracedAccess, Group>();
  for (const members of byKey.values()) {
    if (!members.some(({ mode }) => mode !== 'load')) continue;
    const unit = Math.min(...members.map(({ bytes }) => bytes));
    const [low, high] = extentOf(members);
    const units = Math.ceil((high - low) / unit);
    if (!(units > 0) || units > mostUnits) continue;
    const ints = (): Int32Array => new Int32Array(units).fill(-1);
    const lanes = (): Int16Array => new Int16Array(units);
    const cells: Cells = {
      wrote: ints(),
      writer: lanes(),
      read: [ints(), ints(), ints()],
      reader: [lanes(), lanes(), lanes()],
      copy: ints(),
      copier: lanes(),
    };
    const group: Group = { unit, low, cells };
    for (const member of members) groups.set(member, group);
  }
  return groups;
}

/**
 * The memory and the unknown part of the place: two places of one key are equal where what is known of them is.
 * Undefined where lanes differ in the unknown part.
 */
export function keyOf({ base, form = [] }: Pick<TracedAccess, 'base' | 'form'>): string | undefined {
  let key = isDynamic(base) ? 'dynamic' : String(base.id);
  for (const { of, by } of form) {
    const [only] = of.factors;
    if (of.factors.length === 1 && (only!.kind === 'loop' || only!.kind === 'iteration')) continue;
    if (typeof by !== 'number' || of.factors.some(({ kind }) => kind === 'loop')) return undefined;
    if (of.factors.some(({ perLane, witness }) => perLane || typeof witness !== 'number')) return undefined;
    key += ` ${of.id}*${by}`;
  }
  return key;
}

/** `extern __shared__`: all arrays of this kind begin at one address. */
export function isDynamic({ space, declaration }: MemoryBase): boolean {
  const node = declaration?.node as Partial<VarDecl> | undefined;
  return space === 'shared' && node?.kind === 'var' && node.storage === 'extern';
}

/** The bytes that the access is at in its group, in an iteration. */
export function bytesOf(
  { offset, form = [] }: Pick<TracedAccess, 'offset' | 'form'>,
  iterationOf: (unknown: number) => number,
): Lanes {
  let known = offset;
  for (const { of, by } of form) {
    const only = of.factors.length === 1 ? of.factors[0]! : undefined;
    if (only?.kind === 'iteration') continue;
    const times = only?.kind === 'loop' ? iterationOf(only.id) : -(of.witness as number);
    if (times !== 0) known = add(known, multiply(by, times));
  }
  return known;
}

/** An access with what it stores in an iteration: nothing known where the iteration's number is in a product. */
export function storedIn(access: TracedAccess, iterationOf: (unknown: number) => number): TracedAccess {
  const { value, ...valueless } = access;
  const counted = value?.form?.filter(({ of }) => of.factors.some(({ kind }) => kind === 'loop')) ?? [];
  if (!value || counted.length === 0) return access;
  if (counted.some(({ of }) => of.factors.length > 1)) return valueless;
  return { ...access, value: { ...value, lanes: bytesOf({ offset: value.lanes, form: counted }, iterationOf) } };
}

/** From the first to behind the last byte that the accesses may touch. */
function extentOf(members: readonly TracedAccess[]): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  const widen = (access: TracedAccess, iterationOf: (unknown: number) => number): void => {
    const at = bytesOf(access, iterationOf);
    const { bits } = access.mask;
    for (let lane = 0; lane < bits.length; lane++) {
      if (!bits[lane]) continue;
      const start = laneAt(at, lane);
      if (start < low) low = start;
      if (start + access.bytes > high) high = start + access.bytes;
    }
  };
  for (const member of members) {
    const counts = new Map<number, number>();
    for (const { of } of member.form ?? [])
      for (const factor of of.factors) if (factor.kind === 'loop') counts.set(factor.id, factor.count ?? 2);
    widen(member, () => 0);
    if (counts.size > 0) widen(member, (id) => counts.get(id)! - 1);
    // Advances of both signs: the ends of each alone.
    if (counts.size > 1) for (const one of counts.keys()) widen(member, (id) => (id === one ? counts.get(id)! - 1 : 0));
  }
  return [low, high];
}

/**
 * Has a loop whose end is unknown taken a lane out of its row of an array of rows? Then its end does not lie there:
 * columns end where rows do.
 */
function leavesItsRow({ base: { type }, form = [], mask: { bits }, offset }: TracedAccess, bytes: Lanes): boolean {
  const row = type?.kind === 'array' && type.of.kind === 'array' ? sizeOf(type.of) : undefined;
  if (!row) return false;
  const alongRows = form.filter(({ of: { factors } }) => {
    const [only] = factors;
    return factors.length === 1 && only!.kind === 'loop' && only!.count === undefined;
  });
  if (alongRows.length === 0) return false;
  for (let lane = 0; lane < bits.length; lane++) {
    if (!bits[lane] || alongRows.every(({ by }) => laneAt(by, lane) % row === 0)) continue;
    if (Math.floor(laneAt(bytes, lane) / row) !== Math.floor(laneAt(offset, lane) / row)) return true;
  }
  return false;
}

export function touchedBy(
  event: TracedAccess,
  { unit, low, cells }: Group,
  iterations: ReadonlyMap<number, number>,
): Touched | undefined {
  const bytes = bytesOf(event, (id) => iterations.get(id) ?? 0);
  if (leavesItsRow(event, bytes)) return undefined;
  const units = Math.ceil(event.bytes / unit);
  const last = cells.wrote.length - units;
  const { bits } = event.mask;
  const at = new Float64Array(bits.length);
  for (let lane = 0; lane < at.length; lane++) {
    if (!bits[lane]) continue;
    at[lane] = (laneAt(bytes, lane) - low) / unit;
    if (!Number.isInteger(at[lane]) || at[lane]! < 0 || at[lane]! > last) return undefined;
  }
  return { at, units };
}

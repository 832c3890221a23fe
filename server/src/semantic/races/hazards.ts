// Finds races in what a run wrote down of a block's memory: two threads at one place, and nothing that orders them.
//
// As compute-sanitizer's racecheck has it: within the barriers of a block, a read behind or before another thread's
// write, or two writes of different values; between threads of one warp the barriers of the warp order as well. Atomics
// order each other, and no plain accesses. What is not known (places, lanes, values) takes no part, so that whatever is
// found is one.
import type { FunctionDecl, Node, Stmt, VarDecl } from '../../syntax/ast';
import { append, sizeOf } from '../language';
import {
  laneAt,
  type Lanes,
  type TracedAccess,
  type TraceEvent,
  Taint,
  uncertain,
  type MemoryBase,
  type Value,
} from '../run';

export interface Hazard {
  readonly first: TracedAccess;
  readonly second: TracedAccess;
  /** The threads of `first` and `second` in the block's order. */
  readonly lanes: readonly [number, number];
  readonly scope: 'block' | 'warp';
  /** `second` is in a later iteration of a loop around both. */
  readonly again: boolean;
  /** `first` is an asynchronous copy, or `second`: no wait for it is between them. */
  readonly inFlight?: true;
}

/** Where a barrier is put on trial. */
export interface Trial {
  readonly scope: 'block' | 'warp';
  readonly fn: FunctionDecl;
  /** Before this statement of `fn`, or where an iteration of this loop ends. */
  readonly before?: Stmt;
  readonly endOf?: Stmt;
}

/** What the lanes of an access touch, in units from the start of its memory. */
interface Touched {
  readonly at: Lanes;
  readonly units: number;
}
/** The accesses of one memory whose places are known to differ or to be equal. */
interface Group {
  readonly unit: number;
  readonly low: number;
  readonly cells: Cells;
}
/** By unit: the last write; of reads the last one, the last by another thread of its warp, and by another warp. */
interface Cells {
  readonly wrote: Int32Array;
  readonly writer: Int16Array;
  readonly read: readonly [Int32Array, Int32Array, Int32Array];
  readonly reader: readonly [Int16Array, Int16Array, Int16Array];
  /** The asynchronous copy that has not arrived. */
  readonly copy: Int32Array;
  readonly copier: Int16Array;
}
/** An asynchronous copy, by its number among the accesses, and its batch. */
interface Flight {
  readonly access: TracedAccess;
  readonly touched: Touched;
  readonly group: Group;
  readonly number: number;
  readonly batch: number;
}

/** Memory with more units than this is not looked at. */
const mostUnits = 1 << 16;
/** Accesses after which a long trace is left. */
const mostSteps = 12_000;

interface Search {
  readonly events: readonly TraceEvent[];
  readonly trial: Trial | undefined;
  readonly groups: ReadonlyMap<TracedAccess, Group>;
  readonly hazards: Map<string, Hazard>;
  /** The accesses made so far, by their number. */
  readonly made: TracedAccess[];
  /** Only what came after these numbers is unordered, for the block and for each warp. */
  blockFloor: number;
  readonly warpFloors: Int32Array;
  /** The number of the iteration by the unknown that stands for it. */
  readonly iterations: Map<number, number>;
  insideTrial: boolean;
  /** Copies that have not arrived, and how many batches there were. */
  flights: Flight[];
  batches: number;
  /** By loop: how many accesses had been made as its last iteration began. */
  readonly began: Map<Stmt, number>;
}

/** The races of a trace, each pair of places once; behind each the threads are taken to have met. */
export function findHazards(
  events: readonly TraceEvent[],
  threads: number,
  { trial, isHeld }: { readonly trial?: Trial; readonly isHeld?: (access: TracedAccess) => boolean } = {},
): Hazard[] {
  if (!events.some((event) => event.kind === 'access' && event.mode !== 'load')) return [];
  const search: Search = {
    events,
    trial,
    groups: groupsOf(isHeld ? events.filter((event) => event.kind === 'access' && isHeld(event)) : events),
    hazards: new Map(),
    made: [],
    blockFloor: -1,
    warpFloors: new Int32Array(Math.ceil(threads / 32)).fill(-1),
    iterations: new Map(),
    insideTrial: false,
    flights: [],
    batches: 0,
    began: new Map(),
  };
  follow(search, 0, events.length, 0);
  return [...search.hazards.values()];
}

function follow(search: Search, from: number, to: number, depth: number): void {
  const { events, trial } = search;
  for (let at = from; at < to; at++) {
    const event = events[at]!;
    switch (event.kind) {
      case 'gap':
        forget(search);
        break;
      case 'commit':
        search.batches++;
        break;
      case 'wait':
        arrive(search, event.prior);
        break;
      case 'meeting':
        if (event.scope === 'warp') meetInWarps(search, event.mask.bits);
        else meet(search);
        break;
      case 'iteration':
        endIteration(search, event.stmt);
        break;
      case 'access': {
        if (search.made.length > mostSteps) return;
        const isInside = trial?.before !== undefined && isWithin(nodeIn(trial.fn, event), trial.before);
        if (isInside && !search.insideTrial) tryBarrier(search);
        search.insideTrial = isInside;
        step(search, event);
        break;
      }
      case 'loop': {
        const { count, id } = event.unknown;
        const meets = events
          .slice(at + 1, event.end)
          .some((each) => each.kind === 'meeting' || each.kind === 'wait' || each.kind === 'gap');
        const last = count !== undefined && count > 2 ? count - 1 : undefined;
        for (const iteration of [0, 1, last]) {
          if (iteration === undefined || (iteration > 0 && event.once) || (count !== undefined && iteration >= count))
            continue;
          if (iteration > 1 && (depth > 1 || meets)) forget(search);
          if (iteration > 1 && depth > 1) break;
          endIteration(search, event.stmt);
          search.iterations.set(id, iteration);
          follow(search, at + 1, event.end, depth + 1);
        }
        endIteration(search, event.stmt);
        search.iterations.delete(id);
        if (count === undefined) forget(search);
        at = event.end - 1;
        break;
      }
    }
  }
}

function endIteration(search: Search, stmt: Stmt): void {
  search.insideTrial = false;
  search.began.set(stmt, search.made.length);
  if (search.trial?.endOf === stmt) tryBarrier(search);
}
function tryBarrier(search: Search): void {
  if (search.trial!.scope === 'block') meet(search);
  else search.warpFloors.fill(search.made.length - 1);
}
/** The access, or the call that leads to it, in a function. */
export function nodeIn(fn: FunctionDecl, { fn: own, node, via }: TracedAccess): Node | undefined {
  return own === fn ? node : via;
}
function isWithin(node: Node | undefined, outer: Node): boolean {
  if (!node) return false;
  return outer.start <= node.start && node.end <= outer.end;
}

function meet(search: Search): void {
  search.blockFloor = search.made.length - 1;
}
function meetInWarps(search: Search, bits: Uint8Array): void {
  for (let at = 0; at < bits.length; at++) if (bits[at]) search.warpFloors[at >> 5] = search.made.length - 1;
}

/** Whatever came before may be ordered. */
function forget(search: Search): void {
  meet(search);
  for (const flight of search.flights) land(flight);
  search.flights = [];
}
/** Copies of all but the last `prior` batches have arrived: they are what their threads have written now. */
function arrive(search: Search, prior: number): void {
  const arrived = search.flights.filter(({ batch }) => batch < search.batches - prior);
  search.flights = search.flights.filter((flight) => !arrived.includes(flight));
  for (const flight of arrived) {
    land(flight);
    const { access, touched, group } = flight;
    const now = search.made.length;
    search.made.push(access);
    eachUnit(access, touched, (unit, lane) => {
      group.cells.wrote[unit] = now;
      group.cells.writer[unit] = lane;
    });
  }
}
function land({ access, touched, group, number }: Flight): void {
  const { copy } = group.cells;
  eachUnit(access, touched, (unit) => {
    if (copy[unit] === number) copy[unit] = -1;
  });
}
function eachUnit({ mask: { bits } }: TracedAccess, { at, units }: Touched, act: (unit: number, lane: number) => void) {
  for (let lane = 0; lane < bits.length; lane++) {
    if (!bits[lane]) continue;
    const start = laneAt(at, lane);
    for (let unit = start; unit < start + units; unit++) act(unit, lane);
  }
}

/** Holds one access against those before it, and writes it down. */
function step(search: Search, event: TracedAccess): void {
  const group = search.groups.get(event);
  const touched = group && touchedBy(event, group, search.iterations);
  if (!touched) return;
  const now = search.made.length;
  search.made.push(event);
  const { cells } = group;
  const isStore = event.mode !== 'load';
  eachUnit(event, touched, (unit, lane) => {
    holdCopy(search, event, now, lane, cells.copy[unit]!, cells.copier[unit]!);
    hold(search, event, now, lane, cells.wrote[unit]!, cells.writer[unit]!);
    if (!isStore) return;
    for (let which = 0; which < 3; which++)
      hold(search, event, now, lane, cells.read[which]![unit]!, cells.reader[which]![unit]!);
  });
  eachUnit(event, touched, (unit, lane) => {
    if (!isStore) noteRead(cells, unit, now, lane);
    else if (event.inFlight) {
      cells.copy[unit] = now;
      cells.copier[unit] = lane;
    } else {
      // Threads of other warps write in no order: two of one instruction are compared with each other as well.
      hold(search, event, now, lane, cells.wrote[unit]!, cells.writer[unit]!);
      cells.wrote[unit] = now;
      cells.writer[unit] = lane;
    }
  });
  if (event.inFlight) search.flights.push({ access: event, touched, group, number: now, batch: search.batches });
}

/** An access of what a copy that has not arrived writes, by whichever thread; two copies are not compared. */
function holdCopy(search: Search, event: TracedAccess, now: number, lane: number, before: number, other: number): void {
  if (before < 0 || event.inFlight) return;
  const first = search.made[before]!;
  const again = isAgain(search, first, before, event);
  const hazard: Hazard = { first, second: event, lanes: [other, lane], scope: 'block', again, inFlight: true };
  const key = keyOfHazard(hazard);
  if (!search.hazards.has(key)) search.hazards.set(key, hazard);
  search.blockFloor = now - 1;
}

function noteRead({ read, reader }: Cells, unit: number, now: number, lane: number): void {
  const before = reader[0][unit]!;
  if (read[0][unit]! >= 0 && before !== lane) {
    const into = before >> 5 === lane >> 5 ? 1 : 2;
    read[into][unit] = read[0][unit]!;
    reader[into][unit] = before;
  }
  read[0][unit] = now;
  reader[0][unit] = lane;
}

function hold(search: Search, event: TracedAccess, now: number, lane: number, before: number, other: number): void {
  if (before <= search.blockFloor || other === lane) return;
  const inWarp = other >> 5 === lane >> 5;
  // Lanes of one warp that store by one instruction do so in some order, and one of them stays.
  if (inWarp && (before <= search.warpFloors[lane >> 5]! || before === now)) return;
  const first = search.made[before]!;
  if (first.mode === 'atomic' && event.mode === 'atomic') return;
  // Data decide whether the two come at all.
  if (first.byData && event.byData) return;
  if (isTriedFirst(first, event) || isTriedFirst(event, first)) return;
  if (first.mode === 'store' && event.mode === 'store' && !storeOthers(first, other, event, lane)) return;
  if (event.mode === 'load' && first.mode === 'store' && first.mask.bits[lane] && storesOneValue(first)) return;
  const scope = inWarp ? 'warp' : 'block';
  const again = isAgain(search, first, before, event);
  const hazard: Hazard = { first, second: event, lanes: [other, lane], scope, again };
  const key = keyOfHazard(hazard);
  if (!search.hazards.has(key)) search.hazards.set(key, hazard);
  if (inWarp) search.warpFloors.fill(now - 1);
  else search.blockFloor = now - 1;
}
/** A read that tells whether the atomic is worth its time: `if (v > most[0]) atomicMax(&most[0], v)`. */
function isTriedFirst(load: TracedAccess, { mode, conditions }: TracedAccess): boolean {
  if (load.mode !== 'load' || mode !== 'atomic') return false;
  for (let at = conditions; at; at = at.outer) if (isWithin(load.node, at.cond)) return true;
  return false;
}
function isAgain({ began }: Search, first: TracedAccess, number: number, second: TracedAccess): boolean {
  if (first.fn !== second.fn) return false;
  for (const [loop, from] of began)
    if (from > number && isWithin(first.node, loop) && isWithin(second.node, loop)) return true;
  return false;
}
export function keyOfHazard({ scope, first, second }: Hazard): string {
  return `${scope} ${placeOf(first)} ${first.mode} ${placeOf(second)} ${second.mode}`;
}
/** One name for a place of the text as it is reached. */
export function placeOf({ fn, node, via }: Pick<TracedAccess, 'fn' | 'node' | 'via'>): string {
  return `${fn.uri}:${fn.key}:${node.start}:${via?.start ?? ''}`;
}

/** Do two threads store values that are known to differ? */
function storeOthers(first: TracedAccess, lane: number, second: TracedAccess, other: number): boolean {
  const [a, b] = [first.value, second.value];
  if (!a || !b || !isTold(a) || !isTold(b)) return false;
  return laneAt(a.lanes, lane) !== laneAt(b.lanes, other);
}
/**
 * Does each active thread write the same place, and the same value for all that is known? Then a later read of it finds
 * that value; and where values differ the writes themselves race.
 */
function storesOneValue({ offset, form = [], value }: TracedAccess): boolean {
  const isOnePlace = typeof offset === 'number' && form.every(({ by }) => typeof by === 'number');
  return isOnePlace && (!value || !isTold(value));
}
/** A number of each lane's own, or one that each lane loaded from another place. */
function isTold({ type, taint, form }: Value): boolean {
  if (type.kind !== 'scalar' || taint & (Taint.hash | Taint.maybe | Taint.assumed | Taint.float)) return false;
  if (taint & uncertain) return type.float;
  return (taint & Taint.thread) !== 0 && (form === undefined || form.every(({ by }) => typeof by === 'number'));
}

/** By access: the memory in which its place is known; absent where its place is not followed. */
function groupsOf(events: readonly TraceEvent[]): Map<TracedAccess, Group> {
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
export function keyOf({ base, form = [] }: TracedAccess): string | undefined {
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
export function bytesOf({ offset, form = [] }: TracedAccess, iterationOf: (unknown: number) => number): Lanes {
  let known = offset;
  const shift = (by: Lanes, times: number): void => {
    if (times === 0) return;
    if (typeof known === 'number' && typeof by === 'number') known += by * times;
    else {
      const length = typeof known === 'number' ? (by as Float64Array).length : known.length;
      const before = known;
      known = Float64Array.from({ length }, (_, at) => laneAt(before, at) + laneAt(by, at) * times);
    }
  };
  for (const { of, by } of form) {
    const only = of.factors.length === 1 ? of.factors[0]! : undefined;
    if (only?.kind === 'loop') shift(by, iterationOf(only.id));
    else if (only?.kind !== 'iteration') shift(by, -(of.witness as number));
  }
  return known;
}

/** From the first to behind the last byte that the accesses may touch. */
function extentOf(members: readonly TracedAccess[]): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  const widen = (access: TracedAccess, at: Lanes): void => {
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
    widen(
      member,
      bytesOf(member, () => 0),
    );
    if (counts.size > 0)
      widen(
        member,
        bytesOf(member, (id) => counts.get(id)! - 1),
      );
    // Advances of both signs: the ends of each alone.
    if (counts.size > 1)
      for (const one of counts.keys())
        widen(
          member,
          bytesOf(member, (id) => (id === one ? counts.get(id)! - 1 : 0)),
        );
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

function touchedBy(
  event: TracedAccess,
  { unit, low, cells }: Group,
  iterations: ReadonlyMap<number, number>,
): Touched | undefined {
  const bytes = bytesOf(event, (id) => iterations.get(id) ?? 0);
  if (leavesItsRow(event, bytes)) return undefined;
  const units = Math.ceil(event.bytes / unit);
  const last = cells.wrote.length - units;
  const { bits } = event.mask;
  if (typeof bytes === 'number') {
    const at = (bytes - low) / unit;
    return Number.isInteger(at) && at >= 0 && at <= last ? { at, units } : undefined;
  }
  const at = new Float64Array(bytes.length);
  for (let lane = 0; lane < at.length; lane++) {
    if (!bits[lane]) continue;
    at[lane] = (bytes[lane]! - low) / unit;
    if (!Number.isInteger(at[lane]) || at[lane]! < 0 || at[lane]! > last) return undefined;
  }
  return { at, units };
}

// Finds races in what a run wrote down of a block's memory: two threads at one place, and nothing that orders them.
//
// As compute-sanitizer's racecheck has it: within the barriers of a block, a read behind or before another thread's
// write, or two writes of different values; between threads of one warp the barriers of the warp order as well. Atomics
// order each other, and no plain accesses. What is not known (places, lanes, values) takes no part, so that whatever is
// found is one.
import type { FunctionDecl, IfStmt, Stmt } from '../../syntax/ast';
import { type AnyAccess, laneAt, type TracedAccess, type TraceEvent, Taint, uncertain, type Value } from '../run';
import { meetingsByData, type Visit } from './byData';
import { groupsOf, storedIn, touchedBy, type Cells, type Group, type Touched } from './touched';
import { comesUntaken, isAskedBy, isWithin, leftOutOf, nodeIn, type Pair } from './untakenArms';

export interface Hazard extends Pair {
  /** The threads of `first` and `second` in the block's order. */
  readonly lanes: readonly [number, number];
  readonly scope: 'block' | 'warp';
  /** `first` is an asynchronous copy, or `second`: no wait for it is between them. */
  readonly inFlight?: true;
  /** Data decide which threads come to one of them, or to which place. */
  readonly byData?: true;
}

/** Where a barrier is put on trial. */
export interface Trial {
  readonly scope: 'block' | 'warp';
  readonly fn: FunctionDecl;
  /** Before this statement of `fn`, or where an iteration of this loop ends. */
  readonly before?: Stmt;
  readonly endOf?: Stmt;
}

/** An asynchronous copy, by its number among the accesses, and its batch. */
interface Flight {
  readonly access: TracedAccess;
  readonly touched: Touched;
  readonly group: Group;
  readonly number: number;
  readonly batch: number;
}

/** Accesses after which a long trace is left. */
const mostSteps = 12_000;

interface Search {
  readonly events: readonly TraceEvent[];
  readonly trial: Trial | undefined;
  readonly groups: ReadonlyMap<TracedAccess, Group>;
  readonly hazards: Map<string, Hazard>;
  /** The accesses made so far, by their number. */
  readonly made: AnyAccess[];
  readonly visits: Map<string, readonly Visit[]>;
  /** Only what came after these numbers is unordered, for the block and for each warp. */
  blockFloor: number;
  readonly warpFloors: Int32Array;
  /** The number of the iteration by the unknown that stands for it. */
  readonly iterations: Map<number, number>;
  insideTrial: boolean;
  /** Copies that have not arrived, and how many batches there were. */
  flights: Flight[];
  batches: number;
  /** The arms that are taken to be not taken, and the last of them, with the accesses made as it was last passed. */
  readonly isLeftOut: ((stmt: IfStmt) => boolean) | undefined;
  passed?: { readonly stmt: IfStmt; readonly at: number };
  /** By loop: how many accesses had been made as its last iteration began. */
  readonly began: Map<Stmt, number>;
}

/**
 * The races of a trace, each pair of places once; behind each the threads are taken to have met. Those across an arm
 * that is not taken are looked for in a second pass.
 */
export function findHazards(
  events: readonly TraceEvent[],
  threads: number,
  { trial, isHeld }: { readonly trial?: Trial; readonly isHeld?: (access: TracedAccess) => boolean } = {},
): Hazard[] {
  if (!events.some((event) => event.kind === 'access' && event.mode !== 'load')) return [];
  const hazards = new Map<string, Hazard>();
  const search = (isLeftOut?: Search['isLeftOut']): Search => ({
    events,
    trial,
    groups: groupsOf(isHeld ? events.filter((event) => event.kind === 'access' && isHeld(event)) : events),
    hazards,
    made: [],
    visits: new Map(),
    blockFloor: -1,
    warpFloors: new Int32Array(Math.ceil(threads / 32)).fill(-1),
    iterations: new Map(),
    insideTrial: false,
    flights: [],
    batches: 0,
    isLeftOut,
    began: new Map(),
  });
  follow(search(), 0, events.length, 0);
  const isLeftOut = leftOutOf(events);
  if (isLeftOut) follow(search(isLeftOut), 0, events.length, 0);
  return [...hazards.values()];
}

function follow(search: Search, from: number, to: number, depth: number): void {
  const { events, trial } = search;
  for (let at = from; at < to; at++) {
    const event = events[at]!;
    switch (event.kind) {
      case 'gap':
        if (event.arm) {
          const { stmt, end } = event.arm;
          const isLeftOut = stmt && search.isLeftOut?.(stmt);
          if (isLeftOut) pass(search, stmt);
          else if (events.slice(at + 1, end).every(ordersNothing)) follow(search, at + 1, end, depth);
          else {
            forget(search);
            break;
          }
          at = (events[end] as typeof event).arm ? end - 1 : end;
        } else forget(search);
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
      case 'scattered':
      case 'access': {
        if (search.made.length > mostSteps) return;
        const isInside = trial?.before !== undefined && isWithin(nodeIn(trial.fn, event), trial.before);
        if (isInside && !search.insideTrial) tryBarrier(search);
        search.insideTrial = isInside;
        if (event.base.space === 'shared') stepByData(search, event);
        if (event.kind === 'access') step(search, event);
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

/** Data decide each access of an arm, so that it is compared with others whether or not the arm is taken. */
function ordersNothing(event: TraceEvent): boolean {
  return event.kind === 'scattered' || event.kind === 'iteration' || (event.kind === 'gap' && event.isOfArm === true);
}

/** Only one arm is left out between two accesses: of two, one may be taken where the other is not. */
function pass(search: Search, stmt: IfStmt): void {
  const { passed, made } = search;
  if (passed && passed.stmt !== stmt) search.blockFloor = Math.max(search.blockFloor, passed.at - 1);
  search.passed = { stmt, at: made.length };
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
function step(search: Search, traced: TracedAccess): void {
  const group = search.groups.get(traced);
  const touched = group && touchedBy(traced, group, search.iterations);
  if (!touched) return;
  const event = storedIn(traced, (id) => search.iterations.get(id) ?? 0);
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

/** Holds one access against those before it where data decide the lanes or the place of one of the two. */
function stepByData(search: Search, event: AnyAccess): void {
  const { visits, made, blockFloor: floor, iterations, isLeftOut, passed } = search;
  const now = made.length;
  for (const { access: first, number, lanes } of meetingsByData(visits, event, now, { floor, iterations })) {
    if (isLeftOut && (!passed || passed.at <= number)) continue;
    const untaken = passed ? { untaken: passed.stmt } : {};
    const again = isAgain(search, first, number, event);
    keep(search, { first, second: event, lanes, scope: 'block', again, byData: true, ...untaken });
  }
  if (event.kind === 'scattered') made.push(event);
}

/** An access of what a copy that has not arrived writes, by whichever thread; two copies are not compared. */
function holdCopy(search: Search, event: TracedAccess, now: number, lane: number, before: number, other: number): void {
  if (before < 0 || event.inFlight || search.isLeftOut) return;
  const first = search.made[before]!;
  const again = isAgain(search, first, before, event);
  keep(search, { first, second: event, lanes: [other, lane], scope: 'block', again, inFlight: true });
  search.blockFloor = now - 1;
}

function keep({ hazards }: Search, hazard: Hazard): void {
  const key = keyOfHazard(hazard);
  if (!hazards.has(key) && comesUntaken(hazard)) hazards.set(key, hazard);
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
  if (search.isLeftOut && (inWarp || !search.passed || search.passed.at <= before)) return;
  // Data decide whether the two come at all.
  if (first.byData && event.byData) return;
  if (isTriedFirst(first, event) || isTriedFirst(event, first)) return;
  if (first.mode === 'store' && event.mode === 'store' && !storeOthers(first, other, event, lane)) return;
  if (event.mode === 'load' && first.mode === 'store' && first.mask.bits[lane] && storesOneValue(first)) return;
  const scope = inWarp ? 'warp' : 'block';
  const again = isAgain(search, first, before, event);
  const untaken = search.passed ? { untaken: search.passed.stmt } : {};
  keep(search, { first, second: event, lanes: [other, lane], scope, again, ...untaken });
  if (inWarp) search.warpFloors.fill(now - 1);
  else search.blockFloor = now - 1;
}
/** A read that tells whether the atomic is worth its time: `if (v > most[0]) atomicMax(&most[0], v)`. */
function isTriedFirst(load: AnyAccess, { mode, conditions }: AnyAccess): boolean {
  return load.mode === 'load' && mode === 'atomic' && isAskedBy(conditions, load);
}
function isAgain({ began }: Search, first: AnyAccess, number: number, second: AnyAccess): boolean {
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
function storeOthers(first: AnyAccess, lane: number, second: AnyAccess, other: number): boolean {
  const [a, b] = [first.value, second.value];
  if (!a || !b || !isTold(a) || !isTold(b)) return false;
  return laneAt(a.lanes, lane) !== laneAt(b.lanes, other);
}
/**
 * Does each active thread write the same place, and the same value for all that is known? Then a later read of it finds
 * that value; and where values differ the writes themselves race.
 */
function storesOneValue({ offset, form = [], value }: AnyAccess): boolean {
  const isOnePlace = typeof offset === 'number' && form.every(({ by }) => typeof by === 'number');
  return isOnePlace && (!value || !isTold(value));
}
/** A number of each lane's own, or one that each lane loaded from another place. */
function isTold({ type, taint, form }: Value): boolean {
  if (type.kind !== 'scalar' || taint & (Taint.hash | Taint.maybe | Taint.assumed | Taint.float)) return false;
  if (taint & uncertain) return type.float;
  return (taint & Taint.thread) !== 0 && (form === undefined || form.every(({ by }) => typeof by === 'number'));
}

// Races in global memory: updates that threads make at one place, and what one block reads or writes of another's.
//
// Barriers order the threads of one block alone, so that accesses of two blocks are held against each other whatever
// their order is. Places and guards are compared in a block and in its neighbours along each axis of the grid: what
// depends on the block in another way, or on data, takes no part.
import type { CallExpr, Expr, FunctionDecl, Node } from '../../syntax/ast';
import { append, calleeName, isStatement, isVolatile, localsOf, sameExpr, walk, type AnySyntax } from '../language';
import {
  isOfCall,
  laneAt,
  Taint,
  uncertain,
  type AnyAccess,
  type Signal,
  type TracedAccess,
  type TraceEvent,
} from '../run';
import { isLookedAt, isOfBlock } from './fences';
import { findHazards, placeOf, type Hazard } from './hazards';
import { distancesOf, edgeOf, lanesBetween, lanesFromEdge, type GridAxes } from './otherBlocks';
import { bytesOf, keyOf } from './touched';

/** A race between threads of a block, or of a block and a neighbour of it. */
export interface GlobalHazard {
  readonly first: AnyAccess;
  readonly second: AnyAccess;
  readonly lanes: readonly [number, number];
  readonly scope: 'block' | 'warp' | 'grid';
  /** Both threads read the place, change what they read and write it back. */
  readonly isUpdate: boolean;
  /** Data decide whether two threads meet. */
  readonly byData?: true;
  readonly again: boolean;
  /** Of one block: what a barrier may order. */
  readonly inBlock?: Hazard;
}

/** Places of one array that are held against each other. */
const mostPlaces = 48;

/** The races of a run in global memory, each pair of places once. */
export function findGlobalHazards(events: readonly TraceEvent[], threads: number, grid: GridAxes): GlobalHazard[] {
  const accesses = placesOf(events);
  const stores = accesses.filter(({ access }) => access.mode === 'store');
  const found = new Map<string, GlobalHazard>();
  const foundAt = new Set<Node>();
  const add = (hazard: GlobalHazard): void => {
    const key = [placeOf(hazard.first), placeOf(hazard.second)].sort().join();
    if (found.has(key)) return;
    found.set(key, hazard);
    foundAt.add(hazard.first.node).add(hazard.second.node);
  };
  const traced = accesses.map(({ access }) => access);
  const distances = distancesOf(traced, grid);
  const edge = edgeOf(traced);
  const meet = (store: TracedAccess, other: TracedAccess): readonly [number, number] | undefined =>
    store.isShadow ? lanesFromEdge(store, other, edge) : lanesBetween(store, other, distances);
  for (const store of stores) {
    const load = readByUpdate(store, accesses);
    if (!load || store.isSignalled || store.access.isShadow) continue;
    const inBlock = collision(store.access);
    const lanes = inBlock ?? lanesBetween(store.access, load.access, distances);
    const scope = inBlock ? 'block' : 'grid';
    if (lanes) add({ first: load.access, second: store.access, lanes, scope, isUpdate: true, again: false });
  }
  for (const store of stores)
    for (const other of accesses) {
      if (other.access.mode === 'atomic' || store.isSignalled || other.isSignalled || store.era !== other.era) continue;
      if (
        store.access.byData ||
        other.access.byData ||
        foundAt.has(store.access.node) ||
        foundAt.has(other.access.node)
      )
        continue;
      if (store.access.base !== other.access.base || isOfAll(store.access)) continue;
      const isOfArms = store.arm !== other.arm;
      if (other.access.isShadow || (isOfArms && sharesCondition(store.access, other.access))) continue;
      const lanes = meet(store.access, other.access);
      if (lanes)
        add({
          ...{ first: store.access, second: other.access, lanes, scope: 'grid', isUpdate: false, again: false },
          ...(isOfArms ? { byData: true } : {}),
        });
    }
  for (const hazard of besideAtomics(accesses, events, meet)) add(hazard);
  const signal = events.findIndex(isOrdering);
  const isBehind = (event: AnyAccess): boolean => signal >= 0 && events.indexOf(event as TraceEvent) > signal;
  for (const hazard of racesByData(signal < 0 ? events : events.slice(0, signal))) add(hazard);
  const inBlock = findHazards(events, threads, { isHeld: (event) => isHeld(event) && !foundAt.has(event.node) });
  for (const hazard of [...inBlock.filter(({ scope }) => scope === 'block'), ...inBlock])
    if (!isBehind(hazard.first) && !isBehind(hazard.second)) add({ ...hazard, isUpdate: false, inBlock: hazard });
  return [...found.values()];
}

/** Is it known which threads come, and to which place? */
export function isHeld(event: TracedAccess): boolean {
  return !event.byData && !event.isShadow && event.mode !== 'atomic' && isWhole(event);
}

/** An access, and how what came before it may order it. */
interface Place {
  readonly access: TracedAccess;
  /** Accesses of two eras may be ordered by what is between them. */
  readonly era: number;
  /** Of two arms it is unknown whether both are taken. */
  readonly arm: number;
  readonly isSignalled: boolean;
  readonly key: string;
  /** The atomic that it is. */
  readonly by?: Signal;
}

function placesOf(events: readonly TraceEvent[]): readonly Place[] {
  const places: Place[] = [];
  const byNode = new Map<Node, number>();
  let era = 0;
  let arm = 0;
  let isSignalled = false;
  let signal: Signal | undefined;
  for (const event of events) {
    if (event.kind === 'signal') signal = event;
    if (isOrdering(event)) isSignalled = true;
    else if (event.kind === 'gap' && event.isOfArm) arm++;
    else if (event.kind === 'gap' || (event.kind === 'meeting' && event.scope === 'grid')) era++;
    if (event.kind !== 'access') continue;
    const key = isWhole(event) ? keyOf(event) : undefined;
    const times = byNode.get(event.node) ?? 0;
    if (key === undefined || times > 3 || places.length >= mostPlaces) continue;
    byNode.set(event.node, times + 1);
    const by = event.mode === 'atomic' && signal ? { by: signal } : {};
    places.push({ access: event, era, arm, isSignalled, key, ...by });
  }
  return places;
}

/** Is nothing in the place that may be another number in each thread, and is it not there for threads to wait by? */
function isWhole(access: TracedAccess): boolean {
  const { fn, node, form = [] } = access;
  if (isVolatile(fn, node as Expr) || isOfCall(access)) return false;
  return form.every(({ of }) => of.factors.every(({ ofThread }) => !ofThread));
}

/**
 * May threads wait for each other by it: by memory that they take to change, a fence, or an atomic whose old value is
 * looked at, or that may be a lock?
 */
function isOrdering(event: TraceEvent): boolean {
  if (event.kind === 'access') return isVolatile(event.fn, event.node as Expr);
  if (event.kind !== 'signal') return false;
  return event.by === 'fence' || isLookedAt(event) || /Exch|CAS/.test(calleeName(event.node as CallExpr) ?? '');
}

/** The load by which a statement reads what its store changes: `x += v`, `x = x + v`, `x++`, `if (v > x) x = v`. */
function readByUpdate(store: Place, accesses: readonly Place[]): Place | undefined {
  const { key, access } = store;
  const { node, fn, mask, conditions } = access;
  const operands = operandsOf(fn).get(node);
  const load = accesses.find(
    ({ access: other, key: otherKey }) =>
      other.mode === 'load' &&
      other.fn === fn &&
      other.base === access.base &&
      otherKey === key &&
      other.mask === mask &&
      operands?.has(other.node) === true &&
      isOnePlace(other, access),
  );
  // A loop may wait by its condition.
  return load ?? (conditions && !conditions.isLoop && orders(conditions.cond, node as Expr) ? store : undefined);
}

/** Does a condition ask whether a place holds less, or more, than something else? */
function orders(cond: Expr, place: Expr): boolean {
  if (cond.kind !== 'binary') return false;
  const { op, left, right } = cond;
  if (op === '&&') return orders(left, place) || orders(right, place);
  return /^[<>]=?$/.test(op) && (sameExpr(left, place) || sameExpr(right, place));
}

function isOnePlace(first: TracedAccess, second: TracedAccess): boolean {
  const [a, b] = [bytesOf(first, () => 0), bytesOf(second, () => 0)];
  return second.mask.bits.every((bit, lane) => !bit || laneAt(a, lane) === laneAt(b, lane));
}

/**
 * Plain accesses of a place that atomics of other blocks update: what sets it loses updates, and what reads it behind
 * a barrier of its block finds those of the blocks that came before.
 */
function besideAtomics(
  accesses: readonly Place[],
  events: readonly TraceEvent[],
  meet: (store: TracedAccess, other: TracedAccess) => readonly [number, number] | undefined,
): GlobalHazard[] {
  const atomics = accesses.filter(({ access, by }) => by && !access.isShadow);
  return atomics.flatMap(({ access: atomic, era, arm, by }): GlobalHazard[] => {
    const ofBlock = isOfBlock(by!.node as Expr) ? meet(atomic, atomic) : undefined;
    const both = { scope: 'grid', isUpdate: false, again: false } as const;
    if (ofBlock) return [{ first: atomic, second: atomic, lanes: ofBlock, ...both }];
    if (isOrdering(by!)) return [];
    const at = events.indexOf(atomic);
    const meeting = events.findIndex(({ kind }, number) => number > at && kind === 'meeting');
    for (const { access, ...other } of accesses) {
      if (access.base !== atomic.base || access.byData || other.isSignalled) continue;
      if (other.era !== era || other.arm !== arm || access.mode === 'atomic') continue;
      const isSet = access.mode === 'store';
      if (!isSet && (meeting < 0 || events.indexOf(access) < meeting || decides(access))) continue;
      const [first, second] = isSet ? [access, atomic] : [atomic, access];
      const lanes = meet(first, second);
      if (lanes) return [{ first, second, lanes, ...both }];
    }
    return [];
  });
}

/** Is what is read compared, or part of a condition, by which threads may wait or leave? */
function decides({ fn, node }: AnyAccess): boolean {
  const locals = localsOf(fn);
  let at: AnySyntax | undefined = locals.parent(node as Expr);
  while (at && !isStatement(at)) {
    if (at.kind === 'binary' && /^(?:[=!]=|[<>]=?)$/.test(at.op)) return true;
    at = locals.parent(at);
  }
  return at?.kind !== 'expr' && at?.kind !== 'decl';
}

/** Updates at places that data give (`bins[value[i]]++`), and reads of what atomics change there (`atomicMin`). */
function racesByData(events: readonly TraceEvent[]): GlobalHazard[] {
  const accesses = events.filter((event) => event.kind === 'scattered' || event.kind === 'access');
  return accesses.flatMap((second): GlobalHazard[] => {
    const { kind, mode, fn, node, mask } = second;
    if (kind !== 'scattered' || mode === 'load' || mask.count < 2 || !isLookedUp(node, fn)) return [];
    const isUpdate = mode === 'store';
    const operands = operandsOf(fn).get(node);
    const isRead = (load: AnyAccess): boolean =>
      isUpdate
        ? operands?.has(load.node) === true &&
          mask.bits.every((bit, lane) => !bit || laneAt(load.offset, lane) === laneAt(second.offset, lane))
        : load.fn === fn && areTwoElements(node, load.node) && !decides(load);
    const first = accesses.find((each) => each.mode === 'load' && each.base === second.base && isRead(each));
    if (!first) return [];
    return [{ first, second, lanes: [0, 0], scope: isUpdate ? 'block' : 'grid', isUpdate, byData: true, again: false }];
  });
}

/** Are both elements of one array, at places with nothing added to them, and not by one expression? */
function areTwoElements(one: Node, other: Node): boolean {
  const [a, b] = [one as Expr, other as Expr];
  if (a.kind !== 'index' || b.kind !== 'index' || !sameExpr(a.base, b.base) || sameExpr(a.index, b.index)) return false;
  return [a.index, b.index].every(({ kind }) => kind === 'name' || kind === 'index');
}

/** Is the index a number that was loaded, and not one that a loop counts from there on? */
function isLookedUp(node: Node, fn: FunctionDecl): boolean {
  const locals = localsOf(fn);
  const seen = new Set<Node>();
  const looksUp = (expr: Expr): boolean => {
    if (expr.kind === 'index') return true;
    if (expr.kind === 'unary') return expr.op === '*' || looksUp(expr.operand);
    if (expr.kind === 'cast') return looksUp(expr.operand);
    if (expr.kind === 'binary') return looksUp(expr.left) || looksUp(expr.right);
    const local = expr.kind === 'name' ? locals.of(expr) : undefined;
    const init = local?.variable?.init;
    if (!init || local.writes.length > 1 || seen.has(init)) return false;
    seen.add(init);
    return looksUp(init);
  };
  const target = node as Expr;
  return target.kind === 'index' && looksUp(target.index);
}

/** By what a function assigns to: the operands of what is assigned, itself among them where the operator reads it. */
function operandsOf(fn: FunctionDecl): ReadonlyMap<Node, ReadonlySet<Node>> {
  let operands = operandsBy.get(fn);
  if (!operands) {
    const map = new Map<Node, ReadonlySet<Node>>();
    if (fn.body)
      walk(fn.body, (node) => {
        if (node.kind === 'update') map.set(node.operand, new Set([node.operand]));
        else if (node.kind === 'assign' && node.op !== '=' && !isSettledByOne(node.op, node.value))
          map.set(node.target, new Set([node.target]));
        else if (node.kind === 'assign' && node.value.kind !== 'index') map.set(node.target, operandsIn(node.value));
      });
    operands = map;
    operandsBy.set(fn, operands);
  }
  return operands;
}
const operandsBy = new WeakMap<FunctionDecl, ReadonlyMap<Node, ReadonlySet<Node>>>();

function operandsIn(expr: Expr, found = new Set<Node>()): ReadonlySet<Node> {
  if (expr.kind === 'binary') for (const side of [expr.left, expr.right]) operandsIn(side, found);
  else if (expr.kind === 'cast' || expr.kind === 'unary') operandsIn(expr.operand, found);
  else if (expr.kind === 'call') for (const arg of expr.args) operandsIn(arg, found);
  else if (expr.kind === 'conditional') for (const arm of [expr.then, expr.else]) operandsIn(arm, found);
  else found.add(expr);
  return found;
}

/** Bits that any number of threads set or clear alike. */
function isSettledByOne(op: string, value: Expr): boolean {
  return (op === '|=' || op === '&=') && value.kind === 'number';
}

/** Two threads of the block at one place. */
function collision(access: TracedAccess): readonly [number, number] | undefined {
  const { mask, bytes } = access;
  const at = bytesOf(access, () => 0);
  const lanes = new Map<number, number>();
  for (let lane = 0; lane < mask.bits.length; lane++) {
    if (!mask.bits[lane]) continue;
    const place = Math.floor(laneAt(at, lane) / bytes);
    const other = lanes.get(place);
    if (other !== undefined) return [other, lane];
    lanes.set(place, lane);
  }
  return undefined;
}

/** The arms of one condition: not both are taken. */
function sharesCondition(first: TracedAccess, second: TracedAccess): boolean {
  const conditions = new Set<Node>();
  for (let at = first.conditions; at; at = at.outer) conditions.add(at.cond);
  for (let at = second.conditions; at; at = at.outer) if (conditions.has(at.cond)) return true;
  return false;
}

/** One number that every thread of the grid stores, known or not: each read finds it. */
function isOfAll({ value }: TracedAccess): boolean {
  if (!value || value.type.kind === 'struct') return false;
  return typeof value.lanes === 'number' && !(value.taint & (Taint.thread | Taint.block | uncertain));
}

/** The races that speak for others of the same array, those of the grid before those of a block. */
export function worthReporting(hazards: readonly GlobalHazard[]): readonly GlobalHazard[] {
  const byBase = new Map<unknown, GlobalHazard[]>();
  for (const hazard of hazards) append(byBase, hazard.second.base, hazard);
  return [...byBase.values()].flatMap((list) => {
    const updates = list.filter(({ isUpdate }) => isUpdate);
    if (updates.length > 0) return updates;
    const ofGrid = list.filter(({ scope }) => scope === 'grid');
    const ofBlock = list.filter(({ scope }) => scope === 'block');
    return [ofGrid, ofBlock, list].find(({ length }) => length > 0)!.slice(0, 1);
  });
}

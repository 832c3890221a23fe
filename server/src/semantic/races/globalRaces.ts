// Races in global memory: updates that threads make at one place, and what one block reads or writes of another's.
//
// Barriers order the threads of one block alone, so that accesses of two blocks are held against each other whatever
// their order is. Places and guards are compared in a block and in its neighbours along each axis of the grid: what
// depends on the block in another way, or on data, takes no part.
import type { Expr, FunctionDecl, Node } from '../../syntax/ast';
import { append, isVolatile, localsOf, walk } from '../language';
import { laneAt, Taint, uncertain, type Lanes, type ScatteredAccess, type TracedAccess, type TraceEvent } from '../run';
import { bytesOf, findHazards, keyOf, placeOf, type Hazard } from './hazards';

type Unknown = NonNullable<TracedAccess['form']>[number]['of']['factors'][number];
type AnyAccess = TracedAccess | ScatteredAccess;

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

/** Blocks along an axis: a number, or more than one. */
export type GridAxes = readonly (number | undefined)[];

type Distance = readonly [number, number, number];

/** Places of one array that are held against each other. */
const mostPlaces = 48;

/** The races of a run in global memory, each pair of places once. */
export function findGlobalHazards(events: readonly TraceEvent[], threads: number, grid: GridAxes): GlobalHazard[] {
  const accesses = placesOf(events);
  const stores = accesses.filter(({ access }) => access.mode === 'store');
  const found = new Map<string, GlobalHazard>();
  const add = (hazard: GlobalHazard): void => {
    const key = [placeOf(hazard.first), placeOf(hazard.second)].sort().join();
    if (!found.has(key)) found.set(key, hazard);
  };
  const distances = distancesOf(accesses, grid);
  for (const store of stores) {
    const load = readByUpdate(store, accesses);
    if (!load) continue;
    if (store.isSignalled || store.access.isShadow) continue;
    const lanes = collision(store.access) ?? lanesBetween(store, load, distances);
    const scope = collision(store.access) ? 'block' : 'grid';
    if (lanes) add({ first: load.access, second: store.access, lanes, scope, isUpdate: true, again: false });
  }
  const isOfUpdate = (access: AnyAccess): boolean =>
    [...found.values()].some(({ first, second }) => first.node === access.node || second.node === access.node);
  for (const store of stores)
    for (const other of accesses) {
      if (other.access.mode === 'atomic' || store.isSignalled || other.isSignalled || store.era !== other.era) continue;
      if (store.access.byData || other.access.byData || isOfUpdate(store.access) || isOfUpdate(other.access)) continue;
      if (store.access.base !== other.access.base || isOfAll(store.access)) continue;
      const isOfArms = store.arm !== other.arm;
      if (other.access.isShadow || (isOfArms && sharesCondition(store.access, other.access))) continue;
      const lanes = store.access.isShadow
        ? lanesFromEdge(store, other, edgeOf(accesses))
        : lanesBetween(store, other, distances);
      if (lanes)
        add({
          ...{ first: store.access, second: other.access, lanes, scope: 'grid', isUpdate: false, again: false },
          ...(isOfArms ? { byData: true } : {}),
        });
    }
  for (const hazard of scatteredUpdates(events)) add(hazard);
  const inBlock = findHazards(events, threads, { isHeld: (event) => isHeld(event) && !isOfUpdate(event) });
  for (const hazard of [...inBlock.filter(({ scope }) => scope === 'block'), ...inBlock])
    if (!isSignalledBefore(events, hazard)) add({ ...hazard, isUpdate: false, inBlock: hazard });
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
}

function placesOf(events: readonly TraceEvent[]): readonly Place[] {
  const places: Place[] = [];
  const byNode = new Map<Node, number>();
  let era = 0;
  let arm = 0;
  let isSignalled = false;
  for (const event of events) {
    if (event.kind === 'signal' || isPolled(event)) isSignalled = true;
    else if (event.kind === 'gap' && event.isOfArm) arm++;
    else if (event.kind === 'gap' || (event.kind === 'meeting' && event.scope === 'grid')) era++;
    if (event.kind !== 'access') continue;
    const key = isWhole(event) ? keyOf(event) : undefined;
    const times = byNode.get(event.node) ?? 0;
    if (key === undefined || times > 3 || places.length >= mostPlaces) continue;
    byNode.set(event.node, times + 1);
    places.push({ access: event, era, arm, isSignalled, key });
  }
  return places;
}

/** Is nothing in the place that may be another number in each thread, and is it not there for threads to wait by? */
function isWhole({ fn, node, form = [] }: TracedAccess): boolean {
  if (isVolatile(fn, node as Expr)) return false;
  return form.every(({ of }) => of.factors.every(({ kind, ofThread }) => kind !== 'call' && !ofThread));
}

/** Threads wait for each other by memory that they take to change. */
function isPolled(event: TraceEvent): boolean {
  return event.kind === 'access' && isVolatile(event.fn, event.node as Expr);
}

function isSignalledBefore(events: readonly TraceEvent[], { first, second }: Hazard): boolean {
  const signal = events.findIndex((event) => event.kind === 'signal' || isPolled(event));
  return signal >= 0 && (events.indexOf(first) > signal || events.indexOf(second) > signal);
}

/** The load by which a statement reads what its store changes: `x += v`, `x = x + v`, `x++`. */
function readByUpdate({ access, key }: Place, accesses: readonly Place[]): Place | undefined {
  const { node, fn, mask } = access;
  const operands = operandsOf(fn).get(node);
  if (!operands) return undefined;
  return accesses.find(
    ({ access: load, key: other }) =>
      load.mode === 'load' &&
      load.fn === fn &&
      load.base === access.base &&
      other === key &&
      load.mask === mask &&
      operands.has(load.node) &&
      isOnePlace(load, access),
  );
}

function isOnePlace(first: TracedAccess, second: TracedAccess): boolean {
  const [a, b] = [bytesOf(first, () => 0), bytesOf(second, () => 0)];
  return first.mask.bits.every((bit, lane) => !bit || laneAt(a, lane) === laneAt(b, lane));
}

/** Updates at places that data give: `bins[value[i]]++`. */
function scatteredUpdates(events: readonly TraceEvent[]): GlobalHazard[] {
  const signal = events.findIndex(({ kind }) => kind === 'signal');
  const before = signal < 0 ? events : events.slice(0, signal);
  const accesses = before.filter((event) => event.kind === 'scattered');
  return accesses.flatMap((store): GlobalHazard[] => {
    const { fn, node, mask } = store;
    if (store.mode !== 'store' || mask.count < 2 || !isLookedUp(node, fn)) return [];
    const operands = operandsOf(fn).get(node);
    const load = accesses.find(
      (other) =>
        other.mode === 'load' &&
        other.base === store.base &&
        operands?.has(other.node) === true &&
        mask.bits.every((bit, lane) => !bit || laneAt(other.offset, lane) === laneAt(store.offset, lane)),
    );
    if (!load) return [];
    return [{ first: load, second: store, lanes: [0, 0], scope: 'block', isUpdate: true, byData: true, again: false }];
  });
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

/** Neighbours along the axes that have several blocks: known ones, or those that the kernel asks for. */
function distancesOf(accesses: readonly Place[], grid: GridAxes): readonly Distance[] {
  const asked = new Set<string>();
  for (const { access } of accesses)
    for (const { of } of access.form ?? [])
      for (const { kind, name } of of.factors) if (kind === 'block') asked.add(name!.at(-1)!);
  return [0, 1, 2].flatMap((axis) => {
    const blocks = grid[axis];
    if (blocks === undefined ? !asked.has('xyz'[axis]!) : blocks < 2) return [];
    return [-1, 1].map((by) => [0, 1, 2].map((each) => (each === axis ? by : 0)) as unknown as Distance);
  });
}

/** The arms of one condition: not both are taken. */
function sharesCondition(first: TracedAccess, second: TracedAccess): boolean {
  const conditions = new Set<Node>();
  for (let at = first.conditions; at; at = at.outer) conditions.add(at.cond);
  for (let at = second.conditions; at; at = at.outer) if (conditions.has(at.cond)) return true;
  return false;
}

/** From the block of the run to the first one of the grid. */
function edgeOf(accesses: readonly Place[]): Distance {
  const edge: [number, number, number] = [0, 0, 0];
  for (const { access } of accesses)
    for (const { of } of access.form ?? [])
      for (const factor of of.factors)
        if (isBlock(factor) && typeof factor.witness === 'number') edge[axisOf(factor)] = -factor.witness;
  return edge;
}

/** A store that the first block of the grid alone comes to (`if (i < 9)`), and an access of the block of the run. */
function lanesFromEdge(
  { access: store }: Place,
  { access: other }: Place,
  edge: Distance,
): readonly [number, number] | undefined {
  const bits = lanesAt(store, edge);
  // What the place of either has of the block's number is known there.
  const [key, otherKey] = [store, other].map((access) =>
    keyOf({ ...access, form: access.form?.filter(({ of }) => of.factors.length > 1 || !isBlock(of.factors[0]!)) }),
  );
  if (key === undefined || key !== otherKey || !bits || edge.every((by) => by === 0) || !isAlikeInGrid(store))
    return undefined;
  const count = bits.reduce((sum, bit) => sum + bit, 0);
  const atEdge: TracedAccess = { ...store, conditions: undefined, mask: { bits, count } };
  const away = edge.map((by) => -by) as unknown as Distance;
  return lanesBetween({ access: atEdge, key } as Place, { access: other, key: otherKey } as Place, [away], true);
}

/** The lanes that come to an access in another block; undefined where that is not known. */
function lanesAt({ conditions, mask }: TracedAccess, distance: Distance): Uint8Array | undefined {
  const bits = mask.bits.slice();
  let isOfBlock = false;
  for (let at = conditions; at; at = at.outer) {
    if (!(at.taint & Taint.block)) continue;
    const truth = truthIn(at.cond, at.value, distance);
    if (truth === undefined) return undefined;
    isOfBlock = true;
    for (let lane = 0; lane < bits.length; lane++) if (!laneAt(truth, lane)) bits[lane] = 0;
  }
  return isOfBlock && bits.includes(1) ? bits : undefined;
}

/** The thread of a store in a block and that of an access in a neighbour that meet at one place. */
function lanesBetween(
  { access: store, key }: Place,
  { access: other, key: otherKey }: Place,
  distances: readonly Distance[],
  comes = false,
): readonly [number, number] | undefined {
  if (key !== otherKey || !isAlikeInGrid(store) || !isAlikeInGrid(other)) return undefined;
  const writers = new Map<number, number>();
  const unit = Math.min(store.bytes, other.bytes);
  const iterations = new Map<number, readonly number[]>();
  for (const access of [store, other])
    for (const { of } of access.form ?? [])
      for (const { kind, id, count } of of.factors)
        if (kind === 'loop') iterations.set(id, count === undefined || count > 1 ? [0, 1] : [0]);
  const times = [...iterations.values()].some((list) => list.length > 1) ? [0, 1] : [0];
  for (const time of times)
    eachUnit(
      store,
      bytesOf(store, () => time),
      unit,
      0,
      (at, lane) => {
        if (!writers.has(at)) writers.set(at, lane);
      },
    );
  for (const distance of distances) {
    const shift = shiftOf(other, distance);
    if (shift === undefined || shiftOf(store, distance) === undefined) continue;
    if (!comes && !comesIn(other, distance)) continue;
    for (const time of times) {
      let met: readonly [number, number] | undefined;
      eachUnit(
        other,
        bytesOf(other, () => time),
        unit,
        shift,
        (at, lane) => {
          const writer = writers.get(at);
          if (writer === undefined || met) return;
          if (other.mode === 'load' || storesAnother(store, writer, other, lane, distance)) met = [writer, lane];
        },
      );
      if (met) return met;
    }
  }
  return undefined;
}

function eachUnit(
  { mask: { bits }, bytes }: TracedAccess,
  at: Lanes,
  unit: number,
  shift: number,
  visit: (unit: number, lane: number) => void,
): void {
  for (let lane = 0; lane < bits.length; lane++) {
    if (!bits[lane]) continue;
    const start = (laneAt(at, lane) + shift) / unit;
    if (!Number.isInteger(start)) continue;
    for (let step = 0; step < bytes / unit; step++) visit(start + step, lane);
  }
}

const isBlock = ({ kind }: Unknown): boolean => kind === 'block';
const axisOf = ({ name }: Unknown): number => 'xyz'.indexOf(name!.at(-1)!);

/** Is what is unknown in the place the same for the whole grid, but for the block's number? */
function isAlikeInGrid({ taint, form = [] }: TracedAccess): boolean {
  if (!(taint & Taint.block)) return true;
  return form.every(({ of }) =>
    of.factors.every(({ kind }) => kind === 'block' || kind === 'parameter' || kind === 'grid' || kind === 'loop'),
  );
}

/** Bytes by which a place is elsewhere in a neighbouring block; undefined where unknown numbers tell. */
function shiftOf({ form = [] }: { readonly form?: TracedAccess['form'] }, distance: Distance): number | undefined {
  let shift = 0;
  for (const { of, by } of form) {
    const block = of.factors.find(isBlock);
    const away = block ? distance[axisOf(block)]! : 0;
    if (away === 0) continue;
    if (of.factors.length > 1 || typeof by !== 'number') return undefined;
    shift += by * away;
  }
  return shift;
}

/** Do the lanes of an access come to it in a neighbouring block as well? */
function comesIn({ conditions, mask }: TracedAccess, distance: Distance): boolean {
  for (let at = conditions; at; at = at.outer) {
    if (at.taint & uncertain) continue;
    if (at.taint & Taint.loadedUniform) return false;
    if (!(at.taint & Taint.block)) continue;
    const truth = truthIn(at.cond, at.value, distance);
    if (truth === undefined) return false;
    const before = at.value.lanes;
    if (mask.bits.some((bit, lane) => bit && !!laneAt(truth, lane) !== !!laneAt(before, lane))) return false;
  }
  return true;
}

type Value = NonNullable<TracedAccess['value']>;

const comparisons = new Map<string, (a: number, b: number) => boolean>([
  ['<', (a, b) => a < b],
  ['<=', (a, b) => a <= b],
  ['>', (a, b) => a > b],
  ['>=', (a, b) => a >= b],
]);

/** What a condition is in a neighbouring block; undefined where that is not known. */
function truthIn(cond: Expr, value: Value, distance: Distance): Lanes | undefined {
  if (!(value.taint & Taint.block)) return value.lanes;
  if (!value.sides) return undefined;
  if (cond.kind === 'unary' && cond.op === '!') {
    const inner = truthIn(cond.operand, value, distance);
    return inner && (typeof inner === 'number' ? Number(!inner) : inner.map((lane) => Number(!lane)));
  }
  if (cond.kind !== 'binary') return undefined;
  const [left, right] = value.sides;
  const compare = comparisons.get(cond.op);
  const isLogical = cond.op === '&&' || cond.op === '||';
  if (!isLogical && !compare) return undefined;
  const [a, b] = isLogical
    ? [truthIn(cond.left, left, distance), truthIn(cond.right, right, distance)]
    : [lanesIn(left, distance), lanesIn(right, distance)];
  if (a === undefined || b === undefined) return undefined;
  const apply =
    compare ?? (cond.op === '&&' ? (x: number, y: number) => !!x && !!y : (x: number, y: number) => !!x || !!y);
  if (typeof a === 'number' && typeof b === 'number') return Number(apply(a, b));
  const { length } = typeof a === 'number' ? (b as Float64Array) : a;
  return Float64Array.from({ length }, (_, lane) => Number(apply(laneAt(a, lane), laneAt(b, lane))));
}

function lanesIn(value: Value, distance: Distance): Lanes | undefined {
  if (!(value.taint & Taint.block)) return value.lanes;
  if (!value.form) return undefined;
  let shift = 0;
  for (const { of, by } of value.form) {
    const block = of.factors.find(isBlock);
    const away = block ? distance[axisOf(block)]! : 0;
    if (away === 0) continue;
    // A product: the witness of the other factors tells, as it does in this block.
    const rest = of.factors.filter((each) => each !== block);
    if (typeof by !== 'number' || rest.some(({ kind, witness }) => kind === 'block' || typeof witness !== 'number'))
      return undefined;
    shift += by * away * rest.reduce((product, { witness }) => product * (witness as number), 1);
  }
  const { lanes } = value;
  return typeof lanes === 'number' ? lanes + shift : lanes.map((lane) => lane + shift);
}

/** One known number that every thread stores: each read finds it. */
function isOfAll({ value }: TracedAccess): boolean {
  return value !== undefined && typeof value.lanes === 'number' && !(value.taint & ~Taint.float) && !value.form?.length;
}

/** Do a thread and one of a neighbouring block store numbers that are known to differ? */
function storesAnother(
  first: TracedAccess,
  lane: number,
  second: TracedAccess,
  other: number,
  distance: Distance,
): boolean {
  const [a, b] = [first.value, second.value];
  if (!a || !b || a.type.kind !== 'scalar' || b.type.kind !== 'scalar') return false;
  const known = uncertain | Taint.chosen | Taint.loadedUniform | Taint.assumed | Taint.float;
  if ((a.taint | b.taint) & known) return false;
  const there = lanesIn(b, distance);
  return there !== undefined && laneAt(a.lanes, lane) !== laneAt(there, other);
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

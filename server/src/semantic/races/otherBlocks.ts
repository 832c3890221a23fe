// What threads of other blocks do: places and guards of one block's run are computed again in a neighbouring block, or
// in the first one.
import type { Expr } from '../../syntax/ast';
import { add, laneAt, Taint, uncertain, type Lanes, type TracedAccess } from '../run';
import { bytesOf, keyOf, storedIn } from './touched';

type Unknown = NonNullable<TracedAccess['form']>[number]['of']['factors'][number];

/** Blocks along an axis: a number, or more than one. */
export type GridAxes = readonly (number | undefined)[];

type Distance = readonly [number, number, number];

/** Neighbours along the axes that have several blocks: known ones, or those that the kernel asks for. */
export function distancesOf(accesses: readonly TracedAccess[], grid: GridAxes): readonly Distance[] {
  const asked = new Set<string>();
  for (const { form = [] } of accesses)
    for (const { of } of form)
      for (const { kind, along } of of.factors) if (kind === 'block' && along) asked.add(along.axis);
  return [0, 1, 2].flatMap((axis) => {
    const blocks = grid[axis];
    if (blocks === undefined ? !asked.has('xyz'[axis]!) : blocks < 2) return [];
    return [-1, 1].map((by) => [0, 1, 2].map((each) => (each === axis ? by : 0)) as unknown as Distance);
  });
}

/** From the block of the run to the first one of the grid. */
export function edgeOf(accesses: readonly TracedAccess[]): Distance {
  const edge: [number, number, number] = [0, 0, 0];
  for (const { form = [] } of accesses)
    for (const { of } of form)
      for (const factor of of.factors)
        if (isBlock(factor) && typeof factor.witness === 'number') edge[axisOf(factor)] = -factor.witness;
  return edge;
}

/** A store that the first block of the grid alone comes to (`if (i < 9)`), and an access of the block of the run. */
export function lanesFromEdge(
  store: TracedAccess,
  other: TracedAccess,
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
  return lanesAtDistances(atEdge, other, [away], true);
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
export function lanesBetween(
  store: TracedAccess,
  other: TracedAccess,
  distances: readonly Distance[],
): readonly [number, number] | undefined {
  const key = keyOf(store);
  return key !== undefined && key === keyOf(other) ? lanesAtDistances(store, other, distances, false) : undefined;
}

/** `isThere`: the lanes of `other` come. */
function lanesAtDistances(
  store: TracedAccess,
  other: TracedAccess,
  distances: readonly Distance[],
  isThere: boolean,
): readonly [number, number] | undefined {
  if (!isAlikeInGrid(store) || !isAlikeInGrid(other)) return undefined;
  const writers = new Map<number, { readonly lane: number; readonly by: TracedAccess }>();
  const unit = Math.min(store.bytes, other.bytes);
  const factors = [store, other].flatMap(({ form = [] }) => form.flatMap(({ of }) => of.factors));
  const times = factors.some(({ kind, count = 2 }) => kind === 'loop' && count > 1) ? [0, 1] : [0];
  for (const time of times) {
    const by = storedIn(store, () => time);
    eachUnit(store, time, unit, 0, (at, lane) => {
      if (!writers.has(at)) writers.set(at, { lane, by });
    });
  }
  for (const distance of distances) {
    const shift = shiftOf(other.form, distance, isAlone);
    if (shift === undefined || shiftOf(store.form, distance, isAlone) === undefined) continue;
    if (!isThere && !comesIn(other, distance)) continue;
    for (const time of times) {
      let met: readonly [number, number] | undefined;
      const again = storedIn(other, () => time);
      eachUnit(other, time, unit, shift, (at, lane) => {
        const writer = writers.get(at);
        if (writer === undefined || met) return;
        if (other.mode !== 'store' || storesAnother(writer.by, writer.lane, again, lane, distance))
          met = [writer.lane, lane];
      });
      if (met) return met;
    }
  }
  return undefined;
}

/** The units of an access in the iteration `time` of all loops. */
function eachUnit(
  access: TracedAccess,
  time: number,
  unit: number,
  shift: number,
  visit: (unit: number, lane: number) => void,
): void {
  const { bits } = access.mask;
  const at = bytesOf(access, () => time);
  for (let lane = 0; lane < bits.length; lane++) {
    if (!bits[lane]) continue;
    const start = (laneAt(at, lane) + shift) / unit;
    if (!Number.isInteger(start)) continue;
    for (let step = 0; step < access.bytes / unit; step++) visit(start + step, lane);
  }
}

/** The block's number itself, and not what is computed of it (`blockIdx.x / 2`), which has no name. */
const isBlock = ({ kind, name }: Unknown): boolean => kind === 'block' && name !== undefined;
const axisOf = ({ along }: Unknown): number => 'xyz'.indexOf(along!.axis);

/** Is what is unknown the same for the whole grid, but for the block's number? */
function isAlikeInGrid({ taint, form = [] }: Pick<Value, 'taint'> & { readonly form?: Value['form'] }): boolean {
  if (!(taint & Taint.block)) return true;
  const isAlike = (factor: Unknown): boolean =>
    isBlock(factor) || /^(parameter|grid|loop|iteration)$/.test(factor.kind);
  return form.every(({ of }) => of.factors.every(isAlike));
}

/**
 * By how much a sum is another in a neighbouring block; undefined where factors beside the block's number tell, and
 * `isKnown` does not hold for them.
 */
function shiftOf(
  form: Value['form'] = [],
  distance: Distance,
  isKnown: (beside: readonly Unknown[]) => boolean,
): number | undefined {
  let shift = 0;
  for (const { of, by } of form) {
    const block = of.factors.find(isBlock);
    const away = block ? distance[axisOf(block)]! : 0;
    if (away === 0) continue;
    const beside = of.factors.filter((each) => each !== block);
    if (typeof by !== 'number' || !isKnown(beside)) return undefined;
    shift += beside.reduce((product, { witness }) => product * (witness as number), by * away);
  }
  return shift;
}
const isAlone = ({ length }: readonly Unknown[]): boolean => length === 0;
/** The witnesses tell of a condition there what they tell of it here. */
const haveWitnesses = (factors: readonly Unknown[]): boolean =>
  factors.every(({ kind, witness }) => kind !== 'block' && typeof witness === 'number');

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
  if (!value.form || !isAlikeInGrid(value)) return undefined;
  const shift = shiftOf(value.form, distance, haveWitnesses);
  return shift === undefined ? undefined : add(value.lanes, shift);
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

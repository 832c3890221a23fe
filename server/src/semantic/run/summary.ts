// A loop run once for all its iterations: what advances evenly is its first value plus the step times the iteration's
// number, an unknown.
//
// Where the number of the iteration decides a condition, a quotient, or how far apart lanes are, one run cannot stand
// for all: the attempt is undone, and the loop is run iteration by iteration.
import { formOf } from './forms';
import type { CarriedCode, LoopPlan } from './loopPlan';
import { add, multiply, type Mask } from './lanes';
import { cellAt, leftByData, marked, onlyElements, restore, snapshot, type SlotRef } from './snapshots';
import { DependsOnIteration, spend } from './state';
import { knownOf, productForm, scaled, sum, witnessOf, type Form, type Unknown } from './unknowns';
import { intType } from '../language';
import {
  plain,
  Taint,
  uncertain,
  type Act,
  type Cell,
  type Code,
  type Frame,
  type LoopSeen,
  type LoopState,
  type Path,
  type Run,
  type Value,
} from './values';

/** A variable and what it gains with each iteration. */
interface Advance {
  readonly cell: Cell;
  readonly first: Value;
  readonly form: Form;
  readonly step: Value;
  readonly stepForm: Form;
}

/** So often an access in a loop of unknown length is counted. */
const unknownWeight = 3;
const mostTrips = 2 ** 30;

/** Runs all iterations at once; gives the threads that leave the loop, undefined where iterations differ. */
export function summarise(
  run: Run,
  plan: LoopPlan,
  seen: LoopSeen,
  cond: Code,
  entry: Value,
  body: Act,
  path: Path,
  frame: Frame,
): Mask | undefined {
  const { carried } = plan;
  if (!carried.isWhole || carried.inductions.length === 0) return undefined;
  if (!othersAreHarmless(carried.others, frame) || !elementsAreHarmless(carried.elements, frame)) return undefined;
  const advances = advancesOf(run, carried, path, frame);
  if (!advances) return undefined;
  const open = Taint.chosen | Taint.loadedUniform | Taint.assumed;
  const isSettled = (entry.taint & open) === 0;
  const isKnown = isSettled && (entry.taint & Taint.block) === 0;
  const trips = isKnown ? tripsOf(advances, cond, path, frame) : undefined;
  // How often depends on the block: a second iteration of one inside of the grid shows that there are several.
  const isOfBlock = isSettled && !isKnown && advances.every(({ step }) => (step.taint & open) === 0);
  const ofBlock = isOfBlock ? tripsOf(advances, cond, path, frame) : undefined;
  const again = trips ?? ofBlock ?? 1;
  // Blocks of a grid that share a loop differ by an iteration at most.
  const count = trips ?? (plan.isOverGrid ? ofBlock : undefined);
  if (isKnown && trips === undefined) return undefined;
  const iteration = run.unknowns.named(`iteration#${run.loopCount++}`, () => ({
    kind: 'loop',
    witness: 0,
    ...(trips === undefined ? {} : { count: trips }),
  }));
  const once = plan.isOverGrid && again < 2;
  const before = snapshot(plan.assigns, frame);
  for (const advance of advances) advance.cell.value = valueAt(run, advance, iteration) ?? advance.first;
  const state: LoopState = {};
  const { mayReturn } = frame;
  const weight = path.weight * (count ?? unknownWeight);
  if (!attempt(run, plan, iteration, once, () => body({ ...path, breaks: state, weight }, frame), state, path, frame)) {
    restore(before);
    return undefined;
  }
  if (count !== undefined) seen.trips = count;
  if (state.mayBreak || frame.mayReturn !== mayReturn) seen.parts = true;
  leaveValues(run, plan, advances, trips, frame);
  // A `break` by data: each lane has come as far as its own data let it.
  if (state.mayBreak) for (const { cell } of advances) cell.value = leftByData(run, cell.value!);
  return path.mask;
}

/** Other variables may only collect floating-point numbers: no address and no condition is taken to depend on those. */
function othersAreHarmless(others: readonly SlotRef[], frame: Frame): boolean {
  return others.every((ref) => {
    const cell = cellAt(frame, ref);
    if (!cell || cell.ref) return !cell;
    const type = cell.value?.type ?? cell.type;
    if (type.kind === 'scalar') return type.float;
    if (type.kind === 'array') return false;
    return (
      type.kind === 'struct' &&
      [...type.fields.values()].every((field) => field.type.kind === 'scalar' && field.type.float)
    );
  });
}

/** A thread's own array of integers may hand an index to the next iteration. */
function elementsAreHarmless(elements: readonly SlotRef[], frame: Frame): boolean {
  return elements.every((ref) => {
    const base = cellAt(frame, ref)?.value?.base;
    if (!base?.elements) return true;
    let type = base.type;
    while (type?.kind === 'array') type = type.of;
    return type?.kind === 'scalar' ? type.float : type?.kind === 'struct';
  });
}

function advancesOf(run: Run, { inductions }: CarriedCode, path: Path, frame: Frame): Advance[] | undefined {
  const advances: Advance[] = [];
  for (const { ref, sign, by } of inductions) {
    const cell = cellAt(frame, ref);
    const first = cell?.value;
    if (!cell || cell.ref || !first || first.taint & uncertain) return undefined;
    const { type } = first;
    // Collecting floating-point numbers moves no address.
    if (type.kind === 'scalar' && type.float) continue;
    const isPointer = type.kind === 'pointer' && first.base !== undefined;
    if (!isPointer && type.kind !== 'scalar') return undefined;
    const moved: Value = by?.({ ...path, quiet: true }, frame) ?? plain(intType, 1, 0);
    if (moved.taint & uncertain || moved.base || (moved.type.kind === 'scalar' && moved.type.float)) return undefined;
    const bytes = isPointer ? sizeBehind(first) : 1;
    const form = formOf(run, first);
    const stepForm = formOf(run, moved);
    if (!form || !stepForm || bytes === undefined) return undefined;
    const factor = sign * bytes;
    const step: Value = { ...moved, lanes: multiply(moved.lanes, factor) };
    advances.push({ cell, first, form, step, stepForm: scaled(stepForm, factor) });
  }
  return advances.length ? advances : undefined;
}
function sizeBehind(pointer: Value): number | undefined {
  const to = pointer.type.kind === 'pointer' ? pointer.type.to : undefined;
  if (!to || to.kind === 'unknown' || to.kind === 'array' || to.kind === 'reference') return undefined;
  return to.kind === 'pointer' ? 8 : to.size;
}

/** `first + step * unknown`; undefined when that has too many unknowns to follow. */
function valueAt(run: Run, { first, form, step, stepForm }: Advance, unknown: Unknown): Value | undefined {
  const times = productForm(run.unknowns, stepForm, knownOf(step.lanes, stepForm), run.unknowns.single(unknown), 0);
  const total = times && sum(form, times, 1);
  if (!total) return undefined;
  const lanes = add(first.lanes, times.length ? witnessOf(times) : 0);
  return { ...first, lanes, form: total, taint: first.taint | step.taint | Taint.block };
}

/** Iterations of the loop, by its condition at ever later ones; undefined where it does not end. */
function tripsOf(advances: readonly Advance[], cond: Code, path: Path, frame: Frame): number | undefined {
  const quiet: Path = { ...path, quiet: true, shadow: 1 };
  const holdsAt = (iteration: number): boolean | undefined => {
    for (const { cell, first, step, form } of advances) {
      const lanes = add(first.lanes, multiply(step.lanes, iteration));
      cell.value = form.length ? { ...first, lanes, form } : { ...first, lanes };
    }
    const value = cond(quiet, frame);
    if (typeof value.lanes !== 'number' || value.taint & uncertain) return undefined;
    return value.lanes !== 0;
  };
  try {
    let low = 0;
    let high = 1;
    for (;;) {
      const holds = holdsAt(high);
      if (holds === undefined || high > mostTrips) return undefined;
      if (!holds) break;
      low = high;
      high *= 2;
    }
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      const holds = holdsAt(middle);
      if (holds === undefined) return undefined;
      if (holds) low = middle;
      else high = middle;
    }
    return high;
  } finally {
    for (const { cell, first } of advances) cell.value = first;
  }
}

/** Runs the body; undone, and false, where it depends on which iteration it is, or lanes leave it. */
function attempt(
  run: Run,
  plan: LoopPlan,
  iteration: Unknown,
  once: boolean,
  body: () => Mask,
  state: LoopState,
  path: Path,
  frame: Frame,
): boolean {
  const { recorder } = run;
  const { returned, mayReturn, result, resultPlace } = frame;
  const { earlyReturn } = recorder;
  recorder.begin();
  run.iterating++;
  let holds = false;
  try {
    spend(run);
    recorder.shared.enter(plan.stmt, iteration, once);
    const after = body();
    recorder.flushIteration(path, iteration, plan.unroll);
    recorder.shared.leave();
    const stayed = state.continues ? after.count + state.continues.count : after.count;
    holds = !state.breaks && stayed >= path.mask.count;
  } catch (error) {
    if (!(error instanceof DependsOnIteration) || !error.unknowns.includes(iteration)) {
      run.iterating--;
      recorder.rollback();
      throw error;
    }
  }
  run.iterating--;
  if (holds) {
    recorder.commit();
    return true;
  }
  recorder.rollback();
  recorder.earlyReturn = earlyReturn;
  const kept = frame as { -readonly [K in keyof Frame]: Frame[K] };
  assign(kept, 'returned', returned);
  assign(kept, 'mayReturn', mayReturn);
  assign(kept, 'result', result);
  assign(kept, 'resultPlace', resultPlace);
  return false;
}
function assign<K extends 'returned' | 'mayReturn' | 'result' | 'resultPlace'>(
  frame: Frame,
  name: K,
  value: Frame[K],
): void {
  if (value === undefined) delete frame[name];
  else frame[name] = value;
}

/** What the variables hold after the loop. */
function leaveValues(
  run: Run,
  plan: LoopPlan,
  advances: readonly Advance[],
  trips: number | undefined,
  frame: Frame,
): void {
  const advanced = new Set(advances.map((advance) => advance.cell));
  for (const ref of plan.assigns) {
    const cell = cellAt(frame, ref);
    if (!cell?.value || cell.ref || advanced.has(cell)) continue;
    if (!onlyElements(ref, plan.carried.elements, cell.value)) cell.value = marked(cell.value, Taint.assumed);
  }
  const count = run.unknowns.named(`iterations#${run.loopCount++}`, () => ({
    kind: 'result',
    witness: unknownWeight,
  }));
  for (const advance of advances) {
    const { cell, first, form, step, stepForm } = advance;
    if (trips === undefined) {
      const value = valueAt(run, advance, count);
      cell.value = value ? { ...value, taint: value.taint | Taint.chosen } : marked(first, Taint.assumed);
      continue;
    }
    const total = sum(form, scaled(stepForm, trips), 1);
    const lanes = add(first.lanes, multiply(step.lanes, trips));
    cell.value = total?.length
      ? { ...first, lanes, form: total, taint: first.taint | step.taint }
      : { ...first, lanes };
  }
}

// Loops: run iteration by iteration where iterations differ, or once for all of them with the iteration's number as an
// unknown.
import { unknownIterations } from '../figures';
import { some } from '../language';
import { iteratedForm, open } from './forms';
import { mostUnrolled, type CarriedCode, type LoopPlan } from './loopPlan';
import { conditionOf, runShadow } from './control';
import { returnPerhaps } from './exits';
import { emptyMask, select, union, without, type Mask } from './lanes';
import { cellAt, leftByData, marked, onlyElements, type SlotRef } from './snapshots';
import { scaled, type Form } from './unknowns';
import { hasBudget, spend } from './state';
import { summarise } from './summary';
import {
  Taint,
  uncertain,
  type Act,
  type Code,
  type Frame,
  type LoopSeen,
  type LoopState,
  type Path,
  type Run,
  type Value,
} from './values';

/** Iterations of a loop that are run where the end is known, by depth of nesting; longer loops repeat their pattern. */
const knownIterations = [256, 32, 16, 8];

export function loop(
  run: Run,
  plan: LoopPlan,
  cond: Code | undefined,
  body: Act,
  step: Code | undefined,
  path: Path,
  frame: Frame,
): Mask {
  const { recorder, setup } = run;
  const { fn, form } = plan;
  const seen: LoopSeen = { stmt: plan.stmt, fn, ...(plan.variable ? { variable: plan.variable } : {}) };
  const depth = path.loops?.depth ?? 0;
  const isExact = setup.contents !== undefined;
  const usual = isExact
    ? Infinity
    : setup.host
      ? hostIterations(plan)
      : knownIterations[Math.min(depth, knownIterations.length - 1)]!;
  // nvcc unrolls short loops, and fuses neighbouring shared accesses of their iterations.
  const unrolled =
    isExact ||
    (form === 'for' && !setup.host && plan.trips !== undefined && plan.trips <= Math.min(mostUnrolled, plan.unroll));
  if (!unrolled) recorder.flush(path);
  let inLoop: Path = { ...path, loops: { seen, outer: path.loops, depth: depth + 1 } };
  let { mask: active } = path;
  let exited = emptyMask(run.threads);
  let iterations = 0;
  let cut = false;
  let conditions = path.conditions;
  let isOpen = true;
  let isLeftByData = false;
  const signalsBefore = recorder.shared.signals;
  const { returned: returnedBefore } = frame;
  const finished = (after: Mask): Mask => {
    const { returned } = frame;
    if (!returned || returned === returnedBefore) return after;
    if (!seen.byData) return without(after, returned);
    // Lanes that data took out of the loop before did not come to the `return`.
    returnPerhaps(returned, frame);
    if (returnedBefore) frame.returned = returnedBefore;
    else delete frame.returned;
    return path.mask;
  };
  const part = (): void => {
    if (inLoop.again === path.again) inLoop = { ...inLoop, again: path.again + 1 };
  };
  for (;;) {
    if (cond && (form !== 'do' || iterations > 0)) {
      const at: Path = { ...inLoop, conditions, mask: active };
      const value = cond(at, frame);
      if (!unrolled) recorder.flush(at);
      recorder.branch(plan.cond!, plan.stmt, form, value, at, fn, path.mask);
      const hangs = (value.taint & (Taint.chosen | Taint.loadedUniform | Taint.assumed)) !== 0;
      const hangsBy = Taint.chosen | Taint.loadedUniform | Taint.assumed | uncertain;
      isOpen = hangs;
      const outer = { mask: active, conditions: path.conditions };
      const under = isExact ? undefined : conditionOf(run, { cond: plan.cond!, fn }, value, outer, hangsBy);
      if (under) conditions = { ...under, isLoop: true };
      if (value.taint & uncertain) {
        seen.byData = true;
        part();
        if (iterations >= 2) {
          cut = true;
          break;
        }
      } else {
        const inside = select(active, value.lanes, true);
        if (inside.count === 0) {
          if (iterations === 0 && (hangs || value.taint & Taint.block) && !plan.bodyIsTrivial)
            runShadow(
              (shadow) => body(shadow, frame),
              { ...at, conditions, breaks: {} },
              value,
              plan.assigns,
              frame,
              run,
            );
          else if (iterations > 0 && !hangs) seen.trips = iterations;
          if (iterations === 0 && hangs) isLeftByData = some(plan.cond, ({ kind }) => kind === 'index');
          exited = union(exited, active);
          active = inside;
          break;
        }
        if (hangs && iterations >= unknownIterations) {
          cut = true;
          break;
        }
        exited = union(exited, without(active, inside));
        active = inside;
      }
      if (
        iterations === 0 &&
        !unrolled &&
        !setup.host &&
        !(value.taint & uncertain) &&
        typeof value.lanes === 'number'
      ) {
        const whole: Path = { ...inLoop, mask: active, conditions };
        const after = summarise(run, plan, seen, cond, value, body, whole, frame);
        if (after) return finished(after);
      }
    } else if (!cond && !isExact && iterations >= unknownIterations) {
      cut = true;
      break;
    }
    // What `p += offset` in the body would make of a second iteration says nothing of the one that runs.
    if (iterations > 0 && !isExact && plan.isGridStride && plan.carried.others.length > 0) {
      cut = true;
      break;
    }
    if (iterations >= usual || (iterations > 0 && !hasBudget(run))) {
      if (plan.trips !== undefined) seen.trips = plan.trips;
      if (!setup.host) seen.first = iterations;
      cut = true;
      break;
    }
    spend(run);
    if (!unrolled && !setup.host) hideCarried(run, plan.carried, iterations, { ...inLoop, mask: active }, frame);
    if (iterations > 0 && isOpen && plan.isOverGrid) recorder.shared.gap();
    recorder.shared.iteration(plan.stmt);
    if (iterations > 0 && inLoop.again > path.again) seen.parts = true;
    const state: LoopState = {};
    // What those of earlier iterations left is marked already.
    const { mayReturn } = frame;
    if (mayReturn) delete frame.mayReturn;
    const next = body({ ...inLoop, mask: active, conditions, breaks: state }, frame);
    if (state.mayBreak || frame.mayReturn) part();
    if (state.mayBreak) isLeftByData = true;
    if (mayReturn) returnPerhaps(mayReturn, frame);
    iterations++;
    active = state.continues ? union(next, state.continues) : next;
    if (state.breaks) {
      exited = union(exited, state.breaks);
      active = without(active, state.breaks);
    }
    if (active.count === 0) break;
    if (step) step({ ...inLoop, conditions, mask: active }, frame);
    if (!unrolled) recorder.flush(path);
  }
  if (!unrolled) recorder.flush(path);
  // What iterations that were not run do last is not known, and threads may wait for data that others give.
  if (cut && !(seen.byData && form === 'for' && recorder.shared.signals === signalsBefore)) recorder.shared.gap();
  const isByData = (seen.byData || isLeftByData) && !setup.host;
  if (cut || isByData)
    assumeAssigned(plan, frame, (value) => {
      if (isByData) return leftByData(run, value);
      // Bits that each iteration moves on, as a reversal does, are apart in no way that the first ones show.
      if (!setup.host && isOpen && isMixedUp(value, run.threads)) return leftByData(run, value, Taint.hash);
      return marked(value, setup.host ? Taint.chosen | Taint.assumed : Taint.assumed);
    });
  return finished(cut ? path.mask : union(exited, active));
}

/**
 * Host loops that launch differ in what they launch; those over scalars alone are run to their end; others fill arrays,
 * which no launch depends on.
 */
function hostIterations({ launches, isScalar }: LoopPlan): number {
  return launches ? 8 : isScalar ? 64 : 1;
}

/**
 * What an iteration takes from the one before it, the compiler does not know; of what advances evenly it knows the
 * step.
 */
function hideCarried(run: Run, { inductions, others }: CarriedCode, iteration: number, path: Path, frame: Frame): void {
  const hide = (ref: SlotRef, formOfValue: (value: Value) => Form | undefined): void => {
    const cell = cellAt(frame, ref);
    const value = cell?.value;
    if (!cell || cell.ref || !value || value.type.kind !== 'scalar' || value.type.float) return;
    if (value.taint & open & ~Taint.iterated) return;
    const form = formOfValue(value) ?? iteratedForm(run, value.lanes);
    cell.value = { ...value, form, taint: value.taint | Taint.iterated };
  };
  for (const { ref, sign, by } of inductions) {
    const step = by?.({ ...path, quiet: true }, frame);
    const isFixed = !step || (typeof step.lanes === 'number' && !(step.taint & open));
    const each = sign * (step ? (step.lanes as number) : 1);
    hide(ref, () => (isFixed ? scaled(iteratedForm(run, iteration), each) : undefined));
  }
  for (const ref of others) hide(ref, () => undefined);
}

/** Do neighbouring lanes of the first warp have integers more than two distances apart? */
function isMixedUp({ type, lanes, taint }: Value, threads: number): boolean {
  if (type.kind !== 'scalar' || type.float || typeof lanes === 'number' || taint & uncertain) return false;
  const steps = new Set<number>();
  for (let lane = 1; lane < Math.min(32, threads); lane++) steps.add(lanes[lane]! - lanes[lane - 1]!);
  return steps.size > 2;
}

/** What a loop that was left early assigns is not what it ends with: of host code a launch may be of any such size. */
function assumeAssigned({ assigns, carried }: LoopPlan, frame: Frame, assume: (value: Value) => Value): void {
  for (const ref of assigns) {
    const cell = cellAt(frame, ref);
    if (!cell?.value || cell.ref || onlyElements(ref, carried.elements, cell.value)) continue;
    cell.value = assume(cell.value);
  }
}

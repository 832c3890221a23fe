// Control flow: arms under a condition and switches, run exactly where the lanes are known and both ways where they are
// not.
import type { Expr, FunctionDecl, Stmt } from '../../syntax/ast';
import { goingOn, passContinues } from './exits';
import {
  alike,
  emptyMask,
  laneAt,
  map1,
  select,
  union,
  variesInBlock,
  variesInWarp,
  without,
  type Mask,
} from './lanes';
import { sameValue } from './operations';
import {
  dataMask,
  joinSnapshots,
  keepLoads,
  marked,
  restore,
  snapshot,
  taintAssigned,
  type SlotRef,
} from './snapshots';
import { requireEvery } from './state';
import {
  Taint,
  uncertain,
  unsettled,
  withMask,
  type Act,
  type BranchRecord,
  type Code,
  type Condition,
  type Frame,
  type LoopState,
  type Path,
  type PendingCount,
  type Run,
  type Value,
} from './values';
import { comparesLanes } from './variance';

type Arm = (path: Path) => Mask;

/** What the text of a condition and its arms says, whatever the run. */
export interface ForkPlan {
  readonly cond: Expr;
  readonly statement: Stmt | Expr;
  readonly form: BranchRecord['form'];
  readonly fn: FunctionDecl;
  /** The compiler turns the arms into selects. */
  readonly selects: boolean;
  readonly thenAssigns: readonly SlotRef[];
  readonly elseAssigns: readonly SlotRef[];
  readonly thenElements: readonly SlotRef[];
  readonly elseElements: readonly SlotRef[];
  /** An arm of statements, as against one of an expression. */
  readonly hasThen: boolean;
  readonly hasElse: boolean;
  readonly thenIsTrivial: boolean;
  readonly elseIsTrivial: boolean;
  readonly thenLeaves: boolean;
}

const carried = Taint.thread | Taint.block | Taint.chosen | Taint.loaded | Taint.hash | Taint.loadedUniform;

export function conditionOf(
  run: Run,
  plan: Pick<ForkPlan, 'cond' | 'fn'>,
  value: Value,
  path: Pick<Path, 'mask' | 'conditions'>,
  hangsBy: number,
  picks?: Mask,
): Condition {
  const varies = typeof value.lanes !== 'number' && variesInBlock(value.lanes, path.mask);
  const hangs = (value.taint & Taint.thread) !== 0 && (value.taint & hangsBy) !== 0;
  return {
    cond: plan.cond,
    value,
    fn: plan.fn,
    varies: varies || (value.taint & Taint.loaded) !== 0,
    hangs,
    hangsInWarp: hangs && comparesLanes(run, value, variesInWarp, path.mask),
    hangsInBlock: hangs && comparesLanes(run, value, variesInBlock, path.mask),
    taint: value.taint,
    ...(picks ? { picks } : {}),
    outer: path.conditions,
    depth: (path.conditions?.depth ?? 0) + 1,
  };
}

/**
 * Runs two arms under a condition: exactly where its lanes are known, both over all lanes where data or unknowns
 * decide.
 */
export function fork(
  run: Run,
  plan: ForkPlan,
  value: Value,
  path: Path,
  frame: Frame,
  then: Arm,
  otherwise: Arm | undefined,
): Mask {
  const { recorder } = run;
  requireEvery(run, value.form);
  const inner = plan.selects ? { ...path, selecting: path.selecting + 1 } : path;
  recorder.flush(inner);
  recorder.branch(plan.cond, plan.statement, plan.form, value, inner, plan.fn);
  const { mask } = path;
  const picks = dataMask(run, value, mask);
  const hangsBy = Taint.chosen | Taint.loadedUniform | Taint.block | uncertain;
  const isGuessed = (value.taint & Taint.assumed) !== 0 && typeof value.lanes !== 'number';
  const under: Path = {
    ...inner,
    conditions: conditionOf(run, plan, value, path, hangsBy, picks),
    guessed: path.guessed + (isGuessed ? 1 : 0),
  };
  const varies = typeof value.lanes !== 'number' && variesInBlock(value.lanes, mask);
  const open =
    (value.taint & (Taint.chosen | Taint.loadedUniform)) !== 0 && (value.taint & (Taint.thread | Taint.block)) === 0;
  if ((value.taint & uncertain) !== 0 || (!varies && open)) {
    forkBoth(run, plan, value, under, frame, then, otherwise, picks);
    return mask;
  }
  const inside = select(mask, value.lanes, true);
  const outside = inside === mask ? emptyMask(run.threads) : without(mask, inside);
  const hangs = (value.taint & (Taint.chosen | Taint.block | Taint.loadedUniform)) !== 0;
  let after = emptyMask(run.threads);
  let untaken: ReturnType<typeof snapshot> = [];
  if (inside.count && outside.count === 0 && !otherwise && hangs && value.taint & Taint.chosen && plan.thenLeaves) {
    // A guard that the witnesses would fail, `if (x + offset >= 64) return;`: threads that get past it are what
    // matters.
    if (asksForOthers(plan.cond)) recorder.shared.abandonGlobal();
    runShadow(then, under, value, plan.thenAssigns, frame, run);
    return mask;
  }
  if (inside.count) after = then(withMask(under, inside));
  else if (hangs && plan.hasThen && !plan.thenIsTrivial)
    untaken = runShadow(then, under, value, plan.thenAssigns, frame, run, plan.cond);
  else if (plan.thenLeaves) {
    if ((value.taint & (Taint.block | Taint.thread)) === Taint.block) recorder.shared.abandonGlobal();
    recorder.shared.suspend(under, frame, 'function');
    if (under.conditions!.hangs && frame.depth === 0 && !path.loops) recorder.earlyReturn ??= under.conditions;
  }
  if (otherwise && outside.count) after = union(after, otherwise(withMask(under, outside)));
  else if (!otherwise) after = union(after, outside);
  else if (hangs && plan.hasElse && !plan.elseIsTrivial)
    untaken = runShadow(otherwise, under, value, plan.elseAssigns, frame, run);
  if (value.taint & Taint.chosen) keepLoads(untaken);
  recorder.flush(inner);
  // Control dependence: what the arms assigned now differs where the condition does.
  if (value.taint && (plan.hasThen || plan.hasElse)) {
    const carriedBy = Taint.thread | Taint.block | Taint.chosen | Taint.loadedUniform | Taint.variable;
    const taint = value.taint & carriedBy;
    taintAssigned(plan.thenAssigns, plan.thenElements, taint, frame);
    taintAssigned(plan.elseAssigns, plan.elseElements, taint, frame);
  }
  return after;
}

/** Does the condition hold for all but one number? */
function asksForOthers(cond: Expr): boolean {
  if (cond.kind !== 'binary') return false;
  return cond.op === '!=' || asksForOthers(cond.left) || asksForOthers(cond.right);
}

function forkBoth(
  run: Run,
  plan: ForkPlan,
  value: Value,
  path: Path,
  frame: Frame,
  then: Arm,
  otherwise: Arm | undefined,
  picks: Mask | undefined,
): void {
  const truth = typeof value.lanes === 'number' ? value.lanes !== 0 : true;
  const refs = [...plan.thenAssigns, ...plan.elseAssigns];
  const before = snapshot(refs, frame);
  const under = unsureOf(path, value);
  const { shared, inArms } = run.recorder;
  const single = plan.form === 'if' && !otherwise ? (plan.statement as Stmt) : undefined;
  const start = inArms.length;
  // The arm that the witnesses would take runs last, so that its values stand.
  const picked: Arm = (taken) => then(withMask(taken, candidates(plan.cond, value, taken.mask)));
  const [first, last] = truth ? [otherwise, picked] : [picked, otherwise];
  shared.inArm(() => first?.(under), single);
  run.recorder.flush(path);
  const ofFirst = inArms.splice(start);
  const afterFirst = snapshot(refs, frame);
  restore(before);
  shared.inArm(() => last?.(under), single);
  run.recorder.flush(path);
  run.recorder.joinArms(path, [ofFirst, inArms.splice(start)]);
  const certain = (value.taint & uncertain) === 0;
  const onto = picks && truth ? picks : picks ? without(run.full, picks) : undefined;
  joinSnapshots(run, afterFirst, certain ? Taint.assumed : Taint.maybe, value.taint & carried, onto);
}

/** The path into an arm of which it is unknown whether it is taken. */
function unsureOf(path: Path, { taint }: Value): Path {
  const data = taint & (Taint.loaded | Taint.hash) ? 1 : 0;
  return { ...path, unsure: path.unsure + 1, byData: path.byData + data };
}

/**
 * The threads of `mask` that may find the condition true: those of the side of an `&&` that is known, and those of one
 * number where different numbers are compared with one, and the first of those below a constant.
 */
function candidates(cond: Expr, { sides, lanes, taint }: Value, mask: Mask): Mask {
  if (cond.kind === 'binary' && sides) {
    const [left, right] = sides;
    if (cond.op === '&&') return candidates(cond.right, right, candidates(cond.left, left, mask));
    const [one, all] = typeof right.lanes === 'number' ? [right, left] : [left, right];
    const isKnown = ((one.taint | all.taint) & uncertain) === 0 && (one.taint & Taint.thread) === 0;
    if (cond.op === '==' && isKnown && typeof one.lanes === 'number' && mask.count > 0)
      return alike(mask, all.lanes, one.lanes);
    // `i < 1` over the grid: in the first block as many threads from the first on.
    const [bound, index] = cond.op.startsWith('<') ? [right, left] : [left, right];
    const isConstant = (bound.taint & (Taint.thread | unsettled | uncertain | Taint.assumed)) === 0;
    const isOfGrid = (index.taint & (Taint.block | Taint.chosen | uncertain)) === Taint.block;
    if (/^[<>]=?$/.test(cond.op) && isConstant && isOfGrid && typeof bound.lanes === 'number' && mask.count > 0) {
      const limit = bound.lanes + (cond.op.length > 1 ? 1 : 0) + laneAt(index.lanes, mask.bits.indexOf(1));
      const first = select(
        mask,
        map1(index.lanes, (lane) => Number(lane < limit)),
        true,
      );
      return first.count > 0 ? first : mask;
    }
  }
  const known = taint & ~Taint.thread ? mask : select(mask, lanes, true);
  return known.count > 0 ? known : mask;
}

/** Walks an arm that the witnesses of the condition's `value` keep all threads from; returns what it left. */
export function runShadow(
  arm: Arm,
  path: Path,
  value: Value,
  refs: readonly SlotRef[],
  frame: Frame,
  run: Run,
  cond?: Expr,
): ReturnType<typeof snapshot> {
  const before = snapshot(refs, frame);
  const under = inShadow(path, value);
  arm(cond ? withMask(under, candidates(cond, value, path.mask)) : under);
  run.recorder.flush(path);
  const left = snapshot(refs, frame);
  restore(before);
  return left;
}

export function inShadow(path: Path, value: Value): Path {
  // Threads that cannot tell themselves apart come all or not at all, and then cost what they cost here.
  const ofSome = typeof value.lanes !== 'number' || (value.taint & (Taint.thread | uncertain)) !== 0;
  return { ...path, shadow: path.shadow + 1, shadowOfSome: path.shadowOfSome + (ofSome ? 1 : 0) };
}

/** What the text of a switch says. */
export interface SwitchPlan {
  readonly stmt: Stmt;
  readonly cond: Expr;
  readonly fn: FunctionDecl;
  readonly assigns: readonly SlotRef[];
  readonly cases: readonly { readonly value: Code | undefined; readonly body: Act }[];
}

const equals = (number: number) => (lane: number) => Number(lane === number);

export function runSwitch(run: Run, plan: SwitchPlan, value: Value, path: Path, frame: Frame): Mask {
  const { recorder } = run;
  requireEvery(run, value.form);
  const { mask } = path;
  const state: LoopState = {};
  const { cases } = plan;
  const inside: Path = { ...path, breaks: state };
  const leftBy = (active: Mask): Mask => {
    passContinues(state, path.breaks);
    return union(active, state.breaks ?? emptyMask(run.threads));
  };
  const labelValue = (code: Code): number => laneAt(code(path, frame).lanes, 0);
  if (typeof value.lanes === 'number' && (value.taint & ~(Taint.block | Taint.assumed | Taint.iterated)) === 0) {
    const wanted = value.lanes;
    let at = cases.findIndex((entry) => entry.value && labelValue(entry.value) === wanted);
    if (at < 0) at = cases.findIndex((entry) => !entry.value);
    if (at < 0) return mask;
    let active = mask;
    for (; at < cases.length && active.count; at++) active = cases[at]!.body(goingOn(inside, active, frame), frame);
    recorder.flush(path);
    return leftBy(active);
  }
  if (run.setup.contents && typeof value.lanes !== 'number') {
    const { lanes } = value;
    const numbers = [...new Set(lanes.filter((_, at) => mask.bits[at]))];
    const among = (lane: number): Path => withMask(path, select(mask, map1(lanes, equals(lane)), true));
    const after = numbers.map((lane) => runSwitch(run, plan, { ...value, lanes: lane, taint: 0 }, among(lane), frame));
    return after.reduce(union);
  }
  const exact = typeof value.lanes !== 'number' && (value.taint & (uncertain | Taint.chosen)) === 0;
  if (!exact) recorder.branch(plan.cond, plan.stmt, 'switch', value, path, plan.fn);
  const under: Path = { ...inside, conditions: conditionOf(run, plan, value, path, 0) };
  const arms: PendingCount[][][] = [];
  const start = recorder.inArms.length;
  let leftOver = mask;
  let after = emptyMask(run.threads);
  for (const entry of cases) {
    if (!exact) {
      runCaseUnsure(run, plan, value, entry.body, under, frame);
      arms.push(recorder.inArms.splice(start));
    } else if (entry.value) {
      const wanted = labelValue(entry.value);
      const chosen = select(leftOver, map1(value.lanes, equals(wanted)), true);
      leftOver = without(leftOver, chosen);
      if (chosen.count) after = union(after, entry.body(withMask(under, chosen), frame));
    } else {
      if (leftOver.count) after = union(after, entry.body(withMask(under, leftOver), frame));
      leftOver = emptyMask(run.threads);
    }
  }
  recorder.flush(path);
  if (cases.some((entry) => !entry.value)) recorder.joinArms(path, arms);
  const left = leftBy(union(after, leftOver));
  return exact ? left : mask;
}

function runCaseUnsure(run: Run, plan: SwitchPlan, value: Value, body: Act, path: Path, frame: Frame): void {
  const before = snapshot(plan.assigns, frame);
  run.recorder.shared.inArm(() => body(unsureOf(path, value), frame));
  run.recorder.flush(path);
  const now = snapshot(plan.assigns, frame);
  restore(before);
  joinSnapshots(run, now, Taint.maybe, value.taint);
  for (const { cell, value: assigned } of now)
    if (assigned && cell.value && !sameValue(cell.value, assigned)) cell.value = marked(assigned, Taint.maybe);
}

// Which lanes of a warp a branch parts, and what that loses.
import { type BranchCost, type BranchFact, contains, type LoopRef, type Model } from '../../../semantic/model';
import type { Interval } from '../../rule';
import type { Message } from './words';

/** Operations of a short arm that the compiler predicates instead of branching. */
const predicated = 10;

/** Which kind of branch it is; undefined where the lanes of a warp agree, or another finding is about it. */
export function messageOf(fact: BranchFact, model: Model): Message | undefined {
  if (fact.variance !== 'thread-varying' || fact.boundaryGuard || fact.singleLane || fact.splitShare === 0)
    return undefined;
  // A sweep's own conditions are between the head of its loop and the statement that combines.
  if (
    model.facts.sweep.some((sweep) => contains({ ...sweep.at, end: Math.max(sweep.at.end, sweep.hotAt.end) }, fact.at))
  )
    return undefined;
  const arms = [fact.under, ...(fact.otherwise ? [fact.otherwise] : [])];
  if (!isLoop(fact) && arms.every(isShort))
    return fact.assignsOne && fact.form === 'if' && fact.loops.length > 0 ? 'predicated' : undefined;
  if (fact.exit) return 'exits';
  if (fact.dataDependent) return isLoop(fact) ? 'trip-count-data' : 'data';
  // The figure is that of the iterations that were run, and the condition changes with the iteration.
  if (fact.loops.some((around) => isOpenLoop(around) && mentionsVariable(fact.text, around.variable))) return undefined;
  if (fact.lostShare === undefined) return undefined;
  if (isLoop(fact)) return 'trip-count';
  return splitsMost(fact) ? 'lane-pattern' : 'lanes-differ';
}

/**
 * Part of the work under it that fewer warps would do if their lanes agreed: of the warps that split, those that are
 * left over when the lanes that go in stand together. Any part where data decide; nothing of a predicated arm.
 */
export function lostOf(fact: BranchFact, message: Message, model: Model): Interval {
  if (message === 'predicated') return [0, 0];
  const { lostShare, splitShare, assumed } = fact;
  if (lostShare === undefined || fact.dataDependent || fact.exit) return [0, 31 / 32];
  let lost = lostShare;
  if (splitShare !== undefined && !isLoop(fact)) {
    const splitting = Math.max(1, splitShare * warpsOf(fact, model));
    lost = Math.max(0, 1 - Math.ceil(splitting * (1 - lostShare)) / splitting);
  }
  return [assumed.length > 0 ? 0 : lost, lost];
}

function warpsOf({ kernels }: BranchFact, model: Model): number {
  const [shape] = model.facts.kernel.find(({ name }) => kernels.includes(name))?.shapes ?? [];
  return shape ? Math.ceil((shape.block[0] * shape.block[1] * shape.block[2]) / 32) : 1;
}

function isLoop({ form }: BranchFact): boolean {
  return form === 'for' || form === 'while' || form === 'do';
}

/** A pattern in the lane number that most warps come to, rather than those of a few rows. */
function splitsMost({ lanePattern, splitShare }: BranchFact): boolean {
  return lanePattern !== undefined && (splitShare === undefined || splitShare >= 0.5);
}

/** Not all of its iterations were run. */
function isOpenLoop({ trips, modelled }: LoopRef): boolean {
  return trips === undefined || (modelled !== undefined && modelled < trips);
}

function mentionsVariable(text: string, variable: string | undefined): boolean {
  return variable !== undefined && new RegExp(`(?<![\\w.])${variable.replace(/\$/g, '\\$')}\\b`).test(text);
}

/** A branch inside one that says so: its lanes were lost outside, unless it loses a tenth more. */
export function inherited(fact: BranchFact, model: Model): boolean {
  // Further down an `else if` chain, and in the arms of a branch that says so, the lanes have parted already.
  if (fact.dataDependent && fact.form === 'if')
    return model.facts.branch.some(
      (outer) =>
        outer !== fact &&
        outer.dataDependent &&
        outer.form === 'if' &&
        contains(outer.statementAt, fact.statementAt) &&
        outer.statementAt.start < fact.statementAt.start &&
        messageOf(outer, model) !== undefined,
    );
  if (fact.lostShare === undefined) return false;
  const lost = fact.lostShare;
  return model.facts.branch.some(
    (outer) =>
      outer !== fact &&
      outer.lostShare !== undefined &&
      lost - outer.lostShare < 0.1 &&
      contains(outer.statementAt, fact.statementAt) &&
      outer.statementAt.start < fact.statementAt.start &&
      messageOf(outer, model) !== undefined,
  );
}

/** Straight code that is predicated rather than jumped over; loads and stores take a predicate as well. */
function isShort(cost: BranchCost): boolean {
  return (
    cost.loops + cost.calls + cost.barriers === 0 &&
    !cost.returns &&
    cost.operations + 2 * (cost.loads + cost.stores) <= predicated
  );
}

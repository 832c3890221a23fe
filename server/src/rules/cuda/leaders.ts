// Sections that one or a few lanes of a block run: leaders that store a result, halo rows, tails behind a vector loop.
import { type BranchCost, type BranchFact, contains, type Span } from '../../semantic/model';

/** Work, in issue slots, of a loop that a few lanes run: up to here it is as short as straight code. */
const shortLoop = 96;
/** Where so few of the warps have lanes that go in and others that do not, it is a corner of the data. */
const fewWarps = 0.125;

/** Lanes of a warp that idle in such a section: eight of 32 are at work at most. */
const idleFrom = 0.75;

/**
 * `if (threadIdx.x == 0)` in any spelling (`a && lane == 0`, `tid < 8`, `x % 16 == 0`), and other straight code of a
 * few lanes without an alternative: no other lane has anything to do meanwhile, so nothing but its own short time is
 * lost.
 */
export function isLeaderSection(fact: BranchFact): boolean {
  if (fact.form !== 'if' || fact.otherwise !== undefined) return false;
  if (fact.singleLane) return true;
  if (isOneRow(fact.text) && fact.under.loops === 0 && fact.under.barriers === 0) return true;
  const isShortLoop = fact.loops.length === 0 && workOf(fact.under) <= shortLoop;
  const isStraight = fact.under.barriers === 0 && (fact.under.loops === 0 || isShortLoop);
  const isCorner = fact.splitShare !== undefined && fact.splitShare < fewWarps && !fact.oneWarp;
  // A tree of steps whose active lanes grow fewer is no leader.
  if (fact.lanePattern && fact.loops.length > 0 && !isCorner) return false;
  return isStraight && !fact.dataDependent && fact.lostShare !== undefined && fact.lostShare >= idleFrom;
}

/** `threadIdx.y == 0`, alone or beside other conditions: the threads of one row, who do something for their columns. */
function isOneRow(text: string): boolean {
  return !text.includes('||') && text.split('&&').some((part) => /^\W*threadIdx\s*\.\s*[yz]\s*==\s*\d+\W*$/.test(part));
}

/** Issue slots, roughly: memory and calls take more of them than arithmetic. */
export function workOf(cost: BranchCost): number {
  return cost.operations + 4 * (cost.loads + cost.stores) + 8 * cost.calls + 8 * cost.barriers;
}

/** Whether a place stands in the arm of such a section. */
export function isInLeaderSection(at: Span, branches: readonly BranchFact[]): boolean {
  return branches.some(
    (branch) => isLeaderSection(branch) && contains(branch.statementAt, at) && at.start >= branch.at.end,
  );
}

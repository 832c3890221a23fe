// Sections that one or a few lanes of a block run: leaders that store a result, halo rows, tails behind a vector loop.
import { type BranchFact, contains, type Span } from '../../semantic/model';

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
  const isStraight = fact.under.loops === 0 && fact.under.barriers === 0;
  // A tree of steps whose active lanes grow fewer is no leader.
  if (fact.lanePattern && fact.loops.length > 0) return false;
  return isStraight && !fact.dataDependent && fact.lostShare !== undefined && fact.lostShare >= idleFrom;
}

/** Whether a place stands in the arm of such a section. */
export function isInLeaderSection(at: Span, branches: readonly BranchFact[]): boolean {
  return branches.some(
    (branch) => isLeaderSection(branch) && contains(branch.statementAt, at) && at.start >= branch.at.end,
  );
}

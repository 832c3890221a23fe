// One problem a slip: what only follows from a problem before it in the same directive is left out.
import type { DirectiveProblem } from '../procedures';

/** A word of the directive with its parentheses, or characters that belong to none. */
export interface Piece {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * The problems that are separate mistakes. Dropped are
 * - those after a parenthesis that is not closed, and after code on the directive's line;
 * - what belongs to nothing directly behind another problem: a clause that is fine in between parts two slips.
 *
 * @param problems in order of their places
 * @param pieces in order of their places; the directive's name is the first
 */
export function onePerSlip(problems: readonly DirectiveProblem[], pieces: readonly Piece[]): DirectiveProblem[] {
  const kept: DirectiveProblem[] = [];
  /** The piece of the last problem, kept or dropped. */
  let last: number | undefined;
  let lost = false;
  /** The last problem was one of what belongs to nothing. */
  let wasNothing = false;
  for (const problem of problems) {
    const at = pieces.findIndex(
      ({ start, end }) => start <= problem.at.start && problem.at.start < Math.max(end, start + 1),
    );
    if (at < 0) {
      kept.push(problem);
      continue;
    }
    const nextTo = last !== undefined && at <= last + 1;
    const follows = nextTo && (problem.code === 'malformed' || (wasNothing && isUnknown(problem)));
    if (!lost && !follows) kept.push(problem);
    if (problem.code === 'malformed' && problem.data['kind'] === 'open') lost = true;
    if (isCode(pieces[at]!.text)) lost = true;
    last = at;
    wasNothing = problem.code === 'malformed' || isUnknown(problem);
  }
  return kept;
}

/** No word is known that was meant. */
function isUnknown({ code, data }: DirectiveProblem): boolean {
  return code === 'unknown-clause' && data['nearest'] === undefined;
}

/** No clause contains statements. */
function isCode(text: string): boolean {
  return /[;{}]|(?<![=<>!])=(?!=)|\+\+|--/.test(text);
}

// What the rules of directives share: how the problems of a fact become findings.
import type { Facts } from '../../semantic/model';
import type { Finding } from '../rule';
import { fixesOf } from '../wording';

type Problem = Facts['acc-directive']['problems'][number];

/** The finding of a problem; the fix is the one that the reader of directives computed. */
export function findingOf<M extends string>(problem: Problem, message: M, more: Partial<Finding<M>> = {}): Finding<M> {
  return { at: problem.at, message, data: problem.data, confidence: 'proven', fixes: fixesOf(problem.fix), ...more };
}

// What the rules of the directives' form share: the problems of a fact by their codes, and how they become findings.
import type { Facts } from '../../semantic/model';
import type { Finding } from '../rule';
import { fixesOf } from '../wording';

type Problem = Facts['acc-directive']['problems'][number];

export const specification = {
  title: 'The OpenACC Application Programming Interface, version 3.3',
  url: 'https://www.openacc.org/sites/default/files/inline-images/Specification/OpenACC-3.3-final.pdf',
};

/** The finding of a problem; the fix is the one that the reader of directives computed. */
export function findingOf<M extends string>(problem: Problem, message: M, more: Partial<Finding<M>> = {}): Finding<M> {
  return { at: problem.at, message, data: problem.data, confidence: 'proven', fixes: fixesOf(problem.fix), ...more };
}

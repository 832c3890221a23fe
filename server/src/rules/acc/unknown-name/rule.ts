// acc/unknown-name: a directive or clause that OpenACC does not have.
import { defineRule, type Finding } from '../../rule';
import { findingOf } from '../wording';
import docs from './docs.json';
import words from './words.json';

type Message = 'directive' | 'clause' | 'directive-near' | 'clause-near';

export default defineRule<'acc-directive', Message>({
  meta: {
    id: 'acc/unknown-name',
    since: '0.1.0',
    family: 'acc',
    severity: 'error',
    fixable: 'unsafe',
    summary: 'OpenACC has no directive or clause of this name.',
    docs,
    ...words,
  },
  on: 'acc-directive',
  *check(fact): Generator<Finding<Message>> {
    for (const problem of fact.problems) {
      const kind =
        problem.code === 'unknown-directive' ? 'directive' : problem.code === 'unknown-clause' ? 'clause' : undefined;
      if (!kind) continue;
      yield problem.data.nearest !== undefined
        ? findingOf(problem, `${kind}-near`)
        : findingOf(problem, kind, { severity: kind === 'directive' ? 'information' : 'warning' });
    }
  },
});

// acc/unknown-name: a directive or clause that OpenACC does not have.
import { defineRule, type Finding } from '../../rule';
import { findingOf } from '../wording';
import docs from './docs.json';

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
    messages: {
      directive: 'Unknown OpenACC directive `{word}`: compilers ignore or reject it.',
      'directive-near': 'Unknown OpenACC directive `{word}`: compilers ignore or reject it. Did you mean `{nearest}`?',
      clause: 'Unknown OpenACC clause `{word}`.',
      'clause-near': 'Unknown OpenACC clause `{word}`. Did you mean `{nearest}`?',
    },
    example: { word: 'paralel', nearest: 'parallel' },
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

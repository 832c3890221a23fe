// acc/missing-reduction: a scalar that the iterations of a parallel loop accumulate into, all at once.
import { defineRule, type Finding } from '../../rule';
import { excerpt, fixesOf } from '../../wording';
import docs from './docs.json';
import words from './words.json';

export default defineRule<'acc-reduction', 'race' | 'atomic'>({
  meta: {
    id: 'acc/missing-reduction',
    since: '0.1.0',
    family: 'acc',
    severity: 'warning',
    fixable: 'safe',
    summary: 'A parallel loop accumulates a scalar without a `reduction` clause.',
    docs,
    ...words,
  },
  on: 'acc-reduction',
  *check(fact): Generator<Finding<'race' | 'atomic'>> {
    const data = { loop: excerpt(fact.loopText, 50), scalar: fact.scalar, operator: fact.operator };
    if (fact.atomic) {
      const related = [{ at: fact.loopAt, text: 'gangs and lanes share the iterations of this loop' }];
      yield { at: fact.at, message: 'atomic', severity: 'information', confidence: 'proven', data, related };
      return;
    }
    yield {
      at: fact.at,
      message: 'race',
      confidence: fact.compiler === 'gcc' ? 'proven' : 'assumed',
      ...(fact.compiler === 'gcc' ? { severity: 'error' as const } : {}),
      data,
      related: [{ at: fact.loopAt, text: 'the iterations of this loop are declared independent' }],
      fixes: fixesOf(fact.fix, 'safe'),
    };
  },
});

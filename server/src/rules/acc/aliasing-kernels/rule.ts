// acc/aliasing-kernels: a kernels loop that stays sequential because its pointers may overlap.
import { defineRule, type Finding } from '../../rule';
import { excerpt, fixesOf } from '../../wording';
import docs from './docs.json';
import words from './words.json';

export default defineRule<'acc-alias', 'may-overlap'>({
  meta: {
    id: 'acc/aliasing-kernels',
    since: '0.1.0',
    family: 'acc',
    severity: 'information',
    fixable: 'unsafe',
    summary: 'Pointers of a loop in a `kernels` region may overlap, so the compiler runs the loop sequentially.',
    docs,
    ...words,
  },
  on: 'acc-alias',
  *check(fact): Generator<Finding<'may-overlap'>> {
    yield {
      at: fact.at,
      message: 'may-overlap',
      waste: { kind: 'layout', now: { alone: true }, then: { lane: fact.at } },
      confidence: 'assumed',
      data: {
        written: fact.written,
        others: fact.others.map((name) => `\`${name}\``).join(' and '),
        loop: excerpt(fact.loopText, 50),
      },
      related: fact.related,
      fixes: fact.fixes.flatMap((fix) => fixesOf(fix, 'unsafe')),
    };
  },
});

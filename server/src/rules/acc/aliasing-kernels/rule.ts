// acc/aliasing-kernels: a kernels loop that stays sequential because its pointers may overlap.
import { defineRule, type Finding } from '../../rule';
import { excerpt, fixesOf } from '../../wording';
import docs from './docs.json';

export default defineRule<'acc-alias', 'may-overlap'>({
  meta: {
    id: 'acc/aliasing-kernels',
    since: '0.1.0',
    family: 'acc',
    severity: 'information',
    fixable: 'unsafe',
    summary: 'Pointers of a loop in a `kernels` region may overlap, so the compiler runs the loop sequentially.',
    docs,
    messages: {
      'may-overlap':
        '`{written}` may overlap {others}: the loop may not run in parallel. The compiler must assume that ' +
        'iterations of `{loop}` depend on each other. Add `restrict` or `loop independent`.',
    },
    example: { written: 'out', others: '`in`', loop: 'for (int i = 0; i < n; i++)' },
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

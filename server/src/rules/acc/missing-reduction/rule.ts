// acc/missing-reduction: a scalar that the iterations of a parallel loop accumulate into, all at once.
import { defineRule, type Finding, type Fix } from '../../rule';
import { excerpt } from '../../wording';

export default defineRule<'acc-reduction', 'race'>({
  meta: {
    id: 'acc/missing-reduction',
    since: '0.1.0',
    family: 'acc',
    severity: 'error',
    fixable: 'safe',
    summary: 'A scalar is accumulated across the iterations of a parallel loop without a `reduction` clause.',
    docs: {
      what: 'Reports `s += v`, `s = s + v`, `s = max(s, v)`, `if (v > s) s = v` and the like in a loop of a `parallel` construct (or in a `routine` with a parallel level), where `s` lives outside the loop, is nothing but accumulated in it, and no `reduction`, `private` or `firstprivate` clause names it.',
      why: 'The loop directive says that the iterations are independent, so they run at once: each reads and writes its own old copy of `s`, and all but one contribution may be lost. GCC takes the program by its word; nvc recognises many such loops and adds the reduction by itself (`-Minfo=accel` says "Generating implicit reduction"), and a program that counts on it is wrong elsewhere.',
      whenNot:
        'Silent in `kernels` regions, where the compiler looks for reductions, for atomic updates, for scalars that each iteration sets before it accumulates, for sequential loops, and where the scalar is used for anything else in the loop.',
      fix: 'The `reduction` clause, on every directive of a loop between the scalar and the accumulation. Safe: a floating-point sum is then added in another order, as every parallel sum is.',
      references: [
        {
          title: 'The OpenACC Application Programming Interface, version 3.3, 2.9.11, reduction clause',
          url: 'https://www.openacc.org/sites/default/files/inline-images/Specification/OpenACC-3.3-final.pdf',
        },
        {
          title: 'OpenACC Programming and Best Practices Guide, Parallelize Loops',
          url: 'https://openacc-best-practices-guide.readthedocs.io/en/latest/04-Parallelize.html',
        },
      ],
    },
    messages: {
      race: 'Race on `{scalar}`: `reduction({operator}:{scalar})` is missing. The iterations of `{loop}` run at once and all accumulate into it; contributions are lost, unless the compiler adds the clause by itself as nvc often does.',
    },
    example: { loop: 'for (int i = 0; i < n; i++)', scalar: 'sum', operator: '+' },
  },
  on: 'acc-reduction',
  *check(fact): Generator<Finding<'race'>> {
    const fixes: Fix[] = fact.fix ? [{ title: fact.fix.title, applicability: 'safe', edits: fact.fix.edits }] : [];
    yield {
      at: fact.at,
      message: 'race',
      confidence: 'proven',
      data: { loop: excerpt(fact.loopText, 50), scalar: fact.scalar, operator: fact.operator },
      related: [{ at: fact.loopAt, text: 'the iterations of this loop are declared independent' }],
      fixes,
    };
  },
});

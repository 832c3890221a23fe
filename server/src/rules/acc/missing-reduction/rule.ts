// acc/missing-reduction: a scalar that the iterations of a parallel loop accumulate into, all at once.
import { defineRule, type Finding } from '../../rule';
import { excerpt, fixesOf } from '../../wording';

export default defineRule<'acc-reduction', 'race'>({
  meta: {
    id: 'acc/missing-reduction',
    since: '0.1.0',
    family: 'acc',
    severity: 'warning',
    fixable: 'safe',
    summary: 'A parallel loop accumulates a scalar without a `reduction` clause.',
    docs: {
      what:
        'Reports `s += v`, `s = s + v`, `s = max(s, v)`, `if (v > s) s = v` and similar forms in a loop of ' +
        'a `parallel` construct (or a `routine` with a parallel level), where `s` is declared outside the ' +
        'loop, only accumulated in it, and named by no `reduction`, `private` or `firstprivate` clause.',
      why:
        'An error where the build uses GCC, which never adds a reduction; else a warning. ' +
        'The iterations run at once: each reads and writes its own old copy of `s`, and all but one ' +
        'contribution may be lost. nvc recognises many such loops and adds the reduction (`-Minfo=accel`: ' +
        '"Generating implicit reduction"); GCC does not.',
      whenNot:
        'Silent in `kernels` regions, where the compiler looks for reductions, for atomic updates, for ' +
        'scalars that each iteration sets first, for sequential loops, and where the loop uses the scalar ' +
        'otherwise.',
      fix:
        'Adds the `reduction` clause to every loop directive between the scalar and the accumulation. ' +
        'Safe: a floating-point sum is added in another order, as in every parallel sum.',
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
      race:
        'Race on `{scalar}`: `reduction({operator}:{scalar})` is missing. The iterations of `{loop}` ' +
        'accumulate into it at once, and contributions are lost unless the compiler adds the clause, as ' +
        'nvc often does.',
    },
    example: { loop: 'for (int i = 0; i < n; i++)', scalar: 'sum', operator: '+' },
  },
  on: 'acc-reduction',
  *check(fact): Generator<Finding<'race'>> {
    yield {
      at: fact.at,
      message: 'race',
      confidence: fact.compiler === 'gcc' ? 'proven' : 'assumed',
      ...(fact.compiler === 'gcc' ? { severity: 'error' as const } : {}),
      data: { loop: excerpt(fact.loopText, 50), scalar: fact.scalar, operator: fact.operator },
      related: [{ at: fact.loopAt, text: 'the iterations of this loop are declared independent' }],
      fixes: fixesOf(fact.fix, 'safe'),
    };
  },
});

// acc/aliasing-kernels: a kernels loop that stays sequential because its pointers may overlap.
import { defineRule, type Finding } from '../../rule';
import { excerpt } from '../../wording';

export default defineRule<'acc-alias', 'may-overlap'>({
  meta: {
    id: 'acc/aliasing-kernels',
    since: '0.1.0',
    family: 'acc',
    severity: 'information',
    fixable: 'unsafe',
    summary: 'Pointers of a loop in a `kernels` region may overlap, so the compiler runs the loop sequentially.',
    docs: {
      what:
        'Reports a loop of a `kernels` region in C or C++ whose iterations are independent unless two ' +
        'pointers overlap: it writes through a pointer from outside (a parameter, or a member of one) that ' +
        'is not `restrict`, and uses another such pointer to the same type.',
      why:
        'In a `kernels` region the compiler has to prove that iterations are independent. Where `a` may ' +
        'overlap `b` it cannot: nvc says "Complex loop carried dependence of a-> prevents parallelization" ' +
        'and runs the loop on one thread.',
      whenNot:
        'Silent in Fortran (arguments do not overlap), for arrays, `restrict` pointers, memory allocated ' +
        'in the same function, pointers to different types, and loops with `independent`, `seq` or `auto`.',
      fix:
        'Adds `restrict` to the written pointer (`__restrict__` in C++), or `loop independent`. Both are ' +
        'unsafe: they are promises that only the author can make, and results are wrong if they do not ' +
        'hold.',
      references: [
        {
          title: 'OpenACC Programming and Best Practices Guide, Parallelize Loops',
          url: 'https://openacc-best-practices-guide.readthedocs.io/en/latest/04-Parallelize.html',
        },
      ],
    },
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
      fixes: fact.fixes.map(({ title, edits }) => ({ title, applicability: 'unsafe', edits })),
    };
  },
});

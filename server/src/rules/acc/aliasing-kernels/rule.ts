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
    summary:
      'In a `kernels` region nothing tells the compiler that the pointers of a loop do not overlap, so it runs the loop sequentially.',
    docs: {
      what: 'Reports a loop of a `kernels` region in C or C++ whose iterations are provably independent but for one thing: it writes through a pointer that came from outside (a parameter, or a member of one) and is not `restrict`, and uses another such pointer to the same type.',
      why: 'In a `kernels` region the compiler has to prove that iterations are independent. Where `a` may overlap `b` it cannot: nvc says "Complex loop carried dependence of a-> prevents parallelization" and runs the loop on one thread.',
      whenNot:
        'Silent in Fortran, whose arguments do not overlap by rule, for arrays, for `restrict` pointers, for memory allocated in the same function, for pointers to different types, and for loops with `independent`, `seq` or `auto`.',
      fix: '`restrict` on the written pointer (`__restrict__` in C++), or `loop independent`. Both are promises that only the author can make, so both are unsafe: were they not kept, results would be wrong.',
      references: [
        {
          title: 'OpenACC Programming and Best Practices Guide, Parallelize Loops',
          url: 'https://openacc-best-practices-guide.readthedocs.io/en/latest/04-Parallelize.html',
        },
      ],
    },
    messages: {
      'may-overlap':
        '`{written}` may overlap {others}: the loop may not run in parallel. As far as the compiler knows the iterations of `{loop}` depend on each other; say `restrict` or `loop independent`.',
    },
    example: { written: 'out', others: '`in`', loop: 'for (int i = 0; i < n; i++)' },
  },
  on: 'acc-alias',
  *check(fact): Generator<Finding<'may-overlap'>> {
    yield {
      at: fact.at,
      message: 'may-overlap',
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

// acc/missing-mapping: loops of a parallel construct that no directive gives to the levels they want.
import type { AccMappingFact } from '../../../semantic/model';
import { defineRule, type Layout } from '../../rule';
import { fixesOf } from '../../wording';

type Message = AccMappingFact['form'];

/** What a form leaves idle of the GPU. */
const layouts: Readonly<Record<string, Layout>> = {
  redundant: { alone: true },
  'idle-lanes': { useful: 1 },
  'no-vector': { useful: 1 },
};

export default defineRule<'acc-mapping', Message>({
  meta: {
    id: 'acc/missing-mapping',
    since: '0.1.0',
    family: 'acc',
    severity: 'information',
    fixable: 'both',
    summary: 'A loop of a parallel construct that no directive shares among gangs or vector lanes.',
    docs: {
      what:
        'In a `parallel` construct every gang runs the whole of a loop without a `loop` directive. A loop ' +
        'on gangs or workers alone leaves the lanes idle unless its inner loop uses them; without a ' +
        'directive there, nvc may give the lanes to the inner loop, GCC gives them to the outer one. Where ' +
        'nothing inside can use the lanes, one lane of each warp works, which is a warning. A ' +
        'short loop with gangs and lanes leaves most of a warp idle while each lane runs a long inner loop ' +
        'alone. Reported where the iterations of the loop to be shared are provably independent, including ' +
        'reductions and private scalars.',
      why: 'Idle lanes cost up to a factor of 32, idle gangs up to the number of multiprocessors.',
      whenNot:
        'Silent in `kernels` constructs, which the compiler maps, except inside loops marked ' +
        '`independent`; where a directive names the inner levels; where the construct asks for one gang or ' +
        'one lane; where each iteration of the gangs has a multiprocessor to itself; for inner loops of ' +
        'fewer than 16 iterations; and where independence cannot be proven.',
      fix:
        'Adds a `loop` directive with `vector`, or `vector` to the directive that names gangs or workers, and the ' +
        '`reduction` and `private` clauses it needs. Unsafe ' +
        'where pointers without `restrict` may overlap.',
      references: [
        {
          title: 'OpenACC Programming and Best Practices Guide, Parallelize Loops',
          url: 'https://openacc-best-practices-guide.readthedocs.io/en/latest/04-Parallelize.html',
        },
      ],
    },
    evidence: {
      messages: ['inner-unmapped'],
      metric: 'memory_l2_theoretical_sectors_global',
      against: 'memory_l2_theoretical_sectors_global_ideal',
      badWhen: 'metric / against >= 1.5',
      noneWhen: 'metric / against < 1.05',
    },
    messages: {
      redundant:
        'Every gang runs the whole loop over `{loop}`. No loop directive shares it among the gangs of the ' +
        'parallel construct.',
      'idle-lanes':
        'One lane per vector runs the loop over `{loop}`. None of its levels is a vector, and the loop ' +
        'over `{inner}` has no directive, so the other lanes are idle unless the compiler maps it.',
      'no-vector':
        'One lane of each warp works: `{levels}` without `vector` on the loop over `{loop}`. Nothing inside ' +
        'it can use the other 31 lanes. Add `vector`.',
      'inner-unproven':
        'Only the outer loop over `{loop}` is `independent`. The compiler cannot prove it for the loop ' +
        'over `{inner}`, which runs along the arrays, since pointers may overlap: each lane walks its own ' +
        'row.',
      'inner-unmapped':
        'No directive maps the loop over `{inner}`. It runs along the arrays: nvc usually gives it the ' +
        'lanes, but GCC gives them to `{loop}`, so each lane walks its own row.',
      'tiny-outer':
        'Gangs and lanes share at most {trips} iterations. Those are the iterations of the loop over ' +
        '`{loop}`; the long loop over `{inner}` runs in each lane alone.',
    },
    example: { loop: 'row', inner: 'column', trips: 8, levels: 'gang worker' },
  },
  on: 'acc-mapping',
  *check(fact) {
    yield {
      at: fact.at,
      message: fact.form,
      waste: {
        kind: 'layout',
        now: layouts[fact.form] ?? {},
        then: { lane: fact.inner?.at ?? fact.at },
        maybe: fact.form === 'inner-unmapped',
      },
      confidence: fact.form === 'redundant' ? 'proven' : 'assumed',
      data: {
        loop: fact.variable,
        inner: fact.inner?.variable ?? '',
        trips: fact.trips?.atMost ?? '',
        levels: fact.levels ?? '',
      },
      ...(fact.inner?.whole ? { measuredAt: [fact.inner.whole] } : {}),
      related: fact.inner ? [{ at: fact.inner.at, text: `the loop over \`${fact.inner.variable}\`` }] : [],
      fixes: fixesOf(fact.fix),
    };
  },
});

// acc/missing-mapping: loops of a parallel construct that no directive gives to the levels they want.
import type { AccMappingFact } from '../../../semantic/model';
import { defineRule } from '../../rule';

type Message = AccMappingFact['form'];

export default defineRule<'acc-mapping', Message>({
  meta: {
    id: 'acc/missing-mapping',
    since: '0.1.0',
    family: 'acc',
    severity: 'information',
    fixable: 'both',
    summary: 'A loop of a parallel construct that no directive shares out among gangs or vector lanes.',
    docs: {
      what:
        'In a `parallel` construct a loop without a `loop` directive is run as a whole by every gang. A loop on gangs or workers alone leaves the lanes without work unless the loop inside is given to them. ' +
        'Where nothing is said of the inner loop, compilers differ: nvc may take it for the lanes, GCC gives the lanes to the outer loop and each walks its own row. ' +
        'A loop of a few iterations that has gangs and lanes together leaves most of a warp idle while a long loop inside runs in each lane alone. ' +
        "The rule reports these where it can prove that the iterations of the loop it would share out are independent, sums and scalars of an iteration's own included.",
      why: 'Lanes and gangs that got nothing to do are the largest factors there are: 32 for the lanes of a warp, the number of multiprocessors for gangs.',
      whenNot:
        'Silent in `kernels` constructs, where the compiler maps by itself, but for loops that say `independent` around ones that it cannot prove; wherever a directive names the inner levels, where the construct asks for one gang or one lane, on inner loops of fewer than 16 iterations, and where the iterations cannot be proven independent.',
      fix: 'A `loop` directive with `vector`, and the `reduction` and `private` clauses that the loop wants. Unsafe where pointers without `restrict` might overlap.',
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
        'Every gang runs the whole loop over `{loop}`. No loop directive shares it out among the gangs of the parallel construct.',
      'idle-lanes':
        'One lane of each vector works on the loop over `{loop}`. No level of it is a vector, and the loop over `{inner}` has no directive: that is what happens unless the compiler maps it by itself.',
      'inner-unproven':
        'Only the outer loop over `{loop}` says that it is independent. The compiler cannot prove it of the loop over `{inner}`, along which the arrays lie, since pointers may overlap: each lane walks a row of its own.',
      'inner-unmapped':
        'Nothing maps the loop over `{inner}`, along which the arrays lie. nvc mostly finds that by itself, but a compiler that gives the lanes to `{loop}` (GCC does) lets each walk a row of its own.',
      'tiny-outer':
        'Gangs and lanes share {trips} iterations at most. They are those of the loop over `{loop}`; the long loop over `{inner}` runs in each lane alone.',
    },
    example: { loop: 'row', inner: 'column', trips: 8 },
  },
  on: 'acc-mapping',
  *check(fact) {
    yield {
      at: fact.at,
      message: fact.form,
      confidence: fact.form === 'redundant' ? 'proven' : 'assumed',
      data: { loop: fact.variable, inner: fact.inner?.variable ?? '', trips: fact.trips?.atMost ?? '' },
      ...(fact.inner?.whole ? { measuredAt: [fact.inner.whole] } : {}),
      related: fact.inner ? [{ at: fact.inner.at, text: `the loop over \`${fact.inner.variable}\`` }] : [],
      fixes: fact.fix
        ? [{ title: fact.fix.title, applicability: fact.fix.safe ? 'safe' : 'unsafe', edits: fact.fix.edits }]
        : [],
    };
  },
});

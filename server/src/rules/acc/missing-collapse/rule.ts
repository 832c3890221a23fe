// acc/missing-collapse: tightly nested independent loops of which the outer one alone has too few iterations to fill
// the GPU.
import { defineRule } from '../../rule';
import { fixesOf } from '../../wording';

export default defineRule<'acc-collapse', 'small-outer'>({
  meta: {
    id: 'acc/missing-collapse',
    since: '0.1.0',
    family: 'acc',
    severity: 'information',
    fixable: 'both',
    summary:
      'Tightly nested independent loops whose outer one has fewer iterations than the GPU has ' + 'multiprocessors.',
    docs: {
      what:
        'Gangs share the iterations of their loop. Reports a loop whose trip count is known to be below ' +
        'the number of multiprocessors of the chosen GPU, if the loops tightly nested in it are ' +
        'independent and their bounds do not depend on it, so that `collapse(n)` can join them.',
      why: 'A loop of 16 iterations on gangs uses 16 of the 132 multiprocessors of an H100.',
      whenNot:
        'Silent where the outer trip count is unknown, where statements lie between the loops, where an ' +
        'inner loop is marked `seq`, accumulates a sum or cannot be proven independent, where `num_gangs`, ' +
        '`collapse` or `tile` is written, and for undirected loops of `kernels` constructs, which nvc ' +
        'tiles by itself.',
      fix:
        'Adds `collapse(n)` to the outer loop and removes an inner `loop` directive that only names ' +
        'levels. The innermost loop keeps neighbouring lanes.',
      references: [
        {
          title: 'OpenACC Programming and Best Practices Guide, Optimize Loops',
          url: 'https://openacc-best-practices-guide.readthedocs.io/en/latest/06-Loops.html',
        },
      ],
    },
    evidence: {
      of: 'occupancy',
      metric: 'sm__warps_active.avg.per_cycle_active',
      against: 'device__attribute_max_warps_per_multiprocessor',
      badWhen: 'metric / against < 0.125',
      noneWhen: 'metric / against > 0.4',
    },
    messages: {
      'small-outer':
        '{trips} for {multiprocessors} multiprocessors: add collapse({count}). The loop over `{loop}` is ' +
        'that short because {why}; collapsing shares the loop over {inner} among the multiprocessors of ' +
        '{gpu} as well.',
    },
    example: {
      loop: 'plane',
      trips: '16 iterations',
      why: '`planes` is 16',
      gpu: 'H100',
      multiprocessors: 132,
      count: 2,
      inner: '`row`',
    },
  },
  on: 'acc-collapse',
  *check(fact, { gpu }) {
    yield {
      at: fact.at,
      message: 'small-outer',
      waste: { kind: 'layout', now: { gangs: fact.trips.atMost }, then: { shared: fact.joined } },
      confidence: 'proven',
      data: {
        loop: fact.variable,
        trips: `${fact.trips.exact ? '' : 'At most '}${fact.trips.atMost} iterations`,
        why: fact.trips.why,
        gpu: gpu.name,
        multiprocessors: gpu.multiprocessors,
        count: fact.count,
        inner: fact.inner.map((name) => `\`${name}\``).join(' and '),
      },
      measuredAt: [fact.kernelAt],
      related:
        fact.trips.at && fact.trips.at.start !== fact.at.start
          ? [{ at: fact.trips.at, text: `at most ${fact.trips.atMost} iterations, because ${fact.trips.why}` }]
          : [],
      fixes: fixesOf(fact.fix),
    };
  },
});

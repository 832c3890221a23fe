// acc/missing-collapse: tightly nested independent loops of which the outer one alone has too few iterations to fill
// the GPU.
import { defineRule } from '../../rule';
import { fixesOf } from '../../wording';
import docs from './docs.json';
import words from './words.json';

export default defineRule<'acc-collapse', 'small-outer'>({
  meta: {
    id: 'acc/missing-collapse',
    since: '0.1.0',
    family: 'acc',
    severity: 'information',
    fixable: 'both',
    summary: 'Tightly nested independent loops whose outer one has fewer iterations than the GPU has multiprocessors.',
    docs,
    evidence: {
      of: 'occupancy',
      metric: 'sm__warps_active.avg.per_cycle_active',
      against: 'device__attribute_max_warps_per_multiprocessor',
      badWhen: 'metric / against < 0.125',
      noneWhen: 'metric / against > 0.4',
    },
    ...words,
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

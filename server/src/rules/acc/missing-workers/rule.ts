// acc/missing-workers: gangs of a single warp, because the vector length is 32 and no loop is given to workers.
import { defineRule } from '../../rule';
import { figure } from '../../wording';
import docs from './docs.json';
import words from './words.json';

export default defineRule<'acc-workers', 'one-warp' | 'flat-warp'>({
  meta: {
    id: 'acc/missing-workers',
    since: '0.1.0',
    family: 'acc',
    severity: 'warning',
    fixable: 'both',
    summary: 'A vector length of 32 without workers: each gang is a block of a single warp.',
    docs,
    evidence: {
      of: 'occupancy',
      metric: 'sm__warps_active.avg.per_cycle_active',
      against: 'device__attribute_max_warps_per_multiprocessor',
      badWhen: 'block <= 32 and metric / against <= 0.5',
      noneWhen: 'block > 32',
    },
    ...words,
    options: {
      longestBody: {
        type: 'number',
        default: 24,
        description: 'The number of statements in the loop over gangs above which a gang has enough to do.',
      },
      fewestIterations: {
        type: 'number',
        default: 1024,
        description:
          'The trip count of the loop over gangs, where it is known, below which more workers would ' +
          'only leave multiprocessors without a gang.',
      },
    },
  },
  on: 'acc-workers',
  *check(fact, { options }) {
    if (fact.statements > Number(options['longestBody']) || fact.vectorLoops > 2) return;
    if (fact.trips && fact.trips.atMost < Number(options['fewestIterations'])) return;
    yield {
      at: fact.at,
      message: fact.flat ? 'flat-warp' : 'one-warp',
      waste: {
        kind: 'layout',
        now: { threads: fact.vectorLength },
        then: { threads: fact.vectorLength * fact.choices[0]!.workers },
      },
      confidence: fact.origin === 'assumed' ? 'assumed' : 'proven',
      data: { loop: fact.variable, length: figure(fact.vectorLength) },
      measuredAt: [fact.kernelAt],
      related: fact.lengthAt ? [{ at: fact.lengthAt, text: 'the vector length is set here' }] : [],
      fixes: fact.choices.flatMap(({ fix }) => (fix ? [{ ...fix, applicability: fact.flat ? 'safe' : 'unsafe' }] : [])),
    };
  },
});

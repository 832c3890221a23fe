// acc/missing-workers: gangs of a single warp, because the vector length is 32 and no loop is given to workers.
import { defineRule } from '../../rule';
import { figure } from '../../wording';

export default defineRule<'acc-workers', 'one-warp'>({
  meta: {
    id: 'acc/missing-workers',
    since: '0.1.0',
    family: 'acc',
    severity: 'warning',
    fixable: 'unsafe',
    summary: 'A vector length of 32 without workers: each gang is a block of a single warp.',
    docs: {
      what:
        'A gang becomes a thread block of workers × vector lanes; with 32 lanes and no worker level it is ' +
        'one warp. Reports a loop over gangs with a short body around one or two vector loops of length ' +
        '32, written, or chosen by the compiler for a constant trip count.',
      why:
        'A multiprocessor holds a limited number of blocks (16 on Kepler, 32 on Hopper) and up to 64 ' +
        'warps: with one warp per block at least half of the warps stay unused. Measured on an H200 with ' +
        'rows of 27 entries (GCC 12 with offloading): 2.47 ms with one worker, 2.02 ms with 2, 1.99 ms ' +
        'with 4, 2.14 ms with 8, 2.18 ms with 16, and 3.02 ms with 32.',
      whenNot:
        'Silent where a loop of the nest names workers or the construct sets `num_workers`, where a gang ' +
        'has much to do by itself, has private arrays, synchronises or updates atomically, and where the ' +
        'gang loop is known to be short.',
      fix:
        'Adds `gang worker` to the outer loop with `num_workers(n)` on a parallel construct, `gang ' +
        'worker(n)` in a kernels construct, and makes scalars of an iteration private. Unsafe: the best ' +
        'number depends on the GPU (4 on the H200, 32 on a Kepler K40). Measure it.',
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
      badWhen: 'block <= 32 and metric / against <= 0.5',
      noneWhen: 'block > 32',
    },
    messages: {
      'one-warp':
        'Each gang of the loop over `{loop}` is one warp. The vector length is 32 without workers: at most ' +
        "half of a multiprocessor's warps can be resident. Add workers.",
    },
    example: { loop: 'row', length: 32 },
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
      message: 'one-warp',
      waste: {
        kind: 'layout',
        now: { threads: fact.vectorLength },
        then: { threads: fact.vectorLength * fact.choices[0]!.workers },
      },
      confidence: fact.origin === 'assumed' ? 'assumed' : 'proven',
      data: { loop: fact.variable, length: figure(fact.vectorLength) },
      measuredAt: [fact.kernelAt],
      related: fact.lengthAt ? [{ at: fact.lengthAt, text: 'the vector length is set here' }] : [],
      fixes: fact.choices.flatMap(({ fix }) => (fix ? [{ ...fix, applicability: 'unsafe' as const }] : [])),
    };
  },
});

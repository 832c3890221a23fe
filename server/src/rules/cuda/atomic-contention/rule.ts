// cuda/atomic-contention: atomic additions of a whole warp to one place, which take their turns.
import type { AccessFact } from '../../../semantic/model';
import { defineRule, type Finding } from '../../rule';
import { assuming, figure } from '../../wording';

type Message = 'global' | 'shared';

export default defineRule<'access', Message>({
  meta: {
    id: 'cuda/atomic-contention',
    since: '0.1.0',
    family: 'cuda',
    severity: 'warning',
    fixable: 'unsafe',
    summary: 'All lanes of a warp add atomically to one place.',
    docs: {
      what:
        'Atomic operations on one place run one after another. For 32-bit integers nvcc sums a warp first ' +
        'and one lane adds; for float, double and 64-bit integers it does not, so a warp makes 32 ' +
        'additions. Shared memory has no floating-point atomics: the lanes compare and swap until all ' +
        'succeed. Reports such additions where all lanes of a warp add to one place and none uses the old ' +
        'value.',
      why:
        'On an H200 a shuffle sum and one addition per warp took 1/32 of the time where all threads add to ' +
        'one place, 1/12 to 1/20 with a place per block, 1/5 to 1/7 with one per warp, and 1/10 to 1/14 in ' +
        'shared memory.',
      whenNot:
        'Silent for 32-bit integers, for places that depend on data (histograms), where the old value is ' +
        'used, and where one lane adds.',
      fix:
        'The active lanes sum among themselves and one adds the result (cooperative groups, correct under ' +
        'every condition; unsafe: float sums in another order differ by up to 2(n - 1)·2⁻²⁴ of the sum of the ' +
        'n magnitudes, which is much where terms cancel). Offered where the place is known to be the same for ' +
        'all threads of a block. By hand: `for (int offset = 16; offset > 0; offset >>= 1) sum += ' +
        '__shfl_down_sync(0xffffffff, sum, offset);` with all lanes (zero where a lane has nothing to ' +
        'add), then `if (threadIdx.x % 32 == 0) atomicAdd(place, sum);`. Where a block adds to one place, ' +
        'sum the block first.',
      references: [
        {
          title: 'CUDA Pro Tip: Optimized Filtering with Warp-Aggregated Atomics',
          url: 'https://developer.nvidia.com/blog/cuda-pro-tip-optimized-filtering-warp-aggregated-atomics/',
        },
        {
          title: 'CUDA C++ Programming Guide, Warp Shuffle Functions',
          url: 'https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#warp-shuffle-functions',
        },
      ],
      measurement: 'h200-rule-pairs',
    },
    // No warp waits for an addition without a result at its line: warps wait as they end, and for the queue before.
    evidence: {
      metric: 'smsp__pcsamp_warps_issue_stalled_drain + smsp__pcsamp_warps_issue_stalled_lg_throttle',
      against: 'smsp__pcsamp_sample_count',
      badWhen: 'metric / against >= 0.25 and against >= 20',
      noneWhen: 'metric / against < 0.05 and against >= 20',
      messages: ['global'],
    },
    messages: {
      global:
        'All lanes of a warp add to one place of `{array}`. The compiler does not combine the {lanes} ' +
        'additions of {type}: they run one after another{loop}. Sum the warp by shuffles and let one lane ' +
        'add{assuming}.',
      shared:
        'All lanes of a warp add to one place of `{array}`. Shared memory has no {type} atomics: {lanes} ' +
        'lanes compare and swap until all succeed{loop}. Sum the warp by shuffles and let one lane ' +
        'add{assuming}.',
    },
    example: { array: 'total', lanes: '32', type: 'float' },
  },
  on: 'access',
  *check(fact, { model }): Generator<Finding<Message>> {
    if (!isContended(fact)) return;
    // Lanes that compare and swap are as many as come, however often each tries.
    const assumed = fact.space === 'shared' ? fact.assumed.filter(({ kind }) => kind !== 'by-data') : fact.assumed;
    const around = model.facts.kernel
      .filter(({ name, at }) => fact.kernels.includes(name) && at.uri === fact.at.uri)
      .map(({ at }) => at);
    yield {
      at: fact.at,
      ...(around.length > 0 && fact.space !== 'shared'
        ? {
            measuredAt: around,
            atStake: [fact.at, ...around.map(({ uri, end }) => ({ uri, start: end, end }))],
          }
        : {}),
      message: fact.space === 'shared' ? 'shared' : 'global',
      waste: { kind: 'access' },
      data: {
        array: fact.array.name,
        lanes: figure(fact.activeLanes),
        type: fact.elementType,
        loop: fact.loops.length > 0 ? ' on each iteration of a loop' : '',
        assuming: assuming(assumed),
      },
      confidence: fact.certainty === 'proven' ? 'proven' : 'assumed',
      ...(fact.warpAtomic
        ? { fixes: [{ title: fact.warpAtomic.title, applicability: 'unsafe' as const, edits: fact.warpAtomic.edits }] }
        : {}),
      ...(fact.refusals ? { refusals: fact.refusals } : {}),
    };
  },
});

function isContended(fact: AccessFact): boolean {
  const { atomic } = fact;
  if (fact.mode !== 'atomic' || !atomic || atomic.used || !/^atomicAdd(_block|_system)?$/.test(atomic.name))
    return false;
  // Where the numbers do not tell, the text of the address may: the fix asks it.
  if (!atomic.settled && !fact.warpAtomic) return false;
  if (fact.addresses !== 1 || fact.activeLanes < 2 || fact.certainty === 'unknown') return false;
  const isReal = fact.elementType === 'float' || fact.elementType === 'double';
  return fact.space === 'shared' ? isReal : isReal || (fact.space === 'global' && fact.elementBytes === 8);
}

// cuda/atomic-contention: atomic additions of a whole warp to one place, which take their turns.
import { atomicsOfIteration } from '../../../semantic/figures';
import type { AccessFact } from '../../../semantic/model';
import { defineRule, type Finding } from '../../rule';
import { assuming, figure } from '../../wording';

type Message = 'global' | 'shared' | 'few' | 'counter';

export default defineRule<'access', Message>({
  meta: {
    id: 'cuda/atomic-contention',
    since: '0.1.0',
    family: 'cuda',
    severity: 'warning',
    fixable: 'unsafe',
    summary: 'Atomics of many threads meet at one place, or at few.',
    docs: {
      what:
        'Atomic operations on one place run one after another. For 32-bit integers nvcc sums a warp first ' +
        'and one lane adds; for float, double and 64-bit integers it does not, so a warp makes 32 ' +
        'additions. Shared memory has no floating-point atomics: the lanes compare and swap until all ' +
        'succeed. Reports such additions where all lanes of a warp add to one place and none uses the old ' +
        'value. Also reports atomics of all operations whose addresses are few over the whole grid: one counter, ' +
        'or an index that a mask, a remainder, a byte or the length of its array limits to fewer values than a ' +
        'block makes operations.',
      why:
        'On an H200 a shuffle sum and one addition per warp took 1/32 of the time where all threads add to ' +
        'one place, 1/12 to 1/20 with a place per block, 1/5 to 1/7 with one per warp, and 1/10 to 1/14 in ' +
        'shared memory. On an H100, 1,056 blocks of 256 threads with 40 additions each took 640 times as long ' +
        'on 1 address and 190 times on 256 side by side as with sums in shared memory that each block adds once.',
      whenNot:
        'Silent where the old value is used, where one lane adds, and where nothing in the text limits the ' +
        'number of places.',
      fix:
        'The active lanes sum among themselves and one adds the result (cooperative groups, correct under ' +
        'every condition; unsafe: float sums in another order differ by up to 2(n - 1)·2⁻²⁴ of the sum of the ' +
        'n magnitudes, which is much where terms cancel). Offered where the place is known to be the same for ' +
        'all threads of a block. By hand: `for (int offset = 16; offset > 0; offset >>= 1) sum += ' +
        '__shfl_down_sync(0xffffffff, sum, offset);` with all lanes (zero where a lane has nothing to ' +
        'add), then `if (threadIdx.x % 32 == 0) atomicAdd(place, sum);`. Where all blocks ' +
        'meet at one 32-bit integer, a variable in shared memory takes the values of the block and one thread makes ' +
        'the atomic; a guard by which threads return becomes one around the rest of the kernel. Offered where ' +
        'the kernel uses the place for nothing else and all threads come to the barriers. Where a block ' +
        'adds to few places, keep them in shared memory, and let the block add each of them once.',
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
      few:
        'Atomics of all blocks meet at {places} addresses of `{array}`: the index leads to no others. A block makes ' +
        '{operations}{loop}, which run one after another. Combine them in shared memory, and make one {name} a ' +
        'block and address{assuming}.',
      counter:
        'Atomics of all blocks meet at one address of `{array}`: {operations} a block{loop}, one after another. ' +
        'Combine the values of the block first, and make one {name} a block{assuming}.',
    },
    example: { array: 'total', lanes: '32', type: 'float', places: '256', operations: '1,024', name: 'atomicAdd' },
  },
  on: 'access',
  *check(fact, { model }): Generator<Finding<Message>> {
    const isOne = isContended(fact);
    const around = model.facts.kernel.filter(({ name }) => fact.kernels.includes(name));
    const operations = atomicsOfIteration(fact, Math.max(1, around.flatMap(({ shapes }) => shapes).length));
    if (!isOne && !meetsAtFew(fact, operations)) return;
    // Lanes that compare and swap are as many as come, however often each tries.
    const assumed = fact.space === 'shared' ? fact.assumed.filter(({ kind }) => kind !== 'by-data') : fact.assumed;
    const family = isOne ? 'warp-atomics' : 'block-atomics';
    const rewrite = fact.fixes?.[family];
    const kernels = around.filter(({ at }) => at.uri === fact.at.uri).map(({ at }) => at);
    yield {
      at: fact.at,
      ...(kernels.length > 0 && fact.space !== 'shared'
        ? {
            measuredAt: kernels,
            atStake: [fact.at, ...kernels.map(({ uri, end }) => ({ uri, start: end, end }))],
          }
        : {}),
      message: !isOne ? (fact.places === 1 ? 'counter' : 'few') : fact.space === 'shared' ? 'shared' : 'global',
      waste: { kind: 'access' },
      data: {
        array: fact.array.name,
        lanes: figure(fact.activeLanes),
        type: fact.elementType,
        name: fact.atomic!.name,
        places: figure(fact.places ?? 1),
        operations: figure(operations),
        loop: (isOne ? fact.loops.length > 0 : fact.loops.some(({ trips }) => trips === undefined))
          ? ' on each iteration of a loop'
          : '',
        assuming: assuming(assumed),
      },
      confidence: fact.certainty === 'proven' ? 'proven' : 'assumed',
      ...(rewrite && { fixes: [{ ...rewrite, ...(isOne ? { alike } : byRun), applicability: 'unsafe' as const }] }),
      refusals: (fact.refusals ?? []).filter((refusal) => refusal.family === family),
    };
  },
});

const byRun = { proof: 'run' } as const;
const alike = { precondition: 'warp', title: 'One atomic per warp at {count} places (changes rounding)' };

/** Does a block make more atomics than there are addresses, by many threads, so that it can combine some first? */
function meetsAtFew(fact: AccessFact, operations: number): boolean {
  const { atomic, places, loops } = fact;
  if (fact.space !== 'global' || !atomic || atomic.used || places === undefined || fact.activeLanes < 2) return false;
  const isKnown = /^atomic(Add|Sub|Min|Max|And|Or|Xor|Inc|Dec)(_system)?$/.test(atomic.name);
  return isKnown && (operations > places || loops.some(({ trips }) => trips === undefined));
}

function isContended(fact: AccessFact): boolean {
  const { atomic } = fact;
  if (fact.mode !== 'atomic' || !atomic || atomic.used || !/^atomicAdd(_block|_system)?$/.test(atomic.name))
    return false;
  // Where the numbers do not tell, the text of the address may: the fix asks it.
  if (!atomic.settled && !fact.fixes?.['warp-atomics']) return false;
  if (fact.addresses !== 1 || fact.activeLanes < 2 || fact.certainty === 'unknown') return false;
  const isReal = fact.elementType === 'float' || fact.elementType === 'double';
  return fact.space === 'shared' ? isReal : isReal || (fact.space === 'global' && fact.elementBytes === 8);
}

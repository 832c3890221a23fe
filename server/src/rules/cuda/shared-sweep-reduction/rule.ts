// cuda/shared-sweep-reduction: a tree reduction that sweeps over shared memory with a barrier in every step.
import { defineRule, type Finding, type Interval } from '../../rule';
import type { SweepFact } from '../../../semantic/model';
import { counted, excerpt, fixesOf } from '../../wording';

type Message = 'sweep' | 'strided-sweep' | 'unrolled-sweep';

export default defineRule<'sweep', Message>({
  meta: {
    id: 'cuda/shared-sweep-reduction',
    since: '0.1.0',
    family: 'cuda',
    severity: 'warning',
    fixable: 'both',
    summary: 'A block reduces an array in shared memory with a barrier for every step.',
    docs: {
      what:
        'A tree reduction keeps one element per thread in shared memory and halves (or doubles) a ' +
        'distance: `if (tid < s) a[tid] += a[tid + s]; __syncthreads();`. The rule runs such code ' +
        'symbolically for every known block shape and reports it when element 0 ends up with every element ' +
        'once. It recognises halving, doubling and modulo forms, one- to three-dimensional thread indices ' +
        'through variables and macros, the operators `+ max min & | ^`, several arrays at once, ladders ' +
        'over a template parameter, and unrolled last warps over a `volatile` pointer, also in a device ' +
        'function.',
      why:
        'Each step costs a barrier, two loads and a store, and idles half of the threads that worked ' +
        'before; in the last five steps the block waits for one warp. `__shfl_down_sync` moves values ' +
        'between registers: 32 elements become one in five instructions, and a second stage finishes a ' +
        'block of up to 1024 threads with two barriers in all.',
      whenNot:
        'Silent for scans, pairs that move together (a value and its index), sweeps whose partial results ' +
        'are read later, several segments in one block, and blocks that are not a multiple of 32.',
      fix:
        'Replaces the sweep by a two-stage shuffle reduction that leaves the total in element 0, visible ' +
        'to the whole block; launch and surrounding code stay. Integer results are identical (safe, when ' +
        'static shared memory is far from its limit); floating-point sums are made in another order (unsafe: ' +
        'floats differ by up to 2(n - 1)·2⁻²⁴ of the sum of the n magnitudes, which is much where terms cancel). ' +
        'Not offered where no known launch gives the block, where a thread may have returned before, or for ' +
        'element types that `__shfl_down_sync` does not take.',
      references: [
        {
          title: 'CUDA C++ Programming Guide, Warp Shuffle Functions',
          url: 'https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#warp-shuffle-functions',
        },
        {
          title: 'NVIDIA Technical Blog, Faster Parallel Reductions on Kepler',
          url: 'https://developer.nvidia.com/blog/faster-parallel-reductions-kepler/',
        },
        {
          title: 'Optimizing Parallel Reduction in CUDA',
          url: 'https://developer.download.nvidia.com/assets/cuda/files/reduction.pdf',
        },
      ],
      measurement: 'h200-rule-pairs',
    },
    messages: {
      sweep:
        'Shared-memory reduction of {arrays}{operator}: {steps}. Each step has a barrier and half the ' +
        'threads of the previous one; warp shuffles need two barriers in all{unfixed}.',
      'strided-sweep':
        'Shared-memory reduction of {arrays}{operator}: {steps}. The distance doubles, each step has a ' +
        'barrier, and active threads are spread over all warps; warp shuffles need two barriers in ' +
        'all{unfixed}.',
      'unrolled-sweep':
        'Shared-memory reduction of {arrays}{operator}: {steps}. The last steps run in one warp but still ' +
        'use shared memory; warp shuffles keep them in registers{unfixed}.',
    },
    example: { arrays: '`partial`', operator: ' (+)', steps: '8 barriers for 256 elements' },
    evidence: {
      metric:
        'smsp__pcsamp_warps_issue_stalled_barrier + ' +
        'smsp__pcsamp_warps_issue_stalled_short_scoreboard + ' +
        'smsp__pcsamp_warps_issue_stalled_mio_throttle',
      against: 'smsp__pcsamp_sample_count',
      badWhen: 'metric / against >= 0.25 and against >= 20',
      noneWhen: 'metric / against < 0.1 and against >= 20',
    },
  },
  on: 'sweep',
  *check(fact): Generator<Finding<Message>> {
    const arrays = fact.array.split(', ');
    yield {
      at: fact.at,
      message: fact.lastWarp ? 'unrolled-sweep' : fact.direction === 'halving' ? 'sweep' : 'strided-sweep',
      data: {
        arrays: arrays.map((name) => `\`${excerpt(name, arrays.length > 1 ? 30 : 40)}\``).join(' and '),
        operator: arrays.length > 1 ? '' : ` (${fact.operator})`,
        steps: stepsText(fact),
        unfixed: fact.why ? `. No fix is offered: ${fact.why}` : '',
      },
      related: [{ at: fact.hotAt, text: 'the elements are combined here' }],
      // A constant sweep is unrolled, and nothing of its head is left: the waiting is on the lines that combine.
      measuredAt:
        fact.hotAt.uri === fact.at.uri && fact.hotAt.start >= fact.at.start
          ? [{ ...fact.at, end: Math.max(fact.at.end, fact.hotAt.end) }]
          : [fact.at, fact.hotAt],
      waste: { kind: 'steps', steps: stepsOf(fact) },
      confidence: fact.blockThreads ? 'proven' : 'assumed',
      fixes: fixesOf(fact.rewrite, fact.rewrite?.exact ? 'safe' : 'unsafe'),
      ...(fact.why ? { refusals: [{ family: 'shuffles', precondition: 'sweep', why: fact.why }] } : {}),
    };
  },
});

/** `8 barriers for 256 elements`: those that the block meets at, as they were counted. */
function stepsText({ elements, barriers, lastWarp }: SweepFact): string {
  if (!elements || barriers === undefined)
    return lastWarp ? 'a barrier for each power of two above a warp' : 'a barrier for each power of two';
  return `${counted(barriers, 'barrier')} for ${elements} elements`;
}

/** Steps in which the block waits, fewer the two of the form with shuffles. */
function stepsOf({ barriers, blockThreads }: SweepFact): Interval {
  if (barriers !== undefined) return [barriers - 2, barriers - 2];
  const of = (threads: number): number => Math.max(0, Math.log2(threads) - 2);
  return blockThreads ? [of(blockThreads), of(blockThreads)] : [of(64), of(1024)];
}

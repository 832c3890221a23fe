// cuda/shared-sweep-reduction: a tree reduction that sweeps over shared memory with a barrier in every step.
import { defineRule, type Finding, type Interval } from '../../rule';
import type { SweepFact } from '../../../semantic/model';
import { counted, excerpt, fixesOf } from '../../wording';
import docs from './docs.json';

type Message = 'sweep' | 'strided-sweep' | 'unrolled-sweep';

export default defineRule<'sweep', Message>({
  meta: {
    id: 'cuda/shared-sweep-reduction',
    since: '0.1.0',
    family: 'cuda',
    severity: 'warning',
    fixable: 'both',
    summary: 'A block reduces an array in shared memory with a barrier for every step.',
    docs,
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

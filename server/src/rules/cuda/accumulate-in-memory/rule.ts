// cuda/accumulate-in-memory: a sum that each iteration of a loop loads from memory and stores there again.
import type { AccessFact, Refusal } from '../../../semantic/model';
import { defineRule, type Finding } from '../../rule';
import { excerpt } from '../../wording';
import docs from './docs.json';

type Message = 'sum' | 'reloaded' | 'own' | 'conditional';

export default defineRule<'access', Message>({
  meta: {
    id: 'cuda/accumulate-in-memory',
    since: '0.1.0',
    family: 'cuda',
    severity: 'warning',
    fixable: 'both',
    summary: 'A loop keeps a sum in global memory from iteration to iteration.',
    docs,
    evidence: {
      metric: 'smsp__pcsamp_warps_issue_stalled_long_scoreboard + smsp__pcsamp_warps_issue_stalled_lg_throttle',
      against: 'smsp__pcsamp_sample_count',
      badWhen: 'metric / against >= 0.5 and against >= 20',
      noneWhen: 'metric / against < 0.1 and against >= 20',
    },
    messages: {
      sum:
        '`{text}` accumulates in memory. `{other}` may overlap it as far as the compiler knows, so each ' +
        'iteration stores the sum. Add up in a local variable and store it after the loop, or use ' +
        '`__restrict__`.',
      reloaded:
        '`{text}` accumulates in memory. `{other}` may overlap it as far as the compiler knows, so each ' +
        'iteration loads and stores the sum. Add up in a local variable and store it after the loop, or ' +
        'use `__restrict__`.',
      own:
        '`{text}` accumulates in memory. The loop reads `{other}` elsewhere in the array, which the ' +
        'compiler cannot distinguish: each iteration stores the sum and the next read waits for it. Add up ' +
        'in a local variable and store it after the loop.',
      conditional:
        '`{text}` accumulates in memory. Under its condition the compiler does not keep it in a register. ' +
        'Add up in a local variable and store it after the loop.',
    },
    example: { text: 'out[i]', other: 'in' },
  },
  on: 'access',
  *check(fact): Generator<Finding<Message>> {
    const { accumulates, loops } = fact;
    const loop = loops[0];
    if (!accumulates || !loop || fact.certainty === 'unknown') return;
    // All lanes at one place would be a race, and what is meant there is an atomic.
    if (fact.laneStride === 0) return;
    const sum = fact.fixes?.['register-sums'];
    yield {
      at: fact.at,
      message: messageOf(accumulates),
      waste: { kind: 'requests', loops: accumulates.loops },
      data: { text: excerpt(fact.text, 40), other: accumulates.other, array: fact.array.name },
      related: [{ at: loop.at, text: 'in each iteration of this loop' }],
      confidence: 'proven',
      // Nothing but the function's own subscripts reaches an array in shared memory: they alone prove it.
      ...(sum ? { fixes: [{ ...sum, ...(fact.space === 'shared' ? safe : proven) }] } : {}),
      ...(fact.refusals?.some(isOfSums) ? { refusals: fact.refusals.filter(isOfSums) } : {}),
    };
  },
});

const [safe, proven] = [{ applicability: 'safe' }, { applicability: 'unsafe', proof: 'run' }] as const;
const isOfSums = ({ family }: Refusal): boolean => family === 'register-sums';

function messageOf({ own, conditional, reloads }: NonNullable<AccessFact['accumulates']>): Message {
  return own ? 'own' : conditional ? 'conditional' : reloads ? 'reloaded' : 'sum';
}

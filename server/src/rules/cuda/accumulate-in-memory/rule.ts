// cuda/accumulate-in-memory: a sum that each iteration of a loop loads from memory and stores there again.
import type { AccessFact, Refusal } from '../../../semantic/model';
import { defineRule, type Finding } from '../../rule';
import { excerpt } from '../../wording';

type Message = 'sum' | 'reloaded' | 'own' | 'conditional';

export default defineRule<'access', Message>({
  meta: {
    id: 'cuda/accumulate-in-memory',
    since: '0.1.0',
    family: 'cuda',
    severity: 'warning',
    fixable: 'both',
    summary: 'A sum that a loop keeps in global memory from iteration to iteration.',
    docs: {
      what:
        'Reports `out[i] += …` in a loop of a kernel that changes neither `out` nor `i`, where the loop reads or ' +
        'writes another array through a pointer. For all the compiler knows the two pointers lead to the same ' +
        'place, whatever their types: it stores the sum in every iteration, and what the next one reads waits for ' +
        'it; where the loop stores elsewhere too, it loads the sum again as well. In shared memory it reports sums ' +
        'whose loop reads the same array at places that the conditions around ' +
        'them prove to be others (`s[t][j]` while `j < i`, beside `s[t][i]`).',
      why:
        'On an H200 the sum of 256 rows took 2.0 times as long as with a local variable (double 1.9 times), a ' +
        'matrix product of one thread an element 3.3 times, a maximum under a condition 1.6 times, and four ' +
        'iterations still 1.2 times. A row of a matrix for each thread, whose reads are far apart, gained a tenth.',
      whenNot:
        'Silent where `__restrict__` on either pointer tells them apart and the sum is made in every iteration ' +
        '(nvcc holds it in a register then, 1.01 times), where the loop reads nothing but shared memory and ' +
        'registers, where it meets barriers, calls functions, or touches the array of the sum where it may be the ' +
        'same place, for a few iterations and a few lanes, and for shared memory whose other places the loop ' +
        'leaves alone, where nothing was gained (0.98 times). An information where the loop is known to be short, ' +
        'for sums under a condition, and in shared memory.',
      fix:
        'A local variable takes the sum through the loop and is stored behind it, out of as many loops as leave its ' +
        'place alone. Unsafe in global memory: where another array of the loop does overlap the sum, it reads what ' +
        'was there before. Where nothing else touches the place, all of it stands under the condition that the loop ' +
        'runs at all.',
      references: [
        {
          title: 'CUDA C++ Programming Guide, __restrict__',
          url: 'https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#restrict',
        },
      ],
      measurement: 'h200-rule-pairs',
    },
    evidence: {
      metric: 'smsp__pcsamp_warps_issue_stalled_long_scoreboard + smsp__pcsamp_warps_issue_stalled_lg_throttle',
      against: 'smsp__pcsamp_sample_count',
      badWhen: 'metric / against >= 0.5 and against >= 20',
      noneWhen: 'metric / against < 0.1 and against >= 20',
    },
    messages: {
      sum:
        '`{text}` is kept in memory from iteration to iteration. `{other}` may lead to the same place for all the ' +
        'compiler knows, so that each iteration stores the sum: add up in a local variable and store it after the ' +
        'loop, or say `__restrict__`.',
      reloaded:
        '`{text}` is kept in memory from iteration to iteration. `{other}` may lead to the same place for all the ' +
        'compiler knows, so that each iteration loads and stores the sum: add up in a local variable and store it ' +
        'after the loop, or say `__restrict__`.',
      own:
        '`{text}` is kept in memory from iteration to iteration. The loop reads `{other}` at other places, which the ' +
        'compiler cannot tell from this one: each iteration stores the sum, and what it reads next waits for that. ' +
        'Add up in a local variable and store it after the loop.',
      conditional:
        '`{text}` is kept in memory from iteration to iteration. Under its condition the compiler does not hold it ' +
        'in a register: add up in a local variable and store it after the loop.',
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
    yield {
      at: fact.at,
      message: messageOf(accumulates),
      waste: { kind: 'requests', loops: accumulates.loops },
      data: { text: excerpt(fact.text, 40), other: accumulates.other, array: fact.array.name },
      related: [{ at: loop.at, text: 'in each iteration of this loop' }],
      confidence: 'proven',
      ...(fact.registerSum
        ? {
            fixes: [
              {
                title: fact.registerSum.title,
                // Nothing but the function's own subscripts reaches an array in shared memory.
                applicability: fact.space === 'shared' ? ('safe' as const) : ('unsafe' as const),
                edits: fact.registerSum.edits,
              },
            ],
          }
        : {}),
      ...(fact.refusals?.some(isOfSums) ? { refusals: fact.refusals.filter(isOfSums) } : {}),
    };
  },
});

function messageOf({ own, conditional, reloads }: NonNullable<AccessFact['accumulates']>): Message {
  if (own) return 'own';
  if (conditional) return 'conditional';
  return reloads ? 'reloaded' : 'sum';
}

const isOfSums = ({ family }: Refusal): boolean => family === 'register-sums';

// cuda/fusable-kernels: an elementwise kernel that reads what the launch before it has just written.
import { defineRule, type Finding } from '../../rule';

export default defineRule<'fusion', 'fusable'>({
  meta: {
    id: 'cuda/fusable-kernels',
    since: '0.1.0',
    family: 'cuda',
    severity: 'information',
    fixable: 'unsafe',
    summary:
      'Two consecutive elementwise kernels could be one, without storing and reloading the data between ' + 'them.',
    docs: {
      what:
        'Reports a launch directly after another with the same grid, block and stream, where each thread ' +
        'reads the elements that the same thread of the first kernel wrote: a bias and then an activation, ' +
        'a scaling and then a sum. Only error checks may lie between them.',
      why:
        'The intermediate data go to memory and come back, and each launch has its own start and end. On ' +
        'an H200 one kernel was 1.5 to 1.9 times as fast as two from 16 thousand to 268 million elements, ' +
        'even where the intermediate data are still stored.',
      whenNot:
        'Silent where the shapes differ, where either kernel uses shared memory, barriers, atomics, ' +
        'shuffles or unknown functions, where a thread touches elements that another thread of the other ' +
        'kernel writes, where the first kernel reads nothing, where either loops over an element, and with ' +
        'anything else between the launches. Kernels that a library keeps apart to combine them are best ' +
        'left alone.',
      fix:
        'Replaces both by one kernel that does the work of both, thread by thread. Unsafe: arrays of ' +
        'different names must not overlap.',
      references: [
        {
          title: 'CUDA C++ Best Practices Guide, Memory Optimizations',
          url: 'https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/index.html#memory-optimizations',
        },
      ],
      measurement: 'h200-rule-pairs',
    },
    messages: {
      fusable:
        '`{kernel}` reads what `{before}` has just written. One kernel could do both: each thread loads ' +
        'the elements of {arrays} that the same thread of the previous launch stored{unfixed}.',
    },
    example: { kernel: 'silu', before: 'addBias', arrays: '`out`' },
    evidence: {
      metric: 'smsp__pcsamp_warps_issue_stalled_long_scoreboard + smsp__pcsamp_warps_issue_stalled_lg_throttle',
      against: 'smsp__pcsamp_sample_count',
      badWhen: 'metric / against >= 0.4 and against >= 20',
      noneWhen: 'metric / against < 0.1 and against >= 20',
    },
  },
  on: 'fusion',
  *check(fact): Generator<Finding<'fusable'>> {
    const { first, second, arrays, fused, why } = fact;
    yield {
      at: fact.at,
      message: 'fusable',
      waste: { kind: 'host', does: 'launch', times: 1 },
      data: {
        kernel: second.kernel,
        before: first.kernel,
        arrays: arrays.map((name) => `\`${name}\``).join(' and '),
        unfixed: why === undefined ? '' : `. No fix is offered: ${why}`,
      },
      related: [
        { at: first.at, text: 'the launch that writes' },
        { at: first.nameAt, text: 'the first kernel' },
        { at: second.nameAt, text: 'the second kernel' },
      ],
      measuredAt: fact.reads,
      confidence: 'assumed',
      fixes: fused ? [{ title: fused.title, applicability: 'unsafe', edits: fused.edits }] : [],
    };
  },
});

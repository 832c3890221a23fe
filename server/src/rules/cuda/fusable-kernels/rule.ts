// cuda/fusable-kernels: an elementwise kernel that reads what the launch in front of it has just written.
import { defineRule, type Finding } from '../../rule';

export default defineRule<'fusion', 'fusable'>({
  meta: {
    id: 'cuda/fusable-kernels',
    since: '0.1.0',
    family: 'cuda',
    severity: 'information',
    fixable: 'unsafe',
    summary: 'Two elementwise kernels in a row, where one would save writing and reading what goes between them.',
    docs: {
      what:
        'Reports a launch right behind another one of the same grid, block and stream, where each thread reads the ' +
        'elements that the same thread of the first kernel wrote: a bias and then an activation, a scaling and then ' +
        'a sum. Between the two stands nothing but a check of errors.',
      why:
        'What the first kernel computes goes to memory and comes back, and each launch has its own start and end. On ' +
        'an H200 one kernel in place of two was 1.5 to 1.9 times as fast at every size from 16 thousand to 268 ' +
        'million elements, also where what goes between them is still stored for others.',
      whenNot:
        'Silent where the shapes differ, where either kernel uses shared memory, barriers, atomics, shuffles or ' +
        'functions out of sight, where a thread touches elements that another thread of the other kernel writes, ' +
        'where the first kernel reads nothing, where either works on an element in a loop, and where anything else ' +
        'stands between the two. Kernels that a library keeps apart so that they can be combined are best left ' +
        'alone.',
      fix:
        'One kernel does what both do, thread by thread, and is launched in place of them. Unsafe: two arrays of ' +
        'different names have to be different memory.',
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
        '`{kernel}` reads what `{before}` has just written: one kernel could do both. Each thread loads the elements ' +
        'of {arrays} that the same thread of the launch before stored{unfixed}.',
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

// cuda/fusable-kernels: an elementwise kernel that reads what the launch before it has just written.
import { defineRule, type Finding } from '../../rule';
import docs from './docs.json';

export default defineRule<'fusion', 'fusable'>({
  meta: {
    id: 'cuda/fusable-kernels',
    since: '0.1.0',
    family: 'cuda',
    severity: 'information',
    fixable: 'unsafe',
    summary:
      'Two consecutive elementwise kernels could be one, without storing and reloading the data between ' + 'them.',
    docs,
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

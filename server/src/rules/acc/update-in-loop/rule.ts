// acc/update-in-loop: an update on each iteration of a host loop that nothing in the loop asks for.
import { defineRule, type Finding, type Fix } from '../../rule';
import { excerpt } from '../../wording';

type Message = 'to-host' | 'to-device';

export default defineRule<'acc-update', Message>({
  meta: {
    id: 'acc/update-in-loop',
    since: '0.1.0',
    family: 'acc',
    severity: 'information',
    fixable: 'unsafe',
    summary: 'An `update` moves an array on each iteration of a host loop in which nobody needs it.',
    docs: {
      what: 'Reports `update host` or `update self` of an array that the host does not read in the loop, and `update device` of one that the host does not write there (nor the GPU).',
      why: 'Each update is a transfer, and the host waits for it. Results that are wanted once cost one transfer behind the loop.',
      whenNot:
        "Silent for updates under a condition (every so many iterations), of another part of the array on each iteration, and where the array's address is taken or a call may look at it.",
      fix: "The directive moves behind the loop, or before it for `update device`. Unsafe: the host's copy is old until then. Where nobody reads the array behind the loop either, the update can go altogether.",
      references: [
        {
          title: 'OpenACC Programming and Best Practices Guide, Optimize Data Locality',
          url: 'https://openacc-best-practices-guide.readthedocs.io/en/latest/05-Data-Locality.html',
        },
      ],
    },
    messages: {
      'to-host': '`{array}` comes to the host on each iteration, which does not read it there. The loop is `{loop}`.',
      'to-device':
        '`{array}` goes to the GPU on each iteration, and the host does not change it. The loop is `{loop}`.',
    },
    example: { array: 'field', loop: 'for (int step = 0; step < steps; step++)' },
  },
  on: 'acc-update',
  *check(fact): Generator<Finding<Message>> {
    const fixes: Fix[] = fact.fix ? [{ title: fact.fix.title, applicability: 'unsafe', edits: fact.fix.edits }] : [];
    yield {
      at: fact.at,
      message: fact.to === 'host' ? 'to-host' : 'to-device',
      confidence: 'assumed',
      data: { array: fact.array, loop: excerpt(fact.loopText, 50) },
      related: [{ at: fact.loopAt, text: 'on each iteration of this loop' }],
      fixes,
    };
  },
});

// acc/sync-in-loop: the host waits for the GPU where it has nothing to wait for.
import { defineRule, type Finding } from '../../rule';
import { excerpt, fixesOf } from '../../wording';

type Message = 'wait-each-iteration' | 'one-after-another';

export default defineRule<'acc-wait', Message>({
  meta: {
    id: 'acc/sync-in-loop',
    since: '0.1.0',
    family: 'acc',
    severity: 'information',
    fixable: 'unsafe',
    summary:
      'A `wait` on each iteration of a host loop, or independent regions run one after another, keeps ' +
      'the GPU from overlapping work.',
    docs: {
      what:
        'Reports a `wait` directive at the end of each iteration of a host loop whose constructs all use ' +
        'one queue, when the host uses no result in the loop; and consecutive compute constructs without ' +
        '`async` in a host loop that share no array written by one of them and whose data are on the GPU.',
      why:
        'Without `async` the host waits for a construct before it launches the next, and the GPU idles in ' +
        'between. A queue keeps its order without the host; two queues may share the GPU, which helps ' +
        'where one construct does not fill it.',
      whenNot:
        "Silent where the host uses the constructs' data, where the loop updates, copies or calls " +
        'anything, with several queues, and for constructs with their own data clauses or a reduction. For ' +
        'kernels that fill the GPU the gain is one launch, some microseconds.',
      fix:
        'Moves the `wait` after the loop, or gives each construct a separate queue and adds one `wait`. ' +
        'Unsafe: the host runs ahead of the GPU, and errors appear later.',
      references: [
        {
          title: 'OpenACC Programming and Best Practices Guide, Advanced OpenACC Features, Asynchronous Operation',
          url: 'https://openacc-best-practices-guide.readthedocs.io/en/latest/08-Advanced.html',
        },
      ],
    },
    messages: {
      'wait-each-iteration':
        'The host waits on each iteration and needs no result. The queue already keeps the order of what ' +
        '`{loop}` launches. Wait once after the loop.',
      'one-after-another':
        'Independent constructs run one after another. This one and the {following} share no array that ' +
        'one of them writes, yet the host waits for each. With `async` on separate queues they overlap.',
    },
    example: { loop: 'for (int step = 0; step < steps; step++)', following: 'next one' },
  },
  on: 'acc-wait',
  *check(fact): Generator<Finding<Message>> {
    const count = fact.regions.length;
    yield {
      at: fact.at,
      message: fact.form === 'wait-in-loop' ? 'wait-each-iteration' : 'one-after-another',
      confidence: 'assumed',
      waste: {
        kind: 'host',
        does: 'wait',
        times: fact.form === 'wait-in-loop' ? 1 : count,
        at: fact.form === 'wait-in-loop' ? fact.regions : [fact.at, ...fact.regions],
        overlap: fact.form === 'independent-regions',
      },
      data: { loop: excerpt(fact.loopText ?? '', 50), following: count === 1 ? 'next one' : `${count} behind it` },
      related: fact.regions.map((at) => ({
        at,
        text: fact.form === 'wait-in-loop' ? 'this goes to a queue' : 'this could run at the same time',
      })),
      fixes: fixesOf(fact.fix, 'unsafe'),
    };
  },
});

// acc/sync-in-loop: the host waits for the GPU where it has nothing to wait for.
import { defineRule, type Finding, type Fix } from '../../rule';
import { excerpt } from '../../wording';

type Message = 'wait-each-iteration' | 'one-after-another';

export default defineRule<'acc-wait', Message>({
  meta: {
    id: 'acc/sync-in-loop',
    since: '0.1.0',
    family: 'acc',
    severity: 'information',
    fixable: 'unsafe',
    summary:
      'A `wait` on each iteration of a host loop, or independent regions one after another, keep the GPU from overlapping work.',
    docs: {
      what:
        'Reports a `wait` directive at the end of each iteration of a host loop whose constructs all go to one queue, when the host uses none of their results in the loop; ' +
        'and two or more compute constructs in a row within a host loop, without `async`, that have no array in common which one of them writes and whose data are on the GPU.',
      why: 'A construct without `async` makes the host wait for its end before it launches the next, and the GPU idles between the two. A queue keeps its order without the host; two queues may share the GPU, which pays where one construct does not fill it.',
      whenNot:
        'Silent where the host reads or writes what the constructs work on, where anything is updated, copied or called in the loop, where several queues are in play, and for constructs that move data by clauses of their own or end in a reduction. For kernels that fill the GPU the gain is that of a launch, some microseconds.',
      fix: 'The `wait` moves behind the loop; or each construct gets a queue of its own and one `wait` follows. Unsafe: the host runs ahead of the GPU, and errors show up later.',
      references: [
        {
          title: 'OpenACC Programming and Best Practices Guide, Advanced OpenACC Features, Asynchronous Operation',
          url: 'https://openacc-best-practices-guide.readthedocs.io/en/latest/08-Advanced.html',
        },
      ],
    },
    messages: {
      'wait-each-iteration':
        'The host waits for the GPU on each iteration and needs no result there. The queue keeps the order of what `{loop}` launches by itself.',
      'one-after-another':
        'Independent constructs run one after another. This one and the {following} have no array in common that one of them writes, yet the host waits for each before it launches the next: with `async` on queues of their own they run at the same time.',
    },
    example: { loop: 'for (int step = 0; step < steps; step++)', following: 'next one' },
  },
  on: 'acc-wait',
  *check(fact): Generator<Finding<Message>> {
    const fixes: Fix[] = fact.fix ? [{ title: fact.fix.title, applicability: 'unsafe', edits: fact.fix.edits }] : [];
    const count = fact.regions.length;
    yield {
      at: fact.at,
      message: fact.form === 'wait-in-loop' ? 'wait-each-iteration' : 'one-after-another',
      confidence: 'assumed',
      data: { loop: excerpt(fact.loopText ?? '', 50), following: count === 1 ? 'next one' : `${count} behind it` },
      related: fact.regions.map((at) => ({
        at,
        text: fact.form === 'wait-in-loop' ? 'this goes to a queue' : 'this could run at the same time',
      })),
      fixes,
    };
  },
});

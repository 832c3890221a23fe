// cuda/default-stream: work in the default stream amid work that its function queues in a stream.
import { defineRule } from '../../rule';
import docs from './docs.json';

export default defineRule<'runtime-call', 'amid'>({
  meta: {
    id: 'cuda/default-stream',
    since: '0.2.0',
    family: 'cuda',
    severity: 'information',
    fixable: 'no',
    summary: 'Work in the default stream, amid work of its function on the same data in a stream.',
    docs,
    messages: {
      amid:
        '`{name}` in the default stream amid work in `{stream}`. It waits for all other streams, and they wait ' +
        'for it; beside a non-blocking stream nothing orders the two. Give it `{stream}`.',
    },
    example: { name: 'InclusiveSum', stream: 'stream' },
  },
  on: 'runtime-call',
  *check({ at, name, onDefault }) {
    if (!onDefault) return;
    yield {
      at,
      message: 'amid',
      confidence: 'assumed',
      data: { name, stream: onDefault.stream },
      related: [{ at: onDefault.at, text: `on the same data in \`${onDefault.stream}\`` }],
    };
  },
});

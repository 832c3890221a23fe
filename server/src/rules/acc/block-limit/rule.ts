// acc/block-limit: more workers times vector lanes than a thread block holds.
import { defineRule } from '../../rule';
import { fixesOf } from '../../wording';
import docs from './docs.json';

export default defineRule<'acc-block', 'too-many-threads'>({
  meta: {
    id: 'acc/block-limit',
    since: '0.1.0',
    family: 'acc',
    severity: 'error',
    fixable: 'safe',
    summary: 'Workers times vector lanes exceed the 1024 threads of a block.',
    docs,
    messages: {
      'too-many-threads':
        '{threads} threads per gang: the launch fails. {workers} workers × {length} vector lanes exceed ' +
        'the 1024 threads of a block on an NVIDIA GPU.',
    },
    example: { workers: 16, length: 128, threads: 2048 },
  },
  on: 'acc-block',
  *check(fact) {
    yield {
      at: fact.at,
      message: 'too-many-threads',
      confidence: 'proven',
      data: { workers: fact.workers, length: fact.vectorLength, threads: fact.workers * fact.vectorLength },
      related: fact.vectorAt ? [{ at: fact.vectorAt, text: 'the vector length is set here' }] : [],
      fixes: fixesOf(fact.clamped?.fix, 'safe'),
    };
  },
});

// acc/block-limit: more workers times vector lanes than a thread block holds.
import { defineRule } from '../../rule';
import { fixesOf } from '../../wording';
import docs from './docs.json';
import words from './words.json';

export default defineRule<'acc-block', 'too-many-threads'>({
  meta: {
    id: 'acc/block-limit',
    since: '0.1.0',
    family: 'acc',
    severity: 'error',
    fixable: 'safe',
    summary: 'Workers times vector lanes exceed the 1024 threads of a block.',
    docs,
    ...words,
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

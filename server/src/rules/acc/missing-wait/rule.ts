// acc/missing-wait: what a queue still works on is used as if it were ready.
import { defineRule, type Finding } from '../../rule';
import { fixesOf } from '../../wording';
import docs from './docs.json';
import words from './words.json';

type Message = 'unwaited' | 'copied-back';

export default defineRule<'acc-unwaited', Message>({
  meta: {
    id: 'acc/missing-wait',
    since: '0.1.0',
    family: 'acc',
    severity: 'error',
    fixable: 'both',
    summary: 'A variable is used, freed or sent while an asynchronous operation may still work on it.',
    docs,
    ...words,
  },
  on: 'acc-unwaited',
  *check({ at, form, sure, name, use, directive, wait, byAt, fix }): Generator<Finding<Message>> {
    // Copying in is as asynchronous: the host's next change may still meet it.
    const fixes = fixesOf(fix, form === 'copied-back' ? 'unsafe' : 'safe');
    yield {
      at,
      message: form,
      confidence: sure ? 'proven' : 'assumed',
      ...(sure ? {} : { severity: 'warning' as const }),
      data: { name, use, directive, wait },
      related: [{ at: byAt, text: 'this goes to a queue' }],
      fixes,
    };
  },
});

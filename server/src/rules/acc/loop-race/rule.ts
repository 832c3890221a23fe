// acc/loop-race: iterations of a parallel loop that meet in an array, or update a copy that is lost.
import { defineRule, type Finding } from '../../rule';
import { excerpt, fixesOf } from '../../wording';
import docs from './docs.json';
import words from './words.json';

type Message = 'element' | 'scattered' | 'private' | 'carried' | 'unordered' | 'lost';

export default defineRule<'acc-race', Message>({
  meta: {
    id: 'acc/loop-race',
    since: '0.1.0',
    family: 'acc',
    severity: 'error',
    fixable: 'unsafe',
    summary: 'Iterations of a parallel loop write the same array elements, or read what others write.',
    docs,
    ...words,
  },
  on: 'acc-race',
  *check(fact): Generator<Finding<Message>> {
    yield {
      at: fact.at,
      message: fact.form,
      confidence: fact.form === 'scattered' ? 'assumed' : 'proven',
      ...(fact.form === 'scattered' && { severity: 'warning' as const }),
      data: {
        loop: excerpt(fact.loopText, 50),
        name: fact.name,
        text: excerpt(fact.text, 40),
        otherText: excerpt(fact.other?.text ?? '', 40),
      },
      related: [
        { at: fact.loopAt, text: fact.form === 'lost' ? 'this construct' : 'the iterations of this loop run at once' },
        ...(fact.other ? [{ at: fact.other.at, text: fact.form === 'unordered' ? 'used here' : 'read here' }] : []),
      ],
      fixes: fixesOf(fact.fix, 'unsafe'),
    };
  },
});

// acc/update-in-loop: an update on each iteration of a host loop that nothing in the loop asks for.
import { defineRule, type Finding } from '../../rule';
import { excerpt, fixesOf } from '../../wording';
import docs from './docs.json';
import words from './words.json';

type Message = 'to-host' | 'to-device' | 'few-elements';

export default defineRule<'acc-update', Message>({
  meta: {
    id: 'acc/update-in-loop',
    since: '0.1.0',
    family: 'acc',
    severity: 'information',
    fixable: 'unsafe',
    summary:
      'An `update` moves an array on each iteration of a host loop that does not use it, or whole for single elements.',
    docs,
    ...words,
  },
  on: 'acc-update',
  *check(fact): Generator<Finding<Message>> {
    if (fact.elements) {
      yield {
        at: fact.at,
        message: 'few-elements',
        confidence: 'assumed',
        data: { array: fact.array, elements: fact.elements.map((each) => `\`${excerpt(each, 30)}\``).join(' and ') },
        related: [{ at: fact.loopAt, text: 'this sets it again' }],
      };
      return;
    }
    yield {
      at: fact.at,
      message: fact.to === 'host' ? 'to-host' : 'to-device',
      confidence: 'assumed',
      waste: { kind: 'transfer', arrays: [fact.array], at: [fact.wholeLoopAt], ways: [1, 0] },
      data: { array: fact.array, loop: excerpt(fact.loopText, 50) },
      related: [{ at: fact.loopAt, text: 'on each iteration of this loop' }],
      fixes: fixesOf(fact.fix, 'unsafe'),
    };
  },
});

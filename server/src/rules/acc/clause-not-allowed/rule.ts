// acc/clause-not-allowed: a clause where OpenACC does not let it stand, or next to one that excludes it.
import { defineRule, type Finding } from '../../rule';
import { findingOf } from '../wording';
import docs from './docs.json';
import words from './words.json';

const messageOf = {
  'clause-not-allowed': 'not-allowed',
  'not-after-device-type': 'after-device-type',
  'clause-repeated': 'repeated',
  'clauses-conflict': 'conflict',
  'item-repeated': 'item-repeated',
  'level-nested': 'level-nested',
} as const;
type Message = 'begins' | 'idle' | (typeof messageOf)[keyof typeof messageOf];

export default defineRule<'acc-directive', Message>({
  meta: {
    id: 'acc/clause-not-allowed',
    since: '0.1.0',
    family: 'acc',
    severity: 'error',
    fixable: 'both',
    summary: 'A clause is not allowed on this directive, after `device_type`, twice, or with another clause.',
    docs,
    ...words,
  },
  on: 'acc-directive',
  *check(fact): Generator<Finding<Message>> {
    for (const problem of fact.problems) {
      const message = (messageOf as Partial<Record<string, Message>>)[problem.code];
      if (!message) continue;
      const { clause, other, begins } = problem.data;
      if (message === 'conflict' && [clause, other].some((name) => /^independent$/i.test(String(name))))
        yield findingOf(problem, 'idle', { severity: 'information' });
      else if (begins) yield findingOf(problem, 'begins');
      else {
        // Some compilers take what is there twice for there once.
        const twice = message === 'repeated' || (message === 'item-repeated' && clause === other);
        yield findingOf(problem, message, twice ? { severity: 'warning' } : {});
      }
    }
  },
});

// acc/clause-argument: what is in a clause's parentheses is missing, too much, or not what the clause takes.
import { defineRule, type Finding } from '../../rule';
import { findingOf } from '../wording';
import docs from './docs.json';
import words from './words.json';

type Message = 'missing' | 'not-allowed' | 'malformed' | 'rows' | 'modifier' | 'modifier-near';

export default defineRule<'acc-directive', Message>({
  meta: {
    id: 'acc/clause-argument',
    since: '0.1.0',
    family: 'acc',
    severity: 'error',
    fixable: 'unsafe',
    summary: "A clause's argument is missing, not allowed, or of the wrong form.",
    docs,
    ...words,
  },
  on: 'acc-directive',
  *check(fact): Generator<Finding<Message>> {
    for (const problem of fact.problems) {
      switch (problem.code) {
        case 'argument-missing':
          yield findingOf(problem, 'missing');
          break;
        // Some compilers pass over sizes of levels that the standard does not have there.
        case 'argument-not-allowed':
          yield findingOf(
            problem,
            'not-allowed',
            /^(?:gang|worker|vector)$/i.test(String(problem.data.clause)) ? { severity: 'warning' } : {},
          );
          break;
        case 'argument-malformed':
          yield findingOf(problem, 'malformed');
          break;
        case 'rows':
          yield findingOf(problem, 'rows', { severity: 'information' });
          break;
        case 'modifier-not-allowed':
          yield findingOf(problem, problem.data.nearest === undefined ? 'modifier' : 'modifier-near');
          break;
      }
    }
  },
});

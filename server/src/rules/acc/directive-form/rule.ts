// acc/directive-form: a directive that is cut short: parentheses, a clause it cannot be without, its end.
import { defineRule, type Finding } from '../../rule';
import { findingOf } from '../wording';
import docs from './docs.json';

type Message = 'nothing' | 'sentinel' | 'open' | 'stray' | 'clause-missing' | Half;
type Half = 'unmatched-end' | 'missing-end' | 'loop-missing' | 'unlisted';

export default defineRule<'acc-directive', Message>({
  meta: {
    id: 'acc/directive-form',
    since: '0.1.0',
    family: 'acc',
    severity: 'error',
    fixable: 'unsafe',
    summary: 'A directive is incomplete: a parenthesis, a required clause or its end is missing.',
    docs,
    messages: {
      nothing: 'A directive is missing after `acc`.',
      sentinel:
        '`{text}` looks like a directive but lacks its `$`. Compilers take the line for a comment; write `{whole}`.',
      open: 'The parenthesis after `{clause}` is not closed.',
      stray: '`{text}` belongs to no clause.',
      'clause-missing': '`{directive}` has no effect without a clause. It needs {clauses}.',
      'unmatched-end': '`{directive}` has no matching `{ended}`.',
      'missing-end': '`{directive}` has no `{end}`.',
      'loop-missing': 'No loop follows `{directive}`.',
      unlisted: '`default(none)` leaves out {names}. Every variable of the construct has to be in a clause.',
    },
    example: {
      whole: '!$acc',
      clause: 'copyin',
      text: ')',
      directive: 'update',
      clauses: '`self`, `host` or `device`',
      ended: 'data',
      end: 'end data',
      names: '`n`',
    },
  },
  on: 'acc-directive',
  *check(fact): Generator<Finding<Message>> {
    for (const problem of fact.problems) {
      switch (problem.code) {
        case 'malformed': {
          const { kind } = problem.data;
          const message = kind === 'nothing' || kind === 'open' || kind === 'sentinel' ? kind : 'stray';
          yield findingOf(problem, message, kind === 'sentinel' ? { severity: 'warning' } : {});
          break;
        }
        case 'clause-missing':
          yield findingOf(problem, problem.code, { severity: 'warning' });
          break;
        case 'unmatched-end':
        case 'missing-end':
        case 'loop-missing':
        case 'unlisted':
          yield findingOf(problem, problem.code);
          break;
      }
    }
  },
});

// acc/clause-argument: what stands in a clause's parentheses is missing, too much, or not what the clause takes.
import { defineRule, type Finding } from '../../rule';
import { findingOf, specification } from '../wording';

type Message = 'missing' | 'not-allowed' | 'malformed' | 'modifier' | 'modifier-near';

export default defineRule<'acc-directive', Message>({
  meta: {
    id: 'acc/clause-argument',
    since: '0.1.0',
    family: 'acc',
    severity: 'error',
    fixable: 'unsafe',
    summary: 'The parentheses of this clause are missing, or hold what it does not take.',
    docs: {
      what: 'Reports clauses without the parentheses they need and with parentheses they do not have; lists with an empty place; numbers, sums and comparisons where only variables may stand; sizes below one; other words than `none` and `present` in `default`; reductions without an operator or with one that OpenACC does not know; and modifiers (`readonly:`, `zero:`, `static:`) on clauses that do not have them.',
      why: 'A compiler refuses such a clause.',
      whenNot:
        'Silent for what compilers judge differently: `vector(n)` on a `parallel loop`, `-` as an operator, modifiers of 3.4, names of devices. An expression that cannot be read here is left to the compiler.',
      fix: 'The nearest word, or the parentheses taken out (unsafe: a guess).',
      references: [specification],
    },
    messages: {
      missing: '`{clause}` needs {expected} in parentheses.',
      'not-allowed': '`{clause}` takes no such argument on `{directive}`.',
      malformed: '`{clause}` takes {expected}.',
      modifier: '`{clause}` has no modifier `{modifier}`.',
      'modifier-near': '`{clause}` has no modifier `{modifier}`. Was `{nearest}` meant?',
    },
    example: { clause: 'collapse', expected: 'a number', directive: 'loop', modifier: 'force:', nearest: 'force' },
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
        case 'modifier-not-allowed':
          yield findingOf(problem, problem.data.nearest === undefined ? 'modifier' : 'modifier-near');
          break;
      }
    }
  },
});

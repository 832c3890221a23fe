// acc/directive-form: a directive that is cut short: parentheses, a clause it cannot be without, its end.
import { defineRule, type Finding } from '../../rule';
import { findingOf } from '../wording';
import docs from './docs.json';
import words from './words.json';

type Message = 'nothing' | 'sentinel' | 'open' | 'stray' | 'clause-missing' | 'orphan' | 'short-end' | Half;
const halves = ['unmatched-end', 'missing-end', 'loop-missing', 'unlisted', 'misplaced', 'branch', 'form'] as const;
type Half = (typeof halves)[number];
const isHalf = (code: string): code is Half => halves.some((each) => each === code);

export default defineRule<'acc-directive', Message>({
  meta: {
    id: 'acc/directive-form',
    since: '0.1.0',
    family: 'acc',
    severity: 'error',
    fixable: 'unsafe',
    summary: 'A directive is incomplete: a parenthesis, a required clause or its end is missing.',
    docs,
    ...words,
  },
  on: 'acc-directive',
  *check(fact): Generator<Finding<Message>> {
    for (const problem of fact.problems) {
      const { code, data } = problem;
      if (code === 'malformed') {
        const { kind } = data;
        const message = kind === 'nothing' || kind === 'open' || kind === 'sentinel' ? kind : 'stray';
        yield findingOf(problem, message, kind === 'sentinel' ? { severity: 'warning' } : {});
      } else if (code === 'clause-missing' || code === 'orphan')
        yield findingOf(problem, code, { severity: 'warning' });
      else if (code === 'short-end') yield findingOf(problem, code, { severity: 'information' });
      else if (isHalf(code)) yield findingOf(problem, code);
    }
  },
});

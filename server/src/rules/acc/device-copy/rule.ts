// acc/device-copy: a copy on the GPU that is not there, or not the newest.
import { defineRule, type Finding } from '../../rule';
import { findingOf } from '../wording';
import docs from './docs.json';
import words from './words.json';

type Message = keyof typeof severities;

const severities = {
  'freed-before': 'error',
  undeclared: 'warning',
  unset: 'warning',
  'one-element': 'information',
  'not-updated': 'warning',
  'not-present': 'warning',
  'host-stale': 'warning',
  'host-original': 'information',
  'device-stale': 'warning',
  absent: 'warning',
  'no-effect': 'information',
  'freed-present': 'warning',
  'attached-before': 'warning',
  'member-absent': 'warning',
} as const;

export default defineRule<'acc-directive', Message>({
  meta: {
    id: 'acc/device-copy',
    since: '0.1.0',
    family: 'acc',
    severity: 'error',
    fixable: 'no',
    summary: "A variable's copy on the GPU is missing or out of date.",
    docs,
    ...words,
  },
  on: 'acc-directive',
  *check(fact): Generator<Finding<Message>> {
    for (const problem of fact.problems)
      if (problem.code in severities) {
        const code = problem.code as Message;
        // A pointer of C still holds the address by which a runtime finds the copy.
        const severity = problem.data.by === 'free' ? 'warning' : severities[code];
        const text = code === 'freed-present' ? 'it is brought to the GPU here' : 'it is changed here';
        const related = problem.relatedAt ? [{ at: problem.relatedAt, text }] : [];
        yield findingOf(problem, code, { severity, confidence: severity === 'error' ? 'proven' : 'assumed', related });
      }
  },
});

// acc/device-copy: a copy on the GPU that is not there, or not the newest.
import { defineRule, type Finding } from '../../rule';
import { findingOf } from '../wording';
import docs from './docs.json';

type Message = 'freed-before' | 'not-updated' | 'not-present';

const severities = {
  'freed-before': 'error',
  'not-updated': 'warning',
  'not-present': 'warning',
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
    messages: {
      'freed-before':
        '`{name}` is gone before `exit data` releases its copy. `{by}` comes first, and the copy is found by address.',
      'not-updated':
        'The GPU does not see this value of `{name}`. It is in `declare create`, and no `update device` follows.',
      'not-present':
        '`{name}` has to be on the GPU for `default(present)`. It is a pointer, and no clause brings it there.',
    },
    example: { name: 'field', by: 'deallocate' },
  },
  on: 'acc-directive',
  *check(fact): Generator<Finding<Message>> {
    for (const problem of fact.problems)
      if (problem.code in severities) {
        const code = problem.code as Message;
        // A pointer of C still holds the address by which a runtime finds the copy.
        const severity = problem.data.by === 'free' ? 'warning' : severities[code];
        yield findingOf(problem, code, { severity, confidence: severity === 'error' ? 'proven' : 'assumed' });
      }
  },
});

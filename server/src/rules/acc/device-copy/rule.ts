// acc/device-copy: a copy on the GPU that is not there, or not the newest.
import { defineRule, type Finding } from '../../rule';
import { findingOf } from '../wording';
import docs from './docs.json';

type Message = keyof typeof severities;

const severities = {
  'freed-before': 'error',
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
    messages: {
      'freed-before':
        '`{name}` is gone before `exit data` releases its copy. `{by}` comes first, and the copy is found by address.',
      'not-updated':
        'The GPU does not see this value of `{name}`. It is in `declare create`, and no `update device` follows.',
      'not-present':
        '`{name}` has to be on the GPU for `default(present)`. It is a pointer, and no clause brings it there.',
      'host-stale': 'The host reads an old `{name}`. A `{by}` set it on the GPU, and no `update self` follows.',
      'host-original':
        'The host reads its original `{name}`. A `{by}` changed the copy on the GPU, where `copyin` leaves it.',
      'device-stale': 'The GPU reads an old `{name}`. The host changed it, and no `update device` follows.',
      absent: '`{name}` is not on the GPU here. No `enter data` or data region comes before `{clause}`.',
      'no-effect': '`{clause}` of `{name}` has no effect here. Nothing brought it to the GPU before.',
      'freed-present': '`{name}` is freed while the GPU keeps its copy. No `exit data` releases it before.',
      'attached-before':
        "`{name}` is copied after its member `{member}`. Its pointer there is the host's. Copy `{name}` first.",
      'member-absent':
        'The GPU has no copy behind `{member}`. A clause of `{name}` copies the pointer alone. Copy `{member}` too.',
    },
    example: { name: 'field', by: 'deallocate', clause: 'exit data delete', member: 'field%x' },
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

// acc/clause-not-allowed: a clause where OpenACC does not let it stand, or next to one that excludes it.
import { defineRule, type Finding } from '../../rule';
import { findingOf, specification } from '../wording';

type Message = 'not-allowed' | 'after-device-type' | 'repeated' | 'conflict' | 'idle';

const messageOf: Readonly<Record<string, Message>> = {
  'clause-not-allowed': 'not-allowed',
  'not-after-device-type': 'after-device-type',
  'clause-repeated': 'repeated',
  'clauses-conflict': 'conflict',
};

export default defineRule<'acc-directive', Message>({
  meta: {
    id: 'acc/clause-not-allowed',
    since: '0.1.0',
    family: 'acc',
    severity: 'error',
    fixable: 'both',
    summary:
      'This clause may not stand on this directive, behind this `device_type`, twice, or beside that other clause.',
    docs: {
      what: 'Reports clauses that the directive does not take; clauses behind `device_type` that hold for all devices and have to stand before it; clauses given twice where one is allowed (once in each part that `device_type` begins); and clauses that exclude each other, such as `seq` and `gang`, or `read` and `write` of `atomic`.',
      why: 'A compiler refuses such a directive, and some pass over it with a warning.',
      whenNot:
        'Silent where compilers differ or the standard leaves it open: the clauses that 3.4 adds and those of compilers, a repeated `wait`, and `device_type` on directives where it limits nothing.',
      fix: 'A clause that says the same a second time is taken out (safe). Another one is taken out, or moved before `device_type` (both unsafe: what it was meant to say is a guess).',
      references: [specification],
    },
    messages: {
      'not-allowed': '`{directive}` takes no clause `{clause}`.',
      'after-device-type': '`{clause}` holds for every device and has to stand before `device_type({types})`.',
      repeated: '`{clause}` stands on this `{directive}` already.',
      conflict: '`{clause}` cannot stand beside `{other}`.',
      idle: 'One clause too many: `{clause}` stands beside `{other}`. The specification allows one of `seq`, `independent` and `auto`; GCC takes both, and `independent` then changes nothing.',
    },
    example: { directive: 'loop', clause: 'copyin', types: 'nvidia', other: 'seq' },
  },
  on: 'acc-directive',
  *check(fact): Generator<Finding<Message>> {
    for (const problem of fact.problems) {
      const message = messageOf[problem.code];
      if (!message) continue;
      const { clause, other } = problem.data;
      if (message === 'conflict' && [clause, other].some((name) => /^independent$/i.test(String(name))))
        yield findingOf(problem, 'idle', { severity: 'information' });
      else yield findingOf(problem, message, message === 'repeated' ? { severity: 'warning' } : {});
    }
  },
});

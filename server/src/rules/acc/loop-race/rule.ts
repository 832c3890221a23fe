// acc/loop-race: iterations of a parallel loop that meet in an array, or update a copy that is lost.
import { defineRule, type Finding } from '../../rule';
import { excerpt, fixesOf } from '../../wording';
import { specification } from '../wording';

type Message = 'element' | 'scattered' | 'private' | 'carried' | 'lost';

export default defineRule<'acc-race', Message>({
  meta: {
    id: 'acc/loop-race',
    since: '0.1.0',
    family: 'acc',
    severity: 'error',
    fixable: 'unsafe',
    summary: 'Iterations of a parallel loop write the same array elements, or read what others write.',
    docs: {
      what:
        'Reports arrays in loops that a directive declares independent (`loop` in `parallel`, `independent`): ' +
        'elements that all iterations add to, scratch arrays that each writes before it reads them, elements that ' +
        'another iteration writes at a fixed distance, and updates at places out of an index array. Also `atomic` ' +
        'updates of scalars that no clause names.',
      why:
        'The iterations run at once, and compilers do not check what the directive declares. A scalar that no ' +
        'clause names is firstprivate in `parallel`: the host sees no copy of it.',
      whenNot:
        'Silent for arrays in `private` or `reduction`, for atomic updates, for writes under a condition, for ' +
        'unknown distances, and for index lists that serve only what lies at their places. Updates at places out ' +
        'of memory are a warning: they may all differ.',
      fix: 'Adds `private`, `atomic update` or `copy` (unsafe: a reduction or another order may be meant).',
      references: [specification],
    },
    messages: {
      element: 'Race on `{text}`: all iterations of `{loop}` update it. Sum into a `reduction`, or use `atomic`.',
      scattered:
        'Race on `{text}` where indices are equal: `atomic` is missing. The iterations of `{loop}` update it at once.',
      private: 'Race on `{name}`: `private({name})` is missing. Each iteration of `{loop}` writes and then reads it.',
      carried: 'Race on `{text}`: another iteration reads it as `{otherText}`. Those of `{loop}` run at once.',
      lost: 'The updates of `{name}` are lost: it is firstprivate. Use `copy({name})` or a `reduction`.',
    },
    example: { loop: 'for (int i = 0; i < n; i++)', name: 'sums', text: 'sums[k]', otherText: 'sums[i - 1]' },
  },
  on: 'acc-race',
  *check(fact): Generator<Finding<Message>> {
    yield {
      at: fact.at,
      message: fact.form,
      confidence: fact.form === 'scattered' ? 'assumed' : 'proven',
      ...(fact.form === 'scattered' && { severity: 'warning' as const }),
      data: {
        loop: excerpt(fact.loopText, 50),
        name: fact.name,
        text: excerpt(fact.text, 40),
        otherText: excerpt(fact.other?.text ?? '', 40),
      },
      related: [
        { at: fact.loopAt, text: fact.form === 'lost' ? 'this construct' : 'the iterations of this loop run at once' },
        ...(fact.other ? [{ at: fact.other.at, text: 'read here' }] : []),
      ],
      fixes: fixesOf(fact.fix, 'unsafe'),
    };
  },
});

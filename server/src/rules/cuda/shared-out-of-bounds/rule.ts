// cuda/shared-out-of-bounds: a thread reads or writes beyond the end of a shared array.
import { defineRule, withSanitizer, type Finding } from '../../rule';
import { excerpt } from '../../wording';
import docs from './docs.json';

type Message = 'beyond' | 'before' | 'beyond-launch';

export default defineRule<'overrun', Message>({
  meta: {
    id: 'cuda/shared-out-of-bounds',
    since: '0.1.0',
    family: 'cuda',
    severity: 'error',
    fixable: 'no',
    summary: 'A thread reads or writes past the end of a shared array.',
    docs,
    confirm: withSanitizer('memcheck'),
    messages: {
      beyond:
        '`{text}` is beyond the end of its array. Thread {thread} accesses element {element} of `{array}`, ' +
        'which has {elements}.',
      'beyond-launch':
        '`{text}` exceeds dynamic shared memory. Thread {thread} needs {needed} bytes, the launch ' +
        'gives {bytes}. Give the launch at least {needed} bytes as its third argument.',
      before: '`{text}` is before the start of its array. Thread {thread} accesses element {element} of `{array}`.',
    },
    example: { text: 's[t + 1]', thread: '255', element: 256, elements: 256, array: 's', needed: 2048, bytes: 0 },
  },
  on: 'overrun',
  *check(fact): Generator<Finding<Message>> {
    if (fact.global) return;
    const { text, thread, element, elements, array, arrayAt, dynamic } = fact;
    if (dynamic) {
      const { needed, bytes, launchAt } = dynamic;
      yield {
        at: fact.at,
        message: 'beyond-launch',
        confidence: 'proven',
        data: { text: excerpt(text, 40), thread, needed, bytes },
        related: [{ at: launchAt, text: `this launch gives ${bytes} bytes` }],
      };
      return;
    }
    yield {
      at: fact.at,
      message: element < 0 ? 'before' : 'beyond',
      confidence: 'proven',
      data: { text: excerpt(text, 40), thread, element, elements, array },
      related: arrayAt ? [{ at: arrayAt, text: `\`${array}\` has ${elements} elements` }] : [],
    };
  },
});

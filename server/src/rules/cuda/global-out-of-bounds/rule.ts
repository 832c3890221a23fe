// cuda/global-out-of-bounds: a thread reads or writes beyond the end of global memory of known size.
import { defineRule, withSanitizer, type Finding } from '../../rule';
import { excerpt } from '../../wording';
import docs from './docs.json';

type Message = 'beyond' | 'before' | 'beyond-for-size' | 'beyond-for-some';

export default defineRule<'overrun', Message>({
  meta: {
    id: 'cuda/global-out-of-bounds',
    since: '0.1.0',
    family: 'cuda',
    severity: 'error',
    fixable: 'unsafe',
    summary: 'A thread reads or writes past the end of an array in global memory.',
    docs,
    confirm: withSanitizer('memcheck'),
    messages: {
      beyond:
        '`{text}` is beyond the end of its memory. Thread {thread} of block {block} accesses element {element} of ' +
        '`{array}`, which has {elements}.',
      before:
        '`{text}` is before the start of its memory. Thread {thread} of block {block} accesses element {element} of ' +
        '`{array}`.',
      'beyond-for-size':
        '`{text}` is beyond the end of its memory. With {sizes}, thread {thread} of block {block} accesses element ' +
        '{element} of `{array}`, which has {elements}.',
      'beyond-for-some':
        '`{text}` may be beyond the end of its memory. With {sizes}, thread {thread} of block {block} ' +
        'accesses element {element} of `{array}`, which has {elements}.',
    },
    example: {
      ...{ text: 'a[i]', sizes: '`n` = 1000', thread: '232', block: '3' },
      ...{ element: 1000, elements: 1000, array: 'a' },
    },
  },
  on: 'overrun',
  *check(fact): Generator<Finding<Message>> {
    const { text, thread, element, elements, array, arrayAt, global, sample } = fact;
    if (!global) return;
    const numbers = sample?.numbers.map(([name, number]) => `\`${name}\` = ${number}`);
    const sizes = numbers ? { sizes: numbers.join(' and ') } : {};
    const beyond = !sample ? 'beyond' : sample.isAlways ? 'beyond-for-size' : 'beyond-for-some';
    const related = global.launchAt
      ? { at: global.launchAt, text: `this launch gives \`${array}\` ${elements} elements` }
      : arrayAt && { at: arrayAt, text: `\`${array}\` has ${elements} elements` };
    yield {
      at: fact.at,
      message: element < 0 ? 'before' : beyond,
      confidence: sample ? 'assumed' : 'proven',
      ...(beyond === 'beyond-for-some' ? { severity: 'information' } : {}),
      data: { text: excerpt(text, 28), thread, block: global.block, element, elements, array, ...sizes },
      related: related ? [related] : [],
      ...(fact.fix ? { fixes: [{ ...fact.fix, applicability: 'unsafe', mends: true }] } : {}),
      ...(fact.refusal ? { refusals: [fact.refusal] } : {}),
    };
  },
});

// cuda/uninitialized-shared: a thread reads shared memory that nothing wrote before.
import { defineRule } from '../../rule';
import { excerpt } from '../../wording';
import docs from './docs.json';

export default defineRule<'unset', 'element' | 'some' | 'variable'>({
  meta: {
    id: 'cuda/uninitialized-shared',
    since: '0.1.0',
    family: 'cuda',
    severity: 'warning',
    fixable: 'no',
    summary: 'A thread reads shared memory that nothing wrote.',
    docs,
    messages: {
      element:
        'Unset shared memory: `{array}`. Thread {thread} reads `{text}`, element {element}, which nothing wrote.',
      some:
        'Unset shared memory in some threads: `{array}`. Thread {thread} reads `{text}`, element {element}, which ' +
        'nothing wrote.',
      variable: 'Unset shared memory: `{array}`. `{text}` reads it, and nothing wrote it.',
    },
    example: { text: 's[t + 1]', thread: '255', element: 256, array: 's' },
  },
  on: 'unset',
  *check(fact) {
    const { at, text, array, arrayAt, element = 0, thread, isWhole } = fact;
    if (fact.global) return;
    yield {
      at,
      message: fact.element === undefined ? 'variable' : isWhole ? 'element' : 'some',
      confidence: 'proven',
      ...(isWhole ? {} : { severity: 'information' }),
      data: { text: excerpt(text, 40), array, element, thread },
      related: arrayAt ? [{ at: arrayAt, text: `\`${array}\` begins without a value` }] : [],
    };
  },
});

// cuda/misaligned-access: a thread accesses memory at an address that its type is not aligned to.
import { defineRule, withSanitizer } from '../../rule';
import { excerpt } from '../../wording';
import docs from './docs.json';

export default defineRule<'misaligned', 'from-start' | 'between-threads'>({
  meta: {
    id: 'cuda/misaligned-access',
    since: '0.1.0',
    family: 'cuda',
    severity: 'error',
    fixable: 'no',
    summary: 'A thread accesses memory at an address that its type is not aligned to.',
    docs,
    confirm: withSanitizer('memcheck'),
    messages: {
      'from-start':
        '`{text}` is misaligned. Thread {thread} accesses `{type}` at byte {byte} of `{array}`, which is not a ' +
        'multiple of {alignment}.',
      'between-threads':
        '`{text}` is misaligned. Threads {other} and {thread} access `{type}` at addresses that are ' +
        'not a multiple of {alignment} bytes apart.',
    },
    example: {
      text: '*(float4 *)(p + 1)',
      thread: '0',
      type: 'float4',
      byte: 4,
      array: 'p',
      alignment: 16,
      other: '0',
    },
  },
  on: 'misaligned',
  *check({ at, text, thread, type, byte, array, alignment, other }) {
    yield {
      at,
      message: other === undefined ? 'from-start' : 'between-threads',
      confidence: 'proven',
      data: { text: excerpt(text, 40), thread, type, byte, array, alignment, other: other ?? thread },
    };
  },
});

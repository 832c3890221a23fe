// cuda/uninitialized-global: a thread reads global memory that nothing set before the launch.
import { defineRule, withSanitizer } from '../../rule';
import { excerpt } from '../../wording';
import docs from './docs.json';

export default defineRule<'unset', 'unset' | 'partly'>({
  meta: {
    id: 'cuda/uninitialized-global',
    since: '0.1.0',
    family: 'cuda',
    severity: 'warning',
    fixable: 'unsafe',
    summary: 'A thread reads global memory that nothing set.',
    docs,
    confirm: withSanitizer('initcheck'),
    messages: {
      unset: 'Unset global memory: `{array}`. `{text}` reads it, and nothing set it before this launch.',
      partly:
        'Partly unset global memory: `{array}`. Thread {thread} reads `{text}`, element {element}, and only {bytes} ' +
        'bytes are set.',
    },
    example: { text: 'sums[i]', thread: '16', element: 16, array: 'sums', bytes: 64 },
  },
  on: 'unset',
  *check({ at, text, array, thread, element = 0, global, fix }) {
    if (!global) return;
    yield {
      at,
      message: global.set > 0 ? 'partly' : 'unset',
      confidence: 'proven',
      data: { text: excerpt(text, 40), array, thread, element, bytes: global.set },
      related: [
        { at: global.allocationAt, text: `\`${array}\` begins without a value` },
        { at: global.launchAt, text: 'this launch reads it' },
      ],
      ...(fix ? { fixes: [{ ...fix, applicability: 'unsafe', mends: true }] } : {}),
    };
  },
});

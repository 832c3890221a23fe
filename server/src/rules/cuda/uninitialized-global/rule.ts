// cuda/uninitialized-global: a thread reads global memory that nothing set before the launch.
import { defineRule, withSanitizer } from '../../rule';
import { excerpt } from '../../wording';

export default defineRule<'unset', 'unset' | 'partly'>({
  meta: {
    id: 'cuda/uninitialized-global',
    since: '0.1.0',
    family: 'cuda',
    severity: 'warning',
    fixable: 'unsafe',
    summary: 'A thread reads global memory that nothing set.',
    docs: {
      what:
        'Follows the host from `cudaMalloc` to a launch, and reports a read in the kernel of memory that no copy, no ' +
        '`cudaMemset` and no earlier launch set, before the kernel stores to it. A sum or a histogram reads what it ' +
        'adds to. Of a `cudaMemset` that sets too few bytes, elements taken for bytes, the rest is unset.',
      why:
        'New memory has no initial value. The result depends on what the memory held before, so that it is right in ' +
        'one run and wrong in the next.',
      whenNot:
        'Silent where the pointer is used for more than allocation, copies, launches and free in one function, ' +
        'where it depends on an unknown value whether the thread gets to the read, and after a launch that gets the ' +
        'pointer.',
      fix:
        'Sets the memory to zero after its allocation where the kernel adds to it, or gives the `cudaMemset` the ' +
        'size of the allocation. Unsafe: another value may be meant.',
      references: [
        {
          title: 'Compute Sanitizer, initcheck',
          url: 'https://docs.nvidia.com/compute-sanitizer/ComputeSanitizer/index.html#initcheck-tool',
        },
      ],
    },
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

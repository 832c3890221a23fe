// cuda/misaligned-access: a thread accesses memory at an address that its type is not aligned to.
import { defineRule, withSanitizer } from '../../rule';
import { excerpt } from '../../wording';

export default defineRule<'misaligned', 'from-start' | 'between-threads'>({
  meta: {
    id: 'cuda/misaligned-access',
    since: '0.1.0',
    family: 'cuda',
    severity: 'error',
    fixable: 'no',
    summary: 'A thread accesses memory at an address that its type is not aligned to.',
    docs: {
      what:
        'Runs the kernel thread by thread for the blocks of its known launches, and reports an access at an address ' +
        'that is not a multiple of what its type asks for: a `float4` one `float` behind the start of an array, rows ' +
        'of three elements read by twos. Memory of `cudaMalloc` and arrays with `__align__` start at known ' +
        'multiples; of others it is found where two threads are so far apart that one of them is misaligned.',
      why: 'The kernel stops with "misaligned address", and all later calls of the program fail with it.',
      whenNot:
        'Silent where the address, or whether the thread gets there, depends on an unknown value, and where an array ' +
        'only starts at an unknown multiple.',
      references: [
        {
          title: 'CUDA C++ Programming Guide, Size and Alignment Requirement',
          url: 'https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#device-memory-accesses',
        },
      ],
    },
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

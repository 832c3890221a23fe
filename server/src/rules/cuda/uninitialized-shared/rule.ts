// cuda/uninitialized-shared: a thread reads shared memory that nothing wrote before.
import { defineRule } from '../../rule';
import { excerpt } from '../../wording';

export default defineRule<'unset', 'element' | 'some' | 'variable'>({
  meta: {
    id: 'cuda/uninitialized-shared',
    since: '0.1.0',
    family: 'cuda',
    severity: 'warning',
    fixable: 'no',
    summary: 'A thread reads shared memory that nothing wrote.',
    docs: {
      what:
        'Runs the kernel thread by thread for the blocks of its known launches, and reports a read of a shared ' +
        'variable, or of an array of constant size, where no store before it, and none of another thread before the ' +
        'threads meet again, covers what is read. Where only some of the threads read such elements, ' +
        'what they get may be of no use to them: an information.',
      why:
        'Shared memory has no initial value. A kernel finds what the block before it left on the multiprocessor, so ' +
        'that sums and flags are right in one run and wrong in the next.',
      whenNot:
        'Silent where a store, or whether the threads get to one, depends on data, where the array is handed to a ' +
        'function that is not known, and for dynamic shared memory.',
      references: [
        {
          title: 'CUDA C++ Programming Guide, __shared__ Memory Space Specifier',
          url: 'https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#shared',
        },
        {
          title: 'Compute Sanitizer, initcheck',
          url: 'https://docs.nvidia.com/compute-sanitizer/ComputeSanitizer/index.html#initcheck-tool',
        },
      ],
    },
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

// cuda/shared-out-of-bounds: a thread reads or writes beyond the end of a shared array.
import { defineRule, type Finding } from '../../rule';
import { excerpt } from '../../wording';

type Message = 'beyond' | 'before';

export default defineRule<'overrun', Message>({
  meta: {
    id: 'cuda/shared-out-of-bounds',
    since: '0.1.0',
    family: 'cuda',
    severity: 'error',
    fixable: 'no',
    summary: 'A thread of a block in sight is beyond the end of a shared array.',
    docs: {
      what:
        'Runs the kernel thread by thread for the blocks that its launches in sight have, and reports an access of a ' +
        'shared array of constant size by which some thread is behind the array’s last element or before its first: ' +
        'a halo that the array has no room for, an array for a smaller block.',
      why:
        'Behind the array stands the next one: the access reads or overwrites what belongs to other code, and ' +
        'compute-sanitizer does not see it as long as it stays in the shared memory of the block.',
      whenNot:
        'Silent where the place, or whether the thread comes there at all, hangs on a value that nothing in sight ' +
        'fixes, and where rows of one array run into each other.',
      references: [
        {
          title: 'CUDA C++ Programming Guide, Shared Memory',
          url: 'https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#shared-memory',
        },
      ],
    },
    messages: {
      beyond:
        '`{text}` is beyond the end of its array. Thread {thread} is at element {element} of `{array}`, which has ' +
        '{elements}.',
      before: '`{text}` is before the start of its array. Thread {thread} is at element {element} of `{array}`.',
    },
    example: { text: 's[t + 1]', thread: '255', element: 256, elements: 256, array: 's' },
  },
  on: 'overrun',
  *check(fact): Generator<Finding<Message>> {
    const { text, thread, element, elements, array, arrayAt } = fact;
    yield {
      at: fact.at,
      message: element < 0 ? 'before' : 'beyond',
      confidence: 'proven',
      data: { text: excerpt(text, 40), thread, element, elements, array },
      related: arrayAt ? [{ at: arrayAt, text: `\`${array}\` has ${elements} elements` }] : [],
    };
  },
});

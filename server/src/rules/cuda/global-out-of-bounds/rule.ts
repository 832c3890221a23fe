// cuda/global-out-of-bounds: a thread reads or writes beyond the end of global memory of known size.
import { defineRule, withSanitizer, type Finding } from '../../rule';
import { excerpt } from '../../wording';

type Message = 'beyond' | 'before' | 'beyond-for-size' | 'beyond-for-some';

export default defineRule<'overrun', Message>({
  meta: {
    id: 'cuda/global-out-of-bounds',
    since: '0.1.0',
    family: 'cuda',
    severity: 'error',
    fixable: 'unsafe',
    summary: 'A thread reads or writes past the end of an array in global memory.',
    docs: {
      what:
        'Runs the kernel thread by thread for the first and the last block of its known launches, and reports an ' +
        'access that is outside its array for some thread: of memory that the host allocates with a known size ' +
        '(`cudaMalloc`, `cudaMallocManaged`, `cudaMallocAsync`) or that a vector of Thrust owns, and of `__device__` ' +
        'arrays. A guard that is missing ' +
        'or lets one thread too many in, a neighbour of the first element, elements allocated for bytes. ' +
        'Where the size is computed from integers that the host leaves open, the kernel is run for several of them: ' +
        'what happens for some alone, as without a guard, is information.',
      why:
        'The access reads or overwrites what lies beside the array, or ends the program with an illegal address. It ' +
        'is what compute-sanitizer memcheck reports, without a run.',
      whenNot:
        'Silent where the index or whether the thread gets there depends on an unknown value that the size is not ' +
        'computed from, and for pitched memory.',
      fix:
        'Makes a comparison strict, or adds the guard that is missing, where a run of the kernel with it stays in ' +
        'its arrays at all launches and sizes tried and stores no less. Unsafe: the size may be the mistake.',
      references: [
        {
          title: 'Compute Sanitizer, Memcheck Tool',
          url: 'https://docs.nvidia.com/compute-sanitizer/ComputeSanitizer/index.html#memcheck-tool',
        },
      ],
    },
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

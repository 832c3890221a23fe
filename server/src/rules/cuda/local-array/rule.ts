// cuda/local-array: an array of each thread that lies in local memory, since an index in it is not known.
import { defineRule } from '../../rule';
import { excerpt } from '../../wording';
import docs from './docs.json';

export default defineRule<'local-array', 'value' | 'count'>({
  meta: {
    id: 'cuda/local-array',
    since: '0.1.0',
    family: 'cuda',
    severity: 'warning',
    fixable: 'no',
    summary: 'An array of each thread lies in local memory, because an index in it is not known to the compiler.',
    docs,
    messages: {
      value:
        '`{array}` lies in local memory: {bytes} bytes a thread. Its index `{index}` is known only at run time. Give ' +
        'each thread a column in shared memory (`{array}[i][threadIdx.x]`); a table of constants `static const`.',
      count:
        '`{array}` lies in local memory: {bytes} bytes a thread. The loop that counts its index `{index}` is not ' +
        'unrolled. Give it a constant length and unroll it, or each thread a column in shared memory.',
    },
    example: { array: 'bin', bytes: 256, index: 'key[i]' },
  },
  on: 'local-array',
  *check({ at, array, bytes, index, declaredAt, loopAt, accessAt }) {
    yield {
      at,
      message: loopAt ? 'count' : 'value',
      waste: { kind: 'access' },
      confidence: 'proven',
      data: { array, bytes, index: excerpt(index, 30) },
      related: [
        { at: declaredAt, text: 'an array of each thread' },
        ...(accessAt ? [{ at: accessAt, text: 'the access in the function that is called' }] : []),
        ...(loopAt ? [{ at: loopAt, text: 'this loop counts the index' }] : []),
      ],
    };
  },
});

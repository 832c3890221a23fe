// One atomic a block: one example that fails each precondition alone. What is written: the examples of the rule.
import assert from 'node:assert/strict';
import { blockAtomicOf } from '../../../server/src/semantic/fixes/reductions/blockAtomics';
import { applied, contextOf, keepsResults, nodesOf } from './harness';

const kernel = (statements: string, before = ''): string =>
  `${before}__global__ void k(const int *in, int *out, float *sum, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  ${statements}
}
`;

async function once(text: string): Promise<string> {
  const context = await contextOf(text, 'k', { blockShapes: [[256, 1, 1]] });
  const call = nodesOf(context, 'call').find(
    ({ callee }) => callee.kind === 'name' && /^(atomic|PUT)/.test(callee.name),
  );
  assert.ok(call);
  const fact = blockAtomicOf(context, call, false);
  if (!('edits' in fact)) return `refused: ${fact.precondition}`;
  return (await keepsResults(text, applied(text, fact.edits))) ? 'offered' : 'refused: run';
}

describe('one atomic per block', () => {
  for (const [name, text] of [
    ['behind a guard', kernel('if (i < n) atomicAdd(out, in[i]);')],
    ['behind a return of some threads', kernel('if (i >= n) return;\n  atomicAdd(out, in[i]);')],
    [
      'behind a function that only reads',
      kernel(
        'for (int k = i; k < n; k += m) {\n    if (above(in, k)) atomicAdd(out, k);\n  }',
        '__device__ bool above(const int *in, int k) { printf("%d", k); return in[k] > 0; }\n',
      ),
    ],
    ['behind a return of all threads', kernel('if (n == 0) return;\n  if (i < n) atomicAdd(out + m, in[i]);')],
    ['between barriers', kernel('__syncthreads();\n  atomicMin(&out[m], in[i]);\n  __syncthreads();')],
  ] as const)
    it(`is offered ${name}`, async () => assert.equal(await once(text), 'offered'));

  const refusals: readonly (readonly [string, string])[] = [
    ['statement: the old value is used', kernel('int before = atomicAdd(out, in[i]);')],
    ['operation: numbers with a fraction', kernel('atomicAdd(sum, 1.0f);')],
    ['operation: an exchange', kernel('atomicExch(out, in[i]);')],
    ['address: of the thread', kernel('atomicAdd(&out[i], in[i]);')],
    ['run: declared inside', kernel('for (int k = 0; k < m; k++) atomicAdd(&out[k], in[i]);')],
    ['run: changed later', kernel('if (i >= n) return;\n  atomicAdd(&out[m], in[i]);\n  m = 0;')],
    ['run: it is read', kernel('if (i >= n) return;\n  atomicAdd(out, in[i]);\n  sum[i] = out[0];')],
    [
      'reached: a wait for the warp in a function',
      kernel(
        'for (int k = i; k < n; k += m) {\n    if (most(in[k])) atomicAdd(out, k);\n  }',
        `__device__ int shifted(int v) { return __shfl_xor_sync(0xffffffff, v, 1); }
__device__ bool most(int v) { return shifted(v) < v; }
`,
      ),
    ],
  ];
  for (const [name, text] of refusals)
    it(`does not: ${name}`, async () => assert.equal(await once(text), `refused: ${name.split(':')[0]!}`));
});

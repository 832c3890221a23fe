// Loads that a register answers although the loop stores what they load, compared with what nvcc 13.0 (-O3) makes of them.
import assert from 'node:assert/strict';
import { memoryUri, memoryWorkspace } from '../support/analyseText';

/** The body of a loop over `j`, and how many loops its load of `q[i]` is made before. */
const loops: readonly (readonly [string, string, number])[] = [
  ['a sum that is stored in every iteration', 'q[i] += a[i * m + j];', 1],
  ['the same, written out', 'q[i] = q[i] + a[i * m + j];', 1],
  ['a sum with another store beside it', 'q[i] += a[i * m + j]; r[j] = 1;', 0],
  ['two sums', 'q[i] += a[i * m + j]; r[i] += a[j];', 0],
  ['a count beside the sum', 'q[i] += a[i * m + j]; r[i]++;', 0],
  ['a sum under a condition', 'if (a[j] > 0) q[i] += a[i * m + j];', 0],
  ['a sum that moves', 'q[j] += a[i * m + j];', 0],
  ['a sum at a barrier', 'q[i] += a[i * m + j]; __syncthreads();', 0],
];

describe('loads of sums in memory', () => {
  for (const [what, body, expected] of loops)
    it(what, async () => {
      const text = `__global__ void k(float *q, float *r, const float *a, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < m; j++) { ${body} }
}
void run(float *q, float *r, const float *a, int m) { k<<<m, 256>>>(q, r, a, m); }
`;
      const workspace = await memoryWorkspace(new Map([['/memory/sums.cu', text]]));
      const { model } = workspace.analyse(memoryUri('sums.cu'))!;
      const load = model.facts.access.find(({ mode, array }) => mode === 'load' && array.name === 'q');
      assert.equal(load?.hoisted ?? 0, expected);
    });
});

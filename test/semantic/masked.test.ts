// The sectors of an access of which data decide the active lanes: those of any of their subsets.
import assert from 'node:assert/strict';
import { idealOfMost, idealRange, figureRange, ratioRange } from '../../server/src/semantic/figures';
import { memoryUri, memoryWorkspace } from '../support/analyseText';

/** A store under a condition on data: its sectors, its ideal, their ratio, and the ideal where it asks for the most. */
const cases: readonly (readonly [string, string])[] = [
  ['((char *)out)[i] = 0;', '1–1 of 1–1, 1–1×, 1'],
  ['out[i] = 0;', '1–4 of 1–4, 1–4×, 1'],
  ['((double *)out)[i] = 0;', '1–8 of 1–8, 1–4×, 2'],
  ['((float4 *)out)[i] = make_float4(0, 0, 0, 0);', '1–16 of 1–16, 1–2×, 8'],
  ['out[i * 2] = 0;', '1–8 of 1–4, 1–8×, 1'],
  ['out[i * 8] = 0;', '1–32 of 1–4, 1–8×, 4'],
  ['out[blockIdx.x] = 0;', '1–1 of 1–1, 1–1×, 1'],
  ['tile[threadIdx.x * 2] = 0;', '1–2 of 1–1, 1–2×, 1'],
];

describe('an access under a condition on data', () => {
  for (const [statement, expected] of cases)
    it(statement, async () => {
      const text = `__global__ void kernel(float *out, const float *in) {
  __shared__ float tile[512];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (in[i] > 0) { ${statement} }
}
void run(float *out, const float *in) { kernel<<<64, 256>>>(out, in); }
`;
      const { model } = (await memoryWorkspace(new Map())).analyse(memoryUri('masked.cu'), { text, version: 1 })!;
      const fact = model.facts.access.find(({ mode }) => mode === 'store')!;
      const [figure, ideal, ratio] = [figureRange(fact), idealRange(fact), ratioRange(fact)!].map((ends) =>
        ends.join('–'),
      );
      assert.equal(`${figure} of ${ideal}, ${ratio}×, ${idealOfMost(fact)}`, expected);
    });
});

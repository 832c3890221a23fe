// How much of the bytes between neighbouring lanes the same thread loads: what L1 brings once.
import assert from 'node:assert/strict';
import { memoryUri, memoryWorkspace } from '../support/analyseText';

/** Statements of a kernel, then for each load of `in` its bytes a thread and how many of them are used; `-` for none. */
const cases: readonly (readonly [string, readonly string[]])[] = [
  ['sum = in[i];', ['-']],
  ['sum = in[i * 4] + in[i * 4 + 1];', ['16/8', '16/8']],
  ['sum = in[i * 4] + in[i * 4 + 1] + in[i * 4 + 2] + in[i * 4 + 3];', ['16/16', '16/16', '16/16', '16/16']],
  ['for (int j = 0; j < 8; j++) sum += in[i * 8 + j];', ['32/32']],
  ['for (int j = 0; j < 4; j++) sum += in[i * 8 + j];', ['32/16']],
  ['for (int j = 0; j < 8; j += 2) sum += in[i * 8 + j];', ['32/16']],
  ['for (int j = i * 16; j < (i + 1) * 16; j++) sum += in[j];', ['64/64']],
  ['for (int j = 0; j < n; j++) sum += in[i * 2 + j * 512];', ['8/4']],
  // Too far apart, and apart by what is unknown: of their sectors.
  ['for (int j = 0; j < 32; j++) sum += in[i * 32 + j];', ['32/4']],
  ['sum = in[i * n] + in[i * n + 1];', ['32/8', '32/8']],
  ['const float4 *four = (const float4 *)in; sum = four[i * n].x + four[i * n + 1].w;', ['32/8', '32/8']],
  ['if (i > 5) sum = in[i * n]; if (i > 7) sum += in[i * n + 1];', ['32/8', '32/8']],
  // The loop comes back to them when their sectors are gone.
  ['sum = in[i * 2]; for (int j = 0; j < n; j++) sum += in[i * 2 + 1 + j * 1024];', ['8/4', '8/4']],
  // So far apart that one byte more is the same number again.
  ['const float *f = in + ((const int *)in)[i] * n * (n + 1); for (int k = 0; k < n; k++) sum += f[k];', ['-', '-']],
  ['const float3 *three = (const float3 *)in; sum = three[i].x + three[i].z;', ['12/8', '12/8']],
  ['const float3 *three = (const float3 *)in; float3 one = three[i]; sum = one.x;', ['12/12']],
];

describe('what a thread uses of the bytes between it and its neighbour', () => {
  for (const [statements, expected] of cases)
    it(statements, async () => {
      const text = `__global__ void kernel(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  ${statements}
  out[i] = sum;
}
void run(float *out, const float *in, int n) { kernel<<<64, 256>>>(out, in, n); }
`;
      const { model } = (await memoryWorkspace(new Map())).analyse(memoryUri('chunk.cu'), { text, version: 1 })!;
      assert.deepEqual(
        model.facts.access
          .filter(({ mode }) => mode === 'load')
          .map(({ perThread }) => (perThread ? `${perThread.bytes}/${perThread.used}` : '-')),
        expected,
      );
    });
});

// What a build or an unknown header brings into a kernel: names of thread numbers, CUDA's own types, switches.
import assert from 'node:assert/strict';
import { memoryUri, memoryWorkspace } from '../support/analyseText';

async function accessesOf(
  text: string,
  array: string,
): Promise<{ sectors: number | undefined; stride: number | undefined }[]> {
  const { model } = (await memoryWorkspace(new Map())).analyse(memoryUri('beside.cu'), { text, version: 1 })!;
  return model.facts.access
    .filter((access) => access.array.name === array)
    .map(({ sectors, laneStride }) => ({ sectors, stride: laneStride }));
}

describe('unknown code beside a kernel', () => {
  for (const name of ['hipThreadIdx_x', 'threadIdx_x'])
    it(`${name} is the number of the thread`, async () => {
      const text = `__global__ void k(const float *in, float *out) { out[${name}] = in[2 * ${name}]; }
void run(const float *in, float *out) { k<<<1, 64>>>(in, out); }
`;
      assert.deepEqual(await accessesOf(text, 'in'), [{ sectors: 8, stride: 8 }]);
    });

  it('a name that only looks alike is one number for all threads', async () => {
    const text = `__global__ void k(const float *in, float *out) { out[threadIdx.x] = in[2 * myThreadIdx_x]; }
void run(const float *in, float *out) { k<<<1, 64>>>(in, out); }
`;
    assert.deepEqual(await accessesOf(text, 'in'), [{ sectors: 1, stride: 0 }]);
  });

  it('types for builds without CUDA are not read, and its switches are on', async () => {
    const text = `#ifndef __VECTOR_TYPES_H__
struct __attribute__((aligned(4))) float4 { float x, y, z, w; };
#endif
#ifdef HAVE_CUDA
#define OWN (threadIdx.x)
#else
#define OWN 0
#endif
__global__ void k(const float4 *in, float4 *out) { out[OWN] = in[OWN]; }
void run(const float4 *in, float4 *out) { k<<<1, 64>>>(in, out); }
`;
    assert.deepEqual(await accessesOf(text, 'in'), [{ sectors: 16, stride: 16 }]);
  });
});

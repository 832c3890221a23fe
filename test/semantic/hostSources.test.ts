// Functions for both sides in sources that the host's compiler takes: nothing of them runs on the GPU.
import { deepStrictEqual } from 'node:assert/strict';
import { memoryUri, memoryWorkspace } from '../support/analyseText';

const both = '__host__ __device__ double squared(double a) { return pow(a, 2.0); }\n';
const kernel = '__global__ void scale(double *x) { x[threadIdx.x] *= 2; }\n';

async function powers(name: string, text: string, files: Readonly<Record<string, string>> = {}): Promise<number> {
  const workspace = await memoryWorkspace(
    new Map(Object.entries(files).map(([file, content]) => [`/memory/${file}`, content])),
  );
  return workspace.analyse(memoryUri(name), { text, version: 1 })!.model.facts.math.length;
}

describe('functions for both sides', () => {
  it('of C++ sources without a kernel are for the host, independent of their callers', async () => {
    deepStrictEqual(await powers('weights.cpp', both), 0);
    deepStrictEqual(await powers('weights.cc', both), 0);
    deepStrictEqual(await powers('weights.cu', both), 1);
    deepStrictEqual(await powers('weights.h', both), 1);
    // HIP's kernels are in C++ sources.
    deepStrictEqual(await powers('weights.cpp', both + kernel), 1);
    deepStrictEqual(await powers('weights.cpp', both.replace('__host__ ', '')), 1);
  });
});

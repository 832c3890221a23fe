// Blocks narrower than a warp: values that a shuffle takes from a lane that the block does not have stop nothing.
import { deepStrictEqual, ok } from 'node:assert/strict';
import { memoryUri, memoryWorkspace } from '../support/analyseText';

describe('a block narrower than a warp', () => {
  it('is followed through a shuffle from a lane that it does not have', async () => {
    const text = [
      'struct Constants { int mask; };',
      '__constant__ Constants constants;',
      '__global__ void minimum(const float *energy, float *least, int n) {',
      '  int lane = threadIdx.x & constants.mask;',
      '  float own = energy[blockIdx.x * n + threadIdx.x];',
      '  for (int step = 16; step > 0; step /= 2) own += __shfl_sync(0xffffffff, own, 17 ^ step);',
      '  own += __shfl_sync(0xffffffff, own, lane ^ 16);',
      '  least[blockIdx.x * 8 + threadIdx.x] = own;',
      '}',
      'void launch(const float *energy, float *least, int n) { minimum<<<1000, 8>>>(energy, least, n); }',
    ].join('\n');
    const workspace = await memoryWorkspace(new Map());
    const model = workspace.analyse(memoryUri('narrow.cu'), { text, version: 1 })!.model;
    deepStrictEqual(
      model.notes.filter((note) => /stopped/.test(note.text)),
      [],
    );
    ok(model.facts.access.some(({ array, mode }) => array.name === 'least' && mode === 'store'));
  });
});

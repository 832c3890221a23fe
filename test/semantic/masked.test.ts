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

/** The stores of a body to `out`, `i` being the thread: sectors, and whether data decide its lanes (again: but for the first time). */
const exits: readonly (readonly [string, string, string])[] = [
  ['a return that data decide', 'out[i] = 0; if (in[i] < 0) return; out[i * 2] = 0;', '4, 8 by data'],
  [
    'one in a nested block',
    'if (n > 9) { if (in[i] < 0) return; out[i] = 0; } out[i * 2] = 0;',
    '4 by data, 8 by data',
  ],
  ['one that no modeled thread comes to', 'if (m < 9) { if (in[i] < 0) return; } out[i] = 0;', '4 by data'],
  ['a guard', 'if (i >= n) return; out[i] = 0;', '4'],
  ['a value that all lanes share', 'if (*in < 0) return; out[i] = 0;', '4'],
  [
    'threads that known numbers keep apart',
    'if (threadIdx.x < 64) { if (in[i] < 0) return; } else { out[i] = 0; out[i * 2] = 0; } out[i * 4] = 0;',
    '4, 8, 16 by data',
  ],
  ['a return of a function', 'leave(out, in, i); out[i * 4] = 0;', '4, 8 by data, 16'],
  [
    'continue',
    'for (int k = 0; k < 9; k++) { out[i] = 0; if (in[i] < k) continue; out[i * 2] = 0; } out[i * 4] = 0;',
    '4, 8 by data, 16',
  ],
  [
    'break',
    'for (int k = 0; k < 9; k++) { out[i] = 0; if (in[i] < k) break; out[i * 2] = 0; } out[i * 4] = 0;',
    '4 again, 8 by data, 16',
  ],
  [
    'break of a loop that is analyzed once',
    'for (int k = 0; k < 900; k++) { out[i] = 0; if (in[i] < 0) break; out[i * 2] = 0; } out[i * 4] = 0;',
    '4 again, 8 by data, 16',
  ],
  [
    'a return from a loop whose iterations differ',
    'for (int k = 0; k < 9; k++) { out[i] = 0; out[i * 2] = 0; if (in[i] < 0) return; if (k & 1) out[i * 4] = 0; }',
    '4 again, 8 again, 16 by data',
  ],
  [
    'a return from a loop that is not to be analyzed once',
    'for (int k = 0; k < 99; k++) { out[i] = 0; out[i * 2] = 0; if (in[i] < 0) return; if (k & 1) out[i * 4] = 0; }',
    '4 again, 8 again, 16 by data',
  ],
  [
    'break of a range',
    'int list[4]; for (int k : list) { out[i] = 0; if (in[i] < 0) break; out[i * 2] = 0; } out[i * 4] = 0;',
    '4 again, 8 by data, 16',
  ],
  [
    'break of a block that is run once',
    'do { out[i] = 0; if (in[i] < 0) break; out[i * 2] = 0; } while (0); out[i * 4] = 0;',
    '4, 8 by data, 16',
  ],
  [
    'a loop within one that lanes leave',
    'for (int k = 0; k < 9; k++) { if (in[i] < k) break; for (int j = 0; j < 9; j++) out[i] = j; }',
    '4 by data',
  ],
  [
    'a loop that data end',
    'int k = 0; while (in[i] > k) { out[i] = 0; k++; } do { out[i * 2] = 0; k++; } while (in[i] > k); out[i * 4] = 0;',
    '4 by data, 8 again, 16',
  ],
  [
    'a return from the first iteration',
    'for (int k = 0; k < 2; k++) if (k == 0 && in[i] < 0) return; out[i] = 0;',
    '4 by data',
  ],
  ['a return from a loop that data end', 'for (int k = 0; in[i] > k; k++) if (n > 9) return; out[i] = 0;', '4 by data'],
  [
    'cases',
    'switch ((int)in[i]) { case 0: out[i] = 0; break; case 1: return; default: break; } out[i * 2] = 0;',
    '4 by data, 8 by data',
  ],
  [
    'cases that are left',
    'switch ((int)in[i]) { case 0: out[i] = 0; break; default: out[i * 2] = 0; } out[i * 4] = 0;',
    '4 by data, 8 by data, 16',
  ],
  [
    'a case that is left early',
    'switch (4) { case 4: if (in[i] < 0) break; out[i] = 0; case 5: out[i * 2] = 0; } out[i * 4] = 0;',
    '4 by data, 8 by data, 16',
  ],
  [
    'continue in a case',
    'for (int k = 0; k < 2; k++) { out[i] = 0; switch (threadIdx.x & 16) { case 0: continue; } out[i * 2] = 0; }',
    '4, 4',
  ],
  [
    'continue in a case that data decide',
    'for (int k = 0; k < 2; k++) { out[i] = 0; switch ((int)in[i]) { case 0: continue; } out[i * 2] = 0; }',
    '4, 8 by data',
  ],
  ['a jump', 'if (in[i] < 0) goto end; out[i] = 0; end: out[i * 2] = 0;', '4 by data, 8 by data'],
];

describe('an access after an exit that data decide', () => {
  for (const [name, body, expected] of exits)
    it(name, async () => {
      const text = `__device__ void leave(float *out, const float *in, int i) {
  out[i] = 0;
  if (in[i] < 0) return;
  out[i * 2] = 0;
}
__global__ void kernel(float *out, const float *in, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  ${body}
}
void run(float *out, const float *in, int m) { kernel<<<64, 256>>>(out, in, 16384, m); }
`;
      const { model } = (await memoryWorkspace(new Map())).analyse(memoryUri('exits.cu'), { text, version: 1 })!;
      const stores = model.facts.access.filter(({ mode, kernels }) => mode === 'store' && kernels.includes('kernel'));
      const said = stores.map(({ sectors, assumed }) => {
        const one = assumed.find(({ kind }) => kind === 'by-data');
        return `${sectors}${one?.kind !== 'by-data' ? '' : one.again ? ' again' : ' by data'}`;
      });
      assert.equal(said.join(', '), expected);
    });

  it('is exact where the compiler takes it out of the loop that lanes leave', async () => {
    const text = `__global__ void kernel(float *out, const float *__restrict__ in, const int *__restrict__ row) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int j = row[i]; j < row[i * 2]; j++) sum += in[j];
  for (int k = 0; k < 9; k++) {
    sum += row[i * 3];
    if (in[i + k] < 0) break;
  }
  out[i] = sum;
}
void run(float *out, const float *in, const int *row) { kernel<<<64, 256>>>(out, in, row); }
`;
    const { model } = (await memoryWorkspace(new Map())).analyse(memoryUri('rows.cu'), { text, version: 1 })!;
    for (const taken of ['row[i * 2]', 'row[i * 3]'])
      assert.deepEqual(model.facts.access.find((fact) => fact.text === taken)?.assumed, []);
  });
});

// Predicted gains: what bounds a kernel on either side, and how much the other side is expected to bring.
import assert from 'node:assert/strict';
import { type Gain, predictedGain } from '../../server/src/cost/kernelTime';
import { gpuByName } from '../../server/src/semantic/gpus';
import { memoryUri, memoryWorkspace } from '../support/analyseText';

async function gainOf(before: string, after: string): Promise<Gain> {
  const uri = memoryUri('kernel.cu');
  const workspace = await memoryWorkspace(new Map());
  const [first, second] = [before, after].map((text, version) => workspace.analyse(uri, { text, version })!.model);
  return predictedGain(first!, second!, gpuByName('H200')!) ?? assert.fail('nothing is predicted');
}

const launched = (kernel: string, launch: string): string =>
  `${kernel}\nint main() { float *a, *b; k<<<${launch}>>>(a, b); }\n`;
const row = 'int row = blockIdx.x * blockDim.x + threadIdx.x;';

/** A row of `columns` to a thread. */
const walk = (columns: number): string =>
  `__global__ void k(const float *in, float *out) {\n  ${row}\n  float sum = 0;\n` +
  `  for (int c = 0; c < ${columns}; c++) sum += in[row * ${columns} + c];\n  out[row] = sum;\n}`;
/** A row to a warp. */
const together = (columns: number): string =>
  `__global__ void k(const float *in, float *out) {\n  ${row}\n  int lane = row % 32;\n  row /= 32;\n  float sum = 0;\n` +
  `  for (int c = lane; c < ${columns}; c += 32) sum += in[row * ${columns} + c];\n` +
  '  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);\n' +
  '  if (lane == 0) out[row] = sum;\n}';
const copy = (to: string, from: string): string =>
  '__global__ void k(const float *in, float *out) {\n  int x = blockIdx.x * 32 + threadIdx.x;\n' +
  `  int y = blockIdx.y * 32 + threadIdx.y;\n  out[${to}] = in[${from}];\n}`;

describe('predicted gains', () => {
  it('see rows walked by threads bound by L1, and by DRAM where warps take them', async () => {
    const { before, after, gain, assumed } = await gainOf(
      launched(walk(1024), '256, 256'),
      launched(together(1024), '8192, 256'),
    );
    assert.deepEqual([before.bound, after.bound, assumed], ['L1', 'DRAM', false]);
    // 65,536 rows of 1,024: measured as 0.284 and 0.067 ms on an H200.
    assert.ok(before.microseconds > 240 && before.microseconds < 300, String(before.microseconds));
    assert.ok(gain > 3.5 && gain < 4.5, String(gain));
  });
  it('see how little a GPU does with few threads', async () => {
    const { gain } = await gainOf(launched(walk(1024), '16, 256'), launched(together(1024), '512, 256'));
    assert.ok(gain > 12 && gain < 19, String(gain)); // measured: 15.2
  });
  it('tell stores down columns from loads down columns', async () => {
    const size = 'dim3(256, 256), dim3(32, 32)';
    const rows = launched(copy('y * 8192 + x', 'y * 8192 + x'), size);
    const stores = await gainOf(launched(copy('x * 8192 + y', 'y * 8192 + x'), size), rows);
    const loads = await gainOf(launched(copy('y * 8192 + x', 'x * 8192 + y'), size), rows);
    assert.ok(stores.gain > 1.8 * loads.gain, `${stores.gain} and ${loads.gain}`); // measured: 3.2 and 1.4 times
  });
  it('lose the lines that many threads write in parts', async () => {
    const chunk = (start: string, step: string, end: string): string =>
      `__global__ void k(const float *in, float *out) {\n  int t = blockIdx.x * blockDim.x + threadIdx.x;\n` +
      `  for (int i = ${start}; i < ${end}; i += ${step}) out[i] = in[i] * 2;\n}`;
    const strided = chunk('t', '64 * 1024', '64 * 64 * 1024');
    const of = (blocks: number): string => launched(chunk('t * 64', '1', 't * 64 + 64'), `${blocks}, 128`);
    const many = await gainOf(of(8192), launched(strided, '8192, 128'));
    const few = await gainOf(of(512), launched(strided, '512, 128'));
    assert.equal(many.before.bound, 'DRAM');
    assert.equal(few.before.bound, 'L1');
  });
  it('count a launch, and what stays in L2, where there is little to do', async () => {
    const size = 'dim3(2, 2), dim3(32, 32)';
    const { before, gain } = await gainOf(
      launched(copy('x * 64 + y', 'y * 64 + x'), size),
      launched(copy('y * 64 + x', 'y * 64 + x'), size),
    );
    assert.ok(before.microseconds > 4.5 && before.microseconds < 8, String(before.microseconds));
    assert.ok(gain < 1.5, String(gain));
  });
  it('let atomics of all warps at one place wait for each other, one by one', async () => {
    // On an H100 (CUDA 13.0, 100 million floats): 175.5 ms with an atomic a lane, 5.5 ms with one a warp.
    const atomics = (place: string): string => `
__global__ void add(const float *a, float *sum, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float part = a[i];
  if (threadIdx.x % 32 == 0) atomicAdd(${place}, part);
}
void run(const float *a, float *sum) { add<<<390625, 256>>>(a, sum, 100000000); }
`;
    const gain = await gainOf(atomics('sum'), atomics('sum + (blockIdx.x * blockDim.x + threadIdx.x) / 32'));
    assert.ok(gain.before.bound === 'atomics' && gain.before.microseconds > 4000, JSON.stringify(gain.before));
    assert.ok(gain.after.bound !== 'atomics', gain.after.bound);
  });

  it('give both sides the same work where a grid is not known', async () => {
    const unknown = (kernel: string): string =>
      `${kernel}\nvoid run(float *a, float *b, int n) { k<<<n, 256>>>(a, b); }\n`;
    const { gain, assumed } = await gainOf(unknown(walk(1024)), unknown(together(1024)));
    assert.equal(assumed, true);
    assert.ok(gain > 3.3 && gain < 4.7, String(gain));
  });
  it('see no gain where nothing changes, and nothing without traffic', async () => {
    const text = launched(walk(64), '4096, 256');
    assert.equal((await gainOf(text, text)).gain, 1);
    const empty = '__global__ void k(int n) {}\n';
    await assert.rejects(gainOf(empty, empty), /nothing is predicted/);
  });
});

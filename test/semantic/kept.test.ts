// What is kept of an earlier version of a file is what a fresh reading of the present text says, place for place.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lint } from '../../server/src/lint/lint';
import { defaultGpu } from '../../server/src/semantic/gpus';
import { memoryUri, memoryWorkspace } from '../support/analyseText';

const samples = join(__dirname, '..', '..', 'samples');
const text = [
  `#define WIDTH 32
__constant__ float weights[64];
__device__ float table[64][64];
__device__ float picked(const float *from, int stride) { return from[threadIdx.x * stride] + weights[threadIdx.x]; }
__global__ void columns(float *out, const float *in, int n) {
  __shared__ float tile[32][32];
  int x = threadIdx.x, y = blockIdx.x;
  tile[x][0] = in[x * n + y];
  __syncthreads();
  if (x % 2 == 0) out[y * n + x] = tile[0][x] + table[x][y] * picked(in, 5);
}
__global__ void halves(float *out, const double *in) { out[threadIdx.x * 2] = in[threadIdx.x] * 0.1; }
static void run(float *out, float *in, double *more, int n) {
  const int threads = 64;
  halves<<<(n + threads - 1) / threads, threads>>>(out, more);
  columns<<<n, WIDTH>>>(out, in, n);
}
int main() { run(nullptr, nullptr, nullptr, 1024); }
`,
  `#define START(grid, block) byRows<<<grid, block>>>
__global__ void byRows(float *out, const float *in, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && column < columns) out[row * columns + column] = in[row * columns + column] * 2.0f;
}
#define TAKE ((void)&byRows)
static int calls = 0;
static int blocksFor(int n) { return (n + 15) / 16; }
static int bytesFor(int n) { return 4 * n; }
__global__ void turned(float *out, int n) {
  extern __shared__ float turn[];
  int x = threadIdx.x, y = threadIdx.y;
  turn[y * 32 + x] = out[x];
  __syncthreads();
  out[y * n + x] = turn[x * 32 + y];
}
static void turnAll(float *out) { turned<<<8, dim3(32, 8), bytesFor(1024)>>>(out, 32); }
static void inBetween(const void *given) { (void)given; }
static void byHand(float *out, float *in, int rows, int columns) {
  dim3 grid(blocksFor(rows), blocksFor(columns)), block(16, 16);
  byRows<<<grid, block>>>(out, in, rows, columns);
}
static void byMacro(float *out, float *in, int rows, int columns) { inBetween(out); }
`,
  `__global__ void sines(float *out, const float *in) {
  for (int i = 0; i < 64; i++) out[threadIdx.x * 64 + i] = sin(in[threadIdx.x * 64 + i] * 0.1);
}
static void startSines(float *out, float *in) { sines<<<1, 128>>>(out, in); }
`,
  readFileSync(join(samples, 'vector-addition', 'chunk-per-thread.cu'), 'utf8').replace('main(', 'other('),
].join('\n');

/** What is written in place of what, one edit after the other. */
const edits: readonly (readonly [string, string])[] = [
  ['#define WIDTH', '// a line more\n#define WIDTH'],
  ['in[x * n + y]', 'in[x * n + y + 0]'],
  ['__device__ float table', '\n\n__device__ float table'],
  ['threads = 64', 'threads = 128'],
  ['0.1; }', '0.1 + 1; }'],
  // Only the grid of a kernel with operations in double precision: their facts stay, their gain does not.
  ['sines<<<1,', 'sines<<<200000,'],
  ['* stride]', '* stride + 1]'],
  ['columns<<<n, WIDTH', 'columns<<<n, 2 * WIDTH'],
  ['// a line more\n', ''],
  ['weights[64]', 'weights[128]'],
  ['float table[64][64]', 'float table[64][65]'],
  ['int x = threadIdx.x,', 'int z = 0; int x = threadIdx.x,'],
  // What a host function elsewhere does to a kernel's launch, its extents or its name.
  ['static int blocksFor', 'static float blocksFor'],
  ['static float blocksFor', 'static int blocksFor'],
  ['(void)given;', '(void)given; (void)&byRows;'],
  ['(void)&byRows;', 'TAKE;'],
  ['TAKE;', ''],
  ['return 4 * n;', 'calls++; return 4 * n;'],
  ['calls++; ', ''],
  ['inBetween(out);', 'START(dim3(rows, columns), dim3(16, 16))(out, in, rows, columns);'],
  ['dim3(16, 16))(out', 'dim3(8, 16))(out'],
  ['static void run', 'inline int nothing() { return 0; }\nstatic void run'],
];

describe('facts kept between versions', () => {
  it('are those of a fresh reading after each of many edits', async () => {
    const workspace = await memoryWorkspace(new Map());
    const uri = memoryUri('edited.cu');
    let current = text;
    let version = 1;
    let swaps = 0;
    let tiles = 0;
    let gains = 0;
    workspace.analyse(uri, { text: current, version });
    for (const [before, after] of edits) {
      assert.ok(current.includes(before), before);
      current = current.replace(before, after);
      version++;
      const kept = workspace.analyse(uri, { text: current, version })!.model;
      const fresh = (await memoryWorkspace(new Map())).analyse(uri, { text: current, version })!.model;
      assert.ok(fresh.facts.access.length > 10);
      for (const { fixes } of fresh.facts.access) {
        if (fixes?.['swap-axes']) swaps++;
        if (fixes?.['tile-layout']) tiles++;
      }
      assert.deepEqual(kept, fresh, `after "${before}" became "${after}"`);
      // Gains are kept by what facts say: of fresh facts they are computed.
      const [said, computed] = [kept, fresh].map((model) => lint(model, current, { gpu: defaultGpu }).findings);
      gains += computed!.filter(({ gain }) => gain && gain[1] > 1).length;
      assert.deepEqual(said, computed, `findings after "${before}" became "${after}"`);
    }
    assert.ok(swaps > 0 && tiles > 0, 'fixes that depend on launches are among the kept facts');
    assert.ok(gains > edits.length, 'findings have gains');
  });
});

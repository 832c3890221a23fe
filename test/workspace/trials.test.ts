// Fixes are tried first: what is predicted slower, or trades a finding for one as heavy, is repaired or refused.
import { match, ok, equal } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lint } from '../../server/src/lint/lint';
import { applyEdits, fixAll } from '../../server/src/workspace/edits';
import { createTrials, type Trial, type Version } from '../../server/src/workspace/trials';
import { memoryUri, memoryWorkspace } from '../support/analyseText';

const rows = (table: string): string => `${table}
__global__ void filterRows(const float *__restrict__ in, float *__restrict__ out, int rows) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float sum = 0.0f;
  for (int t = 0; t < 1024; t++) sum += taps[t] * in[r * 1024 + t];
  out[r] = sum;
}
void run(const float *in, float *out) { filterRows<<<1024, 256>>>(in, out, 262144); }
`;
const ones = (blocks: number, body: string): string => `
__global__ void decode(const float *__restrict__ m, float *__restrict__ out) {
  int q = blockIdx.x;
  float best = 0.0f;
  ${body}
  out[q] = best;
}
void run(const float *m, float *out) { decode<<<${blocks}, 1>>>(m, out); }
`;
const turn = `
__global__ void turn(const float *__restrict__ a, float *__restrict__ b) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  b[x * 4096 + y] = a[y * 4096 + x];
}
void run(const float *a, float *b) { turn<<<dim3(128, 512), dim3(32, 8)>>>(a, b); }
`;

/** Two kernels that a fix may fuse; `again` launches the first once more. */
const two = (again: string): string => `
__global__ void add(const float *a, const float *b, float *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
__global__ void scale(const float *c, float *d, float s, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) d[i] = s * c[i];
}
int main() {
  const int n = 1 << 20;
  float *a, *b, *c, *d;
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&b, n * sizeof(float));
  cudaMalloc(&c, n * sizeof(float));
  cudaMalloc(&d, n * sizeof(float));
  ${again}
  add<<<n / 256, 256>>>(a, b, c, n);
  scale<<<n / 256, 256>>>(c, d, 2.0f, n);
  cudaDeviceSynchronize();
}
`;

async function readerOf(name: string): Promise<{ readonly uri: string; readonly read: (text: string) => Version }> {
  const uri = memoryUri(name);
  const workspace = await memoryWorkspace(new Map());
  let version = 0;
  return {
    uri,
    read(text) {
      const { model, gpu } = workspace.analyse(uri, { text, version: ++version })!;
      return { text, model, gpu, findings: lint(model, text, { gpu }).findings };
    },
  };
}

async function tried(
  text: string,
  title: RegExp,
  name = 'tried.cu',
): Promise<{ readonly trial: Trial; readonly after: Version }> {
  const { uri, read } = await readerOf(name);
  const before = read(text);
  for (const finding of before.findings)
    for (const fix of finding.fixes)
      if (title.test(fix.title)) {
        const trial = createTrials(uri, read).of(text, finding, fix);
        return { trial, after: 'fix' in trial ? read(applyEdits(text, trial.fix.edits, uri)!) : before };
      }
  throw new Error(`no fix ${String(title)}: ${before.findings.map((one) => one.text).join('\n')}`);
}

describe('trials of fixes', () => {
  it('promise an interval where a fix is as good as it looks', async () => {
    const { trial, after } = await tried(rows('__device__ float taps[1024];'), /^One warp per row/);
    ok('fix' in trial && trial.gain && trial.gain[0] > 1.1, JSON.stringify(trial));
    equal(after.findings.filter(({ severity }) => severity === 'warning').length, 0);
  });

  it('refuse what the file has as another kernel', async () => {
    const flip = (name: string, width: string): string => `
__global__ void ${name}(const float *a, float *b) {
  __shared__ float tile[32][${width}];  // ${name}
  tile[threadIdx.y][threadIdx.x] = a[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  b[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
void run${name}(const float *a, float *b) { ${name}<<<1, dim3(32, 32)>>>(a, b); }
`;
    const alone = await tried(flip('plain', '32'), /^Pad rows/);
    ok('fix' in alone.trial, JSON.stringify(alone.trial));
    const { trial } = await tried(flip('plain', '32') + flip('padded', '33'), /^Pad rows/);
    ok('refused' in trial && trial.refused.includes('`padded`'), JSON.stringify(trial));
  });

  it('refuse another block among all fixes as they refuse it alone', async () => {
    const text = `
__global__ void scale(float *values, float factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] = values[i] * factor;
}
void launch(float *values) {
  const int n = 20000003, threads = 1000;
  scale<<<(n + threads - 1) / threads, threads>>>(values, -1.0f, n);
}
`;
    const { uri, read } = await readerOf('together.cu');
    const { findings } = read(text);
    const finding = findings.find(({ rule }) => rule === 'cuda/block-shape')!;
    const [fix] = finding.fixes;
    const trials = createTrials(uri, read);
    equal('refused' in trials.of(text, finding, fix!), true);
    const relint = (next: string): Version['findings'] => read(next).findings;
    const isEligible = (): boolean => true;
    equal(fixAll(text, uri, findings, relint, isEligible, trials).text, text);
  });

  it('refuse edits at several places of a kernel that is over within the time of its launch', async () => {
    const pairs = (blocks: number): string => `
__global__ void sumPairs(const float *in, float *out) {
  __shared__ float staged[512];
  int t = threadIdx.x;
  staged[t] = in[blockIdx.x * 512 + t];
  staged[t + 256] = in[blockIdx.x * 512 + t + 256];
  __syncthreads();
  out[blockIdx.x * 256 + t] = staged[2 * t] + 1.0f;
}
void launch(const float *in, float *out) { sumPairs<<<${blocks}, 256>>>(in, out); }
`;
    const { trial } = await tried(pairs(1), /^Pad `staged`/);
    ok('refused' in trial, JSON.stringify(trial));
    match(trial.refused, /predicted to take/);
  });

  for (const [what, launch, length, gains] of [
    ['a short thread', '<<<(count + 47) / 48, 48>>>', 'n', false],
    ['few lanes', '<<<(count + 7) / 8, 8>>>', '1024', true],
  ] as const)
    it(`take another block of ${what} only where it gains at every length`, async () => {
      const text = `
__global__ void k(float *v, int n, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float x = v[i];
  for (int s = 0; s < ${length}; s++) x = x * 1.5f + 0.5f;
  v[i] = x;
}
void run(float *v, int n, int count) { k${launch}(v, n, count); }
`;
      const { trial } = await tried(text, /^Use blocks of/);
      equal('fix' in trial, gains, JSON.stringify(trial));
    });

  it('move a table out of constant memory that lanes read after it', async () => {
    const { trial, after } = await tried(rows('__constant__ float taps[1024];'), /^One warp per row/);
    ok('fix' in trial, JSON.stringify(trial));
    match(after.text, /__device__ float taps/);
    match(trial.fix.title, /^One warp per row.*; .*`taps`/, 'the title says both');
  });

  it('refuse threads for blocks where too few blocks are left', async () => {
    const walk = 'for (int k = 0; k < 256; k++) best = fmaxf(best, m[q * 256 + k]);';
    const { trial } = await tried(ones(4096, walk), /^One thread per element/);
    ok('refused' in trial, JSON.stringify(trial));
    match(trial.refused, /predicted to take|as heavy/);
  });

  for (const [blocks, threads] of [
    [1_000_000, 256],
    [20_000, 128],
  ] as const)
    it(`take blocks of ${threads} for ${blocks} threads`, async () => {
      const { trial, after } = await tried(ones(blocks, 'best = sinf(m[q]);'), /^One thread per element/);
      ok('fix' in trial, JSON.stringify(trial));
      ok(after.text.includes(`<<<${Math.ceil(blocks / threads)}, ${threads}>>>`), after.text);
    });

  for (const [what, again] of [
    ['both', ''],
    ['one of two launches', 'add<<<n / 256, 256>>>(b, a, d, n);\n  cudaDeviceSynchronize();'],
  ] as const)
    it(`hold a fused kernel against ${what} that it takes the place of`, async () => {
      const { trial } = await tried(two(again), /^Fuse into one kernel/);
      ok('fix' in trial, JSON.stringify(trial));
    });

  it('take all runs of a kernel at once that store the same vectors', async () => {
    const text = `
__global__ void store(const float *__restrict__ in, float *__restrict__ out) {
  int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  float a = in[i];
  out[i] = a;
  out[i + 1] = -a;
  float b = a * a;
  out[i + 2] = b;
  out[i + 3] = -b;
}
void run(const float *in) {
  float *out;
  cudaMalloc(&out, 1 << 26);
  store<<<16384, 256>>>(in, out);
}
`;
    const { after } = await tried(text, /^Store 2 elements as float2/);
    equal(after.text.match(/make_float2/g)?.length, 2);
  });

  it('write all powers of a function at once, with or without a name for the base', async () => {
    const text = `
__global__ void k(const float *in, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = powf(sinf(in[i]), 2.0f) + powf(in[i], 2.0f);
}
void run(const float *in, float *out) { k<<<16384, 256>>>(in, out); }
`;
    const { after } = await tried(text, /^Write 2 powers as products or roots/);
    match(after.text, /const float base = sinf\(in\[i\]\);\n {2}out\[i\] = base \* base \+ in\[i\] \* in\[i\];/);
  });

  it('offer what makes warps of one path of lanes that alternate', async () => {
    const text = `
__global__ void iterate(float *values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = values[i];
  if (threadIdx.x % 2 == 0) {
    for (int k = 0; k < 200; k++) v = sinf(v) + 1.0f;
  } else {
    for (int k = 0; k < 200; k++) v = cosf(v) * 0.5f;
  }
  values[i] = v;
}
void run(float *values) { iterate<<<16384, 256>>>(values, 4194304); }
`;
    const { trial } = await tried(text, /^Split even and odd threads/);
    ok('fix' in trial, JSON.stringify(trial));
  });

  it('leave the next step of an OpenACC loop to its own finding', async () => {
    const text = readFileSync(join(__dirname, '../../samples/openacc/conjugate-gradient/1-naive.c'), 'utf8');
    const { trial, after } = await tried(text, /to vector lanes$/, 'conjugate-gradient.c');
    ok('fix' in trial, JSON.stringify(trial));
    ok(after.findings.some(({ rule }) => rule === 'acc/vector-length'));
  });

  it('find a padding without conflicts for a tile of 32 × 8', async () => {
    const { trial, after } = await tried(turn, /^Stage in a shared/);
    ok('fix' in trial && trial.gain && trial.gain[0] > 1.1, JSON.stringify(trial));
    equal(after.findings.length, 0);
  });
});

// What the comparison says of changes whose effect on the GPU is known, and what the gate of the action makes of them.
import { deepStrictEqual } from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand, writeFiles } from '../support/commandLine';

const rows = (type: string, count: string, body: string): string => `
__global__ void rows(const float *__restrict__ x, const float *w, float *__restrict__ y, int n) {
  const ${type} *in = reinterpret_cast<const ${type} *>(x + (long)blockIdx.x * n);
  ${type} *out = reinterpret_cast<${type} *>(y + (long)blockIdx.x * n);
  for (int i = threadIdx.x; i < ${count}; i += blockDim.x) { ${body} }
}
void go(const float *x, const float *w, float *y, int n, int m) { rows<<<m, 256>>>(x, w, y, n); }
`;
const scalar = rows('float', 'n', 'out[i] = in[i];');

/** Squares summed by a grid whose warps, or whose blocks, add to one word. */
const sums = (shared: string, end: string): string => `
__global__ void sums(const unsigned char *a, unsigned long long *sum, int n) {
  ${shared}
  int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
  unsigned s = i < n ? a[i] * a[i] : 0;
  for (int d = 16; d > 0; d >>= 1) s += __shfl_down_sync(0xffffffff, s, d);
  ${end}
}
void go(const unsigned char *a, unsigned long long *s, int n) { sums<<<(n + 255) / 256, 256>>>(a, s, n); }
`;
const byWarp = sums('', 'if (t % 32 == 0) atomicAdd(sum, (unsigned long long)s);');
const byBlock = sums(
  '__shared__ unsigned part[8];',
  `if (t % 32 == 0) part[t / 32] = s;
  __syncthreads();
  if (t == 0) {
    unsigned long long all = 0;
    for (int k = 0; k < 8; k++) all += part[k];
    atomicAdd(sum, all);
  }`,
);

/** The fix of slow-math writes products. */
const power = (cube: string, between = ''): string => `
__global__ void power(const double *sq, const int *kind, double *e, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int k = kind[i];
  double a = ${cube};
  ${between}
  e[i] = a + pow(sq[k], 2.5);
}
void go(const double *s, const int *k, double *e, int n) { power<<<(n + 255) / 256, 256>>>(s, k, e, n); }
`;

/** Two versions, what is said of the second, and how many conditions of the gate it breaks. */
const changes: Readonly<Record<string, readonly [before: string, after: string, verdict: string, breaches: number]>> = {
  'a loop with wider accesses moves as much': [scalar, rows('float4', 'n / 4', 'out[i] = in[i];'), 'differs', 0],
  'an array that a loop reads besides is more': [
    scalar,
    rows('float', 'n', 'out[i] = in[i] * w[i];'),
    'slower: more traffic',
    1,
  ],
  'a stride in a loop of unknown length is more': [
    scalar,
    rows('float', 'n', 'out[i] = in[i * 8];'),
    'slower: more traffic',
    1,
  ],
  'a load that is written again is one load': [power('pow(sq[k], 3)'), power('sq[k] * sq[k] * sq[k]'), 'same', 0],
  'a load after a store is another': [
    power('pow(sq[k], 3)'),
    power('pow(sq[k], 3)', 'e[i] = a;'),
    'slower: more traffic',
    1,
  ],
  'fewer atomics outweigh a barrier': [byWarp, byBlock, 'faster: fewer atomics, but more traffic, more barriers', 2],
  'more atomics outweigh a barrier': [byBlock, byWarp, 'slower: more atomics, but less traffic, fewer barriers', 2],
};

describe('the comparison of changes with a known effect', () => {
  let folder: string;
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'warplens-verdicts-test-')));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const gate = 'sectors <= +5 %, wavefronts <= +5 %, atomics <= +5 %, barriers <= +0, unknown <= +0';
  for (const [title, [before, after, ...expected]] of Object.entries(changes))
    it(title, async () => {
      writeFiles(folder, { 'before/a.cu': before, 'after/a.cu': after });
      const sides = ['before', 'after'].map((side) => join(folder, side));
      const { out } = await runCommand('diff', ...sides, '--no-cache', '--format', 'json', '--gate', gate);
      const { changedKernels, gate: held } = JSON.parse(out) as {
        changedKernels: readonly { verdict: string }[];
        gate: { breaches: readonly string[] };
      };
      const timed = await runCommand('diff', ...sides, '--no-cache', '--gate', 'time <= +5 %');
      deepStrictEqual(timed.code, expected[0].startsWith('slower') ? 1 : 0);
      deepStrictEqual([changedKernels[0]?.verdict ?? 'same', held.breaches.length], expected);
    });
});

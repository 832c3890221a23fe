// What the comparison says of changes with a known effect, of generic kernels, and whether the gate passes.
import { deepStrictEqual, match } from 'node:assert/strict';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand, writeFiles } from '../support/commandLine';

const rows = (loop: string, type = 'float', count = 'n'): string => `
__global__ void rows(const float *__restrict__ x, const float *w, float *__restrict__ y, int n) {
  const ${type} *in = reinterpret_cast<const ${type} *>(x + (long)blockIdx.x * n);
  ${type} *out = reinterpret_cast<${type} *>(y + (long)blockIdx.x * n);
  for (int i = threadIdx.x; i < ${count}; i += blockDim.x) { ${loop} }
}
void go(const float *x, const float *w, float *y, int n, int m) { rows<<<m, 256>>>(x, w, y, n); }
`;
const scalar = rows('out[i] = in[i];');

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
const power = (cube = 'pow(sq[k], 3)', between = ''): string => `
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

const index = 'int i = blockIdx.x * blockDim.x + threadIdx.x;';
const body = 'if (i < n) out[i] = in[i];';

const plain = `__global__ void copy(float *out, const float *in, int n) {
  ${index}
  ${body}
}
void go(float *out, float *in) { copy<<<4096, 256>>>(out, in, 1 << 20); }
`;
const generic = `struct Copy {
  float *out;
  const float *in;
  __device__ void operator()(int i, int n) const { ${body} }
};
template <class F>
__global__ void copy(F f, int n) {
  ${index}
  f(i, n);
}
void go(float *out, float *in) { copy<<<4096, 256>>>(Copy{out, in}, 1 << 20); }
`;

interface Compared {
  readonly comparedKernels: number;
  readonly changedKernels: readonly Readonly<Record<'line' | 'verdict' | 'unit', string | number>>[];
  readonly newKernels: readonly unknown[];
  readonly goneKernels: readonly unknown[];
  readonly gate: { readonly passed: boolean };
}

/** Two versions, and what is said of the second; the gate breaks where it is slower. */
const changes: Readonly<Record<string, readonly [before: string, after: string, verdict: string]>> = {
  'a loop with wider accesses moves as much': [scalar, rows('out[i] = in[i];', 'float4', 'n / 4'), 'differs'],
  'an array that a loop reads besides is more': [
    scalar,
    rows('out[i] = in[i] * w[in - x + i];'),
    'slower: more traffic',
  ],
  'a stride in a loop of unknown length is more': [scalar, rows('out[i] = in[i * 8];'), 'slower: more traffic'],
  'a load that is written again is one load': [power(), power('sq[k] * sq[k] * sq[k]'), 'same'],
  'a load after a store is another': [power(), power('pow(sq[k], 3)', 'e[i] = a;'), 'as fast: more traffic'],
  'fewer atomics outweigh a barrier': [byWarp, byBlock, 'faster: fewer atomics, but more traffic, more barriers'],
  'a kernel can lose all its accesses': [plain, plain.replace(body, ''), 'as fast: less traffic'],
  'a kernel of which more is read is not slower by that': [
    plain.replace(body, 'take(out + i, in + i);'),
    plain,
    'cannot be compared: more of it is read than before',
  ],
  'a loop over the grid may move as much': [
    plain,
    plain.replace('if (i < n)', 'for (; i < *in; i += 1 << 20)'),
    'cannot be compared: the length of loops is unknown in one version alone',
  ],
  'another stride of a body is more': [generic, generic.replace('in[i]', 'in[8 * i]'), 'slower: more traffic'],
  'more atomics outweigh a barrier': [byBlock, byWarp, 'slower: more atomics, but less traffic, fewer barriers'],
};

describe('the comparison of changes with a known effect', () => {
  const gate = /^ {2}gate:\n.*\n {4}default: (.*)$/m.exec(
    readFileSync(join(__dirname, '../../action.yml'), 'utf8'),
  )![1]!;
  let folder: string;
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'warplens-verdicts-test-')));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  async function diff(before: string, after: string, format = 'json'): Promise<string> {
    writeFiles(folder, { 'before/copy.cu': before, 'after/copy.cu': after });
    const sides = ['before', 'after'].map((side) => join(folder, side));
    return (await runCommand('diff', ...sides, '--no-cache', '--format', format, '--gate', gate)).out;
  }
  const compared = async (before: string, after: string): Promise<Compared> =>
    JSON.parse(await diff(before, after)) as Compared;
  async function counts(before: string, after: string): Promise<number[]> {
    const { comparedKernels, changedKernels, newKernels, goneKernels } = await compared(before, after);
    return [comparedKernels, changedKernels.length, newKernels.length, goneKernels.length];
  }

  for (const [title, [before, after, verdict]] of Object.entries(changes))
    it(title, async () => {
      const { changedKernels, gate: held } = await compared(before, after);
      deepStrictEqual([changedKernels[0]?.verdict ?? 'same', held.passed], [verdict, !verdict.startsWith('slower')]);
    });

  it('counts other blocks and another stride for the body alone', async () => {
    const after = generic.replace('4096, 256', '2048, 512').replace('in[i]', 'in[8 * i]');
    const [{ line, unit }] = (await compared(generic, after)).changedKernels as [Compared['changedKernels'][0]];
    deepStrictEqual([line, unit], [4, 'launch']);
    const text = await diff(generic, after, 'text');
    match(text, /blocks of 256 → 512 threads, launched at copy\.cu:11\n/);
    match(text, /global memory sectors per launch +262,144 → 1,179,650 /);
  });

  it('counts a new kernel, one that is gone, and one whose body moved into a functor once', async () => {
    const none = '__global__ void none(float *out) { *out = 1; }\n';
    deepStrictEqual(await counts(none, none + generic), [1, 0, 1, 0]);
    deepStrictEqual(await counts(none + generic, none), [1, 0, 0, 1]);
    deepStrictEqual(await counts(plain, generic), [1, 0, 0, 0]);
    deepStrictEqual(await counts(generic, plain), [1, 0, 0, 0]);
  });
});

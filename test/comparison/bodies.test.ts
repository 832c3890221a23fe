// Generic kernels in two versions: what a launch asks for counts for the body that it gives, once.
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand, writeFiles } from '../support/commandLine';

interface Compared {
  readonly comparedKernels: number;
  readonly changedKernels: readonly {
    readonly line: number;
    readonly verdict: string;
    readonly unit: string;
    readonly before: { readonly sectors: number };
    readonly after: { readonly sectors: number };
  }[];
  readonly newKernels: readonly unknown[];
  readonly goneKernels: readonly unknown[];
}

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

describe('the comparison of generic kernels', () => {
  let folder: string;
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'warplens-bodies-test-')));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  async function diff(before: string, after: string, format = 'json'): Promise<string> {
    writeFiles(folder, { 'before/copy.cu': before, 'after/copy.cu': after });
    const sides = ['before', 'after'].map((side) => join(folder, side));
    return (await runCommand('diff', ...sides, '--no-cache', '--format', format)).out;
  }
  const compared = async (before: string, after: string): Promise<Compared> =>
    JSON.parse(await diff(before, after)) as Compared;
  const counts = (one: Compared): number[] =>
    [one.comparedKernels, one.changedKernels, one.newKernels, one.goneKernels].map((each) =>
      typeof each === 'number' ? each : each.length,
    );

  it('counts other blocks and another stride for the body alone', async () => {
    const after = generic.replace('4096, 256', '2048, 512').replace('in[i]', 'in[8 * i]');
    const result = await compared(generic, after);
    deepStrictEqual(counts(result), [1, 1, 0, 0]);
    const [{ line, verdict, unit, before, after: now }] = result.changedKernels as [Compared['changedKernels'][0]];
    deepStrictEqual([line, verdict, unit], [4, 'slower: more traffic', 'launch']);
    deepStrictEqual([before.sectors, now.sectors], [4096 * 8 * 8, 2048 * 16 * 36]);
    match(await diff(generic, after, 'text'), /blocks of 256 → 512 threads, launched at copy\.cu:11\n/);
  });

  it('counts a new kernel, and one that is gone, once', async () => {
    const none = '__global__ void none(float *out) { *out = 1; }\n';
    deepStrictEqual(counts(await compared(none, none + generic)), [1, 0, 1, 0]);
    deepStrictEqual(counts(await compared(none + generic, none)), [1, 0, 0, 1]);
  });

  it('follows a kernel whose body moved into a functor', async () => {
    deepStrictEqual(counts(await compared(plain, generic)), [1, 0, 0, 0]);
    deepStrictEqual(counts(await compared(generic, plain)), [1, 0, 0, 0]);
  });

  it('follows a kernel that lost all its accesses', async () => {
    const result = await compared(plain, plain.replace(body, ''));
    deepStrictEqual(counts(result), [1, 1, 0, 0]);
    strictEqual(result.changedKernels[0]!.verdict, 'as fast: less traffic');
  });
});

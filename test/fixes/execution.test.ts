// A few variations of each family of fixes, executed on both sides; `npx tsx lab/fuzz/fixes.ts` runs as many as one likes.
import assert from 'node:assert/strict';
import { drawn, sampleOf } from '../support/depth';
import { skipBecause } from '../support/skipBecause';
import { hasCompiler, type Outcome, type Pair, plainText, runPairs } from '../support/onProcessor/pairs';
import { type Family, families } from './families';
import { drawFrom, fixedBy } from './variations';

const count = drawn(1, 8);
/** Families whose variations go into one program: most of the time is g++ reading its headers. */
const together = drawn(12, 1);

describe('fixes executed on the processor', function () {
  this.timeout(120_000);
  before(function () {
    if (!hasCompiler()) skipBecause(this, 'g++ is not there');
  });
  async function fixedPairs({ name, titles, vary }: Family): Promise<Pair[]> {
    const pairs: Pair[] = [];
    let seed = 0;
    for (; pairs.length < count && seed < 5 * Math.max(count, 4); seed++) {
      const { text, reference = text, ...rest } = vary(drawFrom(20_000 + seed), `${name} ${seed}`);
      const after = (await fixedBy(text, titles))?.after;
      if (after !== undefined) pairs.push({ ...rest, before: reference, after });
    }
    assert.equal(pairs.length, count, `${seed} variations of ${name} were drawn`);
    return pairs;
  }

  const those = sampleOf(families, 12);
  for (let at = 0; at < those.length; at += together) {
    const group = those.slice(at, at + together);
    it(`${group.map(({ name }) => name).join(', ')}: ${count} of each, the same before and after`, async () => {
      const pairs: Pair[] = [];
      for (const family of group) pairs.push(...(await fixedPairs(family)));
      assert.deepEqual(
        (await runPairs(pairs)).filter(({ problem }) => problem !== undefined),
        [],
      );
    });
  }

  describe('the processor', () => {
    const pair = (before: string, after: string): Pair => ({
      name: 'pair',
      before: `${before}void run(float *v, int n) { k<<<1, 64>>>(v, n); }\n`,
      after: `${after}void run(float *v, int n) { k<<<1, 64>>>(v, n); }\n`,
      parameters: [{ name: 'v', type: 'float', count: 'n' }, { size: 'n' }],
      sizes: [{ n: 64 }],
    });
    const turn = (between: string): string =>
      `__global__ void k(float *v, int n) {\n  __shared__ float s[64];\n  s[threadIdx.x] = v[threadIdx.x];\n  ${between}\n  v[threadIdx.x] = s[63 - threadIdx.x];\n}\n`;
    const copy = (body: string): string =>
      `__global__ void k(float *v, const float *w) { ${body} }\nvoid run(float *v, const float *w) { k<<<1, 64>>>(v, w); }\n`;
    const waits = (wait: string): string =>
      `__global__ void k(float *v, int n) { v[threadIdx.x] += 1; }\nvoid run(float *v, int n) {\n  k<<<1, 64>>>(v, n);\n  ${wait}\n  v[0] *= 2;\n}\n`;
    const barrier = turn('__syncthreads();');
    const unlike = (before: string, after: string, more: Partial<Pair> = {}): Pair => ({
      ...pair('', ''),
      before,
      after,
      ...more,
    });
    const arrays = ['v', 'w'].map((name) => ({ name, type: 'float', count: '64' }));
    const found: readonly (readonly [string, Pair, RegExp])[] = [
      ['nothing where both are the same', pair(barrier, barrier), /^$/],
      ['a barrier that is missing', pair(barrier, turn('')), /is .* before and .* after/],
      [
        'a barrier that some threads never reach',
        pair(barrier, turn('if (threadIdx.x < 32) return; __syncthreads();')),
        /ended before a barrier/,
      ],
      [
        'lanes that wait apart',
        pair(barrier, turn('if (threadIdx.x % 2) __syncwarp(); else __syncthreads();')),
        /wait for each other/,
      ],
      [
        'an address beyond the array',
        pair(barrier, barrier.replace('v[threadIdx.x] =', 'v[threadIdx.x + n] =')),
        /beyond an array/,
      ],
      [
        'a copy between arrays that is left out',
        unlike(copy('v[threadIdx.x] = w[threadIdx.x];'), copy(''), { parameters: arrays }),
        /v\[\d+\] is .* before and .* after/,
      ],
      [
        'a result that is read before the host has waited for it',
        unlike(waits('cudaDeviceSynchronize();'), waits('')),
        /v\[0\] is .* before and .* after/,
      ],
    ];
    let outcomes: readonly Outcome[] = [];
    before(async () => {
      outcomes = await runPairs(found.map(([, each]) => each));
    });
    for (const [at, [name, , said]] of found.entries())
      it(`finds ${name}`, () => assert.match(outcomes[at]!.problem ?? '', said));
    it('finds what does not compile', async () => {
      const [outcome] = await runPairs([pair(barrier, turn('nothing_of_the_kind();'))]);
      assert.match(outcome?.problem ?? '', /g\+\+ refuses it/);
    });
    it('reads launches and dynamic shared memory as C++', async () =>
      assert.equal(
        (
          await plainText(
            '#include <x>\n__global__ void k(float *v, int n) { extern __shared__ float s[]; }\nvoid run() { k<<<1, dim3(2, 2), 4 * n>>>(v, 0); }\n',
          )
        ).trim(),
        '__global__ void k(float *v, int n) { float *s = reinterpret_cast<float *>(processor::dynamicShared); }\n' +
          'void run() { processor::enqueue([grid = dim3(1), block = dim3(dim3(2, 2)), shared = size_t(4 * n), ' +
          'given0 = (v)] { processor::launch(grid, block, shared, [&] { k(given0, 0); }); }); }',
      ));
  });
});

// Shared-memory reductions: which forms are recognised as one, which are not, and what the rewrite says.
import assert from 'node:assert/strict';
import type { SweepFact } from '../../../../server/src/semantic/model';
import { callSitesOf } from '../../../../server/src/semantic/language/callSites';
import { Fn, type BlockShape } from '../../../../server/src/semantic/language/fn';
import { findSweeps } from '../../../../server/src/semantic/fixes/reductions/find';
import { testSyntax } from '../../../support/analyseText';

interface Launch {
  readonly shapes?: readonly BlockShape[];
  readonly values?: Readonly<Record<string, number>>;
  readonly types?: Readonly<Record<string, string>>;
}

async function sweepsIn(
  text: string,
  { shapes = [[256, 1, 1]], values = {}, types = {} }: Launch = {},
  name = 'k',
): Promise<SweepFact[]> {
  const unit = (await testSyntax()).parse(
    'file:///memory/sweeps.cu',
    text,
    0,
    { defines: {}, computeCapability: 90 },
    { resolve: () => undefined },
  );
  const fn = unit.main.functions.find((one) => one.name === name && one.body);
  assert.ok(fn, `${name} is there`);
  return findSweeps(
    new Fn(unit, unit.main, fn, {
      blockShapes: shapes,
      launchValues: shapes.map(() => new Map(Object.entries(values))),
      launchTypes: shapes.map(() => new Map(Object.entries(types))),
      callSites: callSitesOf(unit, fn, 'device'),
    }),
  );
}

const kernel = (body: string, { type = 'float', head = '', size = '256', tid = 'threadIdx.x' } = {}): string =>
  `${head}__global__ void k(const ${type} *in, ${type} *out, int n) {\n  __shared__ ${type} a[${size}];\n  int t = ${tid};\n  a[t] = in[t];\n  __syncthreads();\n${body}\n  if (t == 0) out[blockIdx.x] = a[0];\n}\n`;
const loop = (combine: string, header = 'int s = blockDim.x / 2; s > 0; s >>= 1'): string =>
  `  for (${header}) {\n    ${combine}\n    __syncthreads();\n  }`;

describe('sweeps over shared memory', () => {
  const operators: readonly (readonly [string, string, string?])[] = [
    ['+', 'if (t < s) a[t] += a[t + s];'],
    ['+', 'if (t < s) a[t] = a[t] + a[t + s];'],
    ['+', 'if (t < s) a[t] = a[s + t] + a[t];'],
    ['+', 'if (s > t) { float other = a[t + s]; a[t] += other; }'],
    ['+', 'if (t < s) *(a + t) += *(a + t + s);'],
    ['max', 'if (t < s) a[t] = fmaxf(a[t], a[t + s]);'],
    ['max', 'if (t < s) a[t] = max(a[t + s], a[t]);'],
    ['max', 'if (t < s) a[t] = a[t] > a[t + s] ? a[t] : a[t + s];'],
    ['max', 'if (t < s) if (a[t] < a[t + s]) a[t] = a[t + s];'],
    ['min', 'if (t < s && a[t + s] < a[t]) a[t] = a[t + s];'],
    ['min', 'if (t < s) a[t] = a[t + s] <= a[t] ? a[t + s] : a[t];'],
    ['min', 'if (t < s) a[t] = MIN(a[t], a[t + s]);', '#define MIN(x, y) ((x) < (y) ? (x) : (y))\n'],
  ];
  for (const [operator, combine, head] of operators) {
    it(`${combine} is ${operator}`, async () => {
      const [fact, ...more] = await sweepsIn(kernel(loop(combine), { head }));
      assert.equal(more.length, 0);
      assert.equal(fact?.operator, operator);
      assert.equal(fact.array, 'a');
      assert.equal(fact.elements, 256);
      assert.ok(fact.rewrite, fact.why);
    });
  }
  for (const [operator, sign] of [
    ['&', '&='],
    ['|', '|='],
    ['^', '^='],
  ] as const) {
    it(`${sign} on integers is exact`, async () => {
      const [fact] = await sweepsIn(kernel(loop(`if (t < s) a[t] ${sign} a[t + s];`), { type: 'unsigned int' }));
      assert.equal(fact?.operator, operator);
      assert.equal(fact.rewrite?.exact, true);
    });
  }

  const headers: readonly (readonly [string, string, SweepFact['direction'], string?])[] = [
    ['a halved constant', 'unsigned int s = 128; s >= 1; s /= 2', 'halving'],
    ['a comparison with zero', 'int s = 128; s != 0; s = s / 2', 'halving'],
    ['a shifted counter', 'int s = blockDim.x >> 1; s; s = s >> 1', 'halving'],
    ['a doubled counter', 'int s = 1; s < blockDim.x; s *= 2', 'modulo', 'if (t % (2 * s) == 0) a[t] += a[t + s];'],
    ['a mask', 'int s = 1; s < 256; s <<= 1', 'modulo', 'if ((t & (2 * s - 1)) == 0) a[t] += a[t + s];'],
    [
      'a strided index',
      'int s = 1; s < blockDim.x; s += s',
      'doubling',
      'int i = 2 * s * t; if (i < blockDim.x) a[i] += a[i + s];',
    ],
    ['a mirrored partner', 'int s = 128; s > 0; s >>= 1', 'halving', 'if (t < s) a[t] += a[2 * s - 1 - t];'],
  ];
  for (const [name, header, direction, combine = 'if (t < s) a[t] += a[t + s];'] of headers) {
    it(`follows ${name}`, async () => {
      const [fact] = await sweepsIn(kernel(loop(combine, header)));
      assert.equal(fact?.direction, direction);
      assert.ok(fact.rewrite, fact.why);
    });
  }

  const silent: readonly (readonly [string, string])[] = [
    [
      'a scan',
      kernel(loop('float v = t >= s ? a[t - s] : 0; __syncthreads(); a[t] += v;', 'int s = 1; s < blockDim.x; s *= 2')),
    ],
    [
      'an element that is left out',
      kernel(loop('if (t < s) a[t] += a[t + s];', 'int s = blockDim.x / 2; s > 1; s >>= 1')),
    ],
    ['an element that goes in twice', kernel(loop('if (t < s) a[t] += a[t + s] + a[t + s];'))],
    ['two operators', kernel(loop('if (t < s) { if (s > 8) a[t] += a[t + s]; else a[t] = fmaxf(a[t], a[t + s]); }'))],
    ['a product', kernel(loop('if (t < s) a[t] *= a[t + s];'))],
    ['a weighted sum', kernel(loop('if (t < s) a[t] += 2.0f * a[t + s];'))],
    ['threads that race', kernel(loop('a[t] += a[(t + s) % 256];'))],
    ['segments of one warp each', kernel(loop('if (t < s) a[t] += a[t + s];').replace('__syncthreads', '__syncwarp'))],
    ['other work in the loop', kernel(loop('if (t < s) a[t] += a[t + s]; out[t] = a[t];'))],
    [
      'a sweep over global memory',
      `__global__ void k(float *a) { int t = threadIdx.x; ${loop('if (t < s) a[t] += a[t + s];')} }`,
    ],
    ['a partial result that is read', kernel(`${loop('if (t < s) a[t] += a[t + s];')}\n  out[t] = a[t];`)],
    [
      'a partial result that one thread reads',
      kernel(`${loop('if (t < s) a[t] += a[t + s];')}\n  if (t == 0) out[1] = a[1];`),
    ],
    [
      'an array that is handed on',
      `__device__ void use(float *);\n${kernel(`${loop('if (t < s) a[t] += a[t + s];')}\n  use(a);`)}`,
    ],
  ];
  for (const [name, text] of silent)
    it(`is silent for ${name}`, async () => assert.deepEqual(await sweepsIn(text), []));

  // Who reads the array after the sweep, and how: its first element in any spelling is the result.
  const behind = (text: string): string => kernel(`${loop('if (t < s) a[t] += a[t + s];')}\n  ${text}`);
  for (const [name, text] of [
    ['through the array itself', 'if (t == 0) out[1] = *a;'],
    ['through a sum with zero', 'if (t == 0) out[1] = *(a + 0);'],
    ['through another name', 'const float *all = a;\n  if (t == 0) out[1] = *all;'],
    ['through a cast to another name', 'const float *all = (const float *)a;\n  if (t == 0) out[1] = all[0];'],
    ['by its address', 'if (t == 0) out[1] = *&a[0];'],
    [
      'after other values were written to it',
      '__syncthreads();\n  a[t] = in[t];\n  __syncthreads();\n  out[t + 1] = a[255 - t];',
    ],
  ] as const)
    it(`takes the result ${name}`, async () => assert.equal((await sweepsIn(behind(text))).length, 1));
  for (const [name, text] of [
    ['through a sum', 'if (t == 0) out[1] = *(a + 1);'],
    ['through two sums', 'if (t == 0) out[1] = *(a + 0 + t + 1);'],
    ['through another name', 'const float *all = a;\n  if (t == 0) out[1] = all[1];'],
    ['by an address', 'if (t == 0) keep(&a[1]);'],
    ['as a whole, in a sum', 'if (t == 0) keep(a + 1);'],
    ['as a whole, handed on', 'if (t == 0) keep(a);'],
    ['where its first element alone was written', 'if (t == 0) a[0] = 1;\n  out[t] = a[t];'],
    ['with what was there added to', '__syncthreads();\n  a[t] += in[t];\n  out[t] = a[t];'],
    ['by an index of memory', 'if (t == 0) out[1] = a[int(in[0])];'],
  ] as const)
    it(`is silent where partial results are read ${name}`, async () =>
      assert.deepEqual(
        await sweepsIn(behind(text).replace('__global__', '__device__ void keep(float *);\n__global__')),
        [],
      ));

  it('is silent where the partial results are read around a loop, and not where they are overwritten', async () => {
    const around = (first: string): string =>
      kernel(
        `  for (int r = 0; r < n; r++) {\n    ${first}\n    __syncthreads();\n  ${loop('if (t < s) a[t] += a[t + s];')}\n  }`,
      );
    assert.equal((await sweepsIn(around('out[t] = a[t];'))).length, 0);
    assert.equal((await sweepsIn(around('a[t] = in[r * 256 + t];'))).length, 1);
  });

  it('reads the index through variables, macros and dimensions', async () => {
    for (const [tid, shape, head] of [
      ['threadIdx.y * blockDim.x + threadIdx.x', [32, 8, 1], ''],
      ['threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)', [8, 8, 4], ''],
      ['TID', [256, 1, 1], '#define TID (threadIdx.x)\n'],
      ['threadIdx.y', [1, 256, 1], ''],
    ] as const) {
      const [fact] = await sweepsIn(
        kernel(loop('if (t < s) a[t] += a[t + s];', 'int s = 128; s > 0; s >>= 1'), { tid, head }),
        { shapes: [shape] },
      );
      assert.ok(fact?.rewrite, `${tid}: ${fact?.why ?? ''}`);
    }
    // Neighbours in a warp are not neighbours in the array here, which does not matter to a total.
    const [transposed] = await sweepsIn(
      kernel(loop('if (t < s) a[t] += a[t + s];', 'int s = 128; s > 0; s >>= 1'), {
        tid: 'threadIdx.x * blockDim.y + threadIdx.y',
      }),
      { shapes: [[16, 16, 1]] },
    );
    assert.match(transposed?.rewrite?.edits[0]?.newText ?? '', /\(threadIdx\.y \* blockDim\.x \+ threadIdx\.x\)/);
    assert.equal(
      (await sweepsIn(kernel(loop('if (t < s) a[t] += a[t + s];')), { shapes: [[128, 2, 1]] })).length,
      0,
      'two rows that sweep one array race',
    );
  });

  it('asks every launch', async () => {
    const text = kernel(loop('if (t < s) a[t] += a[t + s];'));
    assert.equal(
      (
        await sweepsIn(text, {
          shapes: [
            [256, 1, 1],
            [64, 1, 1],
          ],
        })
      )[0]?.blockThreads,
      undefined,
    );
    assert.ok(
      (
        await sweepsIn(text, {
          shapes: [
            [256, 1, 1],
            [64, 1, 1],
          ],
        })
      )[0]?.rewrite,
    );
    assert.equal(
      (
        await sweepsIn(text, {
          shapes: [
            [256, 1, 1],
            [96, 1, 1],
          ],
        })
      ).length,
      0,
      '96 threads lose an element',
    );
    const fixed = kernel(loop('if (t < s) a[t] += a[t + s];', 'int s = 128; s > 0; s >>= 1'));
    assert.match((await sweepsIn(fixed, { shapes: [] }))[0]?.why ?? '', /gives the block size/);
  });

  it('leaves the sweep alone where no launch fixes the block', async () => {
    const [sweep] = await sweepsIn(kernel(loop('if (t < s) a[t] += a[t + s];')), { shapes: [] });
    assert.match(sweep?.why ?? '', /no known launch gives the block size/);
  });

  it('tells the thread in the block from the thread in the grid', async () => {
    const text = kernel(loop('if (i % (2 * s) == 0) a[t] += a[t + s];', 'int s = 1; s < blockDim.x; s *= 2')).replace(
      '  a[t] = in[t];',
      '  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  a[t] = in[i];',
    );
    const [sweep] = await sweepsIn(text);
    assert.match(sweep?.rewrite?.edits[0]?.newText ?? '', /float total = a\[t\];/);
    assert.deepEqual(
      await sweepsIn(text, { shapes: [[96, 1, 1]] }),
      [],
      'block 1 begins at 96, which is not a multiple of 64',
    );
  });

  it('reduces the elements of the pointer, not those of the array that it was cast from', async () => {
    const text = kernel(loop('if (t < s) sums[t] += sums[t + s];')).replace(
      '  __shared__ float a[256];',
      '  __shared__ unsigned char bytes[1024];\n  float *sums = (float *)bytes;\n  float *a = sums;',
    );
    const [sweep] = await sweepsIn(text);
    assert.match(sweep?.rewrite?.edits[0]?.newText ?? '', /float total = sums\[t\];/);
  });

  it('keeps out of reach what cannot be rewritten', async () => {
    const body = loop('if (t < s) a[t] += a[t + s];');
    assert.match((await sweepsIn(kernel(`  if (t >= n) return;\n${body}`)))[0]?.why ?? '', /returned/);
    assert.ok((await sweepsIn(kernel(`  if (n == 0) return;\n${body}`)))[0]?.rewrite, 'all threads return together');
    assert.match((await sweepsIn(kernel(body, { type: 'bool' }).replace('+=', '|=')))[0]?.why ?? '', /bool/);
    assert.match(
      (await sweepsIn(kernel(body.replace('int s = blockDim.x / 2', 'int s = n / 2'))))[0]?.why ?? '',
      /`n`/,
    );
    assert.match(
      (
        await sweepsIn(
          kernel(
            `#ifdef X\n#endif\n${body.replace('__syncthreads', '\n#if 1\n__syncthreads').replace('();', '();\n#endif\n')}`,
          ),
        )
      )[0]?.why ?? '',
      /preprocessor/,
    );
    assert.match(
      (
        await sweepsIn(
          kernel(`${body}\n  out[1] = n + steps;`)
            .replace('int t =', 'int steps = 0, s;\n  int t =')
            .replace('int s = ', 's = ')
            .replace('a[t + s];\n', 'a[t + s];\n    steps = s;\n'),
        )
      )[0]?.why ?? '',
      /changes is used after it/,
    );
  });

  it('takes names that nothing else has, and none of the macros', async () => {
    const [fact] = await sweepsIn(
      kernel(`  int total = n, offset = n;\n${loop('if (t < s) a[t] += a[t + s];')}\n  out[1] = total + offset;`, {
        head: '#define warpTotals 3\n',
      }),
    );
    const text = fact!.rewrite!.edits[0]!.newText;
    assert.match(text, /float total2 = a\[t\];/);
    assert.match(text, /__shared__ float warpTotals2\[32\];/);
    assert.match(text, /int offset2 = 16/);
  });

  it('keeps comments, line ends and indentation', async () => {
    const text = kernel(loop('if (t < s) a[t] += a[t + s];  // pairwise'))
      .replace(/^( {2})+/gm, (spaces) => '\t'.repeat(spaces.length / 2))
      .replaceAll('\n', '\r\n');
    const [fact] = await sweepsIn(text);
    const { newText } = fact!.rewrite!.edits[0]!;
    assert.match(newText, /\r\n\t\t\/\/ pairwise\r\n\t\tfor /);
    assert.ok(!/[^\r]\n/.test(newText));
  });

  it('writes a comment at the step that it speaks of', async () => {
    const volatileSteps = [32, 16, 8, 4, 2, 1].map((step) => `      v[t] += v[t + ${step}];\n`).join('');
    const lines = (
      await sweepsIn(
        kernel(
          '  /* halves\n     * of the block */\n' +
            '  for (int s = 128; s > 32; s >>= 1) {\n    // pairs\n    if (t < s) a[t] += a[t + s];\n' +
            '    __syncthreads();  // meet\n  }\n  // last warp\n' +
            `  if (t < 32) {\n    volatile float *v = a;\n${volatileSteps}  }  // summed`,
        ),
      )
    )[0]!
      .rewrite!.edits[0]!.newText.split('\n')
      .map((line) => line.trim());
    const below = (comment: string): string | undefined => lines[lines.indexOf(comment) + 1];
    assert.match(below('// pairs')!, /^for \(int offset/);
    assert.equal(below('// meet'), '__syncthreads();');
    assert.equal(below('// last warp'), '// summed');
    assert.equal(below('// summed'), 'if (t < 32) {');
    assert.ok(!lines.includes('/* halves'));
  });

  it('fills idle lanes with what does not change the total', async () => {
    const few = (combine: string, type: string): string =>
      kernel(`  for (int s = 32; s > 0; s >>= 1) {\n    ${combine}\n    __syncthreads();\n  }`, { type, size: '64' });
    assert.match(
      (await sweepsIn(few('if (t < s) a[t] += a[t + s];', 'double')))[0]!.rewrite!.edits[0]!.newText,
      /t < 64 \? a\[t\] : 0\.0;/,
    );
    assert.match(
      (await sweepsIn(few('if (t < s) a[t] = min(a[t], a[t + s]);', 'int')))[0]!.rewrite!.edits[0]!.newText,
      /t < 64 \? a\[t\] : a\[0\];/,
    );
    assert.match(
      (await sweepsIn(few('if (t < s) a[t] &= a[t + s];', 'int')))[0]!.rewrite!.edits[0]!.newText,
      /warpTotals\[t\] : warpTotals\[0\];/,
    );
  });

  it('follows a template ladder and its last warp into the device function', async () => {
    const text =
      `template <int B> __device__ void last(volatile int *d, int t) {\n${[32, 16, 8, 4, 2, 1].map((s) => `  if (B >= ${2 * s}) d[t] += d[t + ${s}];`).join('\n')}\n}\n` +
      `template <int B> __global__ void k(const int *in, int *out) {\n  __shared__ int a[B];\n  int t = threadIdx.x;\n  a[t] = in[t];\n  __syncthreads();\n${[256, 128, 64].map((s) => `  if (B >= ${2 * s}) { if (t < ${s}) a[t] += a[t + ${s}]; __syncthreads(); }`).join('\n')}\n  if (t < 32) last<B>(a, t);\n  if (t == 0) *out = a[0];\n}\n`;
    const [fact, ...more] = await sweepsIn(text, { values: { B: 256 } });
    assert.equal(more.length, 0);
    assert.equal(fact?.elements, 256);
    assert.ok(fact.rewrite, fact.why);
    assert.equal(
      (await sweepsIn(text.replace('d[t + 4]', 'd[t + 3]'), { values: { B: 256 } })).length,
      0,
      'a wrong distance is not a reduction',
    );
  });

  it('gives the total to the variable that carries it', async () => {
    const text = (end: string): string =>
      `__global__ void k(const float *in, float *out) {\n  __shared__ float a[128];\n  int t = threadIdx.x;\n  float mine = in[t];\n  a[t] = mine;\n  __syncthreads();\n${loop('if (t < s) a[t] = mine = mine + a[t + s];', 'int s = 64; s > 0; s >>= 1')}\n  ${end}\n}\n`;
    assert.match(
      (await sweepsIn(text('if (t == 0) *out = mine;'), { shapes: [[128, 1, 1]] }))[0]!.rewrite!.edits[0]!.newText,
      /if \(t == 0\) a\[0\] = mine = total;/,
    );
    assert.match((await sweepsIn(text('out[t] = mine;'), { shapes: [[128, 1, 1]] }))[0]!.why!, /used after it/);
  });

  it('finds the array behind the pointer of a device function', async () => {
    const text =
      `__device__ float sum(float *p, int id) {\n${loop('if (id < s) p[id] += p[id + s];', 'int s = 128; s > 0; s >>= 1')}\n  return p[0];\n}\n` +
      '__global__ void k(const float *in, float *out) {\n  __shared__ float a[256];\n  a[threadIdx.x] = in[threadIdx.x];\n  __syncthreads();\n  out[threadIdx.x] = sum(a, threadIdx.x)REST;\n}\n';
    assert.ok((await sweepsIn(text.replace('REST', ''), {}, 'sum'))[0]?.rewrite);
    assert.equal(
      (await sweepsIn(text.replace('REST', ' - a[threadIdx.x]'), {}, 'sum')).length,
      0,
      'the caller reads partial sums',
    );
    assert.equal(
      (await sweepsIn(text.replace('__shared__ float a[256];', 'float *a = out;').replace('REST', ''), {}, 'sum'))
        .length,
      0,
      'not shared',
    );
  });
});

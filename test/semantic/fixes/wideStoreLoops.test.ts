// Stores of a loop made at once after it: what is written, and near misses.
import assert from 'node:assert/strict';
import type { StoreCost } from '../../../server/src/semantic/fixes/wideStores';
import { wideStoreLoopOf } from '../../../server/src/semantic/fixes/wideStoreLoops';
import { applied, compilerComplaints, contextOf, keepsResults, nodesOf } from './harness';

const kernel = (body: string, before = '', out = 'float *__restrict__ out'): string =>
  `${before}__global__ void k(const float *in, ${out}, int n, float a) {\n  float own[8];\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  ${body}\n}\n` +
  'void run(float *x, int n) { float *y; cudaMalloc(&y, 4 * n); k<<<4, 32>>>(x, y, n, 1); }\n';
const strided: StoreCost = { sectors: 32, ideal: 4, lanes: 32 };

async function stored(text: string, cost: StoreCost = strided, elsewhere = false): Promise<string> {
  const context = await contextOf(text, 'k');
  const access = nodesOf(context, 'index').find(({ base }) => base.kind === 'name' && base.name === 'out');
  assert.ok(access);
  const fact = wideStoreLoopOf(context, access, cost, elsewhere);
  if (!fact) return 'not near';
  if (!('edits' in fact)) return `refused: ${fact.precondition}`;
  const after = applied(text, fact.edits);
  assert.equal(compilerComplaints(after) ?? '', '');
  return (await keepsResults(text, after)) ? after : 'refused: run';
}
const leaves = (first: string): string =>
  `*reinterpret_cast<float4 *>(&out[${first}]) = make_float4(parts[0], parts[1], parts[2], parts[3]);`;
const lines = (...all: readonly string[]): string => all.join('\n  ');

describe('stores of a loop', () => {
  const head = 'for (int c = 0; c < 4; c++)';
  const cases: readonly (readonly [string, string, string])[] = [
    [
      'of one statement',
      `${head} out[8 * i + c] = own[c] * a;`,
      lines('float parts[4];', `${head} parts[c] = own[c] * a;`, leaves('8 * i + 0')),
    ],
    [
      'whose index is worked out in it, beside other work',
      `#pragma unroll\n  ${head} {\n    int at = 8 * i, to = at + c;\n    own[c] += a;\n    out[to] = own[c];\n  }`,
      lines(
        'float parts[4];',
        '#pragma unroll',
        `${head} {\n    int at = 8 * i, to = at + c;\n    own[c] += a;\n    parts[c] = own[c];\n  }`,
        leaves('((8 * i) + 0)'),
      ),
    ],
    [
      'from another number, up to and with the last, by a sum',
      'for (unsigned c = 2; 5 >= c; c += 1) out[i * 4 + (c - 2)] = own[c];',
      lines(
        'float parts[4];',
        'for (unsigned c = 2; 5 >= c; c += 1) parts[c - 2] = own[c];',
        leaves('i * 4 + (2 - 2)'),
      ),
    ],
  ];
  for (const [name, before, after] of cases)
    it(`leave at once, ${name}`, async () => assert.equal(await stored(kernel(before)), kernel(after)));
  it('are in their own braces in an arm', async () =>
    assert.match(
      await stored(kernel(`if (i < n)\n    ${head} out[8 * i + c] = a;`)),
      /if \(i < n\) \{\n {4}float parts[\s\S]*\);\n {2}\}\n\}/,
    ));
  it('leave under names that are free', async () =>
    assert.match(
      await stored(kernel(`int parts = 3;\n  ${head} out[8 * i + c] = own[c] + parts;`)),
      /float parts2\[4\];[\s\S]*make_float4\(parts2\[0\]/,
    ));

  const refusals: readonly (readonly [string, string, StoreCost?])[] = [
    [
      'fallback: the other arm of a wide store',
      kernel(
        `float *p = out + i;\n  if (reinterpret_cast<size_t>(p) % 16 == 0) *reinterpret_cast<uint4 *>(p) = make_uint4(0, 0, 0, 0);\n  else {\n    ${head} out[8 * i + c] = a;\n  }`,
      ),
    ],
    ['alignment: from an odd element', kernel(`${head} out[8 * i + c + 1] = a;`)],
    ['alignment: of any memory', kernel(`${head} out[8 * i + c] = a;`).replace('(x, y', '(x, x')],
    ['run: it can return', kernel(`${head} { out[8 * i + c] = in[c]; if (n > 1) return; }`)],
    ['values: it meets others', kernel(`${head} { out[8 * i + c] = own[c]; __syncthreads(); }`)],
    ['run: it reads the values that it stores', kernel(`${head} out[8 * i + c] = c > 0 ? out[8 * i + c - 1] : a;`)],
    ['run: it stores another element, too', kernel(`${head} { out[8 * i + c] = a; out[8 * i] = c; }`)],
    [
      'run: it reads through a pointer of the array',
      kernel(`float *p = out;\n  ${head} out[8 * i + c] = p[8 * i] + a;`),
    ],
    [
      'values: it reads a structure that may lie there',
      kernel(`${head} out[8 * i + c] = all->x;`, 'struct All { float x; };\n__device__ All *all;\n'),
    ],
    [
      'values: it writes what may be the array',
      kernel(`${head} { out[8 * i + c] = a; in[c] = 2; }`, '', 'float *out')
        .replace('const float', 'float')
        .replace('(x, y', '(y, y'),
    ],
    ['values: an atomic', kernel(`${head} { out[8 * i + c] = a; atomicAdd(own, 1.0f); }`)],
    ['macros: one that names the place', kernel(`${head} OUT = a;`, '#define OUT out[8 * i + c]\n')],
    ['macros: the loop', kernel('EACH out[8 * i + c] = a;', `#define EACH ${head}\n`)],
  ];
  for (const [name, text, cost] of refusals)
    it(`stay: ${name}`, async () => assert.equal(await stored(text, cost), `refused: ${name.split(':')[0]!}`));

  it('stay where an iteration may end early or pass some by', async () => {
    for (const leave of ['break', 'continue']) {
      const text = kernel(`${head} { if (in[c] > 1) ${leave}; out[8 * i + c] = in[c]; }`);
      assert.equal(await stored(text), 'refused: run');
    }
  });
  const far: readonly (readonly [string, string])[] = [
    ['further apart', kernel(`${head} out[8 * i + 2 * c] = a;`)],
    ['backwards', kernel(`${head} out[8 * i - c] = a;`)],
    ['as often as run time says', kernel('for (int c = 0; c < n; c++) out[8 * i + c] = a;')],
    ['downwards', kernel('for (int c = 8; c > 0; c--) out[8 * i + c] = a;')],
    ['by two', kernel('for (int c = 0; c < 8; c += 2) out[8 * i + c] = a;')],
    ['once', kernel('for (int c = 0; c < 1; c++) out[8 * i + c] = a;')],
    ['a prime number of times', kernel('for (int c = 0; c < 7; c++) out[8 * i + c] = a;')],
    ['more often than a vector has elements', kernel('for (int c = 0; c < 8; c++) out[8 * i + c] = a;')],
    ['under a condition', kernel(`${head} if (own[c] > 0) out[8 * i + c] = a;`)],
    ['added to', kernel(`${head} out[8 * i + c] += a;`)],
    ['from a start that moves', kernel(`${head} { out[i + c] = a; i += 1; }`)],
    ['with a counter that moves', kernel(`${head} { out[8 * i + c] = a; c += 0; }`)],
    ['through a pointer that moves', kernel(`out += n;\n  ${head} out[8 * i + c] = a;`)],
    ['to memory that others watch', kernel(`${head} out[8 * i + c] = a;`, '', 'volatile float *out')],
    ['by a function that counts', kernel(`${head} out[8 * i + c + next()] = a;`, '__device__ int next();\n')],
  ];
  for (const [name, text] of far) it(`are not seen ${name}`, async () => assert.equal(await stored(text), 'not near'));

  it('know arrays apart by all launches', async () => {
    const text = kernel(`${head} out[8 * i + c] = in[c];`, '', 'float *out');
    assert.match(await stored(text), /float4/);
    assert.equal(await stored(text, strided, true), 'refused: values');
    assert.equal(await stored(text.replace('(x, y', '(y, y')), 'refused: values');
  });
});

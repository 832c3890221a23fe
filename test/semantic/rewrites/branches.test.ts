// Branches written as conditional expressions, and parity branches split by warps: what is offered, what is not.
import assert from 'node:assert/strict';
import { selectRewriteOf, warpSplitOf } from '../../../server/src/semantic/rewrites/branches';
import { applied, compilerComplaints, contextOf, nodesOf } from './harness';

const params = 'const float *in, const int *bits, float *out, int n, short small, unsigned int u, double wide';
const kernel = (body: string, prefix = ''): string =>
  `${prefix}__global__ void k(${params}) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  float x = in[i];\n  int count = 0;\n${body}\n  out[i] = x + count;\n}\n`;

async function selected(body: string, prefix?: string): Promise<string | undefined> {
  const text = kernel(body, prefix);
  const context = await contextOf(text);
  const rewrite = selectRewriteOf(context, nodesOf(context, 'if')[0]!);
  return rewrite && applied(text, rewrite.edits);
}

const selects: readonly (readonly [string, string, string])[] = [
  ['two arms', '  if (bits[i] & 1) { x = 1.0f; } else { x = 2.0f; }', '  x = (bits[i] & 1) ? 1.0f : 2.0f;'],
  [
    'two arms that add and subtract',
    '  if (bits[i] & 1) {\n    count += bits[i + 1];\n  } else {\n    count -= bits[i + 1];\n  }',
    '  count = (bits[i] & 1) ? count + bits[i + 1] : count - bits[i + 1];',
  ],
  ['two arms that add', '  if (i > n) x += in[0]; else x += in[1] * 2.0f;', '  x += (i > n) ? in[0] : in[1] * 2.0f;'],
  ['one arm that adds', '  if (x > 0.5f) x += in[i + 1];', '  x = (x > 0.5f) ? x + in[i + 1] : x;'],
  ['one arm that sets', '  if (x < 0.0f) x = 0;', '  x = (x < 0.0f) ? 0 : x;'],
  ['one arm that counts by a step', '  if (x < 0.0f) count += 1;', '  count = (x < 0.0f) ? count + 1 : count;'],
  [
    'an element that both arms write',
    '  if (x < 0.0f) out[n + i] = -x; else out[n + i] = x;',
    '  out[n + i] = (x < 0.0f) ? -x : x;',
  ],
  [
    'a product keeps its parentheses',
    '  if (bits[i]) x *= in[0] + 1.0f; else x *= in[1];',
    '  x *= (bits[i]) ? in[0] + 1.0f : in[1];',
  ],
  ['one arm with a product', '  if (bits[i]) x *= in[0] + 1.0f;', '  x = (bits[i]) ? x * (in[0] + 1.0f) : x;'],
];
const kept: readonly (readonly [string, string, string?])[] = [
  ['arms of other types', '  if (bits[i]) count = bits[i + 1]; else count = in[i];'],
  ['an integer that would go through float', '  if (bits[i]) count += in[i];'],
  ['an unsigned arm', '  if (bits[i]) count += u; else count -= bits[1];'],
  ['a step by one in an integer, a half in the other arm', '  if (bits[i]) count += 1; else count += 0.5f;'],
  ['two statements in an arm', '  if (bits[i]) { x = 1.0f; count = 1; } else x = 2.0f;'],
  ['a store that only one arm makes', '  if (bits[i]) out[n + i] = 1.0f;'],
  ['different variables', '  if (bits[i]) x = 1.0f; else count = 2;'],
  ['a call that may do more', '  if (bits[i]) x = f(i); else x = 2.0f;', '__device__ float f(int);\n'],
  ['a comment in an arm', '  if (bits[i]) x = 1.0f; /* half */ else x = 2.0f;'],
  ['a macro in an arm', '  if (bits[i]) x = HALF(x); else x = 2.0f;', '#define HALF(v) (0.5f * v)\n'],
  ['an else-if chain', '  if (bits[i]) x = 1.0f; else if (bits[i + 1]) x = 2.0f; else x = 3.0f;'],
  ['a return', '  if (bits[i]) return;'],
  ['a side effect in the condition', '  if (count++ > 3) x = 1.0f; else x = 2.0f;'],
  ['a variable that nothing has set', '  float fresh;\n  if (bits[i]) fresh = 1.0f;'],
  ['a variable whose reads count', '  volatile float seen = 0;\n  if (bits[i]) seen = 1.0f; else seen = 2.0f;'],
  ['a whole number that not every type holds', '  if (bits[i]) x = 300; else x = in[i];'],
  ['a whole number that not every type holds, below zero', '  if (bits[i]) x = -300; else x = in[i];'],
  ['integers of other signs', '  if (bits[i]) count = u; else count = bits[1];'],
  ['a type out of sight', '  Unknown some = 0;\n  if (bits[i]) some = 1; else some = 2;', 'struct Unknown;\n'],
  ['an arm of a type out of sight', '  if (bits[i]) x = made; else x = 2.0f;', 'extern Unknown made;\n'],
  ['an array that only one arm means', '  if (bits[i]) out[i] = 1.0f; else out[i + 1] = 1.0f;'],
  ['an arm that is too long', `  if (bits[i]) x = ${Array(9).fill('in[i]').join(' + ')}; else x = 2.0f;`],
  ['an atomic', '  if (bits[i]) x = atomicAdd(out, 1.0f); else x = 2.0f;'],
];

describe('branch rewrites', function () {
  this.timeout(60000);
  for (const [name, before, after] of selects)
    it(`selects: ${name}`, async () => assert.equal(await selected(before), kernel(after)));
  it('selects into code that nvcc takes', () => {
    const complaints = compilerComplaints(
      selects.map(([, , after], at) => kernel(after).replace('void k(', `void k${at}(`)).join('\n'),
    );
    if (complaints !== undefined) assert.equal(complaints, '');
  });
  for (const [name, before, prefix] of kept)
    it(`keeps: ${name}`, async () => assert.equal(await selected(before, prefix), undefined));

  const parity = (cond: string, more = ''): string =>
    `__global__ void k(float *values, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n) return;\n  float v = values[i];${more}\n  if (${cond}) {\n    for (int j = 0; j < 100; j++) v = sinf(v);\n  } else {\n    for (int j = 0; j < 100; j++) v = cosf(v);\n  }\n  values[i] = v;\n}\n`;
  async function split(
    text: string,
    shape: readonly [number, number, number] = [256, 1, 1],
  ): Promise<string | undefined> {
    const context = await contextOf(text, undefined, { blockShapes: [shape] });
    const rewrite = nodesOf(context, 'if')
      .map((branch) => warpSplitOf(context, branch))
      .find((each) => each);
    return rewrite && applied(text, rewrite.edits);
  }
  const declaration =
    '  const unsigned int splitThread = (threadIdx.x & ~63u) | ((threadIdx.x & 31u) << 1) | ((threadIdx.x >> 5) & 1u);\n';
  for (const cond of ['threadIdx.x % 2 == 0', 'i % 2', '!(threadIdx.x & 1)', '(i & 1) != 0']) {
    it(`splits \`${cond}\` by warps`, async () => {
      const text = parity(cond);
      const after = await split(text);
      const [head, ...rest] = text.split('{\n');
      assert.equal(after, `${head}{\n${declaration}${rest.join('{\n').replaceAll('threadIdx.x', 'splitThread')}`);
      const complaints = compilerComplaints(after);
      if (complaints !== undefined) assert.equal(complaints, '');
    });
  }
  it('numbers every thread of the block once, whole warps by parity', () => {
    const numbers = Array.from({ length: 256 }, (_, t) => (t & ~63) | ((t & 31) << 1) | ((t >> 5) & 1));
    assert.deepEqual(
      [...numbers].sort((a, b) => a - b),
      Array.from({ length: 256 }, (_, t) => t),
    );
    for (let warp = 0; warp < 8; warp++)
      assert.equal(new Set(numbers.slice(32 * warp, 32 * warp + 32).map((n) => n % 2)).size, 1);
  });
  const unsplit: readonly (readonly [string, string, (readonly [number, number, number])?])[] = [
    ['another modulus', parity('threadIdx.x % 3 == 0')],
    ['data', parity('(int)v % 2 == 0')],
    ['lanes are used', parity('i % 2', '\n  v = __shfl_down_sync(0xffffffff, v, 1);')],
    ['warps are counted', parity('i % 2', '\n  v += threadIdx.x / 32;')],
    ['a block of no pairs of warps', parity('i % 2'), [96, 1, 1]],
    ['a two-dimensional block', parity('i % 2'), [64, 2, 1]],
    [
      'light arms',
      '__global__ void k(float *values) {\n  int i = threadIdx.x;\n  if (i % 2) values[i] += 1.0f; else values[i] -= 1.0f;\n}\n',
    ],
  ];
  for (const [name, text, shape] of unsplit)
    it(`does not split where ${name}`, async () => assert.equal(await split(text, shape), undefined));
});

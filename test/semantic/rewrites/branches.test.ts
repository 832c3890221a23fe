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
  [
    'a negative step in a separate type',
    '  if (bits[i]) count -= 1; else count -= bits[1];',
    '  count -= (bits[i]) ? 1 : bits[1];',
  ],
  ['a name for a condition', '  bool yes = x > 1;\n  if (yes) x = 0.0f;', '  bool yes = x > 1;\n  x = yes ? 0.0f : x;'],
  ['a call for a condition', '  if (isnan(x)) x = 0.0f;', '  x = isnan(x) ? 0.0f : x;'],
  [
    'a choice in an arm, in parentheses',
    '  if (bits[i]) x = n ? in[0] : in[1]; else x = 2.0f;',
    '  x = (bits[i]) ? (n ? in[0] : in[1]) : 2.0f;',
  ],
  [
    'a variable that was set later',
    '  float late;\n  late = x;\n  if (bits[i]) late = 1.0f;\n  x = late;',
    '  float late;\n  late = x;\n  late = (bits[i]) ? 1.0f : late;\n  x = late;',
  ],
  ['a wider real for a real', '  if (bits[i]) wide += x;', '  wide = (bits[i]) ? wide + x : wide;'],
  ['a wider integer for an integer', '  if (bits[i]) small += count;', '  small = (bits[i]) ? small + count : small;'],
  [
    'one of 12 operations',
    `  if (bits[i]) x = ${Array(4).fill('in[i]').join(' + ')}; else x = 2.0f;`,
    `  x = (bits[i]) ? ${Array(4).fill('in[i]').join(' + ')} : 2.0f;`,
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
  ['an unknown type', '  Unknown some = 0;\n  if (bits[i]) some = 1; else some = 2;', 'struct Unknown;\n'],
  ['an arm of an unknown type', '  if (bits[i]) x = made; else x = 2.0f;', 'extern Unknown made;\n'],
  ['an array that only one arm means', '  if (bits[i]) out[i] = 1.0f; else out[i + 1] = 1.0f;'],
  ['an arm that is too long', `  if (bits[i]) x = ${Array(9).fill('in[i]').join(' + ')}; else x = 2.0f;`],
  ['a shift in one arm and another step in the other', '  if (bits[i]) count <<= 1; else count += bits[1];'],
  ['a shift in the other arm', '  if (bits[i]) count += bits[1]; else count >>= 1;'],
  ['a sum of a small type, which comes back as int', '  if (bits[i]) small += small; else small = small;'],
  ['a narrow type that goes through a wider real', '  if (bits[i]) x += wide; else x = in[0];'],
  ['an integer that goes through a narrower one', '  long long much = n;\n  if (bits[i]) much = count;\n'],
  ['an array whose name is all there is', '  float row[4];\n  if (bits[i]) row = 0;'],
  ['a place that one arm changes while it is found', '  if (bits[i]) out[count++] = 1.0f; else out[count++] = 1.0f;'],
  ['a branch with a declaration', '  if (int some = bits[i]; some > 1) x = 1.0f; else x = 2.0f;'],
  ['a branch of compile time', '  if constexpr (sizeof(int) == 4) x = 1.0f; else x = 2.0f;'],
  ['a branch of a macro', '  EACH x = 1.0f; else x = 2.0f;', '#define EACH if (bits[i])\n'],
  ['an arm that changes something on its way', '  if (bits[i]) x = 2.0f; else x = in[count++];'],
  ['an arm that assigns on its way', '  if (bits[i]) x = (count = 3); else x = 2.0f;'],
  ['a long other arm', `  if (bits[i]) x = 2.0f; else x = ${Array(9).fill('in[i]').join(' + ')};`],
  ['calls that weigh more than a sum', '  if (bits[i]) x = sqrtf(x) + sqrtf(in[0]) + sqrtf(in[1]); else x = 2.0f;'],
  [
    'a line that would be too long',
    `  float ${'a'.repeat(80)} = 1;\n  if (bits[i]) x = ${'a'.repeat(80)}; else x = -${'a'.repeat(80)};`,
  ],
  ['an arm over two lines', '  if (bits[i]) x = in[0] +\n    in[1]; else x = 2.0f;'],
  ['a variable of another function', '  if (bits[i]) global = 1.0f; else global = 2.0f;', '__device__ float global;\n'],
  ['an atomic', '  if (bits[i]) x = atomicAdd(out, 1.0f); else x = 2.0f;'],
];

/** Variables of each type, and what C++ makes of expressions of them ([expr.arith.conv], [conv.prom]). */
const ofEachType: Readonly<Record<string, string>> = {
  flag: 'bool',
  tiny: 'signed char',
  little: 'short',
  plain: 'int',
  natural: 'unsigned int',
  large: 'long long',
  real: 'float',
  wide: 'double',
};
const shared = 'struct Pair { int first; float second; Pair *next; };\n__device__ double table[8];\n';
const declared =
  '  bool flag = n; signed char tiny = 1; short little = 1; int plain = 1; unsigned int natural = 1; long long large = 1;\n' +
  '  float real = 1; double dwide = 1; Pair pair = {}; Pair *to = &pair; float row[4] = {}; int &same = plain;\n' +
  '  const float *where = in;\n';
const typed: readonly (readonly [string, keyof typeof ofEachType])[] = [
  ['flag', 'flag'],
  ['tiny', 'tiny'],
  ['tiny + tiny', 'plain'],
  ['-little', 'plain'],
  ['~little', 'plain'],
  ['+real', 'real'],
  ['!real', 'flag'],
  ['little << large', 'plain'],
  ['large >> little', 'large'],
  ['plain + natural', 'natural'],
  ['natural + plain', 'natural'],
  ['natural + large', 'large'],
  ['large + natural', 'large'],
  ['large + real', 'real'],
  ['real + large', 'real'],
  ['real + dwide', 'wide'],
  ['dwide + real', 'wide'],
  ['plain < natural', 'flag'],
  ['plain == 3', 'flag'],
  ['flag && plain', 'flag'],
  ['flag || plain', 'flag'],
  ['flag ? little : little', 'little'],
  ['flag ? little : real', 'real'],
  ['(short)plain', 'little'],
  ['(double)plain', 'wide'],
  ['threadIdx.x', 'natural'],
  ['gridDim.y', 'natural'],
  ['pair.first', 'plain'],
  ['pair.second', 'real'],
  ['to->second', 'real'],
  ['to->next->first', 'plain'],
  ['pair.next->second', 'real'],
  ['row[1]', 'real'],
  ['table[2]', 'wide'],
  ['bits[i]', 'plain'],
  ['*where', 'real'],
  ['same', 'plain'],
  ['sqrtf(real)', 'real'],
  ['powf(real, real)', 'real'],
  ['__expf(real)', 'real'],
  ['sqrt(real)', 'real'],
  ['floor(dwide)', 'wide'],
  ['fabs(dwide)', 'wide'],
  ['min(plain, plain)', 'plain'],
  ['max(real, real)', 'real'],
  ['min(plain, natural)', 'natural'],
  ['abs(plain)', 'plain'],
  ['abs(little)', 'plain'],
  ['abs(dwide)', 'wide'],
  ['1.5f', 'real'],
  ['1.5', 'wide'],
  ['7u', 'natural'],
  ['300ll', 'large'],
];
/** Expressions of unknown type, or on which more than a value depends. */
const untyped = [
  'min(plain, plain, plain)',
  'unknown(plain)',
  'sqrt(unseen)',
  '*plain',
  'plain[0]',
  'pair.third',
  'unseen.x',
];

describe('branch rewrites', function () {
  this.timeout(60000);
  describe('types of arms', () => {
    /** Variables that may be in the other arm beside the expression: those of the same type. */
    async function besides(expression: string): Promise<string[]> {
      const found: string[] = [];
      for (const [name, type] of Object.entries(ofEachType)) {
        const other = name === 'wide' ? 'dwide' : name;
        const body = `${declared}  ${type} own = 0;\n  if (bits[i]) own = ${expression}; else own = ${other};`;
        if ((await selected(body, shared)) !== undefined) found.push(name);
      }
      return found;
    }
    for (const [expression, type] of typed)
      it(`\`${expression}\` is ${ofEachType[type]}`, async () => assert.deepEqual(await besides(expression), [type]));
    for (const expression of untyped)
      it(`\`${expression}\` has none that is known`, async () => {
        const all = await besides(expression);
        assert.deepEqual(all, []);
      });
    it('compiles as the table says', () => {
      const lines = typed.map(
        ([expression, type], at) =>
          `  { auto value${at} = ${expression}; static_assert(Same<decltype(value${at}), ${ofEachType[type]}>::value, ""); }`,
      );
      const complaints = compilerComplaints(
        `template <typename A, typename B> struct Same { enum { value = 0 }; };\ntemplate <typename A> struct Same<A, A> { enum { value = 1 }; };\n` +
          kernel(`${declared}${lines.join('\n')}`, shared),
      );
      if (complaints !== undefined) assert.equal(complaints, '');
    });
  });
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
  for (const [name, more] of [
    [
      'arithmetic that lanes do not tell',
      '\n  v += threadIdx.x / 5 + threadIdx.x % 30 + (threadIdx.x >> 4) + (threadIdx.x & 7);',
    ],
    [
      'what says nothing of lanes',
      '\n  __syncthreads();\n  v += threadIdx.y;\n  atomicAdd(values + n, v);\n  v = sqrtf(v);',
    ],
    ['a separate name', '\n  float splitThread2 = 1, splitThread = 2;'],
  ] as const)
    it(`splits beside ${name}`, async () => {
      const after = await split(parity('i % 2', more));
      const own = more.includes('splitThread') ? 'splitThread3' : 'splitThread';
      assert.equal(
        after?.replace(/ {2}const unsigned int .*\n/, ''),
        parity('i % 2', more).replaceAll('threadIdx.x', own),
      );
    });
  it('splits a branch of one heavy arm, of calls as of loops', async () => {
    const calls = 'if (i % 2) values[i] = sinf(values[i]) + cosf(values[i]) + tanf(values[i]) + expf(values[i]);';
    const text = `__global__ void k(float *values) {\n  int i = threadIdx.x;\n  ${calls}\n}\n`;
    assert.ok(await split(text));
    assert.equal(await split(text.replace('expf', '')), undefined);
    assert.ok(await split(text.replace(/if .*;/, 'if (i % 2) do values[i]--; while (values[i] > 0);')));
    assert.ok(await split(text.replace(/if .*;/, 'if (i % 2) while (values[i] > 0) values[i]--;')));
  });
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
    ['another thread number', parity('(i + 1) % 2')],
    ['a number that was changed', parity('j % 2', '\n  int j = i;\n  j++;')],
    ['a number of another kernel', parity('n % 2')],
    ['a comparison with more than one bit', parity('i % 2 == 2')],
    ['a comparison with data', parity('i % 2 == n')],
    ['two bits', parity('i & 3')],
    ['a bit that is not the lowest', parity('i & 2')],
    ['a modulus of one', parity('i % 1')],
    ['another operator', parity('i / 2')],
    ['an order instead of an equality', parity('i % 2 > 0')],
    ['more is asked', parity('i % 2 == 0 && n > 3')],
    ['a negation of something else', parity('~(i % 2)')],
    ['lanes are counted by a mask', parity('i % 2', '\n  v += threadIdx.x & 31;')],
    ['lanes are counted by a modulus', parity('i % 2', '\n  v += threadIdx.x % 32;')],
    ['warps are counted by a shift', parity('i % 2', '\n  v += threadIdx.x >> 5;')],
    ['the size of a warp is asked', parity('i % 2', '\n  v += warpSize;')],
    ['assembly', parity('i % 2', '\n  asm volatile("");')],
    ['a lambda', parity('i % 2', '\n  auto f = [&] { return v; };')],
    ['a jump', parity('i % 2', '\n  if (n > 3) goto end;').replace('values[i] = v;\n}', 'end:\n  values[i] = v;\n}')],
    ['a volatile variable', parity('i % 2', '\n  volatile float seen = v;')],
    ['an unknown call', parity('i % 2', '\n  v += unseen(v);')],
    ['a method', parity('i % 2', '\n  v += group.size();')],
    ['the thread is handed on whole', parity('i % 2', '\n  uint3 whole = threadIdx;')],
    ['the thread is in a macro', `#define T threadIdx.x\n${parity('i % 2', '\n  v += T;')}`],
    ['a branch with a declaration', parity('int odd = 1; i % 2')],
    ['a block of three dimensions', parity('i % 2'), [64, 1, 2]],
    ['a light other arm', parity('i % 2').replace('for (int j = 0; j < 100; j++) v = cosf(v);', 'v = cosf(v);')],
    [
      'a function of the device',
      parity('i % 2').replace('__global__', '__device__').concat('__global__ void other(float *v) { k(v, 3); }\n'),
    ],
    [
      'light arms',
      '__global__ void k(float *values) {\n  int i = threadIdx.x;\n  if (i % 2) values[i] += 1.0f; else values[i] -= 1.0f;\n}\n',
    ],
  ];
  for (const [name, text, shape] of unsplit)
    it(`does not split where ${name}`, async () => assert.equal(await split(text, shape), undefined));
});

// Parity branches split by warps: what is offered, what is not; and types of expressions.
import assert from 'node:assert/strict';
import { assignsOne, warpSplitOf } from '../../../server/src/semantic/fixes/branches';
import { typingOf } from '../../../server/src/semantic/language/typing';
import { scalarNamed } from '../../../server/src/semantic/language/types';
import { applied, compilerComplaints, contextOf, isProven, nodesOf } from './harness';

const kernel = (body: string, prefix = ''): string =>
  `${prefix}__global__ void k(const float *in, const int *bits, int n) {\n  int i = threadIdx.x;\n${body}\n}\n`;

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
    async function typeOf(expression: string): Promise<string | undefined> {
      const context = await contextOf(kernel(`${declared}  out = ${expression};`, shared));
      const type = typingOf(context).typeOf(nodesOf(context, 'assign').at(-1)!.value);
      return type?.kind === 'scalar' ? type.name : undefined;
    }
    for (const [expression, type] of typed)
      it(`\`${expression}\` is ${ofEachType[type]}`, async () =>
        assert.equal(scalarNamed((await typeOf(expression))!), scalarNamed(ofEachType[type]!)));
    for (const expression of untyped)
      it(`\`${expression}\` has none that is known`, async () => assert.equal(await typeOf(expression), undefined));
    it('compiles as the table says', () => {
      const lines = typed.map(
        ([expression, type], at) =>
          `  { auto value${at} = ${expression}; static_assert(Same<decltype(value${at}), ${ofEachType[type]}>::value, ""); }`,
      );
      const same = `template <typename A, typename B> struct Same { enum { value = 0 }; };\ntemplate <typename A> struct Same<A, A> { enum { value = 1 }; };\n`;
      const complaints = compilerComplaints(same + kernel(`${declared}${lines.join('\n')}`, shared));
      assert.equal(complaints ?? '', '');
    });
  });
  it('knows arms that assign one variable', async () => {
    const of = async (body: string): Promise<boolean> => {
      const context = await contextOf(kernel(`  float x = in[i], y = 0;\n  ${body}`));
      return assignsOne(nodesOf(context, 'if')[0]!);
    };
    assert.ok(await of('if (bits[i]) x = 1; else x = 2;'));
    assert.ok(await of('if (bits[i]) { x += 1; } else { x -= y; }'));
    assert.equal(await of('if (bits[i]) x = 1; else y = 2;'), false);
    assert.equal(await of('if (bits[i]) x = 1;'), false);
    assert.equal(await of('if (bits[i]) { x = 1; y = 2; } else x = 2;'), false);
  });

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
      assert.equal(compilerComplaints(after) ?? '', '');
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
    ['a volatile variable', parity('i % 2', '\n  volatile float seen = v;')],
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
  const launched = (text: string): string =>
    `${text}void run(float *v, int n) {\n  k<<<(n + 255) / 256, 256>>>(v, n);\n}\n`;
  it('is offered where a run of both texts leaves the same', async () =>
    assert.ok(await isProven(launched(parity('i % 2')), /^Split even and odd/)));
  for (const [name, statement] of [
    ['assembly', 'asm("add.f32 %0, %0, 1.0;" : "+f"(v));'],
    ['an unknown call', 'v += unseen(v);'],
    ['a method', 'v += group.size();'],
  ] as const)
    it(`is not where a run meets ${name}`, async () =>
      assert.ok(!(await isProven(launched(parity('i % 2', `\n  ${statement}`)), /^Split even and odd/))));
  for (const [name, text, shape] of unsplit)
    it(`does not split where ${name}`, async () => assert.equal(await split(text, shape), undefined));
});

// Neighbouring stores made at once: what is written, and one example that fails each precondition alone.
import assert from 'node:assert/strict';
import { type StoreCost, wideStoresOf } from '../../../server/src/semantic/fixes/wideStores';
import { allWideStores } from '../../../server/src/semantic/fixes/allWideStores';
import { applied, compilerComplaints, contextOf, keepsResults, nodesOf } from './harness';

const allocated =
  'void run(int n) { float *x, *y; cudaMalloc(&x, n); cudaMalloc((void **)&y, n); k<<<8, 32>>>(x, y, n, 1, 2); }';
const kernel = (lines: readonly string[], before = '', type = 'float', host = allocated): string =>
  [
    `${before}__global__ void k(const ${type} *in, ${type} *out, int n, ${type} a, ${type} b) {`,
    '  __shared__ float s[64];',
    '  float own[4];',
    '  int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);',
    ...lines.map((line) => `  ${line}`),
    '}',
    host,
    '',
  ].join('\n');
const strided: StoreCost = { sectors: 16, ideal: 4, lanes: 32 };

async function stored(text: string, cost: StoreCost = strided, elsewhere = false): Promise<string> {
  const context = await contextOf(text, 'k');
  const places = nodesOf(context, 'assign').map(({ target }) => target);
  const access = places.findLast((target) => target.kind === 'index' && target.base.kind === 'name') ?? places.at(-1);
  assert.ok(access);
  const fact = wideStoresOf(context, access, cost, elsewhere);
  if (!fact) return 'not near';
  if (!('edits' in fact)) return `refused: ${fact.precondition}`;
  const after = applied(text, fact.edits);
  assert.equal(compilerComplaints(after) ?? '', '');
  return (await keepsResults(text, after)) ? after : 'refused: run';
}
const stores = (values: readonly string[]): string[] => values.map((value, at) => `out[i + ${at}] = ${value};`);

describe('neighbouring stores', () => {
  it('of several places of a function: all at once', async () => {
    const text = kernel([...stores(['a', 'b']), 'if (n > 1) return;', 'out[i + 2] = b;', 'out[i + 3] = a;']);
    const after = applied(text, allWideStores(await contextOf(text, 'k'), false));
    assert.match(after, /make_float2\(a, b\);[\s\S]*&out\[i \+ 2\]\) = make_float2\(b, a\);/);
    assert.equal(compilerComplaints(after) ?? '', '');
  });

  it('write values of several lines, and those too long for two, on separate lines', async () => {
    assert.match(await stored(kernel(stores(['a +\n      b', 'a']))), / = make_float2\(\n {6}a \+\n {8}b,\n {6}a\);/);
    const long = Array.from({ length: 12 }, () => 'a * b').join(' + ');
    assert.match(await stored(kernel(stores([long, long]))), / = make_float2\(\n {6}a[^\n]*,\n {6}a[^\n]*\);/);
  });

  describe('of what a field of a structure points to, which the host', () => {
    const launched = (set: string, view = 'view'): string =>
      kernel(
        stores(['in.p[i]', 'in.p[0]']),
        'struct View { float *p; int n; };\nView made(float *);\n',
        'float',
        `void run(float *b, View *all) {\n  float *a;\n  cudaMalloc(&a, 400);\n  ${set}\n  k<<<8, 32>>>(${view}, a, 3, 0, 0);\n}`,
      ).replace('const float *in', 'View in');
    for (const [name, set] of [
      ['gives another array', 'View view; view.p = b + 2; view.n = 3;'],
      ['gives another array in a list', 'View view = {b, 3};'],
      ['allocates', 'View view; cudaMalloc(&view.p, 400); view.n = view.n + 1;'],
    ] as const)
      it(`${name}: at once`, async () =>
        assert.match(await stored(launched(set)), /make_float2\(in\.p\[i\], in\.p\[0\]\)/));
    for (const [name, set, view] of [
      ['gives the same array', 'View view; view.p = a;'],
      ['gives the same array in a list', 'View view = {a + 4, 3};'],
      ['gives both', 'View view; view.p = b; view.p = a;'],
      ['has made elsewhere', 'View view = made(b);'],
      ['has made later', 'View view; view = made(b);'],
      ['hands on', 'View view; view.p = b; memcpy(&view, all, sizeof(view));'],
      ['has in an array', '', 'all[n]'],
    ] as const)
      it(`${name}: one by one`, async () => assert.equal(await stored(launched(set, view)), 'refused: values'));
  });
  it('may be of what a function reads in a structure that it is given by value', async () =>
    assert.match(
      await stored(
        kernel(
          ['Row row = {};', ...stores(['at(row, 0)', 'at(row, 1)', 'b', 'at(row, 3)'])],
          'struct Row { float v[4]; };\n__constant__ float table[8];\n' +
            '__device__ float at(Row row, int k) { float own[2] = {}; return row.v[k] + own[k % 2] + table[k]; }\n',
        ),
      ),
      /make_float4\(at\(row, 0\), at\(row, 1\), b, at\(row, 3\)\)/,
    ));
  it('become one of a vector', async () =>
    assert.equal(
      await stored(kernel(stores(['a', 'b', 'a + b', 'own[1]']))),
      kernel(['*reinterpret_cast<float4 *>(&out[i + 0]) = make_float4(a, b, a + b, own[1]);']),
    ));
  it('leave those that are left over, or not at a multiple', async () => {
    assert.match(
      await stored(kernel(stores(['a', 'a', 'a', 'a', 'b']))),
      /make_float4\(a, a, a, a\);\n {2}out\[i \+ 4\] = b;/,
    );
    assert.match(
      await stored(kernel([1, 2, 3].map((at) => `out[i + ${at}] = b;`))),
      /out\[i \+ 1\] = b;\n {2}\*reinterpret_cast<float2 \*>\(&out\[i \+ 2\]\) = make_float2\(b, b\);/,
    );
  });
  it('are on two lines where one would be long', async () => {
    const value = 'a * b + a * b + a * b';
    assert.match(await stored(kernel(stores([value, value, value, value]))), /\) =\n {6}make_float4\(a \* b/);
  });
  it('are of the vector of their type', async () => {
    for (const [type, made] of [
      ['int', 'make_int4(a, a, a, a)'],
      ['unsigned char', 'make_uchar4(a, a, a, a)'],
      ['int16_t', 'make_short4(a, a, a, a)'],
      ['double', 'make_double2(a, a)'],
      ['long long', 'make_longlong2(a, a)'],
      ['half', '__halves2half2(a, a)'],
    ] as const)
      assert.ok(
        (
          await stored(
            kernel(
              stores(['a', 'a', 'a', 'a']),
              '#include <cstdint>\n#include <cuda_fp16.h>\n',
              type,
              allocated.replace('float', type),
            ),
            { ...strided, ideal: 1 },
          )
        ).includes(made),
        type,
      );
  });
  it('are read of shared memory before', async () =>
    assert.match(await stored(kernel(stores(['s[0]', 's[1]', 's[2]', 's[3]']))), /make_float4\(s\[0\]/));
  it('are read through what no other pointer reaches', async () =>
    assert.match(
      await stored(kernel(stores(['in[i]', 'in[i + 1]'])).replace('const float *in', 'const float *__restrict__ in')),
      /make_float2\(in\[i\], in\[i \+ 1\]\)/,
    ));

  describe('of an address', () => {
    const made = 'float *y; cudaMalloc(&y, 400);';
    const to = (place: string, host = made, given = 'y', number = 'n', block = '32'): string =>
      kernel(
        [place, 'to[0] = a;', 'to[1] = b;'],
        'struct Pair { float *p; };\nvoid swapped(float *&);\nfloat *shared;\n',
        'float',
        `void run(float *x, Pair pair, int n) {\n  ${host}\n  k<<<8, ${block}>>>(x, ${given}, ${number}, 1, 2);\n}`,
      );
    const own = 'float *to = out + i;';
    const proven: readonly (readonly [string, string])[] = [
      ['in an argument', to(own)],
      ['of an element', to('float *to = &out[2 * n];')],
      ['under casts', to('float *to = (float *)((char *)out + 8 * n);')],
      ['at a stride that a launch gives', to('float *to = out + threadIdx.x * n;', made, 'y', '6')],
      ['at a block that a launch gives', to('float *to = out + blockIdx.x * blockDim.x;')],
      ['behind an allocation', to(own, made, 'y + 2 * n')],
      ['by another name', to(own, 'float *y = nullptr; cudaMalloc((void **)&y, n); float *p = y;', 'p')],
      ['of memory that is managed', to(own, 'float *y; if (cudaMallocManaged(&y, 400)) return;')],
    ];
    for (const [name, text] of proven)
      it(`${name} is proven`, async () =>
        assert.match(await stored(text), /float2 \*>\(&to\[0\]\) = make_float2\(a, b\)/));
    const unproven: readonly (readonly [string, string])[] = [
      ['at any element', to('float *to = out + threadIdx.x;')],
      ['at what may be a fraction', to('float *to = out + (int)(2 * a);')],
      ['at a stride of run time', to('float *to = out + threadIdx.x * n;')],
      ['at an odd stride', to('float *to = out + threadIdx.x * n;', made, 'y', '5')],
      ['at a stride that changes', to('n++; float *to = out + threadIdx.x * n;', made, 'y', '6')],
      ['at an odd block', to('float *to = out + blockIdx.x * blockDim.x;', made, 'y', 'n', '33')],
      ['behind an allocation by any number', to(own, made, 'y + n')],
      ['before an allocation', to('float *to = out - i;')],
      ['of an argument of the host', to(own, '', 'x')],
      ['of a field', to(own, 'cudaMalloc(&pair.p, 400);', 'pair.p')],
      ['of a variable of all', to(own, 'cudaMalloc(&shared, 400);', 'shared')],
      ['of what keeps its value', to(own, 'static float *y; cudaMalloc(&y, 400);')],
      ['of memory that is not allocated', to(own, 'float *y = nullptr;')],
      ['of one of two', to(own, `${made} y = x;`)],
      ['of what begins elsewhere', to(own, 'float *y = x; cudaMalloc(&y, 400);')],
      ['that another function gives', to(own, `${made} fill(&y);`)],
      ['that another function changes', to(own, `${made} swapped(y);`)],
      ['of a later argument', to(own, `${made} cudaMemcpy(x, &y, 8, cudaMemcpyDefault);`)],
      ['of one of two launches', to(own).replace('  k<<<', '  k<<<8, 32>>>(x, x, n, 1, 2);\n  k<<<')],
      ['of a kernel without a launch', to(own).replace(/ {2}k<<<.*/, '')],
      ['of a kernel that is named elsewhere', to(own).replace('  k<<<', '  auto *start = &k;\n  k<<<')],
      [
        'of a function of the device',
        to(own)
          .replace('__global__', '__device__')
          .replace(/ {2}k<<<.*/, ''),
      ],
    ];
    for (const [name, text] of unproven)
      it(`${name} is not proven`, async () => assert.equal(await stored(text), 'refused: alignment'));
    it('of a kernel that is launched elsewhere is not proven', async () =>
      assert.equal(await stored(to(own), strided, true), 'refused: alignment'));
  });
  it('are no run alone', async () => assert.equal(await stored(kernel(['out[i] = a;', 'n = 0;'])), 'not near'));

  const refusals: readonly (readonly [string, string, StoreCost?])[] = [
    [
      'fallback: the arm of what is not aligned',
      kernel(['if (reinterpret_cast<size_t>(&out[i]) % 8 == 0) s[0] = 1;', 'else {', ...stores(['a', 'b']), '}']),
    ],
    ['type: one without vectors', kernel(stores(['true', 'false']), '', 'bool', allocated.replace('float', 'bool'))],
    ['type: a name that is taken', kernel(['int make_float2 = n, make_float4 = n;', ...stores(['a', 'b'])])],
    ['type: one that the template gives', kernel(stores(['a', 'b']), 'template <typename T>\n', 'T')],
    ['alignment: an odd element', kernel(stores(['a', 'b']).map((line) => line.replace('i + ', '1 + i + ')))],
    ['values: of an array that may be the same', kernel(stores(['in[i]', 'in[i + 1]'])).replace('(x, y', '(y, y')],
    [
      'values: through a pointer in an array',
      kernel(['const float *rows[2] = {in, in};', ...stores(['rows[0][i]', 'rows[1][i]'])]),
    ],
    ['values: of a call that may do more', kernel(stores(['f(i)', 'f(i)']), '__device__ float f(int);\n')],
    [
      'values: through a structure that a function is given',
      kernel(
        ['View view;', ...stores(['at(view, i)', 'at(view, i + 1)'])],
        'struct View { float *p; };\n__device__ float at(View v, int k) { return v.p[k]; }\n',
      ),
    ],
    ['run: behind a reference', kernel(['float &first = out[i];', ...stores(['a', 'first'])])],
    ['values: which count', kernel(stores(['n++', 'n++']))],
    ['comments: one between them', kernel(['out[i] = a;  // first', 'out[i + 1] = b;'])],
    ['comments: a directive', kernel(['out[i] = a;', '#pragma unroll', 'out[i + 1] = b;'])],
    ['comments: one in a store', kernel(['out[i] = a;', 'out[i + 1] = /* last */ b;'])],
    ['gain: lanes as far apart', kernel(stores(['a', 'b'])), { sectors: 32, ideal: 32, lanes: 32 }],
  ];
  for (const [name, text, cost] of refusals)
    it(`do not: ${name}`, async () => assert.equal(await stored(text, cost), `refused: ${name.split(':')[0]!}`));
  const others: readonly (readonly [string, string])[] = [
    ['through a pointer that moves', kernel(['out += n;', ...stores(['a', 'b'])])],
    [
      'through a pointer that others may move',
      kernel(['move(&out);', ...stores(['a', 'b'])], '__device__ void move(float **);\n'),
    ],
    ['to memory that others watch', kernel(stores(['a', 'b'])).replace('float *out', 'volatile float *out')],
    ['to rows of pointers', kernel(stores(['own', 'own'])).replace('float *out', 'float **out')],
    ['through a pointer beside one through an element', kernel(['*(out + i) = a;', 'out[i + 1] = b;'])],
    [
      'through a cast of a pointer',
      kernel([
        '*reinterpret_cast<float2 *>(out + i) = make_float2(a, b);',
        'reinterpret_cast<float2 *>(out)[0] = make_float2(b, out[i]);',
      ]),
    ],
    ['through a cast of what it is', kernel(['*(float *)out[i] = a;', '*(float *)out[i + 1] = b;'])],
  ];
  for (const [name, text] of others)
    it(`are not seen ${name}`, async () => assert.equal(await stored(text), 'not near'));
});

// Neighbouring stores made at once: what is written, and one example that fails each precondition alone.
import assert from 'node:assert/strict';
import { type StoreCost, wideStorePreconditions, wideStoresOf } from '../../../server/src/semantic/rewrites/wideStores';
import { applied, compilerComplaints, contextOf, nodesOf } from './harness';

const kernel = (lines: readonly string[], before = '', type = 'float'): string =>
  [
    `${before}__global__ void k(const ${type} *in, ${type} *out, int n, ${type} a, ${type} b) {`,
    '  __shared__ float s[64];',
    '  float own[4];',
    '  int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);',
    ...lines.map((line) => `  ${line}`),
    '}',
    '',
  ].join('\n');
const strided: StoreCost = { sectors: 16, ideal: 4, lanes: 32 };

async function stored(text: string, cost: StoreCost = strided): Promise<string> {
  const context = await contextOf(text, 'k');
  const access = nodesOf(context, 'index').findLast(({ base }) => base.kind === 'name' && base.name === 'out');
  assert.ok(access);
  const fact = wideStoresOf(context, access, cost);
  if (!fact) return 'not near';
  if (!('edits' in fact)) return `refused: ${fact.precondition}`;
  const after = applied(text, fact.edits);
  const complaints = compilerComplaints(after);
  if (complaints !== undefined) assert.equal(complaints, '');
  return after;
}
const stores = (values: readonly string[]): string[] => values.map((value, at) => `out[i + ${at}] = ${value};`);
const indented = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`);

describe('neighbouring stores', () => {
  describe('of what a field of a structure points to, which the host', () => {
    const launched = (set: string, view = 'view'): string =>
      kernel(stores(['in.p[i]', 'in.p[0]']), 'struct View { float *p; int n; };\nView made(float *);\n').replace(
        'const float *in',
        'View in',
      ) + `void run(float *a, float *b, View *all) {\n  ${set}\n  k<<<8, 32>>>(${view}, a, 3, 0, 0);\n}\n`;
    for (const [name, set] of [
      ['gives another array', 'View view; view.p = b + 2; view.n = 3;'],
      ['gives another array in a list', 'View view = {b, 3};'],
      ['allocates', 'View view; cudaMalloc(&view.p, 400); view.n = view.n + 1;'],
    ] as const)
      it(`${name}: at once`, async () => assert.match(await stored(launched(set)), /parts\[1\] = in\.p\[0\]/));
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
      /parts\[3\] = at\(row, 3\)/,
    ));
  it('become one where the address is aligned', async () =>
    assert.equal(
      await stored(kernel(stores(['a', 'b', 'a + b', 'own[1]']))),
      kernel([
        'if (reinterpret_cast<size_t>(&out[i + 0]) % 16 == 0) {',
        '  alignas(16) float parts[4];',
        '  parts[0] = a;',
        '  parts[1] = b;',
        '  parts[2] = a + b;',
        '  parts[3] = own[1];',
        '  *reinterpret_cast<uint4 *>(&out[i + 0]) = *reinterpret_cast<const uint4 *>(parts);',
        '} else {',
        ...indented(stores(['a', 'b', 'a + b', 'own[1]'])),
        '}',
      ]),
    ));
  it('become one where all of them are made', async () => {
    const guarded = stores(['a', 'b']).map((line, at) => `if (i + ${at} < n || n < 0) ${line}  // ${at}`);
    assert.equal(
      await stored(kernel(guarded)),
      kernel([
        'if (reinterpret_cast<size_t>(&out[i + 0]) % 8 == 0 && (i + 0 < n || n < 0) && (i + 1 < n || n < 0)) {',
        '  alignas(8) float parts[2];',
        '  parts[0] = a;',
        '  parts[1] = b;',
        '  *reinterpret_cast<uint2 *>(&out[i + 0]) = *reinterpret_cast<const uint2 *>(parts);',
        '} else {',
        `  ${guarded[0]!}`,
        `  ${guarded[1]!.replace('  // 1', '')}`,
        '}  // 1',
      ]),
    );
  });
  it('leave those that are left over', async () => {
    const after = await stored(kernel(stores(['a', 'a', 'a', 'a', 'b'])));
    assert.match(after, /\} else \{[^}]*\}\n {2}out\[i \+ 4\] = b;\n\}/);
  });
  it('are read of shared memory before', async () =>
    assert.match(await stored(kernel(stores(['s[0]', 's[1]', 's[2]', 's[3]']))), /parts\[3\] = s\[3\];/));
  it('are read through what no other pointer reaches', async () =>
    assert.match(
      await stored(kernel(stores(['in[i]', 'in[i + 1]'])).replace('const float *in', 'const float *__restrict__ in')),
      /parts\[1\] = in\[i \+ 1\];/,
    ));
  it('are no run alone', async () => assert.equal(await stored(kernel(['out[i] = a;', 'n = 0;'])), 'not near'));
  it('come once', async () =>
    assert.equal(await stored(await stored(kernel(stores(['a', 'b'])))), 'refused: fallback'));

  const refusals: readonly (readonly [string, string, StoreCost?])[] = [
    ['neighbours: gaps between them', kernel(['out[i] = a;', 'out[i + 2] = b;'])],
    [
      'fallback: the arm of what is not aligned',
      kernel(['if (reinterpret_cast<size_t>(&out[i]) % 8 == 0) s[0] = 1;', 'else {', ...stores(['a', 'b']), '}']),
    ],
    ['values: of an array that may be the same', kernel(stores(['in[i]', 'in[i + 1]']))],
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
    ['values: behind a reference', kernel(['float &first = out[i];', ...stores(['a', 'first'])])],
    ['values: which count', kernel(stores(['n++', 'n++']))],
    ['guards: which read memory', kernel(stores(['a', 'b']).map((line) => `if (in[i] > 0) ${line}`))],
    [
      'guards: which read what others write',
      kernel(
        stores(['a', 'b']).map((line) => `if (flag) ${line}`),
        '__device__ int flag;\n',
      ),
    ],
    ['macros: one that stores', kernel(['PUT(0, a)', 'PUT(1, b)'], '#define PUT(at, value) out[i + at] = value;\n')],
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
  it('have an example against each precondition', () =>
    assert.deepEqual(
      [...new Set(refusals.map(([name]) => name.split(':')[0]))].sort(),
      [...wideStorePreconditions].sort(),
    ));
});

// Neighbouring loads made at once: what is written, and one example that fails each precondition alone.
import assert from 'node:assert/strict';
import { wideLoadsOf } from '../../../server/src/semantic/fixes/wideLoads';
import type { StoreCost } from '../../../server/src/semantic/fixes/wideStores';
import { applied, compilerComplaints, contextOf, nodesOf } from './harness';

const allocated = 'void run(int n) { float *x, *y; cudaMalloc(&x, n); cudaMalloc(&y, n); k<<<8, 32>>>(x, y, n); }';
const kernel = (lines: readonly string[], { before = '', type = 'float', host = allocated } = {}): string =>
  [
    `${before}__global__ void k(const ${type} *in, ${type} *out, int n) {`,
    '  int t = blockIdx.x * blockDim.x + threadIdx.x;',
    '  int i = 4 * t;',
    ...lines.map((line) => `  ${line}`),
    '}',
    host,
    '',
  ].join('\n');
const strided: StoreCost = { sectors: 16, ideal: 4, lanes: 32 };

/** Of the first read of `in`. */
async function loaded(text: string, cost = strided, elsewhere = false): Promise<string> {
  const context = await contextOf(text, 'k');
  const access = nodesOf(context, 'index').find(({ base }) => base.kind === 'name' && base.name === 'in');
  const found = wideLoadsOf(context, access!, cost, elsewhere);
  if (!found) return 'not near';
  if (!('edits' in found)) return `refused: ${found.precondition}`;
  const after = applied(text, found.edits);
  assert.equal(compilerComplaints(after) ?? '', '');
  return after;
}
const sum = 'out[t] = in[i] + in[i + 1] + in[i + 2] + in[i + 3];';

describe('neighbouring loads', () => {
  it('of one statement: before it', async () =>
    assert.match(
      await loaded(kernel([sum])),
      /\n {2}const float4 inParts = \*reinterpret_cast<const float4 \*>\(&in\[i\]\);\n {2}out\[t\] = inParts\.x \+ inParts\.y \+ inParts\.z \+ inParts\.w;\n/,
    ));
  it('of several statements, stores to another array between them: before the first', async () =>
    assert.match(
      await loaded(kernel(['out[i + 1] = in[i + 1];', 'out[i] = in[i];'])),
      /\n {2}const float2 inParts = .*&in\[i\]\);\n {2}out\[i \+ 1\] = inParts\.y;\n {2}out\[i\] = inParts\.x;\n/,
    ));
  it('of a body without braces: in braces', async () => {
    const written =
      /\n {2}if \(t < n\) \{\n {4}const float4 inParts = .*;\n {4}out\[t\] = inParts\.x .*;\n {2}\} else\n {4}out\[t\] = 0;\n/;
    assert.match(await loaded(kernel([`if (t < n) ${sum}`, 'else', '  out[t] = 0;'])).then(oneElse), written);
    assert.match(await loaded(kernel(['if (t < n)', `  ${sum}`, 'else', '  out[t] = 0;'])).then(oneElse), written);
  });
  it('of a body behind a comment: in braces before the comment', async () =>
    assert.match(
      (await loaded(kernel(['if (t < n) // rows', '  out[t] = in[i] + in[i + 1];']))) ?? '',
      /\n {2}if \(t < n\) \{ \/\/ rows\n {4}const float2 inParts = .*;\n {4}out\[t\] = .*;\n {2}\}\n\}/,
    ));
  it('of two vectors: both, each element wherever it is read', async () => {
    const text = await loaded(
      kernel(['int j = 8 * t;', sum.replaceAll('[i', '[j'), 'out[j] = in[j + 4] + in[j + 5];']),
    );
    assert.match(text, /inParts0\.w;\n {2}const float2 inParts1 = .*&in\[j \+ 4\]\);\n/);
  });

  const refusals: readonly (readonly [string, string, StoreCost?])[] = [
    ['neighbours: the odd one of three', kernel(['out[t] = in[i + 1] + in[i + 2] + in[i + 3];'])],
    ['type: one without vectors', kernel([sum], { type: 'bool', host: allocated.replace('float', 'bool') })],
    [
      'writes: to an array that may be the same',
      kernel(['out[0] = in[i];', 'out[t] = in[i + 1];']).replace('(x, y', '(y, y'),
    ],
    [
      'writes: of a call',
      kernel(['float a = in[i];', 'f();', 'out[t] = a + in[i + 1];'], { before: '__device__ void f();\n' }),
    ],
    [
      'names: an index that is declared between them',
      kernel(['float a = in[i + 1];', 'int j = 4 * t;', 'out[t] = a + in[j];']),
    ],
    ['comments: one in an index', kernel(['out[t] = in[i /* first */] + in[i + 1];'])],
    ['gain: lanes as far apart', kernel([sum]), { sectors: 32, ideal: 32, lanes: 32 }],
  ];
  for (const [name, text, cost] of refusals)
    it(`do not: ${name}`, async () => assert.equal(await loaded(text, cost), `refused: ${name.split(':')[0]!}`));
  const others: readonly (readonly [string, string])[] = [
    ['of a loop that moves their index', kernel(['float a = in[i];', 'i++;', 'out[t] = a + in[i + 1];'])],
    ['behind a pointer that moves', kernel(['in += n;', sum])],
    ['of memory that others write', kernel([sum]).replace('const float *in', 'volatile float *in')],
    ['across a loop', kernel(['float a = in[i];', 'for (int k = 0; k < n; k++) a += k;', 'out[t] = a + in[i + 1];'])],
    ['of a condition', kernel(['if (in[i] > 0) out[t] = in[i + 1];'])],
    ['that only some threads make', kernel(['out[t] = in[i] + (n > 3 ? in[i + 1] : 0);'])],
    ['that only some threads come to', kernel(['bool both = in[i] > 0 && in[i + 1] > 0;', 'out[t] = both;'])],
  ];
  for (const [name, text] of others)
    it(`are not seen ${name}`, async () => assert.equal(await loaded(text), 'not near'));
});

/** With `else` behind its brace, wherever it was. */
function oneElse(text: string): string {
  return text.replace(/\}\s+else/, '} else');
}

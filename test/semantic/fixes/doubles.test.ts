// Doubles among floats: which expressions become double by C++'s rules, what is reported of them, what is on purpose.
import assert from 'node:assert/strict';
import type { DoubleFact } from '../../../server/src/semantic/model';
import { Fn } from '../../../server/src/semantic/language/fn';
import { findDoubles } from '../../../server/src/semantic/fixes/doubles';
import { testSyntax } from '../../support/analyseText';

const head =
  '#define PI 3.14159\n#define HALF 0.5\n#define SCALE(v) ((v) * 0.7)\n#define STEP x *= HALF\n#define LESS y * 0.1\n#define PRODUCT (y) * (0.1)\n#define OWN (y * 0.1)\n#define AGAIN OWN\n#define POWER 1e-3\ntypedef float real;\nstruct P { real x; double exact; };\n__device__ float given(float v);\n__device__ double wide(float v);\n';

async function doublesIn(body: string, qualifiers = '__global__'): Promise<DoubleFact[]> {
  const text = `${head}${qualifiers} void k(float *a, const float4 *v, P *p, double d, int n, float x, float y) {\n  int i = threadIdx.x;\n  ${body}\n}\n`;
  const unit = (await testSyntax()).parse(
    'file:///memory/doubles.cu',
    text,
    0,
    { defines: {}, computeCapability: 90 },
    { resolve: () => undefined },
  );
  return findDoubles(new Fn(unit, unit.main, unit.main.functions.find((fn) => fn.name === 'k')!));
}

// Body, then what is found: its text, its replacement, `=` where no bit can change.
const found: readonly (readonly [string, readonly string[]])[] = [
  ['x = y * 0.1;', ['0.1 0.1f']],
  ['x = y * 0.5;', ['0.5 0.5f =']],
  ['float z = 2. / y;', ['2. 2.f =']],
  ['a[i] += 1.0;', ['1.0 1.0f =']],
  ['a[i] += 1e-3;', ['1e-3 1e-3f']],
  ['x = 0.5 * x + 0.5;', ['0.5 0.5f', '0.5 0.5f']],
  ['x = y * -.25;', ['-.25 -.25f =']],
  ['x = sqrt(y * 0.5);', ['0.5 0.5f']],
  ['x = sqrtf(y * 0.3);', ['0.3 0.3f']],
  ['x = given(y - 0.3);', ['0.3 0.3f']],
  ['x = pow(y, 2.0);', ['2.0 2.0f']],
  ['x = pow(y, 2);', ['pow powf']],
  ['x = pow(y, n) * 0.5f;', ['pow powf']],
  ['x = max(y, 0.0);', ['0.0 0.0f']],
  ['x = y > 0 ? y : 0.01 * y;', ['0.01 0.01f']],
  ['x = (float)(y * 0.1);', ['0.1 0.1f']],
  ['x = float(y * 0.1);', ['0.1 0.1f']],
  ['auto z = y; z *= 1.1;', ['1.1 1.1f']],
  ['x = p[i].x * 0.1;', ['0.1 real(0.1)']],
  ['x = v[i].y * 0.1 * n;', ['0.1 0.1f']],
  ['real &r = a[i]; r = r * 0.1;', ['0.1 real(0.1)']],
  ['x = y * PI;', ['PI (float)PI']],
  ['x = y * HALF;', ['HALF (float)HALF =']],
  ['x = y * M_PI;', ['M_PI (float)M_PI']],
  ['x = SCALE(y);', ['SCALE(y) -']],
  ['STEP;', ['STEP - =']],
  ['x = LESS;', ['LESS -']],
  ['x = PRODUCT;', ['PRODUCT -']],
  ['x = OWN + y;', ['OWN (float)OWN']],
  ['x = AGAIN + y;', ['AGAIN (float)AGAIN']],
  ['x = y * POWER;', ['POWER (float)POWER']],
  ['if (x < 0.1) x = 0;', ['0.1 0.1f']],
  ['a[i] = make_float2(x * 0.1, y).x;', ['0.1 0.1f']],
  ['atomicAdd(a, x * 0.1);', ['0.1 0.1f']],
];
const silent: readonly string[] = [
  'x = y * 0.1f;',
  'float z = 0.1;',
  'const float z = 1.0 / 3.0;',
  'x = 0.1;',
  'x = d * y * 0.1;',
  'x = (double)y * 0.1;',
  'double z = y * 0.1;',
  'double z = 0; z += y * 0.1; x = z;',
  'n = y * 0.1;',
  'n = (int)(x * 0.1 + 0.5);',
  'x = n * 0.1;',
  'if (x < 0.5) x = 0;',
  'x = p[i].exact * y * 0.1;',
  'x = wide(y) * 0.1;',
  'printf("%f", x * 0.1);',
  'x = sqrt(y) + fabs(x) * 2;',
  'x = unknown(y) * 0.1;',
  'auto z = y * 0.1;',
  'x = powf(y, 2);',
  'x = y * 2;',
  'd = y * 0.1;',
];

describe('doubles in float arithmetic', () => {
  for (const [body, expected] of found) {
    it(body, async () => {
      const facts = await doublesIn(body);
      assert.deepEqual(
        facts.map((fact) => `${fact.text} ${fact.replacement?.text ?? '-'}${fact.exact ? ' =' : ''}`),
        expected,
      );
    });
  }
  for (const body of silent)
    it(`nothing in ${body}`, async () =>
      assert.deepEqual(
        (await doublesIn(body)).map((fact) => fact.text),
        [],
      ));

  it('names the nearest float, the loop and the macro', async () => {
    const [fact] = await doublesIn('for (int k = 0; k < n; k++) x = x * y + a[k] * PI;');
    assert.equal(fact?.floatOperand, 'a[k]');
    assert.ok(fact.loopAt);
    assert.match(fact.related[0]!.text, /`PI` is the double 3\.14159/);
  });
  /** Body, then whether a loop comes to its double again. */
  const repeated: readonly (readonly [string, boolean])[] = [
    ['for (;;) { x *= 0.1; if (x < y) return; }', true],
    ['for (;;) { if (x < y) { x = 0.1 * x; return; } }', false],
    ['while (n--) { if (x < y) { x = 0.1 * x; break; } }', false],
    ['for (;;) while (n--) { if (x < y) { x = 0.1 * x; break; } }', true],
    ['for (;;) switch (n) { case 1: { x = 0.1 * x; break; } }', true],
    ['for (;;) { do { x = 0.1 * x; return; } while (n); }', false],
  ];
  for (const [body, expected] of repeated)
    it(`${expected ? 'repeated' : 'once'} in ${body}`, async () =>
      assert.deepEqual(
        (await doublesIn(body)).map((fact) => fact.loopAt !== undefined),
        [expected],
      ));
  it('looks at device code only', async () => {
    assert.equal((await doublesIn('x = y * 0.1;', '')).length, 0);
    assert.equal((await doublesIn('x = y * 0.1;', '__device__')).length, 1);
    assert.equal((await doublesIn('x = y * 0.1;', '__host__ __device__')).length, 1);
  });

  /** Body, then of each double found what is replaced with it: `expression` and `function` with their replacements. */
  const together: readonly (readonly [string, readonly string[]])[] = [
    ['x = y * 0.1;', ['']],
    ['x = 0.5 * x + 0.3;', ['expression 0.5f 0.3f', 'expression 0.5f 0.3f']],
    [
      'x = 0.5 * x + 0.3; a[i] = pow(y, 2);',
      [
        'expression 0.5f 0.3f; function 0.5f 0.3f powf',
        'expression 0.5f 0.3f; function 0.5f 0.3f powf',
        'function 0.5f 0.3f powf',
      ],
    ],
    // What a macro makes cannot be replaced here, so its expression stays double; the others of the function do not.
    [
      'x = SCALE(y) * 0.3; a[i] = y * 0.1 + 0.2;',
      [
        '',
        'function 0.3f 0.1f 0.2f',
        'expression 0.1f 0.2f; function 0.3f 0.1f 0.2f',
        'expression 0.1f 0.2f; function 0.3f 0.1f 0.2f',
      ],
    ],
  ];
  for (const [body, expected] of together)
    it(`${body} is replaced together`, async () => {
      const facts = await doublesIn(body);
      assert.deepEqual(
        facts.map((fact) =>
          (fact.together ?? [])
            .map(({ scope, edits }) => [scope, ...edits.map(({ newText }) => newText)].join(' '))
            .join('; '),
        ),
        expected,
      );
    });
});

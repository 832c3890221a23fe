// Structures of arrays: what is written, and one example that fails each precondition alone.
import assert from 'node:assert/strict';
import { structArraysOf } from '../../../server/src/semantic/fixes/structArrays';
import { applied, contextOf, nodesOf } from './harness';

interface Parts {
  readonly struct?: string;
  readonly param?: string;
  readonly work?: string;
  readonly declared?: string;
  readonly made?: string;
  readonly filled?: string;
  readonly launched?: string;
  readonly read?: string;
  readonly more?: string;
}

const program = ({
  struct = 'struct Body { float x; double mass; float vx; };',
  param = 'Body *bodies',
  work = 'bodies[i].x += bodies[i].vx;',
  declared = 'Body *d;',
  made = 'cudaMalloc(&d, n * sizeof(Body));',
  filled = 'cudaMemcpy(d, host, n * sizeof(Body), cudaMemcpyHostToDevice);',
  launched = 'move<<<1, 32>>>(d, n);',
  read = 'cudaMemcpy(host, d, n * sizeof(Body), cudaMemcpyDeviceToHost);',
  more = '',
}: Parts): string =>
  [
    struct,
    `__global__ void move(${param}, int n) {\n  int i = threadIdx.x;\n  ${work}\n}`,
    `void run(Body *host, int n) {\n  ${declared}\n  ${made}\n  ${filled}\n  ${launched}\n  ${read}\n  cudaFree(d);\n}`,
    more,
    '',
  ].join('\n');

/** The text with the fields of what `move` is handed side by side, from its first function on. */
async function parted(text: string, elsewhere = false): Promise<string> {
  const context = await contextOf(text, 'move');
  const locals = context.locals;
  const member = nodesOf(context, 'member').find(({ object }) => object.kind === 'index');
  const name = nodesOf(context, 'name').find((one) => locals.of(one)?.parameter === context.decl.params[0]);
  const fact = structArraysOf(context, member ?? name!, () => elsewhere);
  if (!fact) return 'nothing';
  if (!('edits' in fact)) return `refused: ${fact.precondition}`;
  const after = applied(text, fact.edits);
  return after.slice(after.indexOf('__global__'));
}

const moved = (
  work = 'bodies.x[i] += bodies.vx[i];',
  host = 'BodyFields d;',
  made = 'allocateBodyFields(d, n);',
): string =>
  [
    `__global__ void move(BodyFields bodies, int n) {\n  int i = threadIdx.x;\n  ${work}\n}`,
    `void run(Body *host, int n) {\n  ${host}\n  ${made}\n  copyToBodyFields(d, host, n);\n  move<<<1, 32>>>(d, n);`,
    '  copyFromBodyFields(host, d, n);\n  freeBodyFields(d);\n}\n\n',
  ].join('\n');

describe('structures of arrays', () => {
  const cases: readonly (readonly [string, Parts, string])[] = [
    ['as it stands', {}, moved()],
    ['of a typedef', { struct: 'typedef struct { float x; double mass; float vx; } Body;' }, moved()],
    [
      'with subscripts in subscripts',
      { work: 'bodies[int(bodies[i].mass)].x = 1;' },
      moved('bodies.x[int(bodies.mass[i])] = 1;'),
    ],
    [
      'through an atomic',
      { work: 'atomicAdd(&bodies[0].x, bodies[i].vx);' },
      moved('atomicAdd(&bodies.x[0], bodies.vx[i]);'),
    ],
    ['beside arrays that stay', { declared: 'Body *d, *other;' }, moved(undefined, 'BodyFields d; Body *other;')],
    [
      'of so many elements as two numbers say',
      { made: 'cudaMalloc((void **)&d, sizeof(Body) * n * 2);' },
      moved(undefined, undefined, 'allocateBodyFields(d, sizeof(char) * n * 2);'),
    ],
  ];
  for (const [name, parts, after] of cases)
    it(`lays fields side by side ${name}`, async () => assert.equal(await parted(program(parts)), after));
  it('knows products by their names', async () => {
    const bytes = 'const size_t bytes = n * sizeof(Body);';
    assert.equal(
      await parted(program({ declared: `Body *d = nullptr; ${bytes}`, made: 'cudaMalloc(&d, bytes);' })),
      moved(undefined, `BodyFields d; ${bytes}`),
    );
  });
  it('goes with the array from kernel to kernel', async () => {
    const second = '__global__ void take(const Body *from, Body *to) { to[threadIdx.x].x = from[threadIdx.x].vx; }';
    const text = program({ launched: 'move<<<1, 32>>>(d, n);\n  take<<<1, 32>>>(d, e);', declared: 'Body *d, *e;' });
    const after = await parted(`${second.replace('{', '{ ')}\n${text}`);
    assert.match(
      after,
      /void take\(BodyFields from, Body \*to\) \{ {2}to\[threadIdx\.x\]\.x = from\.vx\[threadIdx\.x\]/,
    );
    assert.match(after, /BodyFields d; Body \*e;/);
  });
  it('takes names that are free, before the comment of a function', async () => {
    const text = program({ more: 'struct BodyFields {};' }).replace('__global__', '// Moves.\n__global__');
    const context = await contextOf(text, 'move');
    const fact = structArraysOf(
      context,
      nodesOf(context, 'member').find(({ object }) => object.kind === 'index')!,
      () => false,
    );
    assert.ok(fact && 'edits' in fact);
    const after = applied(text, fact.edits);
    assert.match(after, /struct BodyFields2 \{\n {2}float \*x = nullptr;\n {2}double \*mass/);
    assert.match(after, /\n\n\/\/ Moves\.\n__global__ void move\(BodyFields2 bodies/);
  });

  const refusals: readonly (readonly [string, Parts | string, boolean?])[] = [
    ['structure: an array in it', { struct: 'struct Body { float x[2]; float vx; };', work: 'bodies[i].vx = 1;' }],
    [
      'structure: a structure in it',
      { struct: 'struct V { float a; }; struct Body { V x; float vx; };', work: 'bodies[i].vx = 1;' },
    ],
    ['structure: its own function', { struct: 'struct Body { float x, vx; void f(); };' }],
    ['structure: bits', { struct: 'struct Body { int x : 4; float vx; };' }],
    ['structure: one field', { struct: 'struct Body { float x; };', work: 'bodies[i].x = 1;' }],
    ['structure: a union', { struct: 'union Body { float x; int vx; };' }],
    ['sight: other files launch it', {}, true],
    ['sight: declared elsewhere too', `__global__ void move(struct Body *, int);\n${program({})}`],
    ['sight: its address is taken', { more: 'void *f() { return (void *)move; }' }],
    ['sight: no launch', { launched: '' }],
    [
      'sight: a template',
      program({}).replace('__global__', 'template <int k> __global__').replace('move<<<', 'move<1><<<'),
    ],
    ['sight: the linkage of C', program({}).replace('void run', 'extern "C" void run')],
    ['uses: a whole element', { work: 'Body own = bodies[i]; bodies[i].x = own.vx;' }],
    ['uses: an element by its address', { work: 'Body *own = &bodies[i]; bodies[i].x = own->vx;' }],
    ['uses: through arithmetic', { work: 'bodies[i].x = (bodies + 1)->vx;' }],
    [
      'uses: handed on',
      { work: 'bodies[i].x = f(bodies);', struct: 'struct Body { float x, vx; };\n__device__ float f(Body *);' },
    ],
    ['uses: the address of a field', { work: 'float *x = &bodies[i].x; x[0] = bodies[i].vx;' }],
    ['host: a parameter of the host', { launched: 'move<<<1, 32>>>(host, n);' }],
    ['host: an offset', { launched: 'move<<<1, 32>>>(d + 1, n);' }],
    ['host: another name', { launched: 'Body *e = d;\n  move<<<1, 32>>>(d, n);' }],
    [
      'host: a function of the program',
      { launched: 'f(d);\n  move<<<1, 32>>>(d, n);', struct: 'struct Body { float x, vx; };\nvoid f(Body *);' },
    ],
    ['host: allocated twice', { launched: 'cudaMalloc(&d, sizeof(Body));\n  move<<<1, 32>>>(d, n);' }],
    ['host: not allocated', { made: '' }],
    ['host: declared with a number', { declared: 'Body *d, one;' }],
    [
      'host: in a function of a class',
      program({}).replace('void run', 'struct S { void run(Body *, int); };\nvoid S::run'),
    ],
    ['copies: asynchronous', { filled: 'cudaMemcpyAsync(d, host, n * sizeof(Body), cudaMemcpyHostToDevice);' }],
    ['copies: set to zero', { filled: 'cudaMemset(d, 0, n * sizeof(Body));' }],
    ['copies: bytes without a structure', { filled: 'cudaMemcpy(d, host, 48 * n, cudaMemcpyHostToDevice);' }],
    ['copies: bytes of a sum', { filled: 'cudaMemcpy(d, host, n * sizeof(Body) + 8, cudaMemcpyHostToDevice);' }],
    [
      'copies: bytes that change',
      { declared: 'Body *d; size_t bytes = n * sizeof(Body); bytes += 4;', made: 'cudaMalloc(&d, bytes);' },
    ],
    [
      'copies: other things',
      { filled: 'float raw[64]; cudaMemcpy(d, raw, n * sizeof(Body), cudaMemcpyHostToDevice);' },
    ],
    ['macros: a field', { struct: '#define OF(k) bodies[k].x\nstruct Body { float x, vx; };', work: 'OF(i) = 1;' }],
  ];
  for (const [name, given, elsewhere] of refusals)
    it(`does not: ${name}`, async () =>
      assert.equal(
        await parted(typeof given === 'string' ? given : program(given), elsewhere),
        `refused: ${name.split(':')[0]!}`,
      ));
  it('says nothing of a pointer that moves', async () =>
    assert.equal(await parted(program({ work: 'bodies += 1; bodies[i].x = 1;' })), 'nothing'));
});

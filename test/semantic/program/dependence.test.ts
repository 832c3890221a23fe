// Which memory two accesses have in common, as data: pieces of kernels and launches with what the engine says of them.
import assert from 'node:assert/strict';
import { argumentRoots, isOwn, mayOverlap, type Root, rootOf, separation } from '../../../server/src/semantic/program';
import { polynomialOf } from '../../../server/src/semantic/language/indexPolynomials';
import { localsOf } from '../../../server/src/semantic/language/scope';
import { contextOf, nodesOf } from '../fixes/harness';

const kernel = (
  body: string,
  params = 'float *a, float *b, float *__restrict__ r, int n, S v, S *w, float **pp, float c[4], float (*m)[4]',
): string =>
  `struct S { float f; float *p; };\nstruct T { float t[2]; };\nstruct Deep { S in; float *t[2]; };\n__device__ float g[8], h[8], *gp, *gs[4];\nnamespace A { __device__ float u[8]; }\nnamespace B { __device__ float *u; }\n__global__ void k(${params}) {\n  int i = threadIdx.x;\n  ${body}\n}\n`;

/** That many pointers, each the one before it. */
const chain = (length: number): string =>
  Array.from({ length }, (_, at) => `float *q${at + 1} = ${at === 0 ? 'a' : `q${at}`};`).join(' ');

function nameOf(root: Root | undefined): string | undefined {
  return typeof root === 'object' ? root.name : root;
}

describe('roots of accesses', () => {
  const roots: readonly (readonly [body: string, root: string | undefined])[] = [
    ['auto x = a[i];', 'a'],
    ['auto x = *(a + i);', 'a'],
    ['auto x = *(i + a);', 'a'],
    ['auto x = *(a - i);', 'a'],
    ['auto x = *(a * i);', undefined],
    ['auto x = *&a[i];', 'a'],
    ['auto x = ((int *)a)[i];', 'a'],
    ['auto x = ((S *)a)[i].f;', 'a'],
    ['auto x = -a[i];', undefined],
    ['auto x = g[i];', 'g'],
    ['float *q = a + i; auto x = q[1];', 'a'],
    ['float *q = &a[i]; auto x = q[1];', 'a'],
    ['float *q = a; q = b; auto x = q[1];', undefined],
    ['float *q; auto x = q[1];', undefined],
    ['a = b; auto x = a[i];', undefined],
    ['float **q = &a; auto x = a[i];', undefined],
    ['float t[4]; auto x = *(t + i);', undefined],
    ['auto x = *(n > 0 ? a : b);', undefined],
    ['auto x = *(a + i + 1);', 'a'],
    ['auto x = *(1 + i + a);', 'a'],
    ['auto x = *((float *)a + i);', 'a'],
    ['auto x = *(&a[i] + 1);', 'a'],
    ['auto x = *(c + i);', 'c'],
    ['auto x = *(g + i);', undefined],
    ['auto x = *(a[i] + i);', undefined],
    ['auto q = a + i; auto x = *(q + 1);', 'a'],
    ['auto x = pp;', 'pp'],
    ['auto x = *pp;', 'pp'],
    ['auto x = pp[i];', 'pp'],
    ['auto x = pp[i][0];', undefined],
    ['auto x = *pp[i];', undefined],
    ['auto x = *(*pp + i);', undefined],
    ['auto x = *(*m + i);', 'm'],
    ['auto x = *(-i + a);', 'a'],
    ['auto x = v.p[i][0];', undefined],
    ['auto x = &pp[i];', 'pp'],
    ['auto x = *&pp[i];', 'pp'],
    ['float *q = pp[i]; auto x = q[0];', undefined],
    ['auto x = m[i][0];', 'm'],
    ['auto x = v.p[i];', 'v'],
    ['auto x = w->f;', 'w'],
    ['auto x = w[i].f;', 'w'],
    ['auto x = w->p;', 'w'],
    ['auto x = w->p[i];', undefined],
    ['auto x = w[i].p[0];', undefined],
    ['S *q = &w[i]; auto x = q->f;', 'w'],
    ['float *q, *t; q = t; t = q; auto x = q[0];', undefined],
    [`${chain(11)} auto x = q11[0];`, 'a'],
    [`${chain(12)} auto x = q12[0];`, undefined],
  ];
  for (const [body, root] of roots)
    it(`${body} ${root === undefined ? 'has none that one name gives' : `lies in ${root}`}`, async () => {
      const context = await contextOf(kernel(body));
      const { init } = nodesOf(context, 'var').findLast(({ name }) => name === 'x')!;
      assert.equal(nameOf(rootOf(init!, context.locals)), root);
    });

  const own: readonly (readonly [body: string, own: boolean])[] = [
    ['i = 1;', true],
    ['float t[4]; t[0] = 1;', true],
    ['S s; s.f = 1;', true],
    ['S s[2]; s[0].f = 1;', true],
    ['S *s; s->f = 1;', false],
    ['T s; s.t[0] = 1;', true],
    ['float t[2][2]; t[0][1] = 1;', true],
    ['S s; s.p[0] = 1;', false],
    ['S s[2]; s[0].p[0] = 1;', false],
    ['float *t[2]; t[0][1] = 1;', false],
    ['float *q = a; q = b;', true],
    ['a = b;', true],
    ['float &x = a[0]; x = 1;', false],
    ['__shared__ float x; x = 1;', false],
    ['__shared__ S s; s.f = 1;', false],
    ['float t[4]; (n ? t : a)[0] = 1;', false],
    ['float t[4]; *t = 1;', false],
    ['__shared__ float t[4]; t[0] = 1;', false],
    ['a[0] = 1;', false],
    ['g[0] = 1;', false],
    ['*a = 1;', false],
    ['missing = 1;', false],
  ];
  for (const [body, is] of own)
    it(`${body} writes ${is ? "the thread's own" : 'what others may see'}`, async () => {
      const context = await contextOf(kernel(body));
      assert.equal(isOwn(nodesOf(context, 'assign').at(-1)!.target, context), is);
    });
});

describe('arrays that may overlap', () => {
  const launches: readonly (readonly [host: string, args: string, overlap: boolean])[] = [
    ['float *x, float *y', 'x, y, x, 1', false],
    ['float *x, float *y', 'x, x, y, 1', true],
    ['float *x, float *y', 'x, x + 8, y, 1', true],
    ['float *x, float *y', 'x, &x[1], y, 1', true],
    ['float *x, float *y', 'x, (float *)y, y, 1', false],
    ['float **x, float *y', 'x[0], x[1], y, 1', false],
    ['float **x, float *y', 'x[0], x[0], y, 1', true],
    ['float **x, int y', 'x[0], x[y], x[1], 1', true],
    ['S x, S y', 'x.p, y.p, x.p, 1', false],
    ['S x, S y', 'x.p, x.p, y.p, 1', true],
    ['float *x, float *y', 'x, pick(y), y, 1', true],
  ];
  for (const [params, args, overlap] of launches)
    it(`k(${args}) with ${params}: ${overlap ? 'may' : 'apart'}`, async () => {
      const text = `float *pick(float *);\n${kernel('a[i] = b[i] + r[i] + g[i];')}void host(${params}) { k<<<1, 32>>>(${args}); }\n`;
      const context = await contextOf(text, 'k');
      const locals = context.locals;
      const sites = context.launchSites('k');
      const [a, b, r] = ['a', 'b', 'r'].map((name) => locals.all.find((local) => local.name === name)!);
      assert.equal(mayOverlap(a!, b!, sites, context), overlap);
      assert.equal(mayOverlap(b!, a!, sites, context), overlap);
      assert.equal(mayOverlap(a!, r!, sites, context), false, 'restrict');
      assert.equal(mayOverlap(r!, b!, sites, context), false, 'restrict');
      assert.equal(mayOverlap(a!, a!, sites, context), true);
      assert.equal(mayOverlap('g', a!, sites, context), true, 'an array of the file');
      assert.equal(mayOverlap('g', a!, [], context), true, 'an array of the file, launched from nowhere');
      assert.equal(mayOverlap(a!, 'g', [], context), true);
      assert.equal(mayOverlap('g', 'h', sites, context), false);
      assert.equal(mayOverlap('g', 'gp', sites, context), true, 'a pointer of the file');
      assert.equal(mayOverlap('gp', 'g', sites, context), true);
      for (const name of ['unseen', 'gs', 'u']) assert.equal(mayOverlap('g', name, sites, context), true, name);
      assert.equal(mayOverlap('g', 'g', sites, context), true);
    });

  it('compares arrays by their places among the parameters, at every launch', async () => {
    const text = `struct V { float *p; float *q; };
__global__ void k(float *a, float *b, float *c, V v) { a[0] = b[0] + c[0] + v.p[0]; }
void host(float *x, float *y, float *z, float *t) { V v = {z, t}; k<<<1, 32>>>(x, y, x, v); k<<<1, 32>>>(x, y, t, v); }
`;
    const context = await contextOf(text, 'k');
    const { all } = context.locals;
    const sites = context.launchSites('k');
    const pairs = ['ab', 'ac', 'bc', 'av', 'bv', 'cv', 'vc'].map((pair): readonly [string, boolean] => {
      const [one, other] = [...pair].map((name) => all.find((local) => local.name === name)!);
      return [pair, mayOverlap(one!, other!, sites, context)];
    });
    assert.deepEqual(pairs, [
      ['ab', false],
      ['ac', true],
      ['bc', false],
      ['av', false],
      ['bv', false],
      ['cv', true],
      ['vc', true],
    ]);
  });

  const given: readonly (readonly [before: string, arg: string, roots: readonly string[] | undefined])[] = [
    ['', 'x', ['x']],
    ['float *q = x + 4;', 'q', ['x']],
    ['float *q = 0;', 'q', ['q']],
    ['float *q; q = x;', 'q', undefined],
    ['S s = {1, x};', 's', ['x']],
    ['S s; s.p = x;', 's', ['x']],
    ['S s; s.p = x; s.p = y;', 's', ['x', 'y']],
    ['S s; cudaMalloc(&s.p, 8);', 's', ['s.p']],
    ['S s = make();', 's', undefined],
    ['S s; fill(s);', 's', undefined],
    ['S s; s.p = pick(x);', 's', undefined],
    ['', '-1', undefined],
    ['auto q = x;', 'q', ['x']],
    ['float *&q = x;', 'q', ['x']],
    ['float *q = pick(x);', 'q', undefined],
    ['float *q = n ? x : y;', 'q', undefined],
    ['float *q = new float[8];', 'q', ['q']],
    ['float *q = (float *)malloc(8);', 'q', ['q']],
    ['float *q; cudaMalloc(&q, 8);', 'q', ['q']],
    ['y = x;', 'y', undefined],
    ['float q[8];', 'q', ['q']],
    ['', 'global', ['global']],
    ['', '&x[n]', ['x']],
    ['', 'x[n]', undefined],
    ['', 'x[1]', ['x[1]']],
    ['', 'pick(x)[1]', undefined],
    ['', '*z', undefined],
    ['', 'make().p', undefined],
    ['S s; s.p = x;', '&s.p', ['s.p']],
    ['S s; s.p = x;', '&s', ['s']],
    ['S s;', 's', []],
    ['S s; s.p = x; float *q = s.p;', 's', ['x']],
    ['S s; s.p = x; y = s.p;', 's', ['x']],
    ['S s; s.p = x; s.f = *s.p;', 's', undefined],
    ['S s; s.p = x; n = s.f + 1;', 's', ['x']],
    ['S s; s.p = x; n = s.f & 1;', 's', ['x']],
    ['S s; s.p = x; n = *s.p;', 's', ['x']],
    ['S s; s.p = x; n = -s.f;', 's', ['x']],
    ['S s; s.p = x; z[s.f] = y;', 's', ['x']],
    ['Deep s; s.in.p = x;', 's', ['x']],
    ['Deep s; s.t[1] = x;', 's', ['x']],
    ['Deep s; cudaMalloc(&s.in.p, 8);', 's', ['s.in.p']],
    ['S t; t.p = y; S s(t);', 's', undefined],
    ['S s(x);', 's', undefined],
    ['S t; t.p = y; S s{t};', 's', undefined],
    ['S t; t.p = y; S s = t;', 's', undefined],
    ['S t; t.p = y; Deep s; s.in = t;', 's', undefined],
    ['Deep s; s.in = o;', 's', undefined],
  ];
  for (const [before, arg, roots] of given)
    it(`${before} ${arg} reaches ${roots?.join(', ') ?? 'what has no name'}`, async () => {
      const text = `${kernel('')}void host(float *x, float *y, float **z, int n, S o) { ${before} k<<<1, 32>>>(${arg}, x, y, 1); }\n`;
      const context = await contextOf(text, 'host');
      const [launch] = nodesOf(context, 'launch');
      const found = argumentRoots(launch!.args[0], context.locals);
      assert.deepEqual(found && [...found].sort(), roots);
    });
  it('takes what is not handed over for unknown', async () => {
    assert.equal(argumentRoots(undefined, localsOf((await contextOf(kernel(''))).decl)), undefined);
  });
});

describe('iterations that may meet in one element', () => {
  const indices: readonly (readonly [indices: readonly string[], why: string | undefined])[] = [
    [['j'], undefined],
    [['j', 'j'], undefined],
    [['j + n'], undefined],
    [['2 * j', '2 * j + 1'], undefined],
    [['2 * j', '2 * j + 2'], 'is used at elements of other iterations'],
    [['2 * j + 2', '2 * j'], 'is used at elements of other iterations'],
    [['j', 'j - 1'], 'is used at elements of other iterations'],
    [['j', 'j + n'], 'is used at elements of other iterations'],
    [['j', '2 * j'], 'is indexed in two different ways'],
    [['n'], 'is not indexed by the loop variable'],
    [['n * j'], 'is not indexed by the loop variable'],
    [['j * j'], 'is indexed by more than the loop variable'],
    [['j + m'], 'is indexed by a variable that changes'],
    [['j + n / 2'], undefined],
    [['j + (n + j * j) / 2'], 'is indexed by more than the loop variable'],
    [['j + j / 2'], 'is indexed by more than the loop variable'],
  ];
  for (const [texts, why] of indices)
    it(`${texts.join(' and ')} ${why ?? 'never do'}`, async () => {
      const body = `int m = n; m++; for (int j = 0; j < n; j++) { ${texts.map((text) => `a[${text}] = 0;`).join(' ')} }`;
      const context = await contextOf(kernel(body));
      const locals = context.locals;
      const variable = locals.all.find(({ name }) => name === 'j')!;
      const found = nodesOf(context, 'index').map(({ index }) => context.index(index)!);
      assert.equal(separation(found, variable, locals), why);
    });
  it('asks whether more than the element tells threads apart', async () => {
    const context = await contextOf(kernel('for (int j = 0; j < n; j++) a[j + threadIdx.x] = b[threadIdx.x] + b[n];'));
    const locals = context.locals;
    const variable = locals.all.find(({ name }) => name === 'j')!;
    const [index, start, even] = nodesOf(context, 'index').map((node) => polynomialOf(node.index, context)!);
    assert.equal(separation([index!], variable, locals, start), undefined);
    assert.equal(separation([index!], variable, locals, even), 'is indexed by more than the element');
    assert.equal(separation([], variable, locals), 'is indexed by more than the loop variable');
  });
});

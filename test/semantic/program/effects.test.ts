// What pieces of source do, as data: each row is a piece and what the engine says of it.
import assert from 'node:assert/strict';
import {
  calleeOf,
  hasMacro,
  hidesEffects,
  holdsBarrier,
  isAggregate,
  isArithmetic,
  isBlockBarrier,
  isProgramFunction,
  isPure,
  isPureCall,
  isReturn,
  leavings,
  mayChange,
  touchesMemory,
} from '../../../server/src/semantic/program';
import type { Fn } from '../../../server/src/semantic/language/fn';
import type { Expr, Stmt } from '../../../server/src/syntax/ast';
import { contextOf, nodesOf } from '../fixes/harness';

const around = `
#define TWICE(x) ((x) * 2)
#define SIZE 8
__device__ int counter;
struct Pair { int a; int b; };
struct Made { int a; Made(int x); };
struct View { float *p; int get(int x) { return x; } void put(int x); };
struct Row { int t[2]; View v; };
struct Made2 { int a; int t[2]; __device__ Made2(int x) : a(x) { t[0] = x; } };
struct Filled { int *p; __device__ Filled(int *q, int x) { p = q; p[0] = x; } };
struct Counts {
  int count;
  __device__ int bump(int x) { count = x; return x; }
  __device__ int step(int x) { count++; return x; }
  __device__ int store(int x) { this->count = x; return x; }
  __device__ int twice(int x) { return 2 * x; }
  __device__ int all(int x) { return bump(x) + step(x) + store(x) + twice(x); }
};
struct both { int a; };
__device__ int both(int x);
__device__ float *const far = 0;
__constant__ int coefficients[4];
__global__ void launched(int x) { counter = x; }
typedef float Real;
__device__ const int table[4] = {1, 2, 3, 4};
__device__ int unseen(int x);
__device__ int sqrtf(Pair x);
__device__ int plain(int x) { int t[2]; t[0] = x; return t[0] + table[1]; }
__device__ int nested(int x) { return plain(x) + 1; }
__device__ int lane(int x) { return x + threadIdx.x; }
__device__ int ticks(int x) { return x + clock(); }
__device__ int bumps(int x) { counter = x; return x; }
__device__ int looks(int *p) { return *p; }
__device__ int asks(View v) { return v.p[0]; }
__device__ int refers(int &x) { return x; }
__device__ int keeps(int x) { static int s; return s + x; }
__device__ int shares(int x) { __shared__ int s; return x; }
__device__ int points(int x) { int *q; return x; }
__device__ int address(int x) { return *&x; }
__device__ int assembles(int x) { asm volatile("nop;"); return x; }
__device__ int loops(int x) { return loops(x - 1); }
__device__ int outside(int x) { return unseen(x); }
__device__ int binds(int x) { int &r = x; return r; }
__device__ int mixed(int x, int *p) { return x; }
__device__ int where(int x) { return &x == 0; }
__device__ int reads(int x) { return coefficients[x] + blockDim.x; }
__device__ int follows(int x) { return far[x] + 1; }
__device__ int leads(int x) { return *far; }
__device__ int behind(int x) { return x + far->f; }
__device__ int column(Row r) { r.t[0] = 1; return r.t[1]; }
__device__ int deep(Row r) { return r.v.p[0]; }
__device__ int square(int x) { int t[2][2]; t[0][1] = x; return t[1][0]++; }
__device__ int many(int x) { int *t[2]; return t[0][1]; }
__device__ int shadows(int x) { int counter = x; counter++; return counter; }
__device__ int blockShare(int x) { return x + blockIdx.x; }
__device__ int negates(int x) { return -x + ~x; }
__device__ int none() { return 1; }
__device__ int over(int x) { return x; }
__device__ int over(float x) { counter = x; return x; }
__device__ int twin(int x) { return x; }
__device__ int twin(int x, int y, int z) { return y; }
__device__ int more(int x) { return x; }
__device__ int more(int x, int y) { counter = y; return x; }
__device__ int defaults(int x, int y = 1) { return x + y; }
__device__ int spends(int x, int y = 1) { counter += y; return x; }
__device__ int asked(int x, int y = bumps(1)) { return x; }
template <typename... T> __device__ int packs(T... rest) { return 1; }
__device__ int d1(int x) { return x; }
__device__ int d2(int x) { return d1(x); }
__device__ int d3(int x) { return d2(x); }
__device__ int d4(int x) { return d3(x); }
__device__ int d5(int x) { return d4(x); }
__device__ int cycle(int x) { return x ? back(x - 1) : 0; }
__device__ int back(int x) { return cycle(x); }
`;

async function inside(body: string, more = ''): Promise<Fn> {
  return contextOf(`${around}${more}__global__ void k(int *p, int *q, View *v, int n, int i) {\n${body}\n}\n`, 'k');
}

async function value(text: string): Promise<{ readonly expr: Expr; readonly fn: Fn }> {
  const context = await inside(`__shared__ int shared; int &bound = p[0]; Row r; auto result = ${text};`);
  return { expr: nodesOf(context, 'var').at(-1)!.init!, fn: context };
}

async function statement(text: string): Promise<Stmt> {
  const { body } = (await inside(text)).decl;
  return body!.body[0]!;
}

describe('effects', () => {
  /** Whether the value only computes, and whether it stays out of memory beside. */
  const values: readonly (readonly [text: string, pure: boolean, arithmetic: boolean])[] = [
    ['n + 1', true, true],
    ['p[i]', true, false],
    ['*p', true, false],
    ['v->p', true, false],
    ['&p[0]', true, false],
    ['&n', true, false],
    ['n++', false, false],
    ['(n = 1)', false, false],
    ['"text"', false, false],
    ['new int', false, false],
    ['[] { return 1; }', false, false],
    ['threadIdx.x', true, true],
    ['min(n, 2)', true, true],
    ['min(p[0], 2)', true, false],
    ['__popc(n)', true, true],
    ['__float_as_int(1.f)', true, true],
    ['__fadd_rn(1.f, 2.f)', true, true],
    ['make_int2(1, 2)', true, true],
    ['int(1.5f)', true, true],
    ['Real(n)', true, true],
    ['Real(n, n)', false, false],
    ['Pair(1, 2)', true, true],
    ['Made(1)', false, false],
    ['sqrtf(n)', false, false],
    ['missing(n)', false, false],
    ['v->missing(n)', false, false],
    ['unseen(n)', false, false],
    ['atomicAdd(p, 1)', false, false],
    ['plain(n)', true, true],
    ['nested(n)', true, true],
    ['lane(n)', false, false],
    ['ticks(n)', false, false],
    ['bumps(n)', false, false],
    ['looks(p)', false, false],
    ['asks(*v)', false, false],
    ['refers(n)', false, false],
    ['keeps(n)', false, false],
    ['shares(n)', false, false],
    ['points(n)', false, false],
    ['address(n)', false, false],
    ['assembles(n)', false, false],
    ['loops(n)', false, false],
    ['outside(n)', false, false],
    ['binds(n)', false, false],
    ['mixed(n, p)', false, false],
    ['where(n)', false, false],
    ['reads(n)', true, true],
    ['follows(n)', false, false],
    ['leads(n)', false, false],
    ['behind(n)', false, false],
    ['column(r)', true, true],
    ['deep(r)', false, false],
    ['square(n)', true, true],
    ['many(n)', false, false],
    ['shadows(n)', true, true],
    ['blockShare(n)', false, false],
    ['negates(n)', true, true],
    ['none()', true, true],
    ['none(n)', false, false],
    ['over(n)', false, false],
    ['twin(n)', true, true],
    ['twin(n, n)', true, true],
    ['plain(n, n)', false, false],
    ['more(n)', false, false],
    ['more(n, n)', false, false],
    ['defaults(n)', true, true],
    ['spends(n)', false, false],
    ['asked(n)', false, false],
    ['packs(n, n, n)', true, true],
    ['Made2(n)', true, true],
    ['Filled(p, n)', false, false],
    ['both(n)', false, false],
    ['launched(n)', false, false],
    ['Counts::bump(n)', false, false],
    ['Counts::step(n)', false, false],
    ['Counts::store(n)', false, false],
    ['Counts::twice(n)', true, true],
    ['Counts::all(n)', false, false],
    ['__ldg(p)', true, false],
    ['counter', true, false],
    ['coefficients', true, true],
    ['far', true, true],
    ['shared', true, false],
    ['bound', true, false],
    ['r.t[0]', true, false],
    ['d4(n)', true, true],
    ['d5(n)', true, true],
    ['cycle(n)', false, false],
  ];
  for (const [text, pure, arithmetic] of values)
    it(`${text} ${pure ? 'only computes' : 'may do more'}${arithmetic ? ', without memory' : ''}`, async () => {
      const { expr, fn } = await value(text);
      assert.equal(isPure(expr, fn), pure);
      assert.equal(isArithmetic(expr, fn), arithmetic);
    });

  const memory: readonly (readonly [text: string, known: boolean, bare: boolean])[] = [
    ['n = i + 1;', false, false],
    ['n = p[i];', true, true],
    ['n = *p;', true, true],
    ['n = -i;', false, false],
    ['n = i & 1;', false, false],
    ['n = counter;', true, false],
    ['q = v->p;', true, true],
    ['q = &n;', true, true],
    ['n = min(i, 2);', false, true],
    ['n = unseen(i);', true, true],
    ['delete p;', true, true],
    ['asm("nop;");', true, true],
  ];
  for (const [text, known, bare] of memory)
    it(`${text} ${known ? 'touches' : 'leaves'} memory`, async () => {
      const context = await inside(text);
      const [stmt] = context.decl.body!.body;
      assert.equal(touchesMemory(stmt!, context), known);
      assert.equal(touchesMemory(stmt!), bare);
    });

  const changes: readonly (readonly [text: string, references: boolean, values: boolean])[] = [
    ['n = 1;', true, true],
    ['(int)n;', false, false],
    ['i = n;', false, false],
    ['p[n] = 1;', false, false],
    ['n++;', true, true],
    ['i--;', false, false],
    ['q = &n;', true, true],
    ['q = &i;', false, false],
    ['i = -n;', false, false],
    ['unseen(n);', true, false],
    ['unseen((int)n);', true, false],
    ['unseen(i);', false, false],
    ['unseen(i, n);', true, false],
    ['n.act();', true, false],
    ['n.f = 1;', true, true],
    ['n.f.g++;', true, true],
    ['q = &n.f;', true, true],
    ['n->f = 1;', false, false],
    ['int &m = n;', true, false],
    ['int &m = i;', false, false],
    ['int m = n;', false, false],
    ['int &m;', false, false],
    ['asm("" : "=r"(i), "=r"(n));', true, true],
    ['v->act(n);', true, false],
    ['i = __popc(n);', false, false],
    ['int n = 3;', true, false],
    ['int m = 3;', false, false],
    ['asm("mov.u32 %0, 1;" : "=r"(n));', true, true],
    ['asm("mov.u32 %0, 1;" : "=r"(i));', true, false],
    ['again: i = 1;', true, false],
  ];
  for (const [text, references, byValue] of changes)
    it(`${text} ${references ? 'may change' : 'keeps'} n`, async () => {
      const stmt = await statement(text);
      assert.equal(mayChange(stmt, new Set(['n']), 'references'), references);
      assert.equal(mayChange(stmt, new Set(['n']), 'values'), byValue);
    });

  const ways: readonly (readonly [text: string, ...found: string[]])[] = [
    ['n = 1;'],
    ['return;', 'return'],
    ['{ if (n) return; }', 'return'],
    ['goto end; end: n = 1;', 'goto'],
    ['for (;;) { if (n) break; else continue; }'],
    ['while (n) { break; }'],
    ['do { continue; } while (n);'],
    ['for (;;) { for (;;) { if (n) return; break; } }', 'return'],
    ['for (int x : *v) break;'],
    ['switch (n) { case 1: break; default: n = 1; }'],
    ['switch (n) { case 1: return; }', 'return'],
    ['for (;;) { switch (n) { case 1: continue; } }'],
    ['auto f = [] { return 1; };'],
    ['if (n) throw 1;', 'throw'],
    ['{ for (;;) { break; } }'],
    ['{ for (int x : *v) break; }'],
    ['{ for (int x : *v) { if (x) return; continue; } }', 'return'],
    ['{ while (n) continue; n = 1; }'],
    ['{ switch (n) { case 1: break; } }'],
  ];
  for (const [text, ...found] of ways)
    it(`${text} is left by ${found.join(' and ') || 'nothing'}`, async () => {
      const stmt = await statement(text);
      assert.deepEqual([...leavings(stmt)], found);
      assert.deepEqual([...leavings(stmt)], found, 'asked again');
    });
  it('leaves a body by break and continue, and a switch by continue', async () => {
    const loop = await statement('for (;;) { if (n) break; switch (n) { case 1: break; case 2: continue; } }');
    assert.ok(loop.kind === 'for');
    assert.deepEqual([...leavings(loop.body)].sort(), ['break', 'continue']);
    const other = await statement('for (;;) { switch (n) { case 1: break; case 2: continue; } }');
    assert.ok(other.kind === 'for');
    assert.deepEqual([...leavings(other.body)], ['continue']);
  });

  const barriers: readonly (readonly [text: string, is: boolean, holds: boolean])[] = [
    ['__syncthreads();', true, true],
    ['if (n) __syncthreads();', false, true],
    ['__syncwarp();', false, false],
    ['v->sync();', false, true],
    ['cg::sync(v);', false, true],
    ['v->size();', false, false],
    ['n = i;', false, false],
  ];
  for (const [text, is, holds] of barriers)
    it(`${text} ${is ? 'is' : holds ? 'holds' : 'has no'} barrier`, async () => {
      const stmt = await statement(text);
      assert.equal(isBlockBarrier(stmt), is);
      assert.equal(holdsBarrier(stmt), holds);
    });

  it('tells a lone return from more', async () => {
    const is = async (text: string): Promise<boolean> => isReturn(await statement(text));
    assert.deepEqual(
      await Promise.all(
        ['return;', '{ return; }', '{ n = 1; return; }', '{ return; n = 1; }', '{ n = 1; }', 'n = 1;'].map(is),
      ),
      [true, true, false, false, false, false],
    );
  });

  it('finds macros, but for those that are one number', async () => {
    assert.ok(hasMacro((await value('TWICE(n)')).expr));
    assert.ok(!hasMacro((await value('n + SIZE')).expr));
    assert.ok(!hasMacro((await value('n + 1')).expr));
  });

  it('knows what hides its effects', async () => {
    const context = await inside(
      'asm("nop;"); auto f = [] {}; int *m = new int; delete m; k<<<1, 1>>>(p, q, v, n, i); n = 1;',
    );
    const hidden = context.locals.nodes.filter(hidesEffects).map(({ kind }) => kind);
    assert.deepEqual([...new Set(hidden)].sort(), ['asm', 'delete', 'lambda', 'launch', 'new']);
  });

  describe('of callees', () => {
    /** Whether the program itself declares it. */
    const callees: readonly (readonly [text: string, kind: string, declared: boolean])[] = [
      ['plain(n)', 'bodies', true],
      ['std::plain(n)', 'bodies', true],
      ['unseen(n)', 'unknown', true],
      ['std::unseen(n)', 'unknown', false],
      ['missing(n)', 'unknown', false],
      ['launched(n)', 'bodies', false],
      ['v->plain(n)', 'unknown', true],
      ['v->get(n)', 'unknown', true],
      ['v->put(n)', 'unknown', false],
      ['put(n)', 'unknown', false],
      ['v->unseen(n)', 'unknown', false],
      ['(*v)(n)', 'unknown', false],
      ['printf("%d", n)', 'library', false],
      ['fabsf(n)', 'library', false],
      ['ceilf(n)', 'library', false],
      ['cudaGetLastError()', 'library', false],
      ['malloc(n)', 'library', false],
      ['strlen(s)', 'library', false],
      ['ieor(n, n)', 'unknown', false],
      ['sqrtf(n)', 'unknown', true],
      ['both(n)', 'unknown', true],
      ['Made(n)', 'unknown', false],
      ['thrust::device_vector(n)', 'unknown', false],
      ['thrust::device_vector<int>(n)', 'unknown', false],
    ];
    for (const [text, kind, declared] of callees)
      it(`${text}: ${kind}`, async () => {
        const { expr, fn } = await value(text);
        assert.ok(expr.kind === 'call');
        assert.equal(calleeOf(expr, fn).kind, kind);
        assert.equal(isAggregate(expr, fn), false);
        assert.equal(isProgramFunction(expr, fn), declared);
        if (kind === 'unknown') assert.equal(isPureCall(expr, fn), false);
      });
  });
});

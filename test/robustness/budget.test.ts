// Inputs that multiply: each is read within its budget, says that it was cut short, and the code beside it is still found.
import assert from 'node:assert/strict';
import { lint } from '../../server/src/lint/lint';
import { createSyntax, type Syntax } from '../../server/src/syntax';
import { readGrammarFiles } from '../../server/src/syntax/grammarFiles';
import { createWorkspace, type Analysed } from '../../server/src/workspace/workspace';
import { filesInMemory, uriOf } from '../server/support';
import { inTurn } from '../support/depth';
import { hostileInputs, plainKernel } from './hostileInputs';

const kernel = '__global__ void k(float *a) { a[threadIdx.x * 32] = 1; }\nvoid h(float *a) { k<<<1, 256>>>(a); }\n';
const nested = (call: string, depth: number, inner: string): string =>
  `${call}(`.repeat(depth) + inner + ')'.repeat(depth);
const times = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join('');

function secondsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

interface Case {
  readonly text: string;
  readonly files?: Record<string, string>;
  /** What the sentence on the first line says was too much; absent where nothing is left out. */
  readonly says?: RegExp;
}

const macros = /macros expand/;
const cases: Record<string, Case> = {
  'arguments within arguments': { text: `#define D(x) x x x x\nint a = ${nested('D', 20, '1')};\n`, says: macros },
  'objects that double': {
    text: `#define A0 1\n${times(40, (i) => `#define A${i + 1} A${i} A${i}\n`)}int a[] = {A40};\n`,
    says: macros,
  },
  'quoted text that doubles': {
    text: `#define S(x) #x\n#define D(x) S(x x)\nconst char *s = ${nested('D', 100, 'a')};\n`,
    says: macros,
  },
  'pasted names that double': {
    text: `#define C_(a, b) a##b\n#define C(a, b) C_(a, b)\n#define D(x) C(x, x)\nint ${nested('D', 50, 'q')};\n`,
    says: macros,
  },
  __VA_OPT__: {
    text: `#define D(...) __VA_OPT__(__VA_ARGS__ __VA_ARGS__ __VA_ARGS__)\nint a = ${nested('D', 40, '1')};\n`,
    says: macros,
  },
  'conditions, many of them': {
    text: `#define D(x) x + x\n${`#if ${nested('D', 30, '1')}\n#endif\n`.repeat(300)}`,
    says: macros,
  },
  'an include': { text: `#define D(x) x x x x\n${`#include ${nested('D', 30, '1')}\n`.repeat(200)}`, says: macros },
  _Pragma: {
    text: `#define D(x) x x x\n#define P_(x) _Pragma(#x)\n#define P(x) P_(x)\n${nested('P', 1, nested('D', 40, 'acc loop'))}\n`,
    says: macros,
  },
  'calls that never end': {
    text: times(800, (i) => `#define F${i}(x) x\n`) + times(800, (i) => `F${i}( `).repeat(20),
    says: macros,
  },
  'a chain of macros': { text: `${times(20_000, (i) => `#define A${i} A${i + 1}\n`)}${'int x = A0;\n'.repeat(300)}` },
  'includes that double': {
    text: '#include "x0.cuh"\n',
    files: Object.fromEntries(
      Array.from({ length: 25 }, (_, i) => [
        `/project/x${i}.cuh`,
        i < 24 ? `#include "x${i + 1}.cuh"\n#define X${i}\n#include "x${i + 1}.cuh"\n` : 'int q;\n#define Z 1\n',
      ]),
    ),
  },
  // Each time that the innermost is included it counts, and is another file to all that include it.
  'includes that double and count': {
    text: '#include "x0.cuh"\n',
    files: {
      ...Object.fromEntries(
        Array.from({ length: 24 }, (_, i) => [`/project/x${i}.cuh`, `#include "x${i + 1}.cuh"\n`.repeat(2)]),
      ),
      '/project/x24.cuh': `#if ${times(24, (i) => `defined(B${i}) + `)}0\n#endif\n${times(24, (i) => `#ifndef B${i}\n#define B${i}\n${times(i, (j) => `#undef B${j}\n`)}#else\n`)}${'#endif\n'.repeat(24)}`,
    },
    says: /million characters/,
  },
  'a large header under many macros': {
    text: times(200, (i) => `#undef V\n#define V ${i}\n#include "big.cuh"\n`),
    files: { '/project/big.cuh': `#if V\n#endif\n${'int a; '.repeat(40_000)}` },
    says: /million characters/,
  },
  'many macros from many includes': {
    text: '#include "defs.cuh"\n'.repeat(1900),
    files: { '/project/defs.cuh': times(6000, (i) => `#define Q${i}\n`) },
    says: /what this file includes: .*left out/,
  },
  'namespaces within namespaces': {
    text: `${times(3000, (i) => `namespace a${i} {\n`)}${'}'.repeat(3000)}\n`,
    says: /namespaces nest/,
  },
  'empty braces': { text: '{}'.repeat(50_000) },
  'items without end': { text: times(90_000, (i) => `{${i}}\n`), says: /more code than/ },
  'open parentheses': { text: `int a = ${'('.repeat(100_000)};\n` },
  'open calls': { text: `void f() { ${'f('.repeat(100_000)}; }\n` },
  'lambdas within lambdas': { text: `void f() { ${'[=] __device__ ('.repeat(30_000)} }\n` },
  'templates without end': { text: 'template<'.repeat(50_000) },
  'a million signs': { text: ';'.repeat(1_100_000), says: /million words and signs/ },
  'a number without end': { text: `#if ${'9'.repeat(500_000)}\n#endif\n` },
  'functions without end': { text: times(10_100, (i) => `void f${i}() {}\n`), says: /more functions than/ },
  'conditions within parentheses': { text: `#if ${'('.repeat(50_000)}1\n#endif\n` },
};

/** A file of kernels that differ in their number, each with its launch. */
const kernels = (count: number): string =>
  times(
    count,
    (i) =>
      `__global__ void k${i}(float *a) { a[threadIdx.x * ${i}] = 1; }\nvoid h${i}(float *a) { k${i}<<<1, ${(i % 1024) + 1}>>>(a); }\n`,
  );

/** What every input here is held against: processor time to read as many kernels as a large file has. */
const yardstick = kernels(600);
/** How many times the yardstick an input may take. */
const usual = 10;

/** What ended in minutes or not at all before each was bounded; nothing is left out of these but what cannot be known. */
const long: Record<string, Case> = {
  'include folders without end': {
    text: times(1500, (i) => `#include "nowhere${i}.cuh"\n`),
    files: {
      '/project/compile_commands.json': JSON.stringify([
        {
          directory: '/project',
          file: 'main.cu',
          command: `nvcc ${times(20_000, (i) => `-Ifolder${i} `)} -c main.cu`,
        },
      ]),
    },
  },
  'variables of a Makefile that double': {
    text: '',
    files: {
      '/project/Makefile': `A0 = -DX=1 -I.\n${times(60, (i) => `A${i + 1} = $(A${i}) $(A${i})\n`)}main.o: main.cu\n\tnvcc $(A60)\n${'V := $(V) $(V) x\n'.repeat(5000)}`,
    },
  },
  'a Makefile of one line of spaces': { text: '', files: { '/project/Makefile': `A = x${' '.repeat(400_000)}y\n` } },
  'functions of the host that each call ten': {
    text: `${times(1200, (i) => `void f${1199 - i}(float *a, int n) { ${i > 10 ? times(10, (j) => `f${1200 - i + j}(a, n + ${j}); `) : 'k<<<n, n * 32>>>(a);'} }\n`)}int main() { f0(0, 1); }\n`,
  },
  'a wait in a loop that calls sixty functions, each of which calls all of them': {
    text: `${times(60, (i) => `void g${i}(int n);\n`)}${times(60, (i) => `void g${i}(int n) { ${times(60, (j) => `g${j}(n); `)}}\n`)}void w(int n) { for (int i = 0; i < n; i++) { ${times(60, (j) => `g${j}(i); `)} cudaDeviceSynchronize(); } }\n`,
  },
  'templates and functions that are the sum of three others': {
    text: `template <int N> struct F { static constexpr int v = F<N - 1>::v + F<N - 2>::v + F<N - 3>::v; };\nconstexpr int f(int n) { return f(n - 1) + f(n - 2) + f(n - 3); }\ntemplate <int N> __global__ void z(float *a) { a[threadIdx.x * F<100000>::v] = f(100000); }\nvoid hz(float *a) { z<1><<<f(100), F<100>::v>>>(a); }\n`,
  },
  'thousands of accesses to one shared array': {
    text: `__global__ void z(float *a) {\n__shared__ float s[64][64];\n${times(1500, (i) => `for (int i = 0; i < 64; i++) { s[i][threadIdx.x % 64] = a[i * ${i}]; a[threadIdx.x * ${i}] += s[threadIdx.x % 64][i]; }\n`)}}\nvoid hz(float *a) { z<<<64, 256>>>(a); }\n`,
  },
};

describe('inputs that multiply', function () {
  this.timeout(120_000);
  let syntax: Syntax;
  /** Processor seconds of the yardstick. */
  let yardstickSeconds: number;
  before(async () => {
    syntax = await createSyntax(readGrammarFiles());
    const workspace = createWorkspace({ fileSystem: filesInMemory({}), syntax, root: '/project' });
    const before = process.cpuUsage();
    workspace.analyse(uriOf('yardstick.cu'), { text: yardstick, version: 1 });
    yardstickSeconds = secondsSince(before);
  });

  /** Refuses work that took longer since `before` than so many yardsticks, read on the same machine under the same load. */
  function within(before: NodeJS.CpuUsage, most = usual): void {
    const taken = secondsSince(before) / yardstickSeconds;
    assert.ok(taken < most, `${taken.toFixed(1)} times the time of ${yardstick.length} characters of kernels`);
  }

  /** Reads a kernel and `text` after it, with `files` beside them, within the time that one input may take. */
  function read(text: string, files: Case['files']): Analysed {
    const whole = `${kernel}${text}`;
    const path = '/project/main.cu';
    const workspace = createWorkspace({
      fileSystem: filesInMemory({ ...files, [path]: whole }),
      syntax,
      root: '/project',
    });
    const before = process.cpuUsage();
    const analysed = workspace.analyse(uriOf(path), { text: whole, version: 1 })!;
    within(before);
    workspace.forget(uriOf(path));
    assert.ok(analysed.model.facts.access.length > 0, 'the kernel before it is read');
    return analysed;
  }

  const itInTurn = inTurn(3);
  for (const [name, { text, files, says }] of Object.entries(cases))
    itInTurn(name, () => {
      const { excess } = read(text, files);
      if (says) assert.match(excess ?? 'nothing', says);
      else assert.equal(excess, undefined);
    });

  for (const [name, { text, files }] of Object.entries(long))
    itInTurn(name, () => {
      read(text, files);
    });

  it('traits that choose between the two below them, a default argument of every kernel', () => {
    const input = hostileInputs.find(({ name }) => name.startsWith('templates: 300 kernels over traits'))!;
    const { excess, model } = read(input.files()['main.cu']!.replace(plainKernel, ''), undefined);
    assert.equal(excess, undefined);
    assert.equal(model.facts.kernel.length, 301);
  });

  const itLong = inTurn(4);
  itLong('a procedure of thousands of regions, and globals that name themselves and one another', () => {
    const regions = times(
      3000,
      (i) => `#pragma acc parallel loop copy(a[0:n])\nfor (int i = 0; i < n; i++) a[i * ${i % 50}] = i;\n`,
    );
    const globals = `constexpr int N = N + 1;\nconstexpr int A = B;\nconstexpr int B = A;\nconstexpr int c0 = 1;\n${times(2000, (i) => `constexpr int c${i + 1} = c${i} + c${i};\n`)}`;
    const text = `${globals}void f(float *a, int n) {\n${regions}}\nvoid g(float *a) {\n#pragma acc parallel loop vector_length(N)\nfor (int i = 0; i < A + c2000; i++) a[i * N] = N;\n}\n`;
    const workspace = createWorkspace({ fileSystem: filesInMemory({}), syntax, root: '/project' });
    const before = process.cpuUsage();
    const { model } = workspace.analyse(uriOf('main.c'), { text, version: 1 })!;
    within(before);
    assert.ok(Object.values(model.facts).some((facts) => facts.length > 0));
  });

  itLong('thousands of kernels, each with its launch and a comment that silences it', () => {
    const text = kernels(2400).replaceAll('] = 1;', '] = 1; // warplens-ignore-line cuda/double-arithmetic\n');
    const workspace = createWorkspace({ fileSystem: filesInMemory({}), syntax, root: '/project' });
    const before = process.cpuUsage();
    const { model, gpu } = workspace.analyse(uriOf('main.cu'), { text, version: 1 })!;
    const { findings } = lint(model, text, { gpu });
    within(before, 1.5 * usual);
    assert.ok(findings.filter(({ rule }) => rule === 'cuda/uncoalesced-access').length > 2300);
  });

  itLong('a thousand findings of one fix, each on a line with a comment', () => {
    const lines = times(1000, (i) => `  x = x * 0.${(i % 9) + 1} + ${i}; // step ${i}\n`);
    const text = `__global__ void k(float *a) {\n  float x = a[threadIdx.x];\n${lines}  a[threadIdx.x] = x;\n}\n`;
    const workspace = createWorkspace({ fileSystem: filesInMemory({}), syntax, root: '/project' });
    const before = process.cpuUsage();
    const { model, gpu } = workspace.analyse(uriOf('main.cu'), { text, version: 1 })!;
    const { findings } = lint(model, text, { gpu });
    within(before, usual / 2);
    assert.ok(findings.some(({ fixes: [fix] }) => fix && fix.edits.length >= 1000));
  });

  const fortran: Readonly<Record<string, string>> = {
    directives: `subroutine s(a, n)\ninteger :: n, i\nreal :: a(n)\n${'!$acc parallel loop\ndo i = 1, n\na(i * 7) = 1\nend do\n'.repeat(10_001)}end subroutine\n`,
    procedures: times(10_001, (i) => `subroutine s${i}(a)\nreal :: a\na = 1\nend subroutine\n`),
  };
  for (const [what, text] of Object.entries(fortran))
    itLong(`says of a Fortran file that its ${what} were too many`, async () => {
      await syntax.loadFortran();
      const workspace = createWorkspace({ fileSystem: filesInMemory({}), syntax, root: '/project' });
      const before = process.cpuUsage();
      const { excess } = workspace.analyse(uriOf('main.f90'), { text, version: 1, languageId: 'fortran' })!;
      assert.match(excess ?? 'nothing', new RegExp(`more than 10000 ${what}`));
      within(before);
    });

  it('tells no access of a text outside of the kernel that reads a constant', () => {
    const text =
      '__shared__ float s[32][32];\nconst float4 v = *reinterpret_cast<const float4 *>(&s[threadIdx.x][0]);\n__global__ void z(float *a) { a[threadIdx.x] = v.x; }\nvoid hz(float *a) { z<<<1, 32>>>(a); }\n';
    const workspace = createWorkspace({ fileSystem: filesInMemory({}), syntax, root: '/project' });
    const { model } = workspace.analyse(uriOf('main.cu'), { text, version: 1 })!;
    assert.deepEqual(
      model.facts.access.map((each) => text.slice(each.at.start, each.at.end)),
      ['a[threadIdx.x]'],
    );
  });

  it('says the same when what it includes was read before', () => {
    const files = { '/project/bomb.cuh': `#define D(x) x x x x\nint a = ${nested('D', 20, '1')};\n` };
    const workspace = createWorkspace({ fileSystem: filesInMemory(files), syntax, root: '/project' });
    const read = (version: number): string | undefined =>
      workspace.analyse(uriOf('main.cu'), { text: `#include "bomb.cuh"\n${kernel}// ${version}\n`, version })!.excess;
    const first = read(1);
    assert.match(first ?? '', /what this file includes: macros expand/);
    assert.equal(read(2), first);
  });

  it('leaves the call of a bomb as it was written, and expands the calls beside it', () => {
    const text = `#define D(x) x x x x\n#define STEP 32\nint a = ${nested('D', 20, '1')};\n__global__ void z(float *a) { a[threadIdx.x * STEP] = 1; }\nvoid g(float *a) { z<<<1, 256>>>(a); }\n`;
    const workspace = createWorkspace({ fileSystem: filesInMemory({}), syntax, root: '/project' });
    const analysed = workspace.analyse(uriOf('main.cu'), { text, version: 1 })!;
    assert.match(analysed.excess ?? '', macros);
    assert.equal(analysed.model.facts.access[0]?.sectors, 32);
  });

  it('keeps nothing of what the end of the budget cut short: the next unit reads it whole', () => {
    // So many items that a long function is begun and cannot be parsed.
    const long = `__global__ void k(float *a) {\n${times(2000, (i) => `  a[threadIdx.x * 32 + ${i}] = 1;\n`)}}\n`;
    const headers = new Map([
      ['filler.cuh', 'int a;\n'.repeat(133_290)],
      ['long.cuh', long],
    ]);
    const read = (name: string, text: string): { readonly excess: string | undefined; readonly kernels: number } => {
      const unit = syntax.parse(
        uriOf(name),
        text,
        1,
        { defines: {}, computeCapability: 90 },
        { resolve: (path) => ({ uri: uriOf(path), text: headers.get(path)!, version: 1 }) },
      );
      const header = unit.files.find(({ uri }) => uri === uriOf('long.cuh'))!;
      return { excess: unit.excess, kernels: header.functions.filter(({ body }) => body).length };
    };
    const short = read('short.cu', '#include "filler.cuh"\n#include "long.cuh"\n');
    assert.match(short.excess ?? '', /more code than/);
    assert.equal(short.kernels, 0);
    assert.deepEqual(read('whole.cu', '#include "long.cuh"\n'), { excess: undefined, kernels: 1 });
  });

  it('says of a header that its source was too much to read', () => {
    const header = '__global__ void k(float *a) { a[threadIdx.x * STEP] = 1; }\n';
    const files = {
      '/project/main.cu': `#define STEP 32\n#define D(x) x x x x\nint a = ${nested('D', 20, '1')};\n#include "part.cuh"\nvoid h(float *a) { k<<<1, 256>>>(a); }\n`,
      '/project/part.cuh': header,
    };
    const workspace = createWorkspace({ fileSystem: filesInMemory(files), syntax, root: '/project' });
    const analysed = workspace.analyse(uriOf('part.cuh'), { text: header, version: 1 })!;
    assert.match(analysed.excess ?? '', /only a part of the source that includes this file: macros expand/);
    assert.equal(analysed.model.facts.access[0]?.sectors, 32, 'it is read in that source all the same');
  });
});

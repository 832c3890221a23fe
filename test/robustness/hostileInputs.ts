// Inputs that ask for more than any machine has, by kind: what the command and the server are measured with (lab/bench/hostile.ts).
import { longInputs, type HostileInput } from './longInputs';

export type { HostileInput } from './longInputs';

/** A kernel with one finding, which shows that the text beside the bomb is read. */
export const plainKernel =
  '__global__ void k(float *a) { a[threadIdx.x * 32] = 1; }\nvoid h(float *a) { k<<<1, 256>>>(a); }\n';

const times = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join('');
const nested = (call: string, depth: number, inner: string): string =>
  `${call}(`.repeat(depth) + inner + ')'.repeat(depth);
const source = (name: string, text: () => string, options?: readonly string[]): HostileInput => ({
  name,
  files: () => ({ 'main.cu': plainKernel + text() }),
  ...(options && { options }),
});
const openacc = (name: string, text: () => string): HostileInput => ({ name, files: () => ({ 'main.c': text() }) });
const fortran = (name: string, text: () => string, ending = 'f90'): HostileInput => ({
  name,
  files: () => ({ [`main.${ending}`]: text() }),
});
const kernel = (name: string, body: () => string, before = ''): HostileInput =>
  source(
    name,
    () => `${before}__global__ void z(float *a, int n) {\n${body()}\n}\nvoid hz(float *a) { z<<<64, 256>>>(a, 9); }\n`,
  );

const double = '#define D(x) x x x x\n';

export const hostileInputs: readonly HostileInput[] = [
  // Macros
  source('macro: 20 levels of four', () => `${double}int a = ${nested('D', 20, '1')};\n`),
  kernel(
    'macro: 40 levels of ten in a kernel',
    () => `${nested('T', 40, 'a[threadIdx.x*32]=1;')}`,
    '#define T(x) x x x x x x x x x x\n',
  ),
  source(
    'macro: quoted, 100 levels of two',
    () => `#define S(x) #x\n#define D(x) S(x x)\nconst char *s = ${nested('D', 100, 'a')};\n`,
  ),
  source(
    'macro: 1 MB quoted 4,000 times',
    () =>
      `#define S(x) #x #x #x #x\n${`const char *s = S(${'a '.repeat(500_000)});\n`}${'S(S(S(S(S(S(b))))))\n'.repeat(1000)}`,
  ),
  source(
    'macro: pasted, 60 levels of two',
    () => `#define C_(a, b) a##b\n#define C(a, b) C_(a, b)\n#define D(x) C(x, x)\nint ${nested('D', 60, 'q')};\n`,
  ),
  source(
    'macro: pasted onto a name of 100,000 letters, 20,000 times',
    () => `#define P(x) x##${'n'.repeat(100_000)}\n${times(20_000, (i) => `int P(a${i});\n`)}`,
  ),
  source(
    'macro: mutual recursion of 60 macros with arguments',
    () =>
      `${times(60, (i) => `#define M${i}(x, y) M${(i + 1) % 60}(x y, y x) M${(i + 7) % 60}(y, x)\n`)}int a = M0(1, 2);\n`,
  ),
  source(
    'macro: deferred recursion, 4^12 scans',
    () =>
      `#define EMPTY()\n#define DEFER(x) x EMPTY()\n${times(12, (i) => `#define E${i + 1}(...) E${i}(E${i}(E${i}(E${i}(__VA_ARGS__))))\n`)}#define E0(...) __VA_ARGS__\n#define REPEAT_() REPEAT\n#define REPEAT(x) x DEFER(REPEAT_)()(x) DEFER(REPEAT_)()(x)\nint a[] = { E12(REPEAT(1,)) };\n`,
  ),
  source(
    'macro: __VA_OPT__, 40 levels of three',
    () => `#define V(...) __VA_OPT__(__VA_ARGS__ __VA_ARGS__ __VA_ARGS__)\nint a = ${nested('V', 40, '1')};\n`,
  ),
  source(
    'macro: one of 20,000 parameters, called 50 times',
    () =>
      `#define W(${times(20_000, (i) => `${i ? ',' : ''}p${i}`)}) ${times(20_000, (i) => `p${i} `)}\n${`W(${times(20_000, (i) => `${i ? ',' : ''}1`)});\n`.repeat(50)}`,
  ),
  source(
    'macro: a bomb in 3,000 conditions',
    () => `${double}${`#if ${nested('D', 20, '1')}\n#elif ${nested('D', 20, '0')}\n#endif\n`.repeat(1500)}`,
  ),
  source(
    'macro: a bomb in line, error, warning and include',
    () =>
      `${double}${`#line ${nested('D', 20, '1')}\n#warning ${nested('D', 20, '1')}\n#include ${nested('D', 20, '<x>')}\n`.repeat(1000)}`,
  ),
  source(
    'macro: a bomb in __has_include, 2,000 times',
    () => `${double}${`#if __has_include(${nested('D', 20, '<x>')})\n#endif\n`.repeat(2000)}`,
  ),
  source(
    'macro: a bomb in _Pragma',
    () =>
      `#define D(x) x x x\n#define P_(x) _Pragma(#x)\n#define P(x) P_(x)\n${`${nested('P', 1, nested('D', 40, 'acc loop'))}\n`.repeat(500)}`,
  ),
  source(
    'macro: a bomb in the launch and its bounds',
    () =>
      `#define D(x) x + x\n__global__ void __launch_bounds__(${nested('D', 40, '1')}) lb(float *a) { a[threadIdx.x * 32] = 1; }\n${`void g(float *a) { lb<<<${nested('D', 30, '1')}, ${nested('D', 30, '8')}>>>(a); }\n`.repeat(300)}`,
  ),
  openacc(
    'macro: a bomb in the clauses of 2,000 directives',
    () =>
      `#define D(x) x + x\nvoid f(float *a, int n) {\n${`#pragma acc parallel loop vector_length(${nested('D', 30, '1')})\nfor (int i = 0; i < n; i++) a[i * 32] = 1;\n`.repeat(2000)}}\n`,
  ),
  source(
    'macro: 2,000 macros, 40,000 calls that never end',
    () => times(2000, (i) => `#define F${i}(x) x\n`) + times(2000, (i) => `F${i}( `).repeat(20),
  ),
  source('macro: 100,000 definitions of one name', () => times(100_000, (i) => `#define ONE ${i}\nONE;\n`)),
  {
    name: 'macro: 100 bombs given with -D',
    files: () => ({ 'main.cu': `${plainKernel}int a[] = {A99};\n` }),
    options: Array.from({ length: 100 }, (_, i) => ['-D', `A${i}=${i ? `A${i - 1} A${i - 1} A${i - 1}` : '1'}`]).flat(),
  },
  // Includes
  ...[1, 2].map(
    (kind): HostileInput => ({
      name: `include: 24 headers that include the next twice${kind === 2 ? ', with another macro each time' : ''}`,
      files: () => ({
        'main.cu': `${plainKernel}#include "x0.cuh"\n`,
        ...Object.fromEntries(
          Array.from({ length: 25 }, (_, i) => [
            `x${i}.cuh`,
            i < 24
              ? `#include "x${i + 1}.cuh"\n${kind === 2 ? `#define X${i}\n` : ''}#include "x${i + 1}.cuh"\n`
              : 'int q;\n#define Z 1\n',
          ]),
        ),
      }),
    }),
  ),
  {
    name: 'include: headers that include each other with __COUNTER__ and __INCLUDE_LEVEL__',
    files: () => ({
      'main.cu': `${plainKernel}#include "a.cuh"\n`,
      'a.cuh': '#if __INCLUDE_LEVEL__ < 60\n#include "b.cuh"\n#include "b.cuh"\n#endif\nint a = __COUNTER__;\n',
      'b.cuh': '#if __INCLUDE_LEVEL__ < 60\n#include "a.cuh"\n#include "a.cuh"\n#endif\n',
    }),
  },
  {
    name: 'include: a counter in macros, 2^20 steps',
    files: () => ({
      'main.cu': `${plainKernel}#include "count.cuh"\n`,
      'count.cuh': `${times(20, (i) => `#if !defined B${i}\n#define B${i}\n${times(i, (j) => `#undef B${j}\n`)}#include "count.cuh"\n#el`)}se\n#endif\n`,
    }),
  },
  {
    name: 'include: 2.1 MB included 300 times with other macros',
    files: () => ({
      'main.cu': plainKernel + times(300, (i) => `#define V${i}\n#include "big.cuh"\n`),
      'big.cuh': 'int a; '.repeat(300_000),
    }),
  },
  {
    name: 'include: 80,000 definitions included 2,000 times',
    files: () => ({
      'main.cu': plainKernel + '#include "defs.cuh"\n'.repeat(2000),
      'defs.cuh': times(80_000, (i) => `#define Q${i} ${i}\n`),
    }),
  },
  {
    name: 'include: 6,000 headers, each with a macro bomb and a kernel',
    files: () => ({
      'main.cu': plainKernel + times(6000, (i) => `#include "h${i}.cuh"\n`),
      ...Object.fromEntries(
        Array.from({ length: 6000 }, (_, i) => [
          `h${i}.cuh`,
          `${double}int a${i} = ${nested('D', 20, '1')};\n__global__ void k${i}(float *a) { a[threadIdx.x * 32] = 1; }\n`,
        ]),
      ),
    }),
  },
  {
    name: 'include: a path of 20,000 folders, 20 times',
    files: () => ({ 'main.cu': `${plainKernel}${`#include "${'a/../'.repeat(20_000)}x.cuh"\n`.repeat(20)}` }),
  },
  // Neighbours
  {
    name: 'neighbour: an identifier and 2 million spaces, then <<<',
    files: () => ({ 'main.cu': plainKernel, 'table.cu': `k${' '.repeat(1_000_000)}<<<1,${' '.repeat(1_000_000)}` }),
  },
  {
    name: 'neighbour: __global__ 90,000 times',
    files: () => ({
      'main.cu': '__global__ void k(float *a) { a[threadIdx.x * 32] = 1; }\n',
      'g.cu': `${'__global__ '.repeat(90_000)}k<<<1,2>>>();`,
    }),
  },
  {
    name: 'neighbour: 200,000 unfinished includes of a header',
    files: () => ({
      'k.cuh': '__global__ void k(float *a) { a[threadIdx.x * 32] = 1; }\n',
      'b.cu': '#include <\n'.repeat(200_000),
    }),
  },
  {
    name: 'neighbour: 100,000 launches with template arguments left open',
    files: () => ({
      'main.cu': '__global__ void k(float *a) { a[threadIdx.x * 32] = 1; }\n',
      'g.cu': 'k<a<b<c<d<e<f '.repeat(60_000) + '<<<1, 2>>>()',
    }),
  },
  {
    name: 'neighbour: 30,000 launches, each with another block',
    files: () => ({
      'main.cu': '__global__ void k(float *a) { a[threadIdx.x * 32] = 1; }\n',
      'g.cu': `__global__ void k(float *a);\n${times(30_000, (i) => `void f${i}(float *a) { k<<<${i + 1}, ${(i % 1024) + 1}>>>(a); }\n`)}`,
    }),
  },
  {
    name: 'neighbour: 400 sources that include the kernel, each a bomb',
    files: () => ({
      'k.cuh': '__global__ void k(float *a) { a[threadIdx.x * STEP] = 1; }\n',
      ...Object.fromEntries(
        Array.from({ length: 400 }, (_, i) => [
          `s${i}.cu`,
          `#define STEP ${i}\n${double}int a = ${nested('D', 30, '1')};\n#include "k.cuh"\nvoid f(float *a) { k<<<${i}, 64>>>(a); }\n`,
        ]),
      ),
    }),
    open: 'k.cuh',
  },
  {
    name: 'neighbour: a Makefile whose variables double 60 times, of 2 MB',
    files: () => ({
      'main.cu': plainKernel,
      Makefile: `A0 = -DX=1 -I.\n${times(60, (i) => `A${i + 1} = $(A${i}) $(A${i})\n`)}main.o: main.cu\n\tnvcc $(A60) -c main.cu\n${'V := $(V) $(shell x) $(foreach a,$(V),$(a))\n'.repeat(40_000)}`,
    }),
  },
  {
    name: 'neighbour: a Makefile of open parentheses and a line of 2 MB',
    files: () => ({
      'main.cu': plainKernel,
      Makefile: `X = ${'$('.repeat(500_000)}\nY = ${'a \\\n'.repeat(300_000)}\nmain.o: main.cu\n\tnvcc $(X) $(Y) main.cu\n`,
    }),
  },
  {
    name: 'neighbour: compile_commands.json of 30 MB for one file',
    files: () => ({
      'main.cu': plainKernel,
      'compile_commands.json': `[${times(200_000, (i) => `${i ? ',' : ''}{"directory":"/project","file":"main.cu","command":"nvcc -DX${i}=${i} -Ifolder${i} -c main.cu"}`)}]`,
    }),
  },
  {
    name: 'neighbour: a command of 20,000 include folders for 2,000 includes that are nowhere',
    files: () => ({
      'main.cu': plainKernel + times(2000, (i) => `#include "nowhere${i}.cuh"\n`),
      'compile_commands.json': JSON.stringify([
        { directory: '.', file: 'main.cu', command: `nvcc ${times(20_000, (i) => `-Ifolder${i} `)} -c main.cu` },
      ]),
    }),
  },
  {
    name: 'neighbour: compile_commands.json nested a million deep',
    files: () => ({ 'main.cu': plainKernel, 'compile_commands.json': '['.repeat(1_000_000) }),
  },
  {
    name: 'neighbour: a command of 300,000 definitions and a response file of itself',
    files: () => ({
      'main.cu': plainKernel,
      'x.rsp': '--options-file x.rsp @x.rsp '.repeat(1000),
      'compile_commands.json': JSON.stringify([
        {
          directory: '.',
          file: 'main.cu',
          command: `nvcc --options-file x.rsp @x.rsp ${times(300_000, (i) => `-DQ${i}=Q${i + 1} `)} -c main.cu`,
        },
      ]),
    }),
  },
  // Brackets and items
  source('brackets: {} 400,000 times', () => '{}'.repeat(400_000)),
  source('brackets: 200,000 items {n}', () => times(200_000, (i) => `{${i}}\n`)),
  source('brackets: 120,000 declarations', () => times(120_000, (i) => `int v${i};\n`)),
  source('brackets: 400,000 open parentheses', () => `int a = ${'('.repeat(400_000)};`),
  source('brackets: 300,000 calls within each other', () => `void f() { ${'f('.repeat(300_000)}; }`),
  source('brackets: 150,000 calls with template arguments', () => `void f() { ${'f<a>('.repeat(150_000)}; }`),
  source('brackets: 200,000 times template<', () => 'template<'.repeat(200_000)),
  source('brackets: 100,000 namespaces within each other', () => times(100_000, (i) => `namespace a${i} {\n`)),
  source('brackets: ([{< and their like, mixed, 400,000', () => '([{<'.repeat(60_000) + ')>}]'.repeat(60_000)),
  source('brackets: closed ones only, 600,000', () => ')}]>'.repeat(150_000)),
  source('brackets: 60,000 lambdas within each other', () => `auto f = ${'[=](int x) { return '.repeat(60_000)}1;`),
  source('brackets: 200,000 [[attributes left open', () => '[[nodiscard('.repeat(200_000)),
  source(
    'brackets: 100,000 requires and concepts',
    () => `${'template<typename T> requires requires(T t) { '.repeat(50_000)}`,
  ),
  source('brackets: 100,000 conditionals in a row', () => `int a = ${times(100_000, (i) => `x == ${i} ? ${i} : `)}0;`),
  source(
    'brackets: a sum of 300,000 terms',
    () => `__global__ void s(float *a) { a[threadIdx.x * 32] = ${'1 + '.repeat(300_000)}1; }`,
  ),
  source(
    'brackets: 200,000 signs before a number',
    () => `__global__ void s(float *a) { a[threadIdx.x] = ${'- '.repeat(200_000)}1; }`,
  ),
  source(
    'brackets: 50,000 subscripts within each other',
    () => `__global__ void s(int *a) { ${'a['.repeat(50_000)}threadIdx.x${']'.repeat(50_000)} = 1; }`,
  ),
  source('brackets: 100,000 pointers to functions', () => `int ${'(*'.repeat(100_000)}x${')()'.repeat(100_000)};`),
  source('signs: 1.2 million semicolons', () => ';'.repeat(1_200_000)),
  source('signs: 2.3 MB of one line of spaces', () => ' '.repeat(2_300_000)),
  source('signs: 480,000 continued lines', () => '#define X \\\n' + ' 1 \\\n'.repeat(480_000)),
  source('signs: 400,000 comments left open', () => '/* /* '.repeat(400_000)),
  source('signs: 300,000 raw strings left open', () => 'R"x( '.repeat(300_000)),
  source('signs: raw strings with 300,000 delimiters', () => times(100_000, (i) => `R"d${i}( `)),
  source('signs: 400,000 trigraphs and quotes', () => `??/\n??(??)"'`.repeat(100_000)),
  source('signs: 2 MB of zero bytes', () => '\0'.repeat(2_000_000)),
  source(
    'signs: a number of 1.9 million digits',
    () => `int a = ${'9'.repeat(1_900_000)};\n#if ${'9'.repeat(500_000)} > 1\n#endif\n`,
  ),
  source(
    'signs: suppression comments with a million spaces',
    () =>
      `// warplens-disable-next-line${' '.repeat(1_000_000)}x\n${'// warplens-disable-line cuda/x, \n'.repeat(40_000)}`,
  ),
  source('conditions: 200,000 nested #if', () => '#if 1\n'.repeat(200_000)),
  source('conditions: 80,000 #elif', () => `#if 0\n${times(80_000, (i) => `#elif X${i} == ${i}\nint a;\n`)}#endif\n`),
  source('conditions: one of 120,000 terms', () => `#if ${'defined(X) || '.repeat(120_000)}0\n#endif\n`),
  source(
    'conditions: 100,000 ?: within each other',
    () => `#if ${'1 ? '.repeat(100_000)}1${' : 0'.repeat(100_000)}\n#endif\n`,
  ),
  // What the model runs
  source('kernels: 3,000', () =>
    times(
      3000,
      (i) =>
        `__global__ void k${i}(float *a) { a[threadIdx.x * ${i % 33}] = 1; }\nvoid h${i}(float *a) { k${i}<<<1, 256>>>(a); }\n`,
    ),
  ),
  source(
    'kernels: one launched in 5,000 shapes',
    () =>
      `__global__ void z(float *a, int n) { for (int i = 0; i < n; i++) a[threadIdx.x * n + i] = 1; }\n${times(5000, (i) => `void h${i}(float *a) { z<<<${i + 1}, dim3(${(i % 32) + 1}, ${(i % 31) + 1})>>>(a, ${i}); }\n`)}`,
  ),
  source(
    'kernels: a template in 3,000 instances',
    () =>
      `template<int N> __global__ void z(float *a) { for (int i = 0; i < N; i++) a[threadIdx.x * N + i] = i; }\n${times(3000, (i) => `void h${i}(float *a) { z<${i}><<<1, 256>>>(a); }\n`)}`,
  ),
  kernel('kernels: 20,000 accesses', () =>
    times(20_000, (i) => `a[threadIdx.x * ${i % 40} + ${i}] = a[${i} * threadIdx.x];\n`),
  ),
  kernel(
    'kernels: nine loops of 100,000 within each other',
    () => `${times(9, (i) => `for (int i${i} = 0; i${i} < 100000; i${i} += n) `)}a[threadIdx.x * i0 + i8] = i4;`,
  ),
  kernel(
    'kernels: 300 loops within each other',
    () =>
      `${times(300, (i) => `for (int i${i} = 0; i${i} < n; i${i}++) { if (i${i} % 3) continue; `)}a[threadIdx.x * i0] = 1;${'}'.repeat(300)}`,
  ),
  kernel(
    'kernels: 2,000 loops one after the other, with tables in shared memory',
    () =>
      `__shared__ float s[64][64];\n${times(2000, (i) => `for (int i = 0; i < 64; i++) { s[i][threadIdx.x % 64] = a[i * ${i}]; __syncthreads(); a[threadIdx.x * ${i}] += s[threadIdx.x % 64][i]; }\n`)}`,
  ),
  kernel(
    'kernels: while (true) with 200 branches',
    () =>
      `int x = threadIdx.x; while (true) { ${times(200, (i) => `if (x == ${i}) { x = x * ${i + 3} + 1; a[x * 32] = x; } else `)}break; }`,
  ),
  kernel(
    'kernels: Collatz, a loop of unknown end',
    () =>
      'for (unsigned long long x = threadIdx.x + 1000000007ull; x != 1; x = x % 2 ? 3 * x + 1 : x / 2) a[x % 1024] = x;',
  ),
  kernel(
    'kernels: a switch of 50,000 cases',
    () => `switch (threadIdx.x) {\n${times(50_000, (i) => `case ${i}: a[${i} * threadIdx.x] = ${i};\n`)}}`,
  ),
  kernel(
    'kernels: an if of 20,000 elses',
    () => `${times(20_000, (i) => `if (threadIdx.x == ${i}) a[threadIdx.x * ${i}] = 1; else `)};`,
  ),
  kernel(
    'kernels: unrolled a million times, and 5,000 labels',
    () =>
      `#pragma unroll 1000000\nfor (int i = 0; i < 1000000; i++) a[threadIdx.x * i] = i;\n${times(5000, (i) => `l${i}: if (a[${i}]) goto l${(i * 7) % 5000};\n`)}`,
  ),
  kernel(
    'calls: 40 functions that each call the next twice',
    () => 'a[threadIdx.x * 32] = f0(threadIdx.x);',
    `${times(40, (i) => `__device__ float f${39 - i}(int x) { return ${i ? `f${40 - i}(x + 1) + f${40 - i}(x * 2)` : 'x'}; }\n`)}`,
  ),
  kernel(
    'calls: recursion in three directions',
    () => 'a[ack(threadIdx.x, 5)] = fib(threadIdx.x + 40);',
    '__device__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }\n__device__ int ack(int m, int n) { return m == 0 ? n + 1 : n == 0 ? ack(m - 1, 1) : ack(m - 1, ack(m, n - 1)); }\n',
  ),
  kernel(
    'calls: 5,000 functions in a row, and lambdas that take themselves',
    () =>
      'auto y = [&](auto self, int x) -> int { return self(self, x + 1) + self(self, x - 1); }; a[y(y, threadIdx.x)] = f0(threadIdx.x);',
    `${times(5000, (i) => `__device__ int f${4999 - i}(int x) { return ${i ? `f${5000 - i}(x + threadIdx.x)` : 'x'}; }\n`)}`,
  ),
  source(
    'templates: instances that grow for ever',
    () =>
      `template<int N> struct F { static constexpr int v = F<N-1>::v + F<N-2>::v; };\ntemplate<int N> __device__ int r(int x) { return r<N+1>(x) + r<N+2>(x); }\ntemplate<int N> __global__ void z(int *a) { a[r<N>(threadIdx.x)] = F<100000>::v; z<N+1><<<1,N>>>(a); }\nvoid q(int *a) { z<1><<<1,32>>>(a); }\n`,
  ),
  source(
    'templates: types that double 60 times',
    () =>
      `template<class A, class B> struct P { A a; B b; };\nusing T0 = P<float, float>;\n${times(60, (i) => `using T${i + 1} = P<T${i}, T${i}>;\n`)}__global__ void z(T60 *a) { a[threadIdx.x].a.b.a = 1; }\nvoid q(T60 *a) { z<<<1,32>>>(a); }\n`,
  ),
  source(
    'templates: packs of 20,000 and folds of them',
    () =>
      `template<int... N> __global__ void z(float *a) { ((a[threadIdx.x * N] = N), ...); }\nvoid q(float *a) { z<${times(20_000, (i) => `${i ? ',' : ''}${i}`)}><<<1, 256>>>(a); }\n`,
  ),
  source(
    'constants: 3,000 that each add the one before to itself',
    () =>
      `constexpr int c0 = 1;\n${times(3000, (i) => `constexpr int c${i + 1} = c${i} + c${i};\n`)}__global__ void z(float *a) { a[threadIdx.x * c3000] = 1; }\n`,
  ),
  source(
    'constants: functions that call themselves 2^40 times',
    () =>
      `constexpr long g(int n) { return n < 1 ? 1 : g(n - 1) + g(n - 1); }\nconstexpr long w(int n) { long s = 0; while (true) for (int i = 0; i < 1000000000; i++) s += i * n; return s; }\n__global__ void z(float *a) { __shared__ float s[g(40)][w(3)]; a[threadIdx.x * g(40) * w(2)] = s[threadIdx.x][w(1)]; }\nvoid q(float *a) { z<<<g(40), w(9)>>>(a); }\n`,
  ),
  source(
    'types: 200 structures of 1,000 of the one before',
    () =>
      `struct S0 { float a[1000]; };\n${times(200, (i) => `struct S${i + 1} { S${i} a[1000], b, c; };\n`)}__global__ void z(S200 *a) { a[threadIdx.x].b.c.b.a[3].b.c = S190(); }\n`,
  ),
  source(
    'types: 20,000 names for names, in a circle',
    () =>
      `${times(20_000, (i) => `typedef T${(i + 1) % 20_000} T${i};\n`)}__global__ void z(T0 *a, T7 b) { a[threadIdx.x * 32] = b; }\n`,
  ),
  source(
    'types: a structure of 40,000 fields, and one of itself',
    () =>
      `struct L { L l; L *m; float f; };\nstruct B { ${times(40_000, (i) => `float f${i}; `)}};\n__global__ void z(B *a, L *l) { a[threadIdx.x].f7 = a[threadIdx.x].f39999; l[threadIdx.x].l.l.l.f = 1; }\n`,
  ),
  source(
    'types: 3,000 classes, each of the two before',
    () =>
      `struct C0 { float f; }; struct C1 : C0 { float g; };\n${times(3000, (i) => `struct C${i + 2} : C${i}, C${i + 1} { float x${i}; };\n`)}__global__ void z(C3000 *a) { a[threadIdx.x].f = a[threadIdx.x].x2999; }\n`,
  ),
  source(
    'types: arrays of 2^31 in every direction',
    () =>
      `__constant__ float c[2147483647][2147483647];\n__global__ void z(float (*a)[1 << 30][1 << 30]) { __shared__ float s[1 << 30][33]; a[threadIdx.x][threadIdx.y][1 << 29] = s[threadIdx.x][0] + c[threadIdx.x][1]; }\nvoid q(float (*a)[1 << 30][1 << 30]) { z<<<dim3(2147483647, 65535, 65535), dim3(2147483647, 2147483647, 99)>>>(a); }\n`,
  ),
  source(
    'hosts: 20,000 calls of the runtime in loops',
    () =>
      `void q(float *a, float *b) {\nfor (int t = 0; t < 1000; t++) {\n${times(20_000, (i) => `cudaMalloc(&a, ${i}); cudaMemcpy(a, b, ${i} * 4, cudaMemcpyHostToDevice); cudaDeviceSynchronize(); k<<<1, 64>>>(a); cudaFree(a);\n`)}}\n}\n`,
  ),
  source(
    'hosts: main, 2,000 functions that each call all of the next ten',
    () =>
      `${times(2000, (i) => `void f${1999 - i}(float *a, int n) { ${i > 10 ? times(10, (j) => `f${2000 - i + j}(a, n + ${j}); `) : 'k<<<n, n * 32>>>(a);'} }\n`)}int main() { f0(0, 1); }\n`,
  ),
  // OpenACC
  openacc(
    'OpenACC: 40,000 wrong directives',
    () => `void f(float *a, int n) {\n${'#pragma acc vectorfor (int j\n'.repeat(40_000)}}\n`,
  ),
  openacc(
    'OpenACC: 20,000 loops, each with a directive',
    () =>
      `void f(float *a, int n) {\n${times(20_000, (i) => `#pragma acc parallel loop copy(a[0:n])\nfor (int i = 0; i < n; i++) a[i * ${i}] = i;\n`)}}\n`,
  ),
  openacc(
    'OpenACC: 300 loops within each other, each with a directive',
    () =>
      `void f(float *a, int n) {\n#pragma acc parallel\n${times(300, (i) => `#pragma acc loop\nfor (int i${i} = 0; i${i} < n; i${i}++)\n`)}a[i0 + n * i7] = 1;\n}\n`,
  ),
  openacc(
    'OpenACC: clauses of 100,000 arrays, and collapse of a million',
    () =>
      `void f(float *a, int n) {\n#pragma acc parallel loop collapse(1000000) copyin(${times(100_000, (i) => `${i ? ',' : ''}b${i}[0:n]`)})\nfor (int i = 0; i < n; i++) a[i] = 1;\n}\n`,
  ),
  openacc(
    'OpenACC: a directive of 300,000 continued lines',
    () =>
      `void f(float *a, int n) {\n#pragma acc parallel loop \\\n${'  copy(a[0:n]) \\\n'.repeat(300_000)}\nfor (int i = 0; i < n; i++) a[i] = 1;\n}\n`,
  ),
  openacc(
    'OpenACC: 200,000 clauses left open',
    () =>
      `void f(float *a, int n) {\n#pragma acc parallel loop ${'copy(a[('.repeat(100_000)}\nfor (int i = 0; i < n; i++) a[i] = 1;\n}\n`,
  ),
  openacc(
    'OpenACC: 40 procedures that each call the next twice',
    () =>
      `${times(40, (i) => `void f${39 - i}(float *a, int n) { ${i ? `f${40 - i}(a, n); f${40 - i}(a + 1, n);` : 'for (int i = 0; i < n; i++) a[i] = 1;'} }\n`)}void g(float *a, int n) {\nfor (int t = 0; t < 100; t++) {\n#pragma acc parallel loop copy(a[0:n])\nfor (int i = 0; i < n; i++) a[i] += 1;\nf0(a, n);\n}\n}\n`,
  ),
  openacc(
    'OpenACC: 3,000 procedures in a circle, with data regions',
    () =>
      `${times(3000, (i) => `void f${i}(float *a, int n);\n`)}${times(3000, (i) => `void f${i}(float *a, int n) {\n#pragma acc data copy(a[0:n])\n{\n#pragma acc parallel loop\nfor (int i = 0; i < n; i++) a[i] = 1;\nf${(i + 1) % 3000}(a, n); f${(i * 7) % 3000}(a, n);\n}\n}\n`)}`,
  ),
  openacc(
    'OpenACC: a loop of 5,000 statements over 2,000 arrays',
    () =>
      `void f(${times(2000, (i) => `float *a${i}, `)}int n) {\n#pragma acc parallel loop\nfor (int i = 1; i < n; i++) {\n${times(5000, (i) => `a${i % 2000}[i * ${i % 7}] = a${(i * 13) % 2000}[i - 1] + a${(i * 17) % 2000}[n - i];\n`)}}\n}\n`,
  ),
  // Fortran
  fortran(
    'Fortran: 1,000 loops within each other',
    () =>
      `subroutine s(a, n)\ninteger :: n\nreal :: a(n)\n!$acc parallel loop\n${times(1000, (i) => `do i${i} = 1, n\n`)}a(i1) = 1\n${'end do\n'.repeat(1000)}end subroutine\n`,
  ),
  fortran(
    'Fortran: 30,000 loops with directives',
    () =>
      `subroutine s(a, n)\ninteger :: n, i\nreal :: a(n)\n${times(30_000, (i) => `!$acc parallel loop\ndo i = 1, n\na(i * ${i}) = ${i}\nend do\n`)}end subroutine\n`,
  ),
  fortran(
    'Fortran: a directive of 200,000 continued lines',
    () =>
      `subroutine s(a, n)\ninteger :: n, i\nreal :: a(n)\n!$acc parallel loop &\n${'!$acc copy(a) &\n'.repeat(200_000)}!$acc copyin(n)\ndo i = 1, n\na(i) = 1\nend do\nend subroutine\n`,
  ),
  fortran(
    'Fortran: a statement of 500,000 continued lines',
    () =>
      `subroutine s(a, n)\ninteger :: n, i\nreal :: a(n)\na(1) = 0 &\n${'+ 1 &\n'.repeat(500_000)}+ 2\nend subroutine\n`,
  ),
  fortran(
    'Fortran: one line of 2 million signs and open brackets',
    () =>
      `subroutine s(a, n)\na(1) = ${'(a('.repeat(300_000)} '${"''".repeat(500_000)}\n!$acc${' '.repeat(1_000_000)}loop\nend subroutine\n`,
  ),
  fortran(
    'Fortran: 3,000 parameters that each add the one before to itself',
    () =>
      `subroutine s(a)\ninteger, parameter :: c0 = 1\n${times(3000, (i) => `integer, parameter :: c${i + 1} = c${i} + c${i}\n`)}real :: a(c3000)\ninteger :: i\n!$acc parallel loop\ndo i = 1, c3000\na(i) = 1\nend do\nend subroutine\n`,
  ),
  fortran(
    'Fortran: preprocessed, with a macro bomb in loops and directives',
    () =>
      `#define D(x) x x x x\n#define S(x) x + x\nsubroutine s(a, n)\ninteger :: n, i\nreal :: a(n)\n${`!$acc parallel loop vector_length(${nested('S', 30, '1')})\ndo i = 1, ${nested('S', 30, 'n')}\na(i) = ${nested('D', 20, '1')}\nend do\n`.repeat(500)}end subroutine\n`,
    'F90',
  ),
  fortran(
    'Fortran: fixed form, 200,000 continued lines, tabs and labels',
    () =>
      `      SUBROUTINE S(A, N)\n      REAL A(N)\nC$ACC PARALLEL LOOP\n      DO 10 I = 1, N\n      A(I) = 0\n${'     &  + 1\n'.repeat(200_000)}10    CONTINUE\n${times(20_000, (i) => `${String(i + 11).padEnd(6)}GOTO ${i + 10}\n`)}      END\n`,
    'f',
  ),
  fortran('Fortran: 20,000 procedures, each within its own module that uses the next', () =>
    times(
      20_000,
      (i) =>
        `module m${i}\nuse m${i + 1}\ncontains\nsubroutine s${i}(a)\nreal :: a(:)\ncall s${i + 1}(a)\nend subroutine\nend module\n`,
    ),
  ),
  fortran(
    'Fortran: includes of itself, and names that end nothing',
    () => `${"include 'main.f90'\n".repeat(20_000)}${'end if end do end where end interface\n'.repeat(40_000)}`,
  ),
  // Compiler logs
  ...(
    [
      [
        'log: 300,000 lines of -Minfo',
        () =>
          times(
            300_000,
            (i) =>
              `     ${i}, Loop is parallelizable\n         Generating NVIDIA GPU code\n        ${i}, #pragma acc loop gang, vector(128) /* blockIdx.x threadIdx.x */\n`,
          ),
      ],
      ['log: a line of 20 MB of spaces', () => `main:\n     4,${' '.repeat(20_000_000)}Loop\n`],
      [
        'log: 200,000 digits, commas and brackets',
        () => `main:\n${'4, #pragma acc loop gang(('.repeat(200_000)}\n${`${'1, '.repeat(200_000)}\n`}`,
      ],
      [
        'log: GCC, 300,000 notes',
        () =>
          times(300_000, (i) => `main.c:${i}:${i % 80}: optimized: assigned OpenACC gang vector loop parallelism\n`),
      ],
      ['log: JSON nested a million deep', () => `[${'{"a":['.repeat(500_000)}`],
    ] as const
  ).map(
    ([name, text]): HostileInput => ({
      name,
      files: () => ({
        'main.c':
          'void f(float *a, int n) {\n#pragma acc parallel loop\nfor (int i = 0; i < n; i++) a[i * 32] = 1;\n}\n',
        'log.txt': text(),
      }),
      options: ['--feedback', '{folder}/log.txt'],
    }),
  ),
  source(
    'templates: 300 kernels over traits that choose between the two below them, 30 high',
    () =>
      'template <bool C, class A, class B> struct If { typedef A Type; };\n' +
      'template <class A, class B> struct If<false, A, B> { typedef B Type; };\n' +
      'template <class T> struct P0 { typedef T X; enum { N = sizeof(T) }; T t; };\n' +
      times(30, (i) => {
        const below = `P${i}<T>`;
        const chosen = `typename If<(${below}::N > 4), ${below}, typename ${below}::X>::Type`;
        const sum = `enum { N = ${below}::N + (sizeof(typename ${below}::X) > 4) }`;
        return `template <class T> struct P${i + 1} : ${below} { typedef ${chosen} X; ${sum}; X x; };\n`;
      }) +
      times(300, (i) => {
        const body = `typename If<(Q::N > ${i}), Q, T>::Type v = x[threadIdx.x * 8]; a[threadIdx.x * 8] = v;`;
        const kernel = `__global__ void z${i}(T *a, typename Q::X *x) { ${body} }`;
        return `template <class T, class Q = P30<T>> ${kernel}\nvoid q${i}(float *a) { z${i}<<<1, 32>>>(a, 0); }\n`;
      }),
  ),
  source(
    'templates: bases that name two others each, to no end',
    () =>
      'template <int N, class T> struct Odd;\n' +
      'template <int N, class T> struct Even : Odd<N - 1, T>, Odd<N - 2, T> {};\n' +
      'template <int N, class T> struct Odd : Even<N - 1, T>, Even<N - 2, T> {};\n' +
      'template <class T> __global__ void z(T *a) { typename Even<40, T>::type x = a[0]; a[threadIdx.x * 8] = x; }\n' +
      'void hz(float *a) { z<float><<<1, 128>>>(a); }\n',
  ),
  ...longInputs,
];

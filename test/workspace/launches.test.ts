// Which launches count for a kernel, and with which blocks: templates, lambdas, defaults that a condition overwrites, other files of the program.
import { deepStrictEqual } from 'node:assert/strict';
import { memoryUri, memoryWorkspace } from '../support/analyseText';

const kernel = (name: string, before = ''): string =>
  `${before}__global__ void ${name}(float *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 0; }\n`;

/** `block` for each shape that a launch fixes, `block?` where it is not exact; behind a name iterations of host loops. */
async function shapes(files: Readonly<Record<string, string>>, name = 'p/a.cu'): Promise<Record<string, string[]>> {
  const workspace = await memoryWorkspace(
    new Map(Object.entries(files).map(([path, text]) => [`/memory/${path}`, text])),
  );
  const { model } = workspace.analyse(memoryUri(name))!;
  return Object.fromEntries(
    model.facts.kernel.map((each) => [
      [each.name, ...each.hostLoops.flatMap((loops) => loops.map((trips) => `×${trips ?? '?'}`))].join(' '),
      each.shapes
        .filter(({ assumed }) => !assumed)
        .map(
          ({ block, exact, templateArgs }) =>
            `${block.join('x')}${exact ? '' : '?'}${templateArgs.length > 0 ? ` <${templateArgs.join()}>` : ''}`,
        )
        .sort(),
    ]),
  );
}
const templated = kernel('k', 'template <int N> ');

describe('launches by the macro of HIP', () => {
  const k2 = kernel('k', 'template <typename T, int N> ');
  const launches = `hipLaunchKernelGGL((k<int, 4>), dim3(9), dim3(b), 0, 0, a);
      hipLaunchKernelGGL(HIP_KERNEL_NAME(k<int, 8>), 9, 96, 0, stream, a);
      hipLaunchKernelGGL(plain, dim3(9), 64, 0, 0, a);`;
  const host = `void f(float *a) { const int b = 128; ${launches} }\n`;
  const expected = { k: ['128x1x1 <int,4>', '96x1x1 <int,8>'], plain: ['64x1x1'] };
  it('are those of its kernels, in parentheses and by name', async () => {
    deepStrictEqual(
      await shapes({ 'p/a.cu': `#include <hip/hip_runtime.h>\n${k2}${kernel('plain')}${host}` }),
      expected,
    );
  });
  it('are found from the header of the kernels', async () => {
    const files = { 'p/k.cuh': `${k2}${kernel('plain')}`, 'p/a.cu': `#include "k.cuh"\n${host}` };
    deepStrictEqual(await shapes(files, 'p/k.cuh'), expected);
  });
  it('are what the program makes of them, where it defines the macro', async () => {
    const own = '#define hipLaunchKernelGGL(k, g, b, ...) k<<<g, 32>>>(a)\n';
    deepStrictEqual(await shapes({ 'p/a.cu': `${own}${k2}${kernel('plain')}${host}` }), {
      k: ['32x1x1 <int,4>', '32x1x1 <int,8>'],
      plain: ['32x1x1'],
    });
  });
});

describe('launches with the pointers of tensors', () => {
  const k = kernel('k', 'template <typename T> ').replace('float *a', 'T *a');
  const of = (...hosts: string[]) => shapes({ 'p/a.cu': `#include <torch/extension.h>\n${k}${hosts.join('\n')}\n` });
  for (const [written, type] of [
    ['t.data_ptr<float>()', 'float'],
    ['t.const_data_ptr<c10::Half>()', 'c10::Half'],
    ['other->mutable_data_ptr<double>()', 'double'],
  ])
    it(`know the kernel's type: ${written}`, async () => {
      const host = `void f(torch::Tensor t, at::Tensor *other) { k<<<9, dim3(C10_WARP_SIZE, 4)>>>(${written}); }`;
      deepStrictEqual(await of(host), { k: [`32x4x1 <${type}>`] });
    });
  it('know those of each case of a dispatch', async () => {
    const dispatch =
      '#define DISPATCH(t, ...) switch (t) { case 0: { using real = float; __VA_ARGS__; break; } ' +
      'case 1: { using real = at::BFloat16; __VA_ARGS__; break; } }';
    const launch = 'template <typename T> void launch(T *a, int n) { k<<<9, n < 16 ? 64 : 96>>>(a); }';
    const host = 'void f(torch::Tensor t, int n) { DISPATCH(t.scalar_type(), launch(t.data_ptr<real>(), n);); }';
    deepStrictEqual(await of(dispatch, launch, host), { k: ['96x1x1? <at::BFloat16>', '96x1x1? <float>'] });
  });
  it('know nothing of a class of the program, or where the type is not known', async () => {
    const own = 'struct Own { template <typename T> char *data_ptr(); };';
    deepStrictEqual(await of(own, 'void f(Own t) { k<<<9, 64>>>(t.data_ptr<float>()); }'), { k: ['64x1x1 <?>'] });
    deepStrictEqual(await of('void f(torch::Tensor t) { k<<<9, 64>>>(t.data_ptr<unknown_t>()); }'), {
      k: ['64x1x1 <?>'],
    });
  });
});

describe('instantiations of a host template that launches', () => {
  const launch =
    'template <typename T, int N> void launch(T *a, int n) { dim3 block(N); k<N><<<(n + N - 1) / N, block>>>(a); }\n';
  const calls = ['launch<float, 64>(a, 9);', 'launch<float, 128>(a, 9);', 'launch<float, 256>(a, 9);'];
  for (const order of [calls, [...calls].reverse()]) {
    it(`count each, whatever their order (${order[0]!.slice(14, 18)} first)`, async () => {
      const expected = { k: ['128x1x1 <128>', '256x1x1 <256>', '64x1x1 <64>'] };
      deepStrictEqual(
        await shapes({ 'p/a.cu': `${templated}${launch}int main() { float *a; ${order.join(' ')} }\n` }),
        expected,
      );
      const apart = order.map((call, at) => `void f${at}(float *a) { ${call} }\n`).join('');
      deepStrictEqual(await shapes({ 'p/a.cu': `${templated}${launch}${apart}` }), expected);
    });
  }
});

describe('launches in lambdas', () => {
  it('with their own template parameters are found, called at once or by name', async () => {
    deepStrictEqual(
      await shapes({
        'p/a.cu': `${templated}void f(float *a) {\n  [&]<int N>() { k<N><<<8, N * 32>>>(a); }.operator()<4>();\n  auto go = [=]<typename T, int N>(T n) { k<N><<<8, n>>>(a); };\n  go.template operator()<int, 2>(96);\n  go.operator()<long, 3>(160);\n}\n`,
      }),
      { k: ['128x1x1 <4>', '160x1x1 <3>', '96x1x1 <2>'] },
    );
  });
  it('that are handed over are run where they are called', async () => {
    deepStrictEqual(
      await shapes({
        'p/a.cu': `${kernel('k')}template <typename F> void times(int n, F f) { f(n * 32); }\nvoid f(float *a) { times(3, [&](int block) { k<<<8, block>>>(a); }); }\n`,
      }),
      { k: ['96x1x1'] },
    );
  });
});

describe('a number that a condition overwrites', () => {
  const run = (body: string, before = ''): Promise<Record<string, string[]>> =>
    shapes({
      'p/a.cu': `#include <cstdlib>\n${kernel('k')}${before}int main(int argc, char **argv) {\n  float *a;\n  ${body}\n}\n`,
    });
  for (const [what, body, before] of [
    [
      'an argument of the program',
      'int size = 512; if (argc > 1) size = atoi(argv[1]); dim3 block(size, 1); k<<<9, block>>>(a);',
    ],
    ['an argument in braces', 'int size{512}; if (argc > 2) { size = atoi(argv[2]); } k<<<9, size>>>(a);'],
    ['either arm', 'int size; if (argc > 1) size = atoi(argv[1]); else size = 512; k<<<9, size>>>(a);'],
    ['a conditional expression', 'const int size = argc > 1 ? atoi(argv[1]) : 512; k<<<9, size>>>(a);'],
    [
      'a loop over the arguments',
      "int size = 512; for (int i = 1; i < argc; i++) if (argv[i][1] == 't') size = atoi(argv[++i]); k<<<9, size>>>(a);",
    ],
    [
      'a member of dim3',
      'dim3 block; block.x = 512; block.y = 1; if (argc > 1) block.x = atoi(argv[1]); k<<<9, block>>>(a);',
    ],
    [
      'a member with an initialiser',
      'Options o; if (argc > 1) o.size = atoi(argv[1]); k<<<9, o.size>>>(a);',
      'struct Options { int size = 512; };\n',
    ],
    [
      'a member in a function',
      'k<<<9, parse(argc, argv).size>>>(a);',
      'struct Options { int size; };\nOptions parse(int argc, char **argv) { Options o; o.size = 512; if (argc > 1) o.size = atoi(argv[1]); return o; }\n',
    ],
    ['a variable of the file', 'if (argc > 1) size = atoi(argv[1]); k<<<9, size>>>(a);', 'static int size = 512;\n'],
  ] as const) {
    it(`keeps its usual one, which is not exact: ${what}`, async () => {
      deepStrictEqual(await run(body, before), { k: ['512x1x1?'] });
    });
  }
  it('by one that is settled too has no usual one of the two', async () => {
    deepStrictEqual(await run('int size = atoi(argv[1]); if (argc > 1) size = atoi(argv[2]); k<<<9, size>>>(a);'), {
      k: [],
    });
  });
  it('that is computed with is not a default', async () => {
    deepStrictEqual(
      await run('int size = 512; if (argc > 1) size = atoi(argv[1]); size *= atoi(argv[2]); k<<<9, size>>>(a);'),
      { k: [] },
    );
  });
});

describe('a block that another file of the program sets', () => {
  const files = {
    'p/params.h':
      'struct Params { int threads; int blocks; };\nvoid run(Params p, float *a);\nvoid start(int threads, float *a);\n',
    'p/a.cu': `#include "params.h"\n${kernel('k')}${kernel('k2')}void run(Params p, float *a) { k<<<p.blocks, p.threads>>>(a); }\nvoid start(int threads, float *a) { k2<<<9, threads>>>(a); }\n`,
  };
  it('arrives in members of a structure and in parameters', async () => {
    deepStrictEqual(
      await shapes({
        ...files,
        'p/main.cpp':
          '#include "params.h"\nvoid step(int, float *);\n#define THREADS 224\nint main() { Params p; p.threads = THREADS; p.blocks = 9; float *a; run(p, a); for (int i = 0; i < 50; i++) step(THREADS / 2, a); }\n',
        'p/step.c': '#include "params.h"\nvoid step(int n, float *a) { do start(n, a); while (*a > 1); }\n',
      }),
      { k: ['224x1x1'], 'k2 ×? ×50': ['112x1x1'] },
    );
  });
  it('is not that of a program with its own function of that name', async () => {
    deepStrictEqual(
      await shapes({
        ...files,
        'p/main.cpp': `struct Params { int n; };\nvoid run(Params p, float *a) {}\nint main() { Params p = {224}; run(p, 0); }\n`,
      }),
      { k: [], k2: [] },
    );
  });
});

// Where code comes from: root units over any number of includes, headers that were not found, folders that were guessed.
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { isKnownHeader } from '../../server/src/workspace/knownHeaders';
import { cmakeIncludeFolders } from '../../server/src/workspace/includes';
import type { Analysed } from '../../server/src/workspace/workspace';
import { memoryUri, memoryWorkspace } from '../support/analyseText';

async function analysed(
  files: Readonly<Record<string, string>>,
  name: string,
  settings: Parameters<typeof memoryWorkspace>[1] = {},
): Promise<Analysed> {
  const workspace = await memoryWorkspace(
    new Map(Object.entries(files).map(([path, text]) => [`/memory/${path}`, text])),
    settings,
  );
  await workspace.ready(memoryUri(name));
  return workspace.analyse(memoryUri(name))!;
}
const blocksOf = ({ model }: Analysed): number[] =>
  model.facts.kernel.flatMap(({ shapes }) => shapes.filter(({ assumed }) => !assumed).map(({ block }) => block[0]));
const stridesOf = ({ model }: Analysed): (number | undefined)[] => model.facts.access.map((each) => each.laneStride);
const noteTexts = ({ model }: Analysed): string[] => model.notes.map(({ text }) => text);

/** A fragment without its own includes: what `real`, `PITCH` and the block are, its root says. */
const fragment = '__global__ void step(real *v) { v[(blockIdx.x * blockDim.x + threadIdx.x) * PITCH] = 0; }\n';

describe('a fragment', () => {
  const chains: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    one: {
      'p/main.cu':
        'typedef double real;\n#define PITCH 4\n#include "part.cuh"\nvoid f(real *v) { step<<<9, 96>>>(v); }\n',
    },
    two: {
      'p/main.cu':
        'typedef double real;\n#define PITCH 4\n#include "middle.cuh"\nvoid f(real *v) { step<<<9, 96>>>(v); }\n',
      'p/middle.cuh': '#include "part.cuh"\n',
    },
    four: {
      'p/main.cu': 'typedef double real;\n#include "a/one.h"\nvoid f(real *v) { step<<<9, 96>>>(v); }\n',
      'p/a/one.h': '#define PITCH 4\n#include "two.inl"\n',
      'p/a/two.inl': '#include "../b/three.cuh"\n',
      'p/b/three.cuh': '#include "../part.cuh"\n',
      'p/Makefile': 'all:\n',
    },
  };
  for (const [steps, files] of Object.entries(chains)) {
    it(`is read in the unit of its root over ${steps} ${steps === 'one' ? 'include' : 'includes'}`, async () => {
      const result = await analysed({ ...files, 'p/part.cuh': fragment }, 'p/part.cuh');
      deepStrictEqual(stridesOf(result), [32], 'PITCH times the size of real');
      deepStrictEqual(blocksOf(result), [96]);
    });
  }
  it('is seen from the root that launches its kernels, among several', async () => {
    const result = await analysed(
      {
        'p/another.cu': 'typedef char real;\n#define PITCH 1\n#include "part.cuh"\n',
        'p/main.cu':
          'typedef double real;\n#define PITCH 4\n#include "part.cuh"\nvoid f(real *v) { step<<<9, 96>>>(v); }\n',
        'p/part.cuh': fragment,
      },
      'p/part.cuh',
    );
    deepStrictEqual(stridesOf(result), [32]);
  });
  it('may be a source that another includes, unless the build compiles it by itself', async () => {
    const files = {
      'p/main.cu': 'typedef double real;\n#define PITCH 4\n#include "part.cu"\n',
      'p/part.cu': `#ifndef PITCH\n#define PITCH 2\ntypedef float real;\n#endif\n${fragment}`,
    };
    deepStrictEqual(stridesOf(await analysed(files, 'p/part.cu')), [32]);
    const build = JSON.stringify([{ directory: '/memory/p', file: 'part.cu', arguments: ['nvcc', '-c', 'part.cu'] }]);
    deepStrictEqual(stridesOf(await analysed({ ...files, 'p/compile_commands.json': build }, 'p/part.cu')), [8]);
  });
  it('is not read through a file of the same name elsewhere', async () => {
    const result = await analysed(
      {
        'p/main.cu': 'typedef double real;\n#define PITCH 4\n#include "other/part.cuh"\n',
        'p/other/part.cuh': '// another part\n',
        'p/part.cuh': `typedef float real;\n#ifndef PITCH\n#define PITCH 3\n#endif\n${fragment}`,
      },
      'p/part.cuh',
    );
    deepStrictEqual(stridesOf(result), [12]);
  });
  it('that includes itself through others ends', async () => {
    const result = await analysed(
      {
        'p/a.cuh': '#include "b.cuh"\n',
        'p/b.cuh': `#include "a.cuh"\ntypedef float real;\n#define PITCH 2\n${fragment}`,
      },
      'p/b.cuh',
    );
    deepStrictEqual(stridesOf(result), [8]);
  });
});

describe('launches in other folders of a program', () => {
  const kernel = '__global__ void scale(float *v) { v[blockIdx.x * blockDim.x + threadIdx.x] *= 2.0f; }\n';
  const launch = '__global__ void scale(float *v);\nvoid run(float *v) { scale<<<10, 160>>>(v); }\n';
  it('count where no other file defines a kernel of the name', async () => {
    const files = { 'p/CMakeLists.txt': '', 'p/kernels/scale.cu': kernel, 'p/app/deep/main.cu': launch };
    deepStrictEqual(blocksOf(await analysed(files, 'p/kernels/scale.cu')), [160]);
    deepStrictEqual(
      blocksOf(await analysed({ ...files, 'p/app/deep/own.cu': kernel }, 'p/kernels/scale.cu')),
      [],
      'the launch may as well mean the other',
    );
  });
});

describe('a header that is shared', () => {
  it('is parsed once for what it holds, whatever other macros its includers define', async () => {
    const header = `struct Pair { float a, b; };\n__device__ float sum(Pair p) { return p.a + p.b; }\n#ifdef WIDE\ntypedef double real;\n#else\ntypedef float real;\n#endif\n`;
    const files: Record<string, string> = { 'p/pair.cuh': header };
    for (const [at, macro] of ['A', 'B', 'C', 'WIDE'].entries())
      files[`p/k${at}.cu`] =
        `#define ${macro} ${at}\n#include "pair.cuh"\n__global__ void k${at}(Pair *p, real *o) { int i = blockIdx.x * blockDim.x + threadIdx.x; o[i * 2] = sum(p[i]); }\nvoid f${at}(Pair *p, real *o) { k${at}<<<8, 64>>>(p, o); }\n`;
    const workspace = await memoryWorkspace(
      new Map(Object.entries(files).map(([path, text]) => [`/memory/${path}`, text])),
    );
    const strides: (number | undefined)[] = [];
    const sums = new Set<unknown>();
    for (const at of [0, 1, 2, 3]) {
      const { model, files: units } = workspace.analyse(memoryUri(`p/k${at}.cu`))!;
      strides.push(model.facts.access.find(({ mode }) => mode === 'store')?.laneStride);
      const seen = units.find(({ uri }) => uri.endsWith('pair.cuh')) as unknown as {
        functions: readonly { name: string; body: unknown }[];
      };
      sums.add(seen.functions.find(({ name }) => name === 'sum')!.body);
    }
    deepStrictEqual(strides, [8, 8, 8, 16], 'what a macro changes is another parse');
    strictEqual(sums.size, 1, 'what no macro reaches is one tree in all units');
  });
});

describe('headers that are not found', () => {
  it('are named once each, at the line that leads to them', async () => {
    const result = await analysed(
      {
        'p/a.cu':
          '#include <cuda_runtime.h>\n#include <vector>\n#include <sys/time.h>\n#include "gone.h"\n#include "here.h"\n#include <lib/far.hpp>\n__global__ void k() { }\n',
        'p/here.h': '#include "gone.h"\n#include "deeper.h"\n',
      },
      'p/a.cu',
    );
    deepStrictEqual(
      result.model.notes.map(({ at, text }) => [result.text.slice(at.start, at.end), text]),
      [
        ['#include "gone.h"', '"gone.h" was not found; macros and types from it are unknown.'],
        [
          '#include "here.h"',
          '"deeper.h", which here.h includes, was not found; macros and types from it are unknown.',
        ],
        ['#include <lib/far.hpp>', '<lib/far.hpp> was not found; macros and types from it are unknown.'],
      ],
    );
  });
  it('are looked for up the folder chain, in its customary folders, and where CMakeLists.txt says; and that is said', async () => {
    const kernel = '__global__ void k(real *v) { v[threadIdx.x * 2] = 0; }\n';
    const places = {
      'p/real.h': 'real.h',
      'p/include/math/real.h': 'math/real.h',
      'p/src/real.h': 'real.h',
      'p/third/party/real.h': 'real.h',
      'p/lib/x/real.h': 'x/real.h',
    };
    for (const [path, spelled] of Object.entries(places)) {
      for (const include of [`"${spelled}"`, `<${spelled}>`]) {
        const result = await analysed(
          {
            'p/CMakeLists.txt': 'target_include_directories(all PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/third/party)\n',
            [path]: 'typedef double real;\n',
            'p/deep/down/a.cu': `#include ${include}\n${kernel}`,
          },
          'p/deep/down/a.cu',
        );
        deepStrictEqual(stridesOf(result), [16], `${include} in ${path}`);
        match(noteTexts(result).join(), /was found in \/memory\/p/);
      }
    }
  });
  it('are found beside the source that is compiled, where a header of another folder names them', async () => {
    const kernel = '__global__ void k(real *v) { v[threadIdx.x * 2] = 0; }\n';
    const result = await analysed(
      {
        'p/driver/all.h': '#include "own.h"\n',
        'p/variants/one/own.h': 'typedef double real;\n',
        'p/variants/two/own.h': 'typedef char real;\n',
        'p/variants/one/a.cu': `#include "../../driver/all.h"\n${kernel}`,
      },
      'p/variants/one/a.cu',
    );
    deepStrictEqual(stridesOf(result), [16]);
    match(noteTexts(result).join(), /was found in \/memory\/p\/variants\/one, which is not in the include path/);
  });
  it('are the only file of that name in the project, where no folder above leads to them', async () => {
    const kernel = '__global__ void k(real *v) { v[threadIdx.x * 2] = 0; }\n';
    const deep = 'p/one/two/three/four/a.cu';
    const found = async (include: string, more: Readonly<Record<string, string>> = {}): Promise<boolean> => {
      const files = { 'p/setup.py': '', 'p/one/common/gpu/real.h': 'typedef double real;\n', ...more };
      const result = await analysed({ ...files, [deep]: `#include ${include}\n${kernel}` }, deep);
      const isFound = noteTexts(result).join().includes('was found in /memory/p/one/common');
      deepStrictEqual(stridesOf(result)[0] === 16, isFound, include);
      return isFound;
    };
    ok(await found('"real.h"'));
    ok(await found('"gpu/real.h"'));
    ok(await found('<gpu/real.h>'));
    // Another folder, a system header without one, what leads upwards, one of two, and a file of another program.
    ok(!(await found('"other/real.h"')));
    ok(!(await found('<real.h>')));
    ok(!(await found('"../real.h"')));
    ok(!(await found('"real.h"', { 'p/one/common/cpu/real.h': 'typedef double real;\n' })));
    ok(!(await found('"real.h"', { 'p/one/two/three/Makefile': '' })));
  });
  it('name the kernels of a header that only such an include leads to, with its launches', async () => {
    const header = `#define PITCH 4\ntypedef double real;\n#define THREADS 96\n${fragment}`;
    const files = {
      'p/setup.py': '',
      'p/ops/common/cuda/step.cuh': header,
      'p/ops/torch/cuda/a.cu':
        '#include "step.cuh"\nvoid f(real *v) { DISPATCH(v.type(), [&] { step<<<9, THREADS>>>(v); }); }\n',
    };
    deepStrictEqual(blocksOf(await analysed(files, 'p/ops/common/cuda/step.cuh')), [96]);
    deepStrictEqual(blocksOf(await analysed({ ...files, 'p/ops/other/step.cuh': header }, 'p/ops/other/step.cuh')), []);
  });
  it('are not guessed where a flag leads to them, and nothing is said', async () => {
    const files = { 'p/inner/real.h': 'typedef double real;\n', 'p/deep/a.cu': '#include "real.h"\n' };
    deepStrictEqual(noteTexts(await analysed(files, 'p/deep/a.cu', { includeDirs: ['/memory/p/inner'] })), []);
  });
  it('are not those of the compiler, the toolkit and the system', () => {
    for (const known of (
      'vector cuda_runtime.h cuda_fp16.h cub/cub.cuh thrust/device_vector.h cooperative_groups/reduce.h stdio.h ' +
      'sys/time.h curand_kernel.h cublas_v2.h omp.h device_launch_parameters.h'
    ).split(' '))
      ok(isKnownHeader(known), known);
    for (const own of 'cuda_utils.h helper_cuda.h raft/core/x.hpp common.h mpi.h cuda_helper.cuh MyHeader'.split(' '))
      ok(!isKnownHeader(own), own);
  });
  it('are found by CMake as far as its words say where', () => {
    deepStrictEqual(
      cmakeIncludeFolders(
        '# include_directories(no)\ninclude_directories(SYSTEM inc "${PROJECT_SOURCE_DIR}/x y/../z")\nTARGET_INCLUDE_DIRECTORIES(t PRIVATE\n  a\n  $<BUILD_INTERFACE:${CMAKE_CURRENT_LIST_DIR}/b> ${OTHER}/c)\n',
        '/p',
      ),
      ['/p/inc', '/p/x', '/p/z', '/p/a', '/p/b'],
    );
  });
});

describe('kernel-loop macros that are defined nowhere', () => {
  const kernel = (body: string, before = ''): Promise<Analysed> =>
    analysed(
      {
        'p/a.cu': `${before}__global__ void k(float *a, const float *b, int n, int m) {\n${body}\n}\nvoid f(float *a, const float *b) { k<<<64, dim3(32, 4)>>>(a, b, 1 << 20, 8); }\n`,
      },
      'p/a.cu',
    );
  const figures = async (body: string, before?: string): Promise<string[]> =>
    (await kernel(body, before)).model.facts.access
      .map(({ text, mode, laneStride }) => `${mode} ${text} ${laneStride}`)
      .sort();

  for (const [head, index] of [
    ['CUDA_KERNEL_LOOP(i, n)', 'i'],
    ['CUDA_KERNEL_LOOP_TYPE(at, n, int64_t)', 'at'],
    ['CUDA_1D_KERNEL_LOOP(i, (n + 1) / 2)', 'i'],
    ['CUDA_1D_KERNEL_LOOP_T(int64_t, i, n)', 'i'],
    ['GRID_STRIDE(unit, n)', 'unit'],
    ['GPU_AXIS_KERNEL_LOOP(i, n, X)', 'i'],
  ] as const) {
    it(`${head} gives each lane the index of its thread`, async () => {
      deepStrictEqual(await figures(`${head} { a[${index} * 4] = b[${index}]; }`), [
        `load b[${index}] 4`,
        `store a[${index} * 4] 16`,
      ]);
    });
  }
  it('need a block, whatever their name', async () => {
    deepStrictEqual(await figures('KERNEL_FOR(i, n)\n  a[i * 2] = 0;'), ['store a[i * 2] 0']);
    deepStrictEqual(await figures('SOME_CHECK(n, m)\n  a[n * 2] = 0;'), ['store a[n * 2] 0']);
  });
  it('of two axes run over both, and two in a row have an index each', async () => {
    deepStrictEqual(await figures('CUDA_2D_KERNEL_LOOP(i, n, j, m) { a[i * 8 + j] = 0; }'), ['store a[i * 8 + j] 32']);
    deepStrictEqual(await figures('CUDA_KERNEL_LOOP(i, n) { a[i] = 0; }\n  CUDA_KERNEL_LOOP(i, m) { a[i * 2] = 0; }'), [
      'store a[i * 2] 8',
      'store a[i] 4',
    ]);
  });
  it('named after blocks are as any other', async () => {
    deepStrictEqual(await figures('TILED_2D_BLOCK_LOOP(i, n, j, m) { a[i * 8 + j + threadIdx.x] = 0; }'), [
      'store a[i * 8 + j + threadIdx.x] 36',
    ]);
  });
  it('do not tell which threads come to a barrier', async () => {
    const body = 'GRID_STRIDE(i, n) { a[i] = b[i]; __syncthreads(); }';
    deepStrictEqual(
      (await kernel(body)).model.facts.barrier.map(({ under }) => under),
      [undefined],
    );
  });
  it('follow their definition where it is known, and conditions stay conditions', async () => {
    deepStrictEqual(
      await figures(
        'EACH_LOOP(i, n) { a[i] = 0; }',
        '#define EACH_LOOP(i, n) for (int i = threadIdx.y; i < n; i += 4)\n',
      ),
      ['store a[i] 0'],
    );
    deepStrictEqual(await figures('IF_ANY(n, 4) { a[threadIdx.x] = 0; }'), ['store a[threadIdx.x] 4']);
  });
  it('are listed in the notes, once each, at their name', async () => {
    const result = await kernel('CUDA_KERNEL_LOOP(i, n) { a[i] = 0; }\n  CUDA_KERNEL_LOOP(j, n) { a[j] = 1; }');
    deepStrictEqual(
      result.model.notes.map(({ at, text }) => [result.text.slice(at.start, at.end), /`(\w+)`/.exec(text)![1]]),
      [['CUDA_KERNEL_LOOP', 'i']],
    );
    const defined = await kernel(
      'EACH(i, n) { a[i] = 0; }',
      '#define EACH(i, n) for (int i = threadIdx.x; i < n; i += 32)\n',
    );
    deepStrictEqual(defined.model.notes, []);
  });
});

describe('kernels under conditions that are not met', () => {
  const body = '__global__ void k(float *p) { p[threadIdx.x * 2] = 0; }\n';
  const read = async (text: string, settings = {}, name = 'a.cu'): Promise<[string, string][]> => {
    const result = await analysed({ [name]: text }, name, settings);
    return result.model.notes.map(({ at, text: said }) => [result.text.slice(at.start, at.end), said.split(',')[0]!]);
  };
  it('are reported at the condition, once per name, unless it is met', async () => {
    const text = `#ifdef USE_KERNELS\n${body}#endif\n#if defined(USE_KERNELS) // again\n${body}#endif\n`;
    const both = [['#ifdef USE_KERNELS', '2 kernels are under USE_KERNELS']];
    deepStrictEqual(await read(text), both);
    deepStrictEqual(await read(text.replaceAll('\n', '\r\n')), both);
    deepStrictEqual(await read(text, { defines: { USE_KERNELS: '1' } }), []);
    const other = `#if 1 + 1 == 3\n#elif FAST\n${body}#endif\n`;
    deepStrictEqual(await read(other), [['#elif FAST', 'A kernel is under FAST']]);
  });
  it('are reported with OpenACC directives of C and Fortran', async () => {
    const text = '#ifdef USE_ACC\n#pragma acc parallel loop\n#endif\nfor (int i = 0; i < n; i++) p[i] = 0;';
    const note = [['#ifdef USE_ACC', 'An OpenACC directive is under USE_ACC']];
    deepStrictEqual(await read(`void f(float *p, int n) {\n${text}\n}\n`, {}, 'a.c'), note);
    const free = text.replace('#pragma acc', '!$acc').replace(/for.*/, 'do i = 1, n\np(i) = 0\nend do');
    const source = `subroutine f(p, n)\ninteger :: n, i\nreal :: p(n)\n${free}\nend subroutine\n`;
    deepStrictEqual(await read(source, {}, 'a.F90'), note);
    deepStrictEqual(await read(source, { defines: { USE_ACC: '1' } }, 'a.F90'), []);
    const loop = source.replace('do i = 1, n', 'do concurrent (i = 1:n)').replaceAll(/#.*/g, '');
    match(String(await read(loop, {}, 'a.f90')), /A `do concurrent` loop is not analysed \(no rule\)/);
  });
  it('are not reported where they are switched off, or for other machines', async () => {
    for (const line of ['#if 0', '#ifdef __HIPCC__', '#if __CUDA_ARCH__ > 3000', '#if !defined(X)'])
      deepStrictEqual(await read(`#define X\n${line}\n${body}#endif\n`), [], line);
    deepStrictEqual(await read('#ifdef HOST_TOO\nint f();\n#endif\n'), []);
    // Spaces without end, over which the pattern would go again and again.
    deepStrictEqual(await read(`#if defined${' '.repeat(300_000)}\n${body}#endif\n`), []);
  });
});

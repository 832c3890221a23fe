// With a library's headers at hand a program's figures and findings are those that it has without them.
import { deepStrictEqual, notDeepStrictEqual } from 'node:assert/strict';
import { lint } from '../../server/src/lint/lint';
import { memoryUri, memoryWorkspace } from '../support/analyseText';

/** What the headers of CUDA, its C++ library and matrix libraries declare, in their way. */
const library = [
  'extern const uint3 __device_builtin__ threadIdx;',
  'extern const uint3 __device_builtin__ blockIdx;',
  'extern const dim3 __device_builtin__ blockDim;',
  'extern const dim3 __device_builtin__ gridDim;',
  'namespace lib {',
  'struct half2x { float x; };',
  'template <typename T> __host__ __device__ T abs(const T &x);',
  '__host__ __device__ half2x abs(half2x x);',
  'template <typename T> __host__ __device__ T pow(const T &x, const half2x &y) { return x; }',
  'template <typename T> __host__ __device__ half2x sqrt(const T &x) { return half2x(); }',
  'template <typename Scalar> struct Traits { typedef double Real; };',
  'template <typename A, typename B> __host__ __device__ half2x operator*(const A &a, const B &b) { return half2x(); }',
  '}',
  'extern double fabs(double);',
  'extern float fabs(float);',
  'extern int abs(int);',
  'extern float abs(float);',
].join('\n');

/** A header of the program itself, which is included behind the library's. */
const own = 'namespace sim { typedef float Real; }\n';

async function read(text: string, header: string | undefined): Promise<readonly unknown[]> {
  const files = new Map([
    ['/memory/own.h', own],
    ...(header === undefined ? [] : [['/library/lib.h', header] as const]),
  ]);
  const workspace = await memoryWorkspace(files, { includeDirs: ['/library'] });
  const analysed = workspace.analyse(memoryUri('main.cu'), { text, version: 1 })!;
  const { findings } = lint(analysed.model, text, { gpu: analysed.gpu });
  const figures = analysed.model.facts.access.map(({ mode, array, sectors, wavefronts, laneStride, certainty }) =>
    [mode, array.name, sectors, wavefronts, laneStride, certainty].join(' '),
  );
  return [...figures, ...findings.map(({ rule, severity, text: said }) => `${rule} ${severity} ${said}`)];
}

const index = 'int i = blockIdx.x * blockDim.x + threadIdx.x;';
const launch = 'int main() { float *a; cudaMalloc(&a, 1 << 24); k<<<1024, 256>>>(a, 3.0f); }\n';
const kernel = (body: string, before = ''): string =>
  `#include <lib.h>\n${before}__global__ void k(float *a, float s) { ${index} ${body} }\n${launch}`;

const programs: Readonly<Record<string, string>> = {
  'the thread index': kernel('a[i * 8] = s;'),
  'a double literal beside a function with overloads': kernel('a[i] = abs(a[i]) * 0.3 + fabs(s) * 1e-9;'),
  'a power': kernel('for (int j = 0; j < 64; j++) a[i] += pow(a[i] + j, 2.0f);'),
  'a root': kernel('for (int j = 0; j < 64; j++) a[i] += 1.0f / sqrt(a[i] + j);'),
  'a type of the namespace whose name a class of the library has, too': kernel(
    'a[i] = sim::scaled(a[i]);',
    '#include "own.h"\nnamespace sim { __device__ Real scaled(Real x) { return x * 0.5001 + 0.1; } }\n',
  ),
  'an overload of the program for its own structure': kernel(
    'a[i] = abs(a[i]) * 0.3;',
    'struct V { float x, y; };\n__device__ V abs(V v) { return v; }\n',
  ),
};

describe('a library whose headers are at hand', () => {
  for (const [name, text] of Object.entries(programs))
    it(`changes nothing of ${name}`, async () => {
      const without = await read(text, undefined);
      notDeepStrictEqual(without, []);
      deepStrictEqual(await read(text, library), without);
    });

  it('does not take the place of a function that the program defines itself', async () => {
    const quarter = kernel('a[i] = sqrt(a[i]);', '__device__ float sqrt(float x) { return x * 0.25; }\n');
    deepStrictEqual(await read(quarter, library), await read(quarter, undefined));
    notDeepStrictEqual(await read(quarter, library), await read(kernel('a[i] = sqrt(a[i]);'), library));
  });
});

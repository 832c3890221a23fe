// Calls of cuBLAS in place of kernels: what is written around them, and one example that fails each precondition alone.
import { type Example, testRefusals, testWritten } from './harness';

const kernel = `__global__ void multiply(const float *a, const float *b, float *c, int m, int n, int depth, float by) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < m && column < n) {
    float sum = 0.0f;
    for (int k = 0; k < depth; k++) sum += a[row * depth + k] * b[k * n + column];
    c[row * n + column] = sum;
  }
}
`;
const launch = 'multiply<<<grid, block>>>(a, b, c, m, n, depth, 2.0f);';
const text = `${kernel}
void run(const float *a, const float *b, float *c, int m, int n, int depth, bool on, cudaStream_t *streams) {
  dim3 block(16, 16), grid((n + 15) / 16, (m + 15) / 16);
  ${launch}
  cudaDeviceSynchronize();
}
`;
const grid = 'grid((n + 15) / 16, (m + 15) / 16)';

const title = /^Call cublas/;
const typed = 'the matrices and the sum have different types';
const more = 'the kernel does more than the product';
const guard = 'its guard does not say how many rows and columns there are';
const size = 'a size is not a parameter of the kernel';
const uncovered = 'the grid may not have a thread for each element';
const refused: readonly Example[] = [
  [
    'a template',
    '`multiply` is a template, a member, a lambda or called by the kernel',
    ['__global__', 'template <int T> __global__'],
    ['multiply<<<', 'multiply<4><<<'],
  ],
  ['a sum of doubles', typed, ['float sum', 'double sum']],
  ['another type of one matrix', typed, ['const float *b', 'const double *b']],
  ['bfloat16, as wide as half', typed, ['float', '__nv_bfloat16']],
  ['a matrix that moves on', 'a matrix is not a pointer that stays as it is', ['  int row', '  a += 4;\n  int row']],
  ['a second result', more, ['    c[row', '    c[0] = by;\n    c[row']],
  ['a sum that begins with something', more, ['sum = 0.0f', 'sum = by']],
  ['a sum that never begins', more, ['float sum = 0.0f', 'float sum']],
  ['a barrier', more, ['    float sum', '    __syncthreads();\n    float sum']],
  [
    'another loop around',
    more,
    ['    float sum = 0.0f;', '    for (int t = 0; t < 1; t++) printf("%d", t);\n    float sum = 0.0f;'],
  ],
  [
    'a store that not all threads make',
    guard,
    ['    c[row', '    if (k0 < 4) c[row'],
    ['  int row', '  int k0 = threadIdx.x;\n  int row'],
  ],
  [
    'a store before the loop',
    more,
    ['    c[row * n + column] = sum;\n', ''],
    ['    for', '    c[row * n + column] = sum;\n    for'],
  ],
  ['no guard', guard, ['if (row < m && column < n) {', '{']],
  ['a guard of one axis', guard, ['row < m && ', '']],
  ['a guard that leaves the first row out', guard, ['row < m', 'row < m && row > 0']],
  [
    'rows that are not the threads of an axis',
    guard,
    ['blockIdx.y * blockDim.y + threadIdx.y', 'blockIdx.y * blockDim.y + threadIdx.y + 1'],
  ],
  ['rows from another part of the matrix', more, ['a[row * depth + k]', 'a[row * depth + k + 4]']],
  ['a result from another place on', more, ['c[row * n + column]', 'c[row * n + column + 4]']],
  ['a size that the kernel computes', more, ['row < m', 'row < m / 2 * 2']],
  ['a size of the launch', size, ['row * depth', 'row * gridDim.x']],
  [
    'a size of 64 bits',
    'a size may exceed an `int`',
    ['float *c, int m, int n, int depth, float', 'float *c, int m, long long n, int depth, float'],
  ],
  ['a factor of the row', more, ['= sum;', '= row * sum;']],
  ['a factor of another type', more, ['float by', 'double by'], ['= sum;', '= by * sum;']],
  ['no launch', 'this file does not launch the kernel', [launch, '']],
  ['a launch in a lambda', 'a launch is in a lambda', [launch, `auto work = [&] { ${launch} };`]],
  [
    'a launch in a macro',
    'a launch comes from a macro or is in an expression',
    [launch, `GO(${launch.slice(0, -1)});`],
    ['void run', '#define GO(...) __VA_ARGS__\nvoid run'],
  ],
  [
    'an argument with an effect',
    'an argument of a launch does more than name a value',
    ['(a, b, c, m, n', '(a, b, c, m++, n'],
  ],
  [
    'the result as a factor',
    'the product is stored in one of its factors',
    ['(a, b, c, m', '(a, c, c, m'],
    ['const float *b, float *c, int m, int n, int depth, bool', 'float *c, int m, int n, int depth, bool'],
  ],
  [
    'a pragma',
    'a pragma is around a launch',
    [launch, `#pragma omp parallel for\n  for (int i = 0; i < 4; i++) ${launch}`],
  ],
  [
    'a jump',
    'a jump could pass by the handle',
    ['  cuda', '  if (on) goto end;\n  cuda'],
    ['Synchronize();\n', 'Synchronize();\nend:\n  return;\n'],
  ],
  [
    'a graph',
    'a graph is captured',
    ['  dim3', '  cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeGlobal);\n  dim3'],
  ],
  ['a grid that is too small', uncovered, [grid, 'grid(n / 16, (m + 15) / 16)']],
  ['a grid of other rows', uncovered, [grid, 'grid((n + 15) / 16, (n + 15) / 16)']],
  ['a grid of another block', uncovered, ['block(16, 16)', 'block(8, 16)']],
  ['a grid from before a change', uncovered, [launch, `n = 2 * n;\n  ${launch}`]],
  ['a third axis', uncovered, [grid, 'grid((n + 15) / 16, (m + 15) / 16, 2)']],
  ['a block that the kernel does not write', uncovered, ['blockIdx.y * blockDim.y', 'blockIdx.y * 32']],
  ['a condition without a block', 'a launch has no block of statements around it', [launch, `if (on) ${launch}`]],
  ['a line of two statements', 'other code is on the line of a launch', [launch, `on = on; ${launch}`]],
  ['launches in two blocks', 'launches are in several blocks', [launch, `${launch}\n  {\n    ${launch}\n  }`]],
  [
    'a loop that returns',
    'code around a launch returns early and would leave the handle open',
    [launch, `for (int i = 0; i < 4; i++) {\n    if (on) return;\n    ${launch}\n  }`],
  ],
  [
    'a device for each iteration',
    'the device changes between launches',
    [launch, `for (int i = 0; i < 4; i++) {\n    cudaSetDevice(i);\n    ${launch}\n  }`],
  ],
];

describe('calls of cuBLAS in place of a kernel', () => {
  testRefusals(text, refused, title);

  const call = '(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, depth, &one, b, n, a, depth, &zero, c, n);';
  const written: readonly Example[] = [
    [
      'a stream of each iteration',
      `  for (int i = 0; i < 4; i++) {
    cublasSetStream(handle, streams[i]);
    cublasSgemm${call}
  }
  cublasDestroy(handle);`,
      [launch, `for (int i = 0; i < 4; i++) ${launch}`],
      ['grid, block>', 'grid, block, 0, streams[i]>'],
    ],
    [
      'a check that leaves, after the handle',
      `  cublasSgemm${call}
  cublasDestroy(handle);
  if (cudaGetLastError() != cudaSuccess) return;`,
      [launch, `${launch}\n  if (cudaGetLastError() != cudaSuccess) return;`],
    ],
    ['names that are taken', '  cublasCreate(&handle2);', ['bool on', 'bool handle']],
    ['a kernel that something else uses', kernel, ['  cuda', '  auto other = multiply;\n  cuda']],
    [
      'a kernel that is declared',
      kernel,
      [
        'void run',
        'extern __global__ void multiply(const float *, const float *, float *, int, int, int, float);\nvoid run',
      ],
    ],
    ['a grid that is numbers', `n, m, depth`, [grid, 'grid(n / 16 + 1, (m - 1) / 16 + 1)']],
    [
      'the header once',
      '#include <cublas_v2.h>\n\nvoid run',
      ['__global__ void', '#include <cublas_v2.h>\n\n__global__ void'],
    ],
  ];
  testWritten(text, written, title);
});

// Vectors that blocks make, for one call of cuBLAS: an example that fails each precondition alone.
import { type Example, testRefusals, testWritten } from './harness';

const declared = `__global__ void multiply(const float *input, const float *matrix, float *out, int rows, int pitch, int leading) {
  __shared__ float average[128];
  __shared__ float products[128];
  const int t = threadIdx.x, set = blockIdx.x;
  average[t] = 0.5f * input[set * 128 + t];
  __syncthreads();
`;
const sum = `    __syncthreads();
    for (int s = 64; s > 0; s >>= 1) {
      if (t < s) products[t] += products[t + s];
      __syncthreads();
    }
    if (t == 0) out[set * leading + row] = products[0];
    __syncthreads();
`;
const launch = 'multiply<<<sets, 128>>>(input, matrix, out, rows, pitch, leading);';
const text = `${declared}  for (int row = 0; row < rows; row++) {
    products[t] = matrix[row * pitch + t] * average[t];
${sum}  }
}

void run(float *input, float *matrix, float *out, int rows, int pitch, int leading, int sets, bool on) {
  ${launch}
}
`;

const title = /^Store the vectors; call cublas/;
const typed = 'the matrices and the sum have different types';
const ends = 'the product is not what every block ends with';
const vector = 'the vector or the row changes within the loop';
const partial = 'only a part of the matrix is stored';
const size = 'a size is not a parameter of the kernel';
const grid = 'the grid may change, or has a second axis';
const whole = 'the threads of a block may add up less or more than all products';
const other = 'something else uses the kernel';
const refused: readonly Example[] = [
  [
    'a template',
    '`multiply` is a template, a member, a lambda or called by the kernel',
    ['__global__', 'template <int T> __global__'],
    ['multiply<<<', 'multiply<4><<<'],
  ],
  [
    'halves',
    'the kernel may add up its halves in another type',
    ['const float *matrix', 'const __half *matrix'],
    [
      'float *matrix, float *out, int rows, int pitch, int leading, int sets',
      '__half *matrix, float *out, int rows, int pitch, int leading, int sets',
    ],
  ],
  ['a result of doubles', typed, ['float *out', 'double *out']],
  ['a vector of doubles', typed, ['float average', 'double average']],
  ['a sum of doubles', whole, ['float products', 'double products']],
  [
    'a matrix that moves on',
    'a matrix is not a pointer that stays as it is',
    ['  average[t]', '  matrix += 4;\n  average[t]'],
  ],
  ['vectors in memory', 'the vectors are in memory already', ['* average[t]', '* input[set * 128 + t]']],
  ['blocks that leave', ends, ['  average[t]', '  if (set > 3) return;\n  average[t]']],
  [
    'a kernel that goes on',
    ends,
    ['    __syncthreads();\n  }\n}', '    __syncthreads();\n  }\n  if (t == 0) out[0] = 1;\n}'],
  ],
  ['some blocks alone', ends, ['  for (int row', '  if (set > 3)\n  for (int row']],
  ['a result that is read', 'the kernel uses the result beside the product', ['= 0.5f', '= out[t] * 0.5f']],
  ['a matrix that is read', 'the kernel uses the matrix beside the product', ['= 0.5f', '= matrix[t] * 0.5f']],
  ['a vector that goes on', vector, ['    if (t == 0) out', '    average[t] *= 2;\n    if (t == 0) out']],
  ['rows that are skipped', vector, ['    if (t == 0) out', '    row++;\n    if (t == 0) out']],
  [
    'threads that meet only in the loop',
    'the vector may be complete only within the loop',
    ['    products[t] = matrix', '    __syncthreads();\n    products[t] = matrix'],
  ],
  [
    'another element of the vector',
    'a thread multiplies another element of the vector than its own',
    ['* average[t]', '* average[t + set - set / 2]'],
  ],
  ['rows that begin later', 'the rows begin at another place', ['row * pitch + t]', 'row * pitch + t + 4]']],
  ['results that begin later', partial, ['leading + row]', 'leading + row + 4]']],
  ['every other result', partial, ['set * leading', '(set + 1) * leading']],
  ['a row count that is computed', size, ['row < rows', 'row < rows / 2']],
  [
    'a long row count',
    'a size may exceed an `int`',
    ['int rows, int pitch, int leading)', 'long long rows, int pitch, int leading)'],
  ],
  ['a grid of two axes', grid, ['<<<sets', '<<<dim3(sets, 2)']],
  ['a block of two axes', grid, ['128>>>', 'dim3(128, 2)>>>']],
  ['a grid that changes', grid, [launch, `sets++;\n  ${launch}`]],
  [
    'a grid that is made in the loop',
    grid,
    [launch, `for (int i = 0; i < 4; i++) {\n    const int blocks = sets;\n    ${launch}\n  }`],
    ['<<<sets', '<<<blocks'],
  ],
  ['threads that are not known', 'the number of threads per block is not known', ['128>>>', 'rows>>>']],
  ['rows that overlap', 'the rows of the matrix overlap', ['out, rows, pitch', 'out, rows, 100']],
  ['more threads than are added up', whole, ['128>>>', '256>>>']],
  ['fewer threads than are added up', whole, ['128>>>', '64>>>']],
  ['a sum that begins later', whole, ['s = 64', 's = 32']],
  ['a sum of some rows', whole, ['    if (t == 0)', '    if (row > 1 && t == 0)']],
  ['an element twice', whole, ['products[t + s];', 'products[t + s] + products[t + s];']],
  ['what was there before', whole, ['products[t] = matrix', 'products[t] += matrix']],
  [
    'a second result',
    whole,
    ['    if (t == 0)', '    if (t == 1) leading2[row] = products[1];\n    if (t == 0)'],
    ['int leading)', 'int leading, float *leading2)'],
    ['leading);', 'leading, input);'],
  ],
  ['a result of another thread', whole, ['(t == 0)', '(t == 1)'], ['= products[0]', '= products[t]']],
  ['two threads that differ', whole, ['    if (t == 0)', '    if (t < 2)'], ['= products[0]', '= products[t]']],
  [
    'arrays at one place',
    whole,
    ['__shared__ float products[128]', 'extern __shared__ float products[]'],
    ['128>>>', '128, 512>>>'],
  ],
  [
    'several streams',
    'launches in several streams would share the vectors',
    [launch, `for (int i = 0; i < 4; i++) ${launch}`],
    ['128>>>', '128, 0, streams[i]>>>'],
    ['bool on', 'cudaStream_t *streams'],
  ],
  ['several grids', 'the launches have different grids', [launch, `${launch}\n  ${launch.replace('sets', '8')}`]],
  ['a second use', other, [launch, `auto kernel = multiply;\n  ${launch}`]],
  ['a lambda that is kept', 'a launch is in a lambda', [launch, `auto work = [&] { ${launch} };`]],
  [
    'a lambda that is passed on',
    'a launch is in a lambda',
    [launch, `later([&] { ${launch} });`],
    ['void run', 'template <typename Work> void later(Work work) { queue.push_back(work); }\nvoid run'],
  ],
  [
    'a lambda of copies',
    'a launch is in a lambda',
    [launch, `now([=] { ${launch} });`],
    ['void run', 'template <typename Work> void now(Work work) { work(); }\nvoid run'],
  ],
];

describe('vectors of blocks that are stored for cuBLAS', () => {
  testRefusals(text, refused, title);

  const before = `  cublasHandle_t handle;
  cublasCreate(&handle);
  const float one = 1.0f, zero = 0.0f;
  float *vectors;
  cudaMalloc(&vectors, sizeof(float) * sets * 128);
`;
  const calls = (indent: string): string => `${indent}multiply<<<sets, 128>>>(input, vectors, rows, pitch, leading);
${indent}cublasSgemm(handle, CUBLAS_OP_T, CUBLAS_OP_N, rows, sets, 128, &one, matrix, pitch, vectors, 128, &zero, out,
${indent}            leading);
`;
  const after = '  cudaFree(vectors);\n  cublasDestroy(handle);\n';
  const written: readonly Example[] = [
    ['around a launch', `${before}${calls('  ')}${after}}`],
    [
      'around a loop',
      `${before}  for (int i = 0; i < 4; i++) {\n${calls('    ')}  }\n${after}}`,
      [launch, `for (int i = 0; i < 4; i++) ${launch}`],
    ],
    [
      'in the kernel',
      '__syncthreads();\n  vectors[blockIdx.x * blockDim.x + threadIdx.x] = average[threadIdx.x];\n}\n',
    ],
    ['for its result', 'multiply(const float *input, float *vectors, int rows, int pitch, int leading) {'],
    ['by names that are free', 'float *vectors2', ['bool on', 'float *vectors']],
    ['with what the loop alone uses removed', '  __shared__ float average[128];\n  const int t'],
    ['with a pragma', 'threads();\n  vectors', ['  for (int row', '#pragma unroll 1\n  for (int row']],
  ];
  testWritten(text, written, title);
});

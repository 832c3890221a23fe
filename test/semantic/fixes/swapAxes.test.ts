// Exchanging x and y: the kernels and launches where it is offered, and where it is not.
import assert from 'node:assert/strict';
import { swapAxesOf } from '../../../server/src/semantic/fixes/swapAxes';
import { applied, compilerComplaints, contextOf } from './harness';

const kernel = (body: string, more = ''): string =>
  `__global__ void k(const float *in, float *out, int width, int height) {\n  int row = blockIdx.x * blockDim.x + threadIdx.x;\n  int column = blockIdx.y * blockDim.y + threadIdx.y;\n  if (row < height && column < width) ${body}\n${more}}\n`;
const copy = 'out[row * width + column] = in[row * width + column];';
const host = (body: string): string => `void host(const float *in, float *out, int width, int height) {\n${body}\n}\n`;
const launch =
  '  dim3 block(16, 16);\n  dim3 grid((height + 15) / 16, (width + 15) / 16);\n  k<<<grid, block>>>(in, out, width, height);';

async function swapped(
  text: string,
  shape: readonly [number, number, number] = [16, 16, 1],
  elsewhere = false,
): Promise<string> {
  const context = await contextOf(text, 'k', { blockShapes: [shape] });
  const fact = swapAxesOf(context, elsewhere);
  return 'edits' in fact ? applied(text, fact.edits) : `refused: ${fact.precondition}`;
}
const exchangedKernel = kernel(copy).replaceAll(
  /(blockIdx|blockDim|threadIdx)\.([xy])/g,
  (_, name: string, axis: string) => `${name}.${axis === 'x' ? 'y' : 'x'}`,
);

describe('swapped axes', () => {
  const offered: readonly (readonly [string, string, string])[] = [
    [
      'a grid in a variable',
      launch,
      launch.replace('(height + 15) / 16, (width + 15) / 16', '(width + 15) / 16, (height + 15) / 16'),
    ],
    [
      'a grid in the launch',
      '  k<<<dim3((height + 15) / 16, (width + 15) / 16), dim3(16, 16)>>>(in, out, width, height);',
      '  k<<<dim3((width + 15) / 16, (height + 15) / 16), dim3(16, 16)>>>(in, out, width, height);',
    ],
    [
      'a grid of two launches that is printed',
      `${launch}\n  printf("%u", grid.x);\n  k<<<grid, block>>>(in, out, width, height);`,
      `${launch}\n  printf("%u", grid.x);\n  k<<<grid, block>>>(in, out, width, height);`.replace(
        '(height + 15) / 16, (width + 15) / 16',
        '(width + 15) / 16, (height + 15) / 16',
      ),
    ],
    [
      'a grid by assignment form',
      launch.replace('dim3 grid(', 'dim3 grid = dim3('),
      launch.replace(
        'dim3 grid((height + 15) / 16, (width + 15) / 16)',
        'dim3 grid = dim3((width + 15) / 16, (height + 15) / 16)',
      ),
    ],
  ];
  for (const [name, before, after] of offered) {
    it(`exchanges: ${name}`, async () => {
      const result = await swapped(kernel(copy) + host(before));
      assert.equal(result, exchangedKernel + host(after));
      assert.equal(compilerComplaints(result) ?? '', '');
      assert.equal(await swapped(result), 'refused: mixed', 'once is enough');
    });
  }
  it('exchanges with a loop and a uniform array beside it', async () => {
    assert.ok(
      await swapped(
        kernel('{ float s = 0; for (int j = 0; j < 4; j++) s += in[j]; out[row * width + column] = s; }') +
          host(launch),
      ),
    );
  });
  it('exchanges where a function knows nothing of the thread', async () => {
    assert.match(
      await swapped(
        `__device__ float half(float threadIdx_) { return sqrtf(threadIdx_) * 0.5f; }\n${kernel('out[row * width + column] = half(in[row * width + column]);')}${host(launch)}`,
      ),
      /int row = blockIdx\.y/,
    );
  });
  it('exchanges where the row length is a constant', async () => {
    assert.ok(
      await swapped(
        `#define WIDTH 4096\n${kernel('out[row * WIDTH + column] = in[row * WIDTH + column];')}${host(launch)}`,
      ),
    );
  });
  for (const [name, before, after] of [
    [
      'at two launches',
      `${launch}\n  k<<<grid, block>>>(in, out, width, height);`,
      `${launch}\n  k<<<grid, block>>>(in, out, width, height);`.replace(
        '(height + 15) / 16, (width + 15) / 16',
        '(width + 15) / 16, (height + 15) / 16',
      ),
    ],
    [
      'of a grid that serves something else too',
      launch.replace('  k<<<', '  dim3 other = grid;\n  k<<<'),
      launch.replace('  k<<<grid,', '  dim3 other = grid;\n  k<<<dim3(grid.y, grid.x, grid.z),'),
    ],
    [
      'of a grid that is written part by part',
      '  dim3 grid, block(16, 16);\n  grid.x = (height + 15) / 16;\n  grid.y = (width + 15) / 16;\n  k<<<grid, block>>>(in, out, width, height);',
      '  dim3 grid, block(16, 16);\n  grid.x = (height + 15) / 16;\n  grid.y = (width + 15) / 16;\n  k<<<dim3(grid.y, grid.x, grid.z), block>>>(in, out, width, height);',
    ],
    [
      'of a block that is not square',
      launch
        .replace('block(16, 16)', 'block(8, 32)')
        .replace('grid((height + 15) / 16, (width + 15) / 16)', 'grid(n, n)'),
      launch
        .replace('block(16, 16)', 'block(32, 8)')
        .replace('grid((height + 15) / 16, (width + 15) / 16)', 'grid(n, n)'),
    ],
    [
      'of one dimension',
      '  k<<<height, 64>>>(in, out, width, height);'.replace('height, 64', 'dim3(height), dim3(64)'),
      '  k<<<dim3(1, height), dim3(1, 64)>>>(in, out, width, height);',
    ],
  ] as const)
    it(`exchanges the extents ${name}`, async () => {
      const result = await swapped(kernel(copy) + host(before), [8, 32, 1]);
      assert.equal(result, exchangedKernel + host(after));
    });

  it('exchanges in the heads of loops over the grid', async () => {
    const loops = (x: string, y: string): string =>
      `__global__ void k(float *out, int width, int height) {\n  for (int r = blockIdx.${x} * blockDim.${x} + threadIdx.${x}; r < height; r += gridDim.${x} * blockDim.${x})\n    for (int c = blockIdx.${y} * blockDim.${y} + threadIdx.${y}; c < width; c += gridDim.${y} * blockDim.${y})\n      out[r * width + c] *= 2;\n}\n`;
    const started = '  k<<<dim3(4, 8), dim3(16, 16)>>>(out, width, height);';
    assert.equal(
      await swapped(loops('x', 'y') + host(started)),
      loops('y', 'x') + host(started.replace('4, 8', '8, 4')),
    );
  });

  const refused: readonly (readonly [string, string, (readonly [number, number, number])?, boolean?])[] = [
    ['launches: other files launch it', kernel(copy) + host(launch), [16, 16, 1], true],
    [
      'kernel: a device function',
      kernel(copy).replace('__global__', '__device__') + host(launch.replace(/k<<<.*>>>/, 'f')),
    ],
    ['name: its address is taken', `${kernel(copy)}void *p() { return (void *)k; }\n${host(launch)}`],
    [
      'extents: a grid that is printed and used otherwise',
      kernel(copy) + host(`${launch}\n  printf("%u", grid.x);\n  note(grid.y);`),
    ],
    ['extents: the grid is a field', kernel(copy) + host(launch.replace('k<<<grid', 'k<<<shapes.grid'))],
    [
      'mixed: an array of the block by the one and the other number',
      kernel(
        '{ __shared__ float tile[64]; tile[threadIdx.y] = in[row * width + column]; out[row * width + column] = tile[threadIdx.y]; }',
      ) + host(launch),
    ],
    [
      'threads: a device function that knows the thread',
      `__device__ int me() { return threadIdx.x; }\n${kernel('out[row * width + column] = me();')}${host(launch)}`,
    ],
    [
      'threads: a function whose callee knows the thread',
      `__device__ int inner() { return threadIdx.x; }\n__device__ int me() { return inner(); }\n${kernel('out[row * width + column] = me();')}${host(launch)}`,
    ],
    [
      'threads: an unknown function',
      `__device__ float me(float v);\n${kernel('out[row * width + column] = me(in[row * width + column]);')}${host(launch)}`,
    ],
  ];
  for (const [name, text, shape, elsewhere] of refused)
    it(`does not exchange: ${name}`, async () =>
      assert.equal(await swapped(text, shape, elsewhere), `refused: ${name.split(':')[0]!}`));
});

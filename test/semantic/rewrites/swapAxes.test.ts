// Exchanging x and y: the kernels and launches where it is offered, and where it is not.
import assert from 'node:assert/strict';
import { swapAxesOf } from '../../../server/src/semantic/rewrites/swapAxes';
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
): Promise<string | undefined> {
  const context = await contextOf(text, 'k', { blockShapes: [shape] });
  const fact = swapAxesOf(context, elsewhere);
  return fact && applied(text, fact.edits);
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
      const complaints = compilerComplaints(result);
      if (complaints !== undefined) assert.equal(complaints, '');
      assert.equal(await swapped(result), undefined, 'once is enough');
    });
  }
  it('exchanges where a loop and a uniform array stand beside it', async () => {
    assert.ok(
      await swapped(
        kernel('{ float s = 0; for (int j = 0; j < 4; j++) s += in[j]; out[row * width + column] = s; }') +
          host(launch),
      ),
    );
  });
  it('exchanges where the row length is a constant', async () => {
    assert.ok(
      await swapped(
        `#define WIDTH 4096\n${kernel('out[row * WIDTH + column] = in[row * WIDTH + column];')}${host(launch)}`,
      ),
    );
  });
  const refused: readonly (readonly [string, string, (readonly [number, number, number])?, boolean?])[] = [
    ['the block is not square', kernel(copy) + host(launch), [32, 8, 1]],
    ['other files launch it', kernel(copy) + host(launch), [16, 16, 1], true],
    ['there are two launches', kernel(copy) + host(`${launch}\n  k<<<grid, block>>>(in, out, width, height);`)],
    ['the grid serves something else', kernel(copy) + host(launch.replace('  k<<<', '  dim3 other = grid;\n  k<<<'))],
    [
      'the grid is written part by part',
      kernel(copy) +
        host(
          '  dim3 grid, block(16, 16);\n  grid.x = (height + 15) / 16;\n  grid.y = (width + 15) / 16;\n  k<<<grid, block>>>(in, out, width, height);',
        ),
    ],
    [
      'x already runs along the rows of another array',
      kernel('out[column * height + row] = in[row * width + column];') + host(launch),
    ],
    ['a gather', kernel('out[row * width + column] = in[(int)in[row]];') + host(launch)],
    [
      'a shared tile',
      kernel(
        '{ __shared__ float tile[16][16]; tile[threadIdx.x][threadIdx.y] = in[row * width + column]; out[row * width + column] = tile[threadIdx.x][0]; }',
      ) + host(launch),
    ],
    ['lanes', kernel(copy, '  out[row * width + column] = __shfl_xor_sync(0xffffffff, 1.0f, 1);\n') + host(launch)],
    [
      'a device function that knows the thread',
      `__device__ int me() { return threadIdx.x; }\n${kernel('out[row * width + column] = me();')}${host(launch)}`,
    ],
    [
      'a macro that holds the thread',
      `#define ROW (blockIdx.x * blockDim.x + threadIdx.x)\n__global__ void k(float *out, int width, int height) {\n  int column = blockIdx.y * blockDim.y + threadIdx.y;\n  out[ROW * width + column] = 1;\n}\n${host(launch.replace('in, out', 'out'))}`,
    ],
  ];
  for (const [name, text, shape, elsewhere] of refused)
    it(`does not exchange: ${name}`, async () => assert.equal(await swapped(text, shape, elsewhere), undefined));
});

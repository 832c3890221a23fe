// Values through a tile: what is written, and one example that fails each precondition alone.
import assert from 'node:assert/strict';
import type { BlockShape } from '../../../server/src/semantic/language/fn';
import { transposeTileOf } from '../../../server/src/semantic/fixes/transposeTile';
import { applied, compilerComplaints, contextOf, isProven } from './harness';

const kernel = (statement: string, before = ''): string =>
  `__global__ void k(const float *in, float *out, int w, int h) {\n  int x = blockIdx.x * blockDim.x + threadIdx.x;\n  int y = blockIdx.y * blockDim.y + threadIdx.y;\n${before}  ${statement}\n}\n`;
const writes = 'if (x < w && y < h) out[x * h + y] = in[y * w + x];';

interface Known {
  readonly shape?: BlockShape;
  /** How the launch that follows the kernel gives its block, which run time decides. */
  readonly launch?: string;
  readonly elsewhere?: boolean;
}
async function tiled(kernelText: string, { shape, launch, elsewhere }: Known = {}): Promise<string> {
  const host =
    launch === undefined ? '' : `void run(const float *in, float *out, int w, int h, int bx, int by) {\n${launch}\n}\n`;
  const text = kernelText + host;
  const context = await contextOf(text, 'k', {
    blockShapes: shape ? [shape] : launch === undefined ? [[32, 32, 1]] : [],
    ...(launch === undefined ? {} : { allShapesKnown: false }),
  });
  const fact = transposeTileOf(context, elsewhere);
  return 'edits' in fact ? applied(text, fact.edits).replace(host, '') : `refused: ${fact.precondition}`;
}

describe('values through a tile', () => {
  for (const [name, above, host, tile] of [
    ['a constant', 'const int SIDE = 32;\n', 'dim3 b(SIDE, SIDE); k<<<w, b>>>', '[SIDE][SIDE + 1]'],
    ['a macro', '#define SIDE 32\n', 'k<<<w, dim3(SIDE, SIDE)>>>', '[SIDE][SIDE + 1]'],
    ['a macro in parentheses', '#define SIDE (1 << 5)\n', 'k<<<w, dim3(SIDE, SIDE)>>>', '[SIDE][SIDE + 1]'],
    ['a macro that binds less tightly', '#define SIDE 1 << 5\n', 'k<<<w, dim3(SIDE, SIDE)>>>', '[32][33]'],
    [
      'a macro of two values',
      '#define SIDE 16\n#undef SIDE\n#define SIDE 32\n',
      'k<<<w, dim3(SIDE, SIDE)>>>',
      '[32][33]',
    ],
    ['two constants', 'const int X = 32, Y = 32;\n', 'k<<<w, dim3(X, Y)>>>', '[32][33]'],
    ['a variable of the host', '', 'const int SIDE = 32; k<<<w, dim3(SIDE, SIDE)>>>', '[32][33]'],
    [
      'a variable of the host that hides another constant',
      'const int SIDE = 32;\n',
      'const int SIDE = 32; k<<<w, dim3(SIDE, SIDE)>>>',
      '[32][33]',
    ],
    ['a constant below the kernel', '', 'k<<<w, dim3(LATE, LATE)>>>', '[32][33]'],
    ['a name that the kernel gives to another', 'const int w = 32;\n', 'k<<<1, dim3(::w, ::w)>>>', '[32][33]'],
    ['a name that hides in the kernel', 'const int x = 32;\n', 'k<<<1, dim3(x, x)>>>', '[32][33]'],
  ] as const)
    it(`is called as the sides of the blocks: ${name}`, async () => {
      const text = `${above}${kernel(writes)}const int LATE = 32;\nvoid run(const float *in, float *out, int w, int h) {\n  ${host}(in, out, w, h);\n}\n`;
      const fact = transposeTileOf(await contextOf(text, 'k', { blockShapes: [[32, 32, 1]] }));
      assert.ok('edits' in fact);
      const after = applied(text, fact.edits);
      assert.ok(after.includes(`float tile${tile};`), after);
      assert.equal(compilerComplaints(after) ?? '', '');
    });

  const crossings = [
    [
      'that are written down a column',
      writes,
      '__shared__ float tile[32][33];\n  if (x < w && y < h) tile[threadIdx.y][threadIdx.x] = in[y * w + x];\n  __syncthreads();\n  const int mirrored_x = blockIdx.x * blockDim.x + threadIdx.y;\n  const int mirrored_y = blockIdx.y * blockDim.y + threadIdx.x;\n  if (mirrored_x < w && mirrored_y < h) out[mirrored_x * h + mirrored_y] = tile[threadIdx.x][threadIdx.y];',
    ],
    [
      'that are read down a column',
      'if (x < h && y < w) out[y * h + x] += in[x * w + y];',
      '__shared__ float tile[32][33];\n  const int mirrored_x = blockIdx.x * blockDim.x + threadIdx.y;\n  const int mirrored_y = blockIdx.y * blockDim.y + threadIdx.x;\n  if (mirrored_x < h && mirrored_y < w) tile[threadIdx.x][threadIdx.y] = in[mirrored_x * w + mirrored_y];\n  __syncthreads();\n  if (x < h && y < w) out[y * h + x] += tile[threadIdx.y][threadIdx.x];',
    ],
  ] as const;
  for (const [name, before, after] of crossings)
    for (const [plane, known, elements, pad] of [
      ['of known extents', { shape: [32, 8, 1] }, 288, 4],
      ['of extents of run time', { launch: 'dim3 b(bx, by); k<<<w, b>>>(in, out, w, h);' }, 2048, 1],
    ] as const)
      it(`takes values ${name}, in planes ${plane}`, async () => {
        const result = await tiled(kernel(before), known);
        const own = 'tile[threadIdx.y * pitch + threadIdx.x]';
        assert.equal(
          result,
          kernel(after)
            .replace(
              'tile[32][33];',
              `tile[${elements}];\n  const unsigned int number = threadIdx.y * blockDim.x + threadIdx.x, pitch = blockDim.x + ${pad};\n  const unsigned int column = number / blockDim.y, row = number % blockDim.y;`,
            )
            .replace('tile[threadIdx.y][threadIdx.x]', own)
            .replace('tile[threadIdx.x][threadIdx.y]', 'tile[row * pitch + column]')
            .replace('blockDim.x + threadIdx.y;\n  const int m', 'blockDim.x + column;\n  const int m')
            .replace('blockDim.y + threadIdx.x;\n  if', 'blockDim.y + row;\n  if'),
        );
      });
  for (const [name, before, after] of crossings)
    it(`takes values ${name}`, async () => {
      const result = await tiled(kernel(before));
      assert.equal(result, kernel(after));
      assert.equal(compilerComplaints(result) ?? '', '');
      assert.equal(await tiled(result), 'refused: one', 'once is enough');
    });
  const refusals: readonly (readonly [string, string, Known?])[] = [
    ['kernel: a device function', kernel(writes).replace('__global__', '__device__')],
    ['block: more than a plane', kernel(writes), { shape: [8, 8, 2] }],
    [
      'block: a block that may be more than a plane',
      kernel(writes),
      { launch: 'dim3 b = shapeOf(bx); k<<<w, b>>>(in, out, w, h);' },
    ],
    [
      'block: a copy of another block',
      kernel(writes),
      { launch: 'dim3 a(bx, by, 2); dim3 b(a); k<<<w, b>>>(in, out, w, h);' },
    ],
    ['block: nothing launches it', kernel(writes), { launch: '' }],
    [
      'block: one that is launched otherwise, too',
      kernel(writes),
      { launch: 'k<<<w, dim3(bx, by)>>>(in, out, w, h); keep(k);' },
    ],
    [
      'block: a tile too large for run time',
      kernel(writes).replaceAll('float', 'Big').replace('__global__', 'struct Big { double v[4]; };\n__global__'),
      { launch: 'k<<<w, dim3(bx, by)>>>(in, out, w, h);' },
    ],
    ['block: launched from other files', kernel(writes), { elsewhere: true }],
    ['one: a guard that reads', kernel('if (in[x] > 0 && x < w && y < h) out[x * h + y] = in[y * w + x];')],
    ['directions: one of each is read', kernel('if (x < w && y < h) out[x * h + y] = in[y * w + x] + in[x * h + y];')],
    ['type: an array of the file', `__device__ float table[4096];\n${kernel('table[x * 64 + y] = in[y * w + x];')}`],
    ['type: halves are added to wholes', kernel('out[x * h + y] += 2 * in[y * w + x];')],
  ];
  const launched = (text: string): string =>
    `${text}void run(const float *in, float *out, int w, int h) {\n  k<<<dim3((w + 31) / 32, (h + 31) / 32), dim3(32, 32)>>>(in, out, w, h);\n}\n`;
  it('is offered where a run of both texts leaves the same, and not where values change on the way', async () => {
    assert.ok(await isProven(launched(kernel(writes)), /^Stage in a shared/));
    const moving = kernel('if (x < w && y < h) out[x * h + y++] = in[y * w + x];');
    assert.ok(!(await isProven(launched(moving), /^Stage in a shared/)));
  });
  for (const [name, text, known] of refusals)
    it(`does not: ${name}`, async () => assert.equal(await tiled(text, known), `refused: ${name.split(':')[0]!}`));
});

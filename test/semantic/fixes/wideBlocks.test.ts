// Blocks that become 32 threads wide: what is written, and one example that fails each precondition alone.
import assert from 'node:assert/strict';
import { wideBlocksOf } from '../../../server/src/semantic/fixes/launchShapes/wideBlocks';
import { applied, compilerComplaints, contextOf } from './harness';

const numbers = '  int x = blockIdx.x * blockDim.x + threadIdx.x;\n  int y = blockIdx.y * blockDim.y + threadIdx.y;\n';
const program = (body: string, host: string, head = ''): string =>
  `${head}__global__ void k(char *v, int w, int h) {\n${numbers}  ${body}\n}\nvoid host(char *v, int w, int h) {\n  ${host}\n}\n`;
const guarded = 'if (x < w && y < h) v[y * w + x] += 1;';
const grid = 'dim3 grid((w + block.x - 1) / block.x, (h + block.y - 1) / block.y);';
const launch = 'k<<<grid, block>>>(v, w, h);';
const square = `dim3 block(16, 16);\n  ${grid}\n  ${launch}`;

/** What is written: the last line of the host function, or the precondition that failed. */
async function widened(text: string, elsewhere = false): Promise<string> {
  const fact = wideBlocksOf(await contextOf(text, 'k'), elsewhere);
  if (!('edits' in fact)) return `refused: ${fact.precondition}`;
  const after = applied(text, fact.edits);
  assert.equal(compilerComplaints(after) ?? '', '');
  return after.slice(after.indexOf('void host')).split('\n').slice(1, -2).join('\n').trim();
}

describe('blocks of 32 along x', () => {
  for (const [name, host, after] of [
    ['for those of 16', square, square.replace('16, 16', '32, 8')],
    [
      'for those of 16 in the launch',
      'k<<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16)>>>(v, w, h);',
      'k<<<dim3((w + 31) / 32, (h + 7) / 8), dim3(32, 8)>>>(v, w, h);',
    ],
    [
      'for those of 20, which do not divide a warp',
      square.replace('16, 16', '20, 16'),
      square.replace('16, 16', '32, 10'),
    ],
    ['for those that constants make', square.replace('16, 16', 'WIDE, 8'), square.replace('16, 16', 'WIDE, 2')],
    [
      'beside launches whose blocks are wide',
      `k<<<dim3((w + 63) / 64, h), dim3(64, 1)>>>(v, w, h);\n  ${square}`,
      `k<<<dim3((w + 63) / 64, h), dim3(64, 1)>>>(v, w, h);\n  ${square.replace('16, 16', '32, 8')}`,
    ],
    [
      'of two launches with one block and one grid',
      `${square}\n  printf("%u", grid.x);\n  ${launch}`,
      `${square.replace('16, 16', '32, 8')}\n  printf("%u", grid.x);\n  ${launch}`,
    ],
    [
      'with a count where the launch is not known to come to the end',
      'k<<<dim3(w / 8, h / 8), dim3(8, 8, 1)>>>(v, w, h);',
      'k<<<dim3((w / 8 + 3) / 4, (h / 8) * 4), dim3(32, 2, 1)>>>(v, w, h, (w / 8) * 8);',
    ],
  ] as const)
    it(name, async () => assert.equal(await widened(program(guarded, host, '#define WIDE 8\n')), after));

  const refusals: readonly (readonly [string, string, boolean?])[] = [
    ['kernel: without a launch', program(guarded, '')],
    ['number: a place in the block', program('v[threadIdx.x] = 0;', square)],
    ['number: a constant for the block', program(guarded, square).replace('* blockDim.x', '* 16')],
    ['number: blocks that are counted', program('if (blockIdx.x < w) v[y * w + x] = 0;', square)],
    ['together: memory of the block', program(`__shared__ char s; ${guarded}`, square)],
    ['together: a barrier', program(`${guarded} __syncthreads();`, square)],
    ['shared: memory that the launch gives', program(guarded, square.replace('block>>>', 'block, 64>>>'))],
    [
      'extents: a block that is given',
      program(guarded, launch).replace('int h) {\n  k', 'int h, dim3 block, dim3 grid) {\n  k'),
    ],
    ['extents: no whole warps', program(guarded, square.replace('16, 16', '10, 10'))],
    ['extents: wide blocks', program(guarded, square.replace('16, 16', '32, 8'))],
    ['extents: blocks of three dimensions', program(guarded, square.replace('16, 16', '8, 8, 4'))],
    ['guard: other files launch it', program('v[y * w + x] += 1;', square), true],
    ['guard: rows that are added', program('v[y * w + x] += 1;', square.replace('16, 16', '20, 16'))],
    [
      'guard: constants that may change',
      program('v[y * w + x] += 1;', square.replace('16, 16', 'SIDE, SIDE'), '#define SIDE 8\n'),
    ],
    ['values: one constant for both', program(guarded, square.replace('16, 16', 'SIDE, SIDE'), '#define SIDE 8\n')],
    ['values: a block that other code takes', program(guarded, `${square}\n  note(block.x);`)],
    [
      'values: a named block where a count is added',
      program(guarded, `dim3 block(8, 8), grid(w / 8, h / 8);\n  ${launch}`),
    ],
  ];
  for (const [name, text, elsewhere] of refusals)
    it(`are refused for ${name}`, async () =>
      assert.equal(await widened(text, elsewhere), `refused: ${name.split(':')[0]!}`));
});

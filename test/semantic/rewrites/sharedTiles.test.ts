// Shared tiles: what padding costs and mends, and the uses that forbid it.
import assert from 'node:assert/strict';
import { sharedTileOf, type SharedSample } from '../../../server/src/semantic/rewrites/sharedTiles';
import type { SharedTileFact } from '../../../server/src/semantic/model';
import { applied, compilerComplaints, contextOf, nodesOf } from './harness';

/** A full warp of which lane `l` is at element [row(l)][column(l)] of rows of `width` elements. */
function warp(
  width: number,
  bytes: number,
  row: (lane: number) => number,
  column: (lane: number) => number,
  accessBytes = bytes,
): SharedSample {
  return {
    offsets: Float64Array.from({ length: 32 }, (_, lane) => (row(lane) * width + column(lane)) * bytes),
    lanes: Uint8Array.from({ length: 32 }, (_, lane) => lane),
    count: 32,
    bytes: accessBytes,
  };
}
const column = [
  warp(
    32,
    4,
    (lane) => lane,
    () => 3,
  ),
];
const row = [
  warp(
    32,
    4,
    () => 3,
    (lane) => lane,
  ),
];

async function tileIn(
  text: string,
  accesses: readonly (readonly SharedSample[])[] = [column, row],
  shape: readonly [number, number, number] = [32, 8, 1],
): Promise<SharedTileFact | undefined> {
  const context = await contextOf(text, undefined, { blockShapes: [shape] });
  const declaration = nodesOf(context, 'var').find((variable) => variable.space === 'shared');
  return declaration && sharedTileOf(context, declaration, accesses);
}
const kernel = (body: string, declaration = '__shared__ float tile[32][32];'): string =>
  `__global__ void k(float *out, int n) {\n  ${declaration}\n  int x = threadIdx.x, y = threadIdx.y;\n  ${body}\n}\n`;
const plain = 'tile[y][x] = out[y * n + x];\n  __syncthreads();\n  out[y * n + x] = tile[x][y];';

describe('shared tiles', () => {
  it('pads a column', async () => {
    const text = kernel(plain);
    const fact = await tileIn(text);
    assert.ok(fact);
    assert.equal(fact.onlySubscripts, true);
    assert.equal(fact.extraBytes, 128);
    assert.equal(fact.totalBytes, 4096);
    assert.equal(fact.conflictAfterPad, 1);
    assert.equal(fact.innerSizeText, '32');
    const after = applied(text, [{ at: fact.innerSizeAt, newText: '33' }]);
    assert.match(after, /tile\[32\]\[33\]/);
    const complaints = compilerComplaints(after);
    if (complaints !== undefined) assert.equal(complaints, '');
  });
  it('names the size as written, through a macro and a constant', async () => {
    const macro = await tileIn(`#define SIDE 32\n${kernel(plain, '__shared__ float tile[SIDE][SIDE];')}`);
    assert.equal(macro?.innerSizeText, 'SIDE');
    const constant = await tileIn(`const int side = 16;\n${kernel(plain, '__shared__ float tile[side][2 * side];')}`);
    assert.equal(constant?.innerSizeText, '2 * side');
    assert.equal(constant?.extraBytes, 64);
  });
  it('counts all shared arrays of the kernel', async () => {
    const fact = await tileIn(kernel(plain, '__shared__ float tile[32][32]; __shared__ double other[100];'));
    assert.equal(fact?.totalBytes, 4096 + 800);
  });
  it('tells what a pad does not mend', async () => {
    // 16-byte lanes eight words apart meet in the banks whatever the row's length.
    const wide = [
      warp(
        128,
        4,
        () => 0,
        (lane) => (lane % 16) * 8,
        16,
      ),
    ];
    const fact = await tileIn(kernel(plain, '__shared__ float tile[8][128];'), [wide]);
    assert.equal(fact?.conflictAfterPad, 2);
  });
  it('tells of another access that the pad would make worse', async () => {
    // Rows of 33 are free of conflicts down the columns; rows of 34 are not.
    const free = [
      warp(
        33,
        4,
        (lane) => lane,
        () => 0,
      ),
    ];
    const own = [
      warp(
        33,
        4,
        (lane) => lane >> 1,
        (lane) => 16 * (lane & 1),
      ),
    ];
    const fact = await tileIn(kernel(plain, '__shared__ float tile[32][33];'), [own, free]);
    assert.equal(fact?.conflictAfterPad, 2);
  });
  const forbidden: readonly (readonly [string, string, string?])[] = [
    ['the whole array is passed', `f(tile);\n  ${plain}`],
    ['a row is passed', `f(tile[y]);\n  ${plain}`],
    ["an element's address is taken", `float *p = &tile[y][0];\n  p[x] = 1;\n  ${plain}`],
    [
      'a vector is read through a cast',
      `float4 v = *reinterpret_cast<float4 *>(&tile[y][4 * x]);\n  out[x] = v.x;\n  ${plain}`,
    ],
    ['its size is asked', `for (int i = x; i < sizeof(tile) / 4; i += 32) out[i] = 0;\n  ${plain}`],
    ['it is filled as one row', `tile[0][y * 32 + x] = 1;\n  ${plain}`],
    ['it is walked as one row', `for (int i = 0; i < 1024; i++) tile[0][i] = 1;\n  ${plain}`],
  ];
  for (const [name, body] of forbidden)
    it(`forbids the pad where ${name}`, async () => assert.equal((await tileIn(kernel(body)))?.onlySubscripts, false));
  it('allows atomics and values passed on', async () => {
    assert.equal((await tileIn(kernel(`atomicAdd(&tile[y][x], 1.0f);\n  ${plain}`)))?.onlySubscripts, true);
    assert.equal((await tileIn(kernel(`out[0] = sqrtf(tile[y][x]);\n  ${plain}`)))?.onlySubscripts, true);
  });
  it('is absent for one dimension, dynamic arrays and unknown sizes', async () => {
    assert.equal(await tileIn(kernel('tile[x] = 1;', '__shared__ float tile[1024];')), undefined);
    assert.equal(await tileIn(kernel('tile[x] = 1;', 'extern __shared__ float tile[];')), undefined);
    assert.equal(await tileIn(`template <int S> ${kernel(plain, '__shared__ float tile[S][S];')}`), undefined);
  });
});

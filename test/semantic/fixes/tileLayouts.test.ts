// Other layouts of arrays in shared memory: what is written, and one example that fails each precondition alone.
import assert from 'node:assert/strict';
import type { TileLayoutFact } from '../../../server/src/semantic/model';
import { tileLayoutOf } from '../../../server/src/semantic/fixes/tileLayouts';
import type { SharedSample } from '../../../server/src/semantic/fixes';
import { costOf, layoutsOf, movedBy, type Extents } from '../../../server/src/semantic/fixes/tileLayouts/layouts';
import { applied, compilerComplaints, contextOf, isProven, nodesOf } from './harness';

/** A full warp of which lane `l` is at element `at(l)`. */
function warp(bytes: number, at: (lane: number) => number, accessBytes = bytes): readonly SharedSample[] {
  return [
    {
      offsets: Float64Array.from({ length: 32 }, (_, lane) => at(lane) * bytes),
      lanes: Uint8Array.from({ length: 32 }, (_, lane) => lane),
      count: 32,
      bytes: accessBytes,
    },
  ];
}
const column = warp(4, (lane) => lane * 32 + 3);
const row = warp(4, (lane) => 3 * 32 + lane);
type Accesses = readonly (readonly SharedSample[])[];

interface Known {
  readonly accesses?: Accesses;
  readonly elsewhere?: boolean;
}
async function factIn(text: string, { accesses = [column, row], elsewhere }: Known = {}): Promise<unknown> {
  const context = await contextOf(text, 'k', { blockShapes: [[32, 8, 1]] });
  const declaration = nodesOf(context, 'var').find((variable) => variable.space === 'shared');
  assert.ok(declaration);
  return tileLayoutOf(context, declaration, accesses[0]!, accesses.slice(1), elsewhere);
}
async function laidOut(text: string, known?: Known): Promise<string> {
  const fact = (await factIn(text, known)) as TileLayoutFact | { precondition: string };
  if (!('edits' in fact)) return `refused: ${fact.precondition}`;
  const after = applied(text, fact.edits);
  assert.equal(compilerComplaints(after) ?? '', '');
  return after;
}
const kernel = (body: string, declaration = '__shared__ float tile[32][32];', before = ''): string =>
  `${before}__global__ void k(float *out, int n) {\n  ${declaration}\n  int x = threadIdx.x, y = threadIdx.y;\n  ${body}\n}\n`;
const launched = (bytes = ', 4096'): string => `void run(float *out) { k<<<8, dim3(32, 8)${bytes}>>>(out, 32); }\n`;
const plain = 'tile[y][x] = out[y * n + x];\n  __syncthreads();\n  out[y * n + x] = tile[x][y];';
const flat = 'tile[y * 32 + x] = out[x];\n  __syncthreads();\n  out[y * n + x] = tile[x * 32 + y];';
const dynamic = 'extern __shared__ float tile[];';

describe('layouts of shared arrays', () => {
  const uneven: Known = { accesses: [warp(4, (lane) => (lane % 30) * 32), row] };
  const tallest = (declaration: string, more = ''): string => kernel(`${plain}${more}`, declaration);
  const written: readonly (readonly [string, string, string, Known?])[] = [
    [
      'longer rows that move what lies behind by any number of bytes',
      tallest('__shared__ float tile[30][32], rest[64];', '\n  out[n] = rest[x] + float(n);'),
      tallest('__shared__ float tile[30][33], rest[64];', '\n  out[n] = rest[x] + float(n);'),
      uneven,
    ],
    [
      'columns exchanged, where longer rows would move the wide pieces of another array',
      tallest('__shared__ float tile[30][32], rest[64];', '\n  out[n] = reinterpret_cast<float4 *>(rest)[x].x;'),
      tallest('__shared__ float tile[30][32], rest[64];', '\n  out[n] = reinterpret_cast<float4 *>(rest)[x].x;')
        .replace('tile[y][x]', 'tile[y][x ^ (y % 32)]')
        .replace('tile[x][y]', 'tile[x][y ^ (x % 32)]'),
      uneven,
    ],
    ['longer rows', kernel(plain), kernel(plain, '__shared__ float tile[32][33];')],
    [
      'longer rows, through a macro',
      kernel(plain, '__shared__ float tile[SIDE][SIDE];', '#define SIDE 32\n'),
      kernel(plain, '__shared__ float tile[SIDE][SIDE + 1];', '#define SIDE 32\n'),
    ],
    [
      'longer rows that keep wide pieces aligned',
      kernel(`out[x] = reinterpret_cast<float4 *>(&tile[y][4 * (x % 8)])->x;\n  ${plain}`.replace('->x', '[0].x')),
      kernel(
        `out[x] = reinterpret_cast<float4 *>(&tile[y][4 * (x % 8)])->x;\n  ${plain}`.replace('->x', '[0].x'),
        '__shared__ float tile[32][36];',
      ),
      { accesses: [warp(4, (lane) => 32 * lane, 16), row] },
    ],
    [
      'columns exchanged, where longer rows would not fit',
      kernel(plain, '__shared__ float tile[32][32], rest[11264];'),
      kernel(
        'tile[y][x ^ (y % 32)] = out[y * n + x];\n  __syncthreads();\n  out[y * n + x] = tile[x][y ^ (x % 32)];',
        '__shared__ float tile[32][32], rest[11264];',
      ),
    ],
    [
      'gaps in an array of one dimension',
      kernel(flat, '__shared__ float tile[1024];'),
      kernel(
        'tile[y * 32 + x + (y * 32 + x) / 32] = out[x];\n  __syncthreads();\n  out[y * n + x] = tile[x * 32 + y + (x * 32 + y) / 32];',
        '__shared__ float tile[1024 + 1024 / 32];',
      ),
    ],
    [
      'gaps in an array that the launch gives its bytes',
      kernel(flat, dynamic) + launched(),
      kernel(
        'tile[y * 32 + x + (y * 32 + x) / 32] = out[x];\n  __syncthreads();\n  out[y * n + x] = tile[x * 32 + y + (x * 32 + y) / 32];',
        dynamic,
      ) + launched(', 4096 + 4096 / 32'),
    ],
    [
      'subscripts that are numbers',
      kernel(`${flat}\n  out[0] = tile[100];`, '__shared__ float tile[1024];'),
      kernel(
        'tile[y * 32 + x + (y * 32 + x) / 32] = out[x];\n  __syncthreads();\n  out[y * n + x] = tile[x * 32 + y + (x * 32 + y) / 32];\n  out[0] = tile[103];',
        '__shared__ float tile[1024 + 1024 / 32];',
      ),
    ],
    [
      'no division of what it divides',
      kernel('tile[y + x] = n;\n  out[x] = tile[x * 32] + tile[x * 64 * n];', '__shared__ float tile[1024];'),
      kernel(
        'tile[y + x + (y + x) / 32] = n;\n  out[x] = tile[x * 32 + x] + tile[x * 64 * n + x * n * 2];',
        '__shared__ float tile[1024 + 1024 / 32];',
      ),
    ],
    [
      'under atomics',
      kernel(`atomicAdd(&tile[y][x], 1.0f);\n  ${plain}`),
      kernel(`atomicAdd(&tile[y][x], 1.0f);\n  ${plain}`, '__shared__ float tile[32][33];'),
    ],
  ];
  for (const [name, before, after, known] of written)
    it(`writes ${name}`, async () => assert.equal(await laidOut(before, known), after));

  it('says what it costs and brings', async () => {
    const { before, after, safe } = (await factIn(kernel(plain))) as TileLayoutFact;
    assert.deepEqual({ before, after, safe }, { before: 32, after: 1, safe: true });
    assert.equal(((await factIn(kernel(flat, dynamic) + launched())) as TileLayoutFact).safe, false);
  });

  const refusals: readonly (readonly [string, string, Known?])[] = [
    ['tile: an unknown size', `template <int S> ${kernel(plain, '__shared__ float tile[S][S];')}`],
    ['uses: the whole array is passed', kernel(`f(tile);\n  ${plain}`)],
    ['uses: a row is passed', kernel(`f(tile[y]);\n  ${plain}`)],
    ["uses: an element's address is kept", kernel(`float *p = &tile[y][0];\n  p[x] = 1;\n  ${plain}`)],
    ['uses: a vector behind the cast', kernel(`out[x] = reinterpret_cast<float4 *>(&tile[y][0])[x].x;\n  ${plain}`)],
    [
      'uses: a function walks on',
      kernel(`out[x] = f(tile[y]);\n  ${plain}`, undefined, '__device__ float f(float *row);\n'),
    ],
    ['launches: without bytes', kernel(flat, dynamic) + launched('')],
    ['launches: other files', kernel(flat, dynamic) + launched(), { elsewhere: true }],
    [
      'launches: an attribute is set',
      `${kernel(flat, dynamic)}${launched()}void set() { cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536); }\n`,
    ],
    [
      'launches: a pointer to the kernel',
      `${kernel(flat, dynamic)}${launched(', 32 * 128')}void *other() { return (void *)k; }\n`,
    ],
    ['launches: two names', kernel(flat, `${dynamic} extern __shared__ int other[];`) + launched()],
    [
      'launches: a function names it',
      kernel(flat, dynamic, '__device__ void g() { extern __shared__ int all[]; all[0] = 0; }\n') + launched(),
    ],
    ['launches: the bytes are counted on', kernel(flat, dynamic) + launched(', next()')],
    ['sampled: nothing is known', kernel(plain), { accesses: [[], row] }],
    [
      'size: rows that do not fit, of no power of two',
      kernel(plain, '__shared__ float tile[128][96];'),
      { accesses: [warp(4, (lane) => lane * 96), row] },
    ],
    [
      'written: a macro subscripts',
      kernel(
        'AT(y * 32 + x) = out[x];\n  out[x] = AT(x * 32 + y);',
        '__shared__ float tile[1024];',
        '#define AT(i) tile[(i)]\n',
      ),
    ],
    [
      'written: a subscript is read from it',
      kernel(`out[x] = tile[int(tile[x])];\n  ${flat}`, '__shared__ float tile[1024];'),
    ],
  ];
  it('is offered where a run of both texts leaves the same, and not where rows follow each other', async () => {
    const filled = (fill: string): string =>
      `__global__ void k(float *out, int n) {\n  __shared__ float tile[32][32];\n  int x = threadIdx.x, y = threadIdx.y;\n  ${fill}\n  __syncthreads();\n  out[y * 32 + x] = tile[x][y] + n;\n}\nvoid run(float *out, int n) {\n  k<<<1, dim3(32, 32)>>>(out, n);\n}\n`;
    assert.ok(await isProven(filled('tile[y][x] = out[y * 32 + x];'), /^Pad rows of/));
    for (const fill of ['tile[0][y * 32 + x] = out[y * 32 + x];', 'tile[y][x] = sizeof(tile) + out[y * 32 + x];'])
      assert.ok(!(await isProven(filled(fill), /^Pad rows of/)), fill);
  });
  for (const [name, text, known] of refusals)
    it(`does not: ${name}`, async () => assert.equal(await laidOut(text, known), `refused: ${name.split(':')[0]!}`));

  it('gives every element its own place', () => {
    for (const extents of [
      { dimensions: [32, 32], elementBytes: 4, grain: 1 },
      { dimensions: [8, 128], elementBytes: 2, grain: 8 },
      { dimensions: [2, 16, 24], elementBytes: 8, grain: 2 },
      { dimensions: [640], elementBytes: 1, grain: 4 },
    ] satisfies Extents[])
      for (const layout of layoutsOf(extents)) {
        const move = movedBy(layout, extents);
        const count = extents.dimensions.reduce((product, size) => product * size, 1);
        const places = Array.from({ length: count }, (_, at) => move(at * extents.elementBytes) / extents.elementBytes);
        assert.equal(new Set(places).size, count, JSON.stringify({ layout, extents }));
        // Pieces that are read at once stay together, and aligned.
        for (let at = 0; at < count; at += extents.grain)
          for (let next = 0; next < extents.grain; next++)
            assert.equal(places[at + next], places[at]! + next, JSON.stringify({ layout, extents, at }));
        assert.ok(places.every((place, at) => at % extents.grain !== 0 || place % extents.grain === 0));
      }
  });
  it('counts what the compiler merges in pieces where a layout parts it', () => {
    const extents: Extents = { dimensions: [16, 16], elementBytes: 8, grain: 1 };
    const [sample] = warp(8, (lane) => (lane % 16) * 16, 16);
    const merged = [{ ...sample!, scalarBytes: 8 }];
    assert.deepEqual(costOf(merged, { kind: 'pad', by: 1 }, extents), { wavefronts: 4, ideal: 4, parted: 2 });
    assert.equal(costOf(merged)?.wavefronts, 32);
  });
});

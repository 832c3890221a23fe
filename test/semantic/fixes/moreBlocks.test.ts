// Launches of more blocks: what is written, and kernels to which the number of threads is not all the same.
import assert from 'node:assert/strict';
import { moreBlocksOf } from '../../../server/src/semantic/fixes/launchShapes/moreBlocks';
import { applied, compilerComplaints, contextOf } from './harness';

const places =
  'int me = blockIdx.x * blockDim.x + threadIdx.x;\n  int all = gridDim.x * blockDim.x;\n  const int N = 4096;\n';
const parts = 'for (int k = N * me / all; k < N * (me + 1) / all; k++)';
const program = (body: string, launch = 'k<<<64, 64>>>(v, n);', head = ''): string =>
  `${head}__global__ void k(int *v, int n) {\n  ${places}  ${body}\n}\nvoid host(int *v, int n) {\n  ${launch}\n}\n`;

/** The launch with twice the blocks, or nothing. */
async function doubled(text: string): Promise<string | undefined> {
  const [site] = (await contextOf(text, 'host')).launchSites('k');
  const [twice] = moreBlocksOf(site!);
  if (!twice) return undefined;
  assert.equal(twice.factor, 2);
  const after = applied(text, twice.edits);
  assert.equal(compilerComplaints(after) ?? '', '');
  return after.trimEnd().split('\n').at(-2)!.trim();
}

describe('more blocks', () => {
  for (const [name, text, after] of [
    ['for parts of a loop', program(`${parts} v[k] += 1;`), 'k<<<128, 64>>>(v, n);'],
    [
      'for strides over the grid, with a named number',
      program('for (int k = me; k < n; k += all) v[k] = k;', 'const int few = 8; k<<<few, 64>>>(v, n);'),
      'const int few = 16; k<<<few, 64>>>(v, n);',
    ],
    [
      'for a number that is computed',
      program(`${parts} v[k] += 1;`, 'k<<<COUNT / 64, 64>>>(v, n);', '#define COUNT 512\n'),
      'k<<<(COUNT / 64) * 2, 64>>>(v, n);',
    ],
    [
      'for blocks of a constant',
      program(`${parts} v[k] += 1;`, 'k<<<dim3(16), 128>>>(v, n);').replaceAll('blockDim.x', '128'),
      'k<<<dim3(32), 128>>>(v, n);',
    ],
    [
      'for rows and elements of them',
      program(`${parts} { int q = k; q /= 2; atomicAdd(&v[q], n); }`),
      'k<<<128, 64>>>(v, n);',
    ],
  ] as const)
    it(name, async () => assert.equal(await doubled(text), after));

  for (const [name, text] of [
    ['the number of blocks is not known', program(`${parts} v[k] += 1;`, 'k<<<n, 64>>>(v, n);')],
    [
      'other code takes the number of blocks',
      program(`${parts} v[k] += 1;`, 'const int few = 8; v += few; k<<<few, 64>>>(v, n);'),
    ],
    ['a message states it', program(`${parts} v[k] += 1;`, 'puts("64 blocks"); k<<<64, 64>>>(v, n);')],
    [
      'a variable of the blocks is used otherwise',
      program(`${parts} v[k] += 1;`, 'dim3 few(64 / 2); v += few.x; k<<<few, 64>>>(v, n);'),
    ],
    ['the grid is a plane', program(`${parts} v[k] += 1;`, 'k<<<dim3(8, 8), 64>>>(v, n);')],
    ['the products are too large', program(`${parts} v[k] += 1;`).replace('4096', '1 << 19')],
    ['blocks share memory', program(`__shared__ int s[2]; ${parts} v[k] += s[0];`)],
    ['threads wait for others', program(`${parts} while (atomicCAS(v, 0, 1) != 0) {}`)],
  ] as const)
    it(`are not offered where ${name}`, async () => assert.equal(await doubled(text), undefined));
});

// Rows of a block's threads to its warps: what is written, and one example that fails each precondition alone.
import assert from 'node:assert/strict';
import type { BlockShape } from '../../../server/src/semantic/language/fn';
import { blockRowsOf } from '../../../server/src/semantic/fixes/rowWarps/blockRows';
import { applied, compilerComplaints, contextOf, nodesOf } from './harness';

const kernel = (stretch: string, after = '  __syncthreads();\n  out[t] = means[127 - t];\n', before = ''): string =>
  `__global__ void k(const float *in, float *out, int n) {\n  __shared__ float means[128];\n  const int t = threadIdx.x;\n${before}${stretch}${after}}\n`;
const sum = '  float sum = 0.0f;\n  for (int c = 0; c < n; c++) sum += in[t * n + c];\n  means[t] = sum / n;\n';

async function rewritten(text: string, shape: BlockShape = [128, 1, 1]): Promise<string> {
  const context = await contextOf(text, 'k', { blockShapes: [shape] });
  const access = nodesOf(context, 'index').find(({ base }) => base.kind === 'name' && base.name === 'in')!;
  const fact = blockRowsOf(context, access);
  return !fact ? 'not near' : 'edits' in fact ? applied(text, fact.edits) : `refused: ${fact.precondition}`;
}

describe('the rows of a block', () => {
  it('are taken by its warps in turn', async () => {
    const result = await rewritten(kernel(sum));
    assert.equal(
      result,
      kernel(
        '  const int lane = threadIdx.x % 32;\n  for (int row = threadIdx.x / 32; row < blockDim.x; row += blockDim.x / 32) {\n' +
          '    float sum = 0.0f;\n    for (int c = lane; c < n; c += 32) sum += in[row * n + c];\n' +
          '    for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_xor_sync(0xffffffff, sum, offset);\n' +
          '    if (lane == 0) means[row] = sum / n;\n  }\n',
      ),
    );
    assert.equal(compilerComplaints(result) ?? '', '');
  });
  it('start where their loop starts', async () => {
    for (const [start, first, before] of [
      ['3', '3 + lane', ''],
      ['n / 2', 'n / 2 + lane', ''],
      ['FIRST', 'FIRST + lane', '#define FIRST 0\n'],
    ] as const) {
      const result = await rewritten(before + kernel(sum.replace('c = 0', `c = ${start}`)));
      assert.ok(result.includes(`int c = ${first};`) || result.startsWith('refused: stretch'), result);
    }
  });
  it('apply in a kernel whose lines are not indented', async () =>
    assert.match(
      await rewritten(kernel(sum).replace(/^ {2}/gm, '')),
      /^const int lane = threadIdx\.x % 32;\nfor \(int row = [\s\S]*\n {2}float sum = 0\.0f;/m,
    ));

  const refusals: readonly (readonly [string, string, BlockShape?])[] = [
    ['stretch: the sum is used further on', kernel(sum, '  __syncthreads();\n  out[t] = sum;\n')],
    ['stretch: nothing is stored', kernel(sum.replace('  means[t] = sum / n;\n', '  if (sum > 0) out[t] = sum;\n'))],
    ['block: no whole warps', kernel(sum), [100, 1, 1]],
    [
      'thread: a value of the thread',
      kernel(sum.replace('sum / n', 'sum * own'), undefined, '  float own = out[t];\n'),
    ],
    ['meeting: read without a barrier', kernel(sum, '  out[t] = means[127 - t];\n')],
    ['meeting: another call behind it', kernel(sum, '  __syncwarp();\n  out[t] = means[127 - t];\n')],
    ['meeting: another statement behind it', kernel(sum, '  n++;\n  out[t] = means[127 - t];\n')],
    ['meeting: a loop behind it', kernel(sum, '  for (int k = 0; k < 3; k++) out[t] += means[k];\n')],
    ['meeting: some threads have left', kernel(sum, undefined, '  if (t > n) return;\n')],
    ['memory: what is read was just written', kernel(sum, undefined, '  means[t] = 1;\n')],
    ['memory: it reads the values that it stores', kernel(sum.replace('sum / n', 'sum / means[0]'))],
    ['carried: a running value', kernel(sum.replace('sum += in[t * n + c]', 'sum = sum * 0.5f + in[t * n + c]'))],
  ];
  for (const [name, text, shape] of refusals)
    it(`are not, ${name}`, async () => assert.equal(await rewritten(text, shape), `refused: ${name.split(':')[0]!}`));
  it('are none where the loop goes from row to row, or is under a condition', async () => {
    assert.equal(await rewritten(kernel(sum.replace('t * n + c', 'c * n + t'))), 'not near');
    assert.equal(await rewritten(kernel(sum.replace('  for', '  if (n > 3) for'))), 'not near');
  });
});

// Launches of one kernel with one block: a fix of one of them is the fix of all.
import { strictEqual } from 'node:assert/strict';
import { lint } from '../../server/src/lint/lint';
import { memoryUri, memoryWorkspace } from '../support/analyseText';

const kernel = (name: string): string =>
  `template <typename T>\n__global__ void ${name}(T *v, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) v[i] *= 2;\n}\n`;
const start = (name: string, count = 'n', block = '48'): string =>
  `${name}<<<(${count} + ${Number(block) - 1}) / ${block}, ${block}>>>(v, ${count});`;

describe('launches alike', () => {
  for (const [name, first, second, places] of [
    ['in branches', 'case 0: ' + start('k'), 'break; default: ' + start('k'), 2],
    ['of two instances', 'case 0: ' + start('k<float>'), 'break; default: ' + start('k'), 2],
    ['of another count', 'case 0: ' + start('k'), `} }\nvoid more(float *v, int m) { { ${start('k', 'm')}`, 2],
    ['of another block', 'case 0: ' + start('k'), start('k', 'n', '40'), 1],
    ['of another kernel', 'case 0: ' + start('k'), start('other', 'n - 1'), 1],
  ] as const)
    it(`are fixed ${places > 1 ? 'together' : 'alone'}: ${name}`, async () => {
      const text = `${kernel('k')}${kernel('other')}void host(float *v, int n) { switch (n) { ${first} ${second} } }\n`;
      const uri = memoryUri('a.cu');
      const workspace = await memoryWorkspace(new Map());
      const { model, gpu } = workspace.analyse(uri, { text, version: 1 })!;
      const { findings } = lint(model, text, { gpu, only: new Set(['cuda/block-shape']) });
      const title = findings[0]!.fixes[0]!.title;
      strictEqual(/ at (\d+) launches/.exec(title)?.[1] ?? '1', String(places), title);
    });
});

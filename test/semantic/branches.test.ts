// Which part of the lanes' time a branch loses.
import { deepStrictEqual } from 'node:assert/strict';
import { memoryUri, memoryWorkspace } from '../support/analyseText';

const work = (array: string): string => `{ for (int j = 0; j < 10; j++) a[t * 10 + j] += ${array}[j]; }`;

async function lostIn(branch: string): Promise<readonly (string | undefined)[]> {
  const text = `__global__ void k(float *a, const float *b) {
  int t = threadIdx.x;
  ${branch}
}
void f(float *a, const float *b) { k<<<100, 128>>>(a, b); }
`;
  const uri = memoryUri('/branches.cu');
  const { model } = (await memoryWorkspace(new Map())).analyse(uri, { text, version: 1 })!;
  return model.facts.branch.filter(({ form }) => form === 'if').map(({ lostShare }) => lostShare?.toFixed(2));
}

describe('lanes that a branch loses', () => {
  it('are those outside of each arm', async () => {
    deepStrictEqual(await lostIn(`if (t % 32 < 8) ${work('b')} else ${work('b')}`), ['0.50']);
  });
  it('are in an `else if` all that its condition keeps out', async () => {
    deepStrictEqual(await lostIn(`if (t % 32 < 2) ${work('b')} else if (t % 32 >= 30) ${work('b')}`), ['0.94', '0.93']);
  });
});

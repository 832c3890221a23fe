// Two texts run on the same data: what is the same, what differs and where, and what a run does not decide.
import assert from 'node:assert/strict';
import pairs from './pairs.json';
import { resultChange, type Verdict, verified } from '../../../server/src/semantic';
import { executedNumbers, recorded } from '../../fixes/executed';
import { families } from '../../fixes/families';
import { readIn } from '../../fixes/variations';
import { sampleOf } from '../../support/depth';

async function verdictOn(before: string, after: string): Promise<Verdict> {
  const { model } = await readIn(before);
  return verified(model, (await readIn(after)).model);
}

const host = 'void run(float *a, float *b, int n) { work<<<(n + 63) / 64, 64>>>(a, b, n); }\n';
const kernel = (body: string, launch = host): string =>
  `__global__ void work(float *a, float *b, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n${body}\n}\n${launch}`;

/** What an atomic leaves in memory that one thread has for itself. */
const atomics: Readonly<Record<string, string>> = {
  'atomicAdd(p, 3)': '*p + 3',
  'atomicSub(p, 3)': '*p - 3',
  'atomicExch(p, 3)': '3',
  'atomicMin(p, 3)': '*p < 3 ? *p : 3',
  'atomicMax(p, 3)': '*p > 3 ? *p : 3',
  'atomicInc(p, 3)': '*p >= 3 ? 0 : *p + 1',
  'atomicDec(p, 3)': '*p == 0 || *p > 3 ? 3 : *p - 1',
  'atomicAnd(p, 3)': '*p & 3',
  'atomicOr(p, 3)': '*p | 3',
  'atomicXor(p, 3)': '*p ^ 3',
  'atomicCAS(p, 2, 3)': '*p == 2 ? 3 : *p',
};

describe('two texts that are run', function () {
  this.timeout(60_000);
  for (const { name, before, after, verdict } of pairs.bodies)
    it(name, async () => {
      assert.match(JSON.stringify(await verdictOn(kernel(before), kernel(after))), new RegExp(verdict));
    });

  for (const { name, before, after, verdict } of pairs.texts)
    it(name, async () => {
      assert.match(JSON.stringify(await verdictOn(before.join('\n'), after.join('\n'))), new RegExp(verdict));
    });

  for (const [call, value] of Object.entries(atomics))
    it(`know ${call}`, async () => {
      const of = (change: string): string => kernel(`if (i < n) { unsigned *p = (unsigned *)a + i; ${change}; }`);
      assert.deepEqual(await verdictOn(of(call), of(`*p = ${value}`)), { same: 'bits' });
      assert.ok('differs' in (await verdictOn(of(call), of('*p = 7 * *p + 9'))));
    });
  it('follow functions that a kernel calls', async () => {
    const of = (value: string): string =>
      `__device__ float next(float x) { return ${value}; }\n${kernel('if (i < n) a[i] = next(b[i]);')}`;
    assert.deepEqual(await verdictOn(of('x + 1'), of('1 + x')), { same: 'bits' });
    assert.ok('differs' in (await verdictOn(of('x + 1'), of('x + 2'))));
  });
  it('run the first blocks of a launch that is too long', async () => {
    const long = 'void run(float *a, float *b) { work<<<1024, 64>>>(a, b, 65536); }\n';
    const of = (value: string): string => kernel(`if (i < n) a[i] = ${value};`, long);
    assert.deepEqual(await verdictOn(of('b[i] + 1'), of('1 + b[i]')), { same: 'bits' });
    assert.ok('differs' in (await verdictOn(of('b[i] + 1'), of('b[i]'))));
  });
  it('run blocks of the sizes that all launches give', async () => {
    const all = (sizes: string): string =>
      `void run(float *a, float *b, int n, int size) { work<<<n, size>>>(a, b, n); }\n` +
      `int main() { float *a, *b; int sizes[] = {${sizes}}; for (int k = 0; k < 2; k++) run(a, b, 9, sizes[k]); }\n`;
    const of = (bound: string, sizes: string): string => kernel(`if (threadIdx.x < ${bound}) a[i] = 1;`, all(sizes));
    assert.deepEqual(await verdictOn(of('64', '32, 64'), of('99', '32, 64')), { same: 'bits' });
    assert.ok('differs' in (await verdictOn(of('64', '32, 96'), of('99', '32, 96'))));
  });
  it('decide whether one may take the place of the other', async () => {
    const [one, two, open] = await Promise.all(
      ['a[i] = 1;', 'a[i] = 2;', 'a[i] = other(i);'].map((body) => readIn(kernel(body))),
    );
    const why = (after: typeof one, proof?: 'run'): string => resultChange(one!.model, after!.model, proof) ?? '';
    assert.match(why(two), /^it changes results: /);
    assert.equal(why(open), '');
    assert.match(why(open, 'run'), /^a run of both texts does not tell whether results change: /);
  });

  it('follow the launches of the host', async () => {
    const half = host.replace('(n + 63) / 64', '(n + 127) / 128');
    const body = 'for (int k = i; k < n; k += gridDim.x * blockDim.x) a[k] = b[k];';
    assert.deepEqual(await verdictOn(kernel(body), kernel(body, half)), { same: 'bits' });
    const alone = 'if (i < n) a[i] = b[i];';
    assert.ok('differs' in (await verdictOn(kernel(alone), kernel(alone, half))));
  });

  for (const { name, vary, titles } of families)
    it(`agree with what was executed: ${name}`, async () => {
      for (const { pair, number } of await recorded({ name, vary, titles }, sampleOf(executedNumbers, 1))) {
        const verdict = pair && (await verdictOn(pair.before, pair.after));
        assert.ok(!verdict || !('differs' in verdict), `${number}: ${JSON.stringify(verdict)}`);
      }
    });
});

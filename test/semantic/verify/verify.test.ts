// Two texts run on the same data: what is the same, what differs and where, and what a run does not decide.
import assert from 'node:assert/strict';
import { resultChange, type Verdict, verified } from '../../../server/src/semantic';
import { recorded } from '../../fixes/executed';
import { families } from '../../fixes/families';
import { readIn } from '../../fixes/variations';
import { drawn } from '../../support/depth';

async function verdictOn(before: string, after: string): Promise<Verdict> {
  const { model } = await readIn(before);
  return verified(model, (await readIn(after)).model);
}

const host = 'void run(float *a, float *b, int n) { work<<<(n + 63) / 64, 64>>>(a, b, n); }\n';
const kernel = (body: string, launch = host): string =>
  `__global__ void work(float *a, float *b, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n${body}\n}\n${launch}`;

const four = 'float4 v = ((float4 *)a)[i];';
const leave = 'if (i >= n) return;';
const sums = (up: string, down: string): string =>
  `if (i == 0) { for (int k = 0; k < n; k++) a[0] += 1e8f * b[${up}]; for (int k = 0; k < n; k++) a[0] -= 1e8f * b[${down}]; }`;

/** A name, both bodies of the kernel, and a text of the verdict. */
const cases: readonly (readonly [string, string, string, RegExp])[] = [
  ['another order of what is added', 'if (i < n) a[i] = b[i] + 1;', 'if (i < n) a[i] = 1 + b[i];', /"same":"bits"/],
  [
    'sums that round',
    'if (i < n) { float s = 0; for (int k = 0; k < n; k++) s += b[k]; a[i] = s; }',
    'if (i < n) { float s = 0; for (int k = n - 1; k >= 0; k--) s += b[k]; a[i] = s; }',
    /"same":"rounded"/,
  ],
  [
    'an element that is left out',
    'if (i < n) a[i] = 2 * b[i];',
    'if (i + 1 < n) a[i] = 2 * b[i];',
    /n = 1, `a\[0\]` is/,
  ],
  ['a store that is gone', 'if (i < n) a[i] = b[i];', 'if (i < 0) a[i] = b[i];', /`a\[0\]` is .* before and/],
  ['a guard that is gone', 'if (i < n) a[i] = b[i];', 'a[i] = b[i];', /is accessed, as it was not before/],
  [
    'an array that ends too early',
    'if (i < n) { float own[4]; for (int k = 0; k < 4; k++) own[k] = k; a[i] = own[3]; }',
    'if (i < n) { float own[4]; for (int k = 0; k <= 4; k++) own[k] = k; a[i] = own[3]; }',
    /"undecided":"it reaches beyond `own`"/,
  ],
  [
    'a loop without an end',
    'for (int k = i; k < n; k += 64) a[k] = 1;',
    'for (int k = i; k < n; k = k) a[k] = 1;',
    /"undecided":"it takes too many steps"/,
  ],
  [
    'a statement that no input reaches',
    'if (i < n && b[i] > 1e9f) { a[i] = 1; return; }\n  if (i < n) a[i] = 2;',
    'if (i < n) a[i] = 2;',
    /"undecided":"a statement of `work` was not reached"/,
  ],
  [
    'a barrier that some threads miss',
    'if (i < n) a[i] = 1;\n  __syncthreads();',
    'if (i < n) { a[i] = 1; __syncthreads(); }',
    /some threads miss a barrier/,
  ],
  ['a function that is not known', 'if (i < n) a[i] = b[i];', 'if (i < n) a[i] = other(b[i]);', /"undecided"/],
  [
    'memory that is read before it is written',
    '__shared__ float s[64]; a[i] = s[threadIdx.x];',
    '__shared__ float s[64]; a[i] = s[0];',
    /"undecided":"memory is read before it is written"/,
  ],
  [
    'atomics in another order',
    'if (i < n) atomicAdd(&a[0], b[i]);',
    'if (i < n) atomicAdd(&a[0], b[n - 1 - i]);',
    /"same":"(bits|rounded)"/,
  ],
  [
    'a switch whose cases go on',
    'if (i < n) switch (i % 3) { case 0: a[i] = 1; case 1: a[i] += 2; break; default: a[i] = 4; }',
    'if (i < n) a[i] = i % 3 == 0 ? 3 : i % 3 == 1 ? a[i] + 2 : 4;',
    /"same":"bits"/,
  ],
  [
    'a field of a vector',
    `${four} v.y = 2; ((float4 *)a)[i] = v;`,
    `${four} v.z = 2; ((float4 *)a)[i] = v;`,
    /differs/,
  ],
  ['a whole vector', `${four} v.y = 2; ((float4 *)a)[i] = v;`, '((float4 *)a)[i].y = 2;', /"same":"bits"/],
  ['threads that left before a barrier', 'if (i < n) a[i] = 1;', `${leave} a[i] = 1; __syncthreads();`, /"bits"/],
  ['truth values', `${leave} a[i] = ((bool *)b)[i];`, `${leave} a[i] = ((bool *)b)[i] == 1;`, /"same":"bits"/],
  [
    'bits of numbers',
    `${leave} a[i] = 1;`,
    `${leave} a[i] = 1; ((int *)a)[i] += 1;`,
    /"undecided":"memory is read as an/,
  ],
  ['large numbers that cancel', sums('k', 'k'), sums('k', '(n - 1 - k)'), /"same":"rounded"/],
];
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
  for (const [name, before, after, verdict] of cases)
    it(name, async () => assert.match(JSON.stringify(await verdictOn(kernel(before), kernel(after))), verdict));

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
      for (const { pair, number } of await recorded({ name, vary, titles }, drawn(2, 24))) {
        const verdict = pair && (await verdictOn(pair.before, pair.after));
        assert.ok(!verdict || !('differs' in verdict), `${number}: ${JSON.stringify(verdict)}`);
      }
    });
});

// Programs that grow in one direction: the steps of their analysis grow no faster than n log n.
import assert from 'node:assert/strict';
import { analyse, createCache, unreadOf } from '../../server/src/semantic';
import { defaultGpu } from '../../server/src/semantic/gpus';
import type { TranslationUnit } from '../../server/src/syntax/ast';
import { memoryUri, memoryWorkspace, testSyntax } from '../support/analyseText';
import { deep } from '../support/depth';
import { lint } from '../../server/src/lint/lint';
import { step, withinSteps } from '../../server/src/semantic/steps';

const many = (n: number, of: (i: number) => string): string => Array.from({ length: n }, (_, i) => of(i)).join('');
const kernel = (body: string, name = 'k', params = 'float* a, const float* b, int m'): string =>
  `__global__ void ${name}(${params}) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= m) return;\n${body}}\n`;
const main = (body: string, type = 'float'): string =>
  `int main() {\n  float* a; ${type}* b; int m = 1 << 20;\n  cudaMallocManaged(&a, m * 512); cudaMallocManaged(&b, m * 512);\n${body}}\n`;
const launch = (name = 'k', args = 'a, b, m'): string => `  ${name}<<<m / 256, 256>>>(${args});\n`;
const launched = (body: string): string => kernel(body) + main(launch());

/** A program of size n in one direction. */
const kinds: Readonly<Record<string, (n: number) => string>> = {
  callees: (n) =>
    many(n, (i) => `__device__ float f${i}(float x) { return x * ${i}.0f + 1.0f; }\n`) +
    launched(many(n, (i) => `  a[i] += f${i}(b[i]);\n`)),
  chain: (n) =>
    '__device__ float f0(float x) { return x; }\n' +
    many(n, (i) => `__device__ float f${i + 1}(float x) { return f${i}(x) + 1.0f; }\n`) +
    launched(`  a[i] = f${n}(b[i]);\n`),
  levels: (n) =>
    '__device__ float f0(float x) { return x; }\n' +
    many(5, (l) => `__device__ float f${l + 1}(float x) { return 0${many(n, (i) => ` + f${l}(x * ${i})`)}; }\n`) +
    launched('  a[i] = f5(b[i]);\n'),
  'names of overloads': (n) =>
    '__device__ float mul(float a, float b) { return a * b; }\n' +
    many(n, (i) => `struct V${i} { float x; };\n__device__ float mul(V${i} a, float b) { return mul(a.x, b); }\n`) +
    launched('  a[i] = mul(b[i], b[i]);\n'),
  'overloads that call each other': (n) =>
    many(
      n,
      (i) =>
        `struct V${i} { float x, y; };\n__device__ float mul(V${i} a, V${i} b) { return a.x * b.x; }\n` +
        `__device__ float dot(V${i} a, V${i} b) { return mul(a, b) + mul(b, a); }\n`,
    ) + launched(many(n, (i) => `  { V${i} v; v.x = b[i]; v.y = b[i]; a[i] += dot(v, v); }\n`)),
  fields: (n) =>
    `struct S {${many(n, (i) => ` float f${i};`)} };\n` +
    kernel(
      many(n, (i) => `  a[i] += s[i].f${i};\n`),
      'k',
      'float* a, S* s, int m',
    ) +
    main(launch(), 'S'),
  kernels: (n) => many(n, (i) => kernel(`  a[i] = b[i] * ${i}.0f;\n`, `k${i}`)) + main(many(n, (i) => launch(`k${i}`))),
  launches: (n) => kernel('  a[i] = b[i];\n') + main(many(n, (i) => launch('k', `a + ${i}, b, m - ${i}`))),
  loops: (n) => launched(many(n, (i) => `  for (int j = 0; j < 64; j++) a[i] += b[j * m + i + ${i}];\n`)),
  lambdas: (n) =>
    'template <class F> __global__ void each(F f, int m) { int i = blockIdx.x * blockDim.x + threadIdx.x; f(i); }\n' +
    main(many(n, (i) => launch('each', `[=] __device__(int i) { a[i] = b[i] + ${i}.0f; }, m`))),
  'functions of the host': (n) =>
    kernel('  a[i] = b[i];\n') +
    many(n, (i) => `void h${i}(float* a, float* b, int m) {\n${launch()}${i ? `  h${i - 1}(a, b, m);\n` : ''}}\n`) +
    main(`  h${n - 1}(a, b, m);\n`),
  macros: (n) =>
    many(n, (i) => `#define M${i}(x) (${i ? `M${i - 1}(x)` : 'x'} + ${i})\n`) + launched(`  a[i] = M${n - 1}(b[i]);\n`),
  statements: (n) => launched(many(n, (i) => `  a[i] = b[i] + ${i}.0f;\n`)),
};

/** Where steps grow faster, and why. */
const exceptions: Readonly<Record<string, string>> = {
  'names of overloads': 'a compiler, too, compares each call with each overload of its name',
  'overloads that call each other': 'a compiler, too, compares each call with each overload of its name',
  fields: 'the sectors of each access are compared with those of the others of its array',
  loops: 'each loop looks for the last store to its element in the statements before it',
};

const noIncludes = { resolve: () => undefined };
const sizes = deep ? [100, 300] : [40, 160];

async function stepsOf(text: string): Promise<number> {
  const workspace = await memoryWorkspace(new Map([['/memory/grown.cu', text]]));
  return withinSteps(Infinity, () => {
    const { model, gpu } = workspace.analyse(memoryUri('grown.cu'))!;
    lint(model, text, { gpu });
  }).steps;
}

describe('steps of an analysis', () => {
  for (const [kind, of] of Object.entries(kinds))
    it(`grow at most by n log n with the number of ${kind}`, async function () {
      this.timeout(120_000);
      const [few, many] = [await stepsOf(of(sizes[0]!)), await stepsOf(of(sizes[1]!))];
      const [before, after] = sizes.map((n) => n * Math.log(n)) as [number, number];
      const growth = `${few} steps for ${sizes[0]}, ${many} for ${sizes[1]}`;
      assert.equal(many / few > after / before, exceptions[kind] !== undefined, growth);
    });

  it('end at the limit with what was found before it, and a sentence on what was left out', async () => {
    const settings = { defines: {}, computeCapability: 90 };
    const [syntax, uri] = [await testSyntax(), memoryUri('limited.cu')];
    const parsed = (): TranslationUnit => syntax.parse(uri, kinds['loops']!(40), 1, settings, noIncludes);
    const cache = createCache();
    const unit = parsed();
    const cut = analyse(unit, { gpu: defaultGpu, mostSteps: 80_000 }, cache);
    assert.match(cut.excess ?? '', /takes too long/);
    assert.deepEqual(
      unreadOf(unit, cut, cut.excess).map(({ what, detail }) => [what, detail]),
      [['file', cut.excess]],
    );
    const whole = analyse(parsed(), { gpu: defaultGpu }, cache);
    assert.equal(whole.excess, undefined);
    assert.ok(cache.entries.size > 1, 'facts are kept');
    const again = analyse(parsed(), { gpu: defaultGpu, mostSteps: 80_000 }, cache);
    assert.deepEqual([again.excess, again.facts], [cut.excess, cut.facts], 'as without a cache');
    const [some, all] = [cut, whole].map(({ facts }) => facts.access.filter(({ fixes }) => fixes).length);
    assert.ok(cut.facts.access.length > 0 && some! < all!, `${some} fixes of ${all}`);
  });

  it('are thrown beyond the limit alone, and count for the work around them', () => {
    const { steps, isWhole } = withinSteps(10, () => withinSteps(3, () => [step(2), step(2)]));
    assert.deepEqual([steps, isWhole], [4, true]);
  });
});

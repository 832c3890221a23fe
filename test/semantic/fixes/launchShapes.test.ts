// Launch shapes: the literal behind a block size, grids that follow it, and kernels that take any size or only one.
import assert from 'node:assert/strict';
import { launchShapeOf, type LaunchShapeFacts } from '../../../server/src/semantic/fixes/launchShapes';
import { applied, contextOf, nodesOf } from './harness';

const sized = '  const int threads = 48;\n  ';
const launch = 'k<<<(n + threads - 1) / threads, threads>>>(v, n);';
const guarded =
  '__global__ void k(float *v, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) v[i] += 1.0f;\n}\n';

async function shapeIn(
  kernel: string,
  host: string,
  threads: number | undefined = 48,
  before = '',
): Promise<LaunchShapeFacts & { literalText?: string }> {
  const text = `${before}${kernel}void host(float *v, int n) {\n${host}\n}\n`;
  const context = await contextOf(text, 'host');
  const launch = nodesOf(context, 'launch')[0]!;
  const facts = launchShapeOf(context, launch, threads);
  return {
    ...facts,
    ...(facts.blockLiteral
      ? {
          literalText: `${text.slice(0, facts.blockLiteral.at.start)}⟦${text.slice(facts.blockLiteral.at.start, facts.blockLiteral.at.end)}⟧`,
        }
      : {}),
  };
}

const traced: readonly (readonly [string, string, string?])[] = [
  ['a constant', `${sized}${launch}`],
  [
    'a variable that nothing writes',
    '  int threads = 48;\n  int blocks = (n - 1) / threads + 1;\n  k<<<blocks, threads>>>(v, n);',
  ],
  ['dim3 variables', `${sized}dim3 block(threads), grid((n + threads - 1) / threads);\n  k<<<grid, block>>>(v, n);`],
  [
    "the block's own x",
    '  dim3 block(48);\n  dim3 grid((n + block.x - 1) / block.x, 1, 1);\n  k<<<grid, block>>>(v, n);',
  ],
  [
    'a dim3 in the launch',
    '  const unsigned threads = 48;\n  k<<<dim3((n + (threads - 1)) / threads), dim3(threads, 1, 1)>>>(v, n);',
  ],
  ['a macro', '  k<<<(n + THREADS - 1) / THREADS, THREADS>>>(v, n);', '#define THREADS 48 // threads a block\n'],
  ['a constant of the file', `  ${launch}`, 'constexpr int threads = 48;\n'],
  [
    'a function that divides',
    `${sized}k<<<ceilDivide(n, threads), threads>>>(v, n);`,
    'int ceilDivide(int a, int b) { return (a + b - 1) / b; }\n',
  ],
  ['a remainder', `${sized}const int blocks = n / threads + (n % threads != 0);\n  k<<<blocks, threads>>>(v, n);`],
  ['ceil in floating point', `${sized}k<<<ceil((float)n / threads), threads>>>(v, n);`],
  ['two launches that both take it', `${sized}${launch}\n  k<<<(n / 2 + threads - 1) / threads, threads>>>(v, n / 2);`],
  ['a launch in a lambda', `${sized}auto work = [&] { ${launch} };\n  work();`],
];
const untraced: readonly (readonly [string, string, string?])[] = [
  ['the grid has a separate literal', '  k<<<(n + 47) / 48, 48>>>(v, n);'],
  ['the grid rounds down', `${sized}k<<<n / threads, threads>>>(v, n);`],
  ['the grid is something else', `${sized}k<<<100, threads>>>(v, n);`],
  ['the size has another use', `${sized}float *buffer = new float[threads];\n  ${launch}`],
  ['an array is as long', `${sized}float buffer[threads];\n  ${launch}`],
  [
    'another launch needs it',
    `${sized}${launch}\n  other<<<1, threads>>>(v);`,
    '__global__ void other(float *v) { v[threadIdx.x] = 0; }\n',
  ],
  [
    'the macro has another use',
    '  k<<<(n + THREADS - 1) / THREADS, THREADS>>>(v, n);',
    '#define THREADS 48\nfloat table[THREADS];\n',
  ],
  [
    'the macro has two definitions',
    '  k<<<(n + THREADS - 1) / THREADS, THREADS>>>(v, n);',
    '#define THREADS 32\n#undef THREADS\n#define THREADS 48\n',
  ],
  ['a variable that is written', `  int threads = 48;\n  threads = n;\n  ${launch}`],
  ['one name for both extents', '  const int one = 1;\n  k<<<(n + one - 1) / one, dim3(one, one)>>>(v, n);'],
  ['two dimensions', '  dim3 block(8, 6);\n  k<<<(n + block.x - 1) / block.x, block>>>(v, n);'],
  [
    'fewer threads than the kernel has an end for',
    `${sized}const int some = n / 2;\n  k<<<(some + threads - 1) / threads, threads>>>(v, n);`,
  ],
  [
    'fewer threads than the kernel has an end for, at another launch',
    `${sized}${launch}\n  k<<<(n / 2 + threads - 1) / threads, threads>>>(v, n);`,
  ],
];

const kernels: readonly {
  name: string;
  text: string;
  guards?: boolean;
  needs?: boolean;
  setup?: boolean;
  threads?: number;
  host?: string;
}[] = [
  { name: 'a guarded kernel', text: guarded, guards: true },
  {
    name: 'an early return',
    text: '__global__ void k(float *v, int n) { int i = threadIdx.x + blockIdx.x * blockDim.x; if (i >= n) return; v[i] = 0; }\n',
    guards: true,
  },
  {
    name: 'a grid-stride loop',
    text: '__global__ void k(float *v, int n) { for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v[i] = 0; }\n',
    guards: true,
  },
  {
    name: 'two dimensions',
    text: '__global__ void k(float *v, int n) { int x = blockIdx.x * blockDim.x + threadIdx.x; int y = blockIdx.y * blockDim.y + threadIdx.y; if (x < n && y < n) v[y * n + x] = 0; }\n',
    guards: true,
  },
  {
    name: 'an interior guard',
    text: '__global__ void k(float *v, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i > 0 && i < n - 1) v[i] = 0; }\n',
    guards: true,
  },
  {
    name: 'a thread number through a local',
    text: '__global__ void k(float *v, int n) { int t = threadIdx.x; int i = blockIdx.x * blockDim.x + t; if (i < n) v[i] = 0; }\n',
    guards: true,
  },
  {
    name: 'no guard',
    text: '__global__ void k(float *v, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; v[i] = 0; }\n',
  },
  {
    name: 'a load before the guard',
    text: '__global__ void k(float *v, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; float x = v[i]; if (i < n) v[i] = x; }\n',
  },
  {
    name: 'a guard by data',
    text: '__global__ void k(float *v, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (v[i] < n) v[i] = 0; }\n',
  },
  {
    name: 'a guard beside other work',
    text: '__global__ void k(float *v, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) v[i] = 0; v[i + 1] = 2; }\n',
  },
  {
    name: 'an else arm',
    text: '__global__ void k(float *v, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) v[i] = 0; else v[0] = 1; }\n',
  },
  {
    name: 'shared memory',
    text: '__global__ void k(float *v, int n) { __shared__ float s[48]; int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) v[i] = s[0]; }\n',
    needs: true,
  },
  {
    name: 'its own size as a literal',
    text: '__global__ void k(float *v, int n) { int i = blockIdx.x * 48 + threadIdx.x; if (i < n) v[i] = 0; }\n',
    needs: true,
  },
  {
    name: 'an element a block',
    text: '__global__ void k(float *v, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) v[blockIdx.x] = 0; }\n',
    guards: true,
    needs: true,
  },
  {
    name: "the thread's number in the block",
    text: '__global__ void k(float *v, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) v[i] = threadIdx.x; }\n',
    guards: true,
    needs: true,
  },
  {
    name: 'mirrored blocks',
    text: '__global__ void k(float *v, int n) { int i = blockIdx.x * blockDim.x + blockDim.x - 1 - threadIdx.x; if (i < n) v[i] = 0; }\n',
    needs: true,
  },
  {
    name: 'shuffles',
    text: '__global__ void k(float *v, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) v[i] = __shfl_xor_sync(0xffffffff, v[i], 1); }\n',
    guards: true,
    needs: true,
  },
  {
    name: 'launch bounds',
    text: '__global__ void __launch_bounds__(48) k(float *v, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) v[i] = 0; }\n',
    guards: true,
    needs: true,
  },
  {
    name: 'a block of one thread, an element a block',
    text: '__global__ void k(float *v, int n) { v[blockIdx.x] = 0; }\n',
    threads: 1,
  },
  {
    name: 'a kernel that knows no threads',
    text: 'struct S { int a; };\n__global__ void k(float *v, int n) { for (int i = 0; i < 4; i++) v[i] = i; }\n',
    setup: true,
  },
  {
    name: 'a kernel whose leader works',
    text: '__global__ void k(float *v, int n) { if (threadIdx.x == 0 && blockIdx.x == 0) { v[0] = n; } }\n',
    needs: true,
    setup: true,
  },
  {
    name: 'a kernel that sends all but one home',
    text: '__global__ void k(float *v, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i > 0) return; v[0] = n; }\n',
    guards: true,
    setup: true,
  },
  {
    name: 'a kernel that asks a device function for its thread',
    text: '__device__ int me() { return blockIdx.x * blockDim.x + threadIdx.x; }\n__global__ void k(float *v, int n) { v[me()] = n; }\n',
    needs: true,
  },
];

describe('launch shapes', () => {
  for (const [name, host, before] of traced) {
    it(`finds the literal: ${name}`, async () => {
      const facts = await shapeIn(guarded, host, 48, before);
      assert.equal(facts.gridIsCeilDivision, true, 'the grid follows');
      assert.equal(facts.blockLiteral?.value, 48);
      assert.match(facts.literalText ?? '', /⟦48⟧$/);
    });
  }
  for (const [name, host, before] of untraced)
    it(`offers no literal: ${name}`, async () =>
      assert.equal((await shapeIn(guarded, host, 48, before)).blockLiteral, undefined));
  for (const { name, text, guards = false, needs = false, setup = false, threads = 48, host } of kernels) {
    it(`reads the kernel: ${name}`, async () => {
      const facts = await shapeIn(text, host ?? `${sized}${launch}`, threads);
      assert.deepEqual(
        { guards: facts.kernelGuardsIndex, needs: facts.kernelNeedsShape, setup: facts.kernelIsSetup },
        { guards, needs, setup },
      );
    });
  }
  it('knows a template argument of the same size', async () => {
    const facts = await shapeIn(
      'template <int size> __global__ void k(float *v, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) v[i] = size; }\n',
      `${sized}k<48><<<(n + threads - 1) / threads, threads>>>(v, n);`,
    );
    assert.equal(facts.kernelNeedsShape, true);
  });
  it('knows nothing of an unknown kernel', async () => {
    const facts = await shapeIn('__global__ void k(float *v, int n);\n', `${sized}${launch}`);
    assert.deepEqual(facts, {
      gridIsCeilDivision: true,
      kernelGuardsIndex: false,
      kernelCountsThreads: false,
      kernelNeedsShape: false,
      kernelIsSetup: false,
      refusals: [{ family: 'block-shape', precondition: 'kernel', why: "the kernel's source is not known" }],
    });
  });
});

describe('launches with another block', () => {
  const launched = (kernel: string, launch: string): string =>
    `#define THREADS 48\n#define BLOCKS n / 48 + 1\n#define UP(a, b) ((a) + (b) - 1) / (b)\n#define BOTH n, 48\n#define PLANE dim3(n, 2)\n#define OPEN dim3(2 *\n#define PAIR n, 1\n${kernel}void host(float *v, int n, int t) {\n  ${launch}\n}\n`;
  const plane = (body: string): string =>
    `__global__ void k(float *v, int n) {\n  int x = blockIdx.x * blockDim.x + threadIdx.x;\n  int y = blockIdx.y * blockDim.y + threadIdx.y;\n  ${body}\n}\n`;
  const strided = (body: string): string =>
    `__global__ void k(float *v, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  ${body}\n}\n`;
  async function relaunched(text: string, elsewhere = false): Promise<string> {
    const context = await contextOf(text, 'host');
    const facts = launchShapeOf(context, nodesOf(context, 'launch')[0]!, undefined, elsewhere);
    if (facts.relaunches) return applied(text, facts.relaunches[0]!.edits);
    return `refused: ${facts.refusals?.[0]?.precondition}`;
  }
  for (const [launch, after] of [
    ['k<<<n, 1>>>(v, n);', 'k<<<(n + 255) / 256, 256>>>(v, n);'],
    ['printf("%d", n);\n  k<<<n, 1>>>(v, n);', 'printf("%d", n);\n  k<<<(n + 255) / 256, 256>>>(v, n);'],
    ['k<<<n / 48 + 1, 48>>>(v, n);', 'k<<<n / 256 + 1, 256>>>(v, n);'],
    ['k<<<(n + 47) / 48, 48>>>(v, n);', 'k<<<(n + 255) / 256, 256>>>(v, n);'],
    ['k<<<(n - 1) / 32 + 1, 32>>>(v, n);', 'k<<<(n - 1) / 256 + 1, 256>>>(v, n);'],
    ['k<<<n / 32 + 2, 32>>>(v, n);', 'k<<<(n / 32 + 2 + 7) / 8, 256>>>(v, n);'],
    ['k<<<n & t, 32>>>(v, n & t);', 'k<<<((n & t) + 7) / 8, 256>>>(v, n & t);'],
    ['k<<<10, 48>>>(v, 480);', 'k<<<2, 256>>>(v, 480);'],
    [
      'k<<<(n + 47) / 48, 48>>>(v, (n + 47) / 48 * 48);',
      'k<<<(((n + 47) / 48) * 48 + 255) / 256, 256>>>(v, (n + 47) / 48 * 48);',
    ],
    ['k<<<(1020 + 48) / 48, 48>>>(v, 1056);', 'k<<<(((1020 + 48) / 48) * 48 + 255) / 256, 256>>>(v, 1056);'],
    ['dim3 g(n), b(7);\n  k<<<g, b>>>(v, n);', 'dim3 g((n * 7 + 255) / 256), b(256);\n  k<<<g, b>>>(v, n);'],
    [
      'const int b = (n + 47) / 48;\n  printf("%d", b);\n  k<<<b, 48>>>(v, n);',
      'const int b = (n + 255) / 256;\n  printf("%d", b);\n  k<<<b, 256>>>(v, n);',
    ],
    [
      'dim3 b(48), g((n + b.x - 1) / b.x);\n  std::cout << b.x;\n  k<<<g, b>>>(v, n);',
      'dim3 b(256), g((n + b.x - 1) / b.x);\n  std::cout << b.x;\n  k<<<g, b>>>(v, n);',
    ],
    [
      'const int b = 48;\n  k<<<(n + b - 1) / b, b>>>(v, n);\n  k<<<n, b>>>(v, n);',
      'const int b = 256;\n  k<<<(n + b - 1) / b, b>>>(v, n);\n  k<<<(n * 48 + 255) / 256, b>>>(v, n);',
    ],
    ['k<<<dim3(n), 1>>>(v, n);', 'k<<<dim3((n + 255) / 256), 256>>>(v, n);'],
    ['k<<<UP(n, 48), 48>>>(v, n);', 'k<<<UP(n, 256), 256>>>(v, n);'],
    ['k<<<ceil(n / 48.0), 48>>>(v, n);', 'k<<<ceil(n / 256.0), 256>>>(v, n);'],
  ] as const)
    it(`${launch} brings as many threads`, async () =>
      assert.equal(await relaunched(launched(guarded, launch)), launched(guarded, after)));
  for (const [launch, after] of [
    ['k<<<BLOCKS, THREADS>>>(v, n);', 'k<<<((BLOCKS) * 48 + 255) / 256, THREADS>>>(v, n);'],
    ['k<<<BLOCKS * 2, THREADS>>>(v, n);', 'k<<<((BLOCKS * 2) * 48 + 255) / 256, THREADS>>>(v, n);'],
    ['k<<<dim3(UP(n, 48)), THREADS>>>(v, n);', 'k<<<dim3(UP(n, 256)), THREADS>>>(v, n);'],
  ] as const)
    it(`${launch} takes another number by its name`, async () =>
      assert.equal(
        await relaunched(launched(guarded, launch)),
        launched(guarded, after).replace('THREADS 48', 'THREADS 256'),
      ));
  for (const [name, after, isSplit] of [
    ['splits blocks', '', true],
    ['does not split blocks whose size other code uses', 'note(threads);', false],
  ] as const)
    it(name, async () => {
      const macro = launched(guarded, 'k<<<64, THREADS>>>(v, n); note(THREADS);');
      const named = await contextOf(macro, 'host');
      const whole = launchShapeOf(named, nodesOf(named, 'launch')[0]!, 256).relaunches ?? [];
      assert.ok(whole.every((each) => each.threads !== 128));
      const text = launched(guarded, `const int threads = 256;\n  k<<<64, threads>>>(v, n);\n  ${after}`);
      const context = await contextOf(text, 'host');
      const { relaunches } = launchShapeOf(context, nodesOf(context, 'launch')[0]!, 256);
      const halves = relaunches?.find((each) => each.threads === 128);
      assert.equal(!!halves && /threads = 128;\n {2}k<<<128, threads>>>/.test(applied(text, halves.edits)), isSplit);
      assert.equal(!!halves, isSplit);
    });
  for (const [launch, threads] of [
    ['k<<<n & 1, 1>>>(v, n', 'n & 1'],
    ['k<<<n / 48, 48>>>(v, n', '(n / 48) * 48'],
    ['k<<<t, 48>>>(v, n', 't * 48'],
    ['k<<<n / 64 + 1, 48>>>(v, n', '(n / 64 + 1) * 48'],
    ['k<<<(n + 48 - 2) / 48, 48>>>(v, n', '((n + 48 - 2) / 48) * 48'],
    ['k<<<(n + 32 - 1) / 48, 48>>>(v, n', '((n + 32 - 1) / 48) * 48'],
    ['k<<<(n - 1) / 48, 48>>>(v, n', '((n - 1) / 48) * 48'],
    ['k<<<10, 48>>>(v, 481', '10 * 48'],
  ] as const)
    it(`${launch}…) may start fewer threads than the kernel's own end: it is given another`, async () => {
      const after = (await relaunched(launched(guarded, `${launch});`))).split('\n');
      assert.ok(after.includes('  if (blockIdx.x * blockDim.x + threadIdx.x >= threads) return;'));
      assert.ok(after.at(-3)!.endsWith(`, ${threads});`), after.at(-3));
      assert.equal(await relaunched(launched(guarded, `${launch});`), true), 'refused: guard');
    });
  const ask = (cond: string): string => guarded.replace('i < n', cond);
  const helpers =
    'int all;\nvoid more() { all++; }\nint up(int a, int b) { return (a + b - 1) / b; }\nint down(int a, int b) { return (a + b - 2) / b; }\n';
  // What a launch starts at the least, against what the kernel has an end for.
  for (const [launch, kernel] of [
    ['k<<<up(n, 48), 48>>>(v, n);'],
    ['k<<<ceil((float)n / 48), 48>>>(v, n);'],
    ['k<<<(int)ceilf(float(n) / 48), 48>>>(v, n);'],
    ['k<<<n / 48 + (n % 48 != 0), 48>>>(v, n);'],
    ['k<<<n / 48 + (n % 48 ? 1 : 0), 48>>>(v, n);'],
    ['k<<<n / 48 + (n % 48 > 0 ? 1 : 0), 48>>>(v, n);'],
    ['k<<<n / 48 + (!(n % 48) ? 0 : 1), 48>>>(v, n);'],
    ['k<<<n / 48 + !(n % 48 ? 0 : 1), 48>>>(v, n);'],
    ['k<<<n / 48 + (n % 48 == 0 ? 0 : 1), 48>>>(v, n);'],
    ['k<<<n / 48 + (n % 48 > 0 ? 2 : 0), 48>>>(v, n);'],
    ['k<<<n / 48 + !(n % 48 == 0), 48>>>(v, n);'],
    ['int b;\n  b = (n + 47) / 48;\n  k<<<b, 48>>>(v, n);'],
    ['k<<<(all + 47) / 48, 48>>>(v, all);'],
    ['int s;\n  for (s = 0; s < n; s++) k<<<(n + 47) / 48, 48>>>(v, n - s);'],
    ['for (int s = 2; s < n; s += 2) k<<<(n + 47) / 48, 48>>>(v, n - s * s);'],
    ['k<<<max((n + 47) / 48, 1), 48>>>(v, n);'],
    ['k<<<2 + n / 48, 48>>>(v, n);'],
    ['k<<<n, 48>>>(v, n);'],
    ['k<<<t, 48>>>(v, 48 * t);'],
    ['const int b = (n + 47) / 48;\n  k<<<b, 48>>>(v, n);'],
    ['int m = n;\n  m *= 2;\n  const int b = (m + 47) / 48;\n  k<<<b, 48>>>(v, m);'],
    ['dim3 b(48), g((n + b.x - 1) / b.x);\n  k<<<g, b>>>(v, n);'],
    ['k<<<(n + 47) / 48, 48>>>(v, n);', ask('n > i')],
    ['k<<<(n + 47) / 48, 48>>>(v, n);', ask('!(i >= n)')],
    ['k<<<(n + 47) / 48, 48>>>(v, n);', ask('!(n <= i || i < 3)')],
    ['k<<<(n + 47) / 48, 48>>>(v, n);', ask('i <= n - 1')],
    ['k<<<(n + 47) / 48, 48>>>(v, n);', ask('i + 2 < n && i > 3')],
    ['k<<<(n + 47) / 48, 48>>>(v, n - 1);', ask('i <= n')],
    ['k<<<(n + 47) / 48, 48>>>(v, 4 * n);', ask('i * 4 < n')],
    ['k<<<(n + 47) / 48, 48>>>(v, n);', ask('i * 4 < n')],
    ['k<<<(n * n + 47) / 48, 48>>>(v, n);', ask('i < n * n')],
    ['k<<<3, 48>>>(v, n);', ask('i < 144')],
    ['k<<<(n + 47) / 48, 48>>>(v, n);', strided('if (i < n - 1) v[i] = 0;\n  if (i < n) v[i] += 1;')],
    ['k<<<(n + 47) / 48, 48>>>(v, n);', strided('for (int j = i; j < n; j += 3) v[i] += j;')],
    ['k<<<1, 48>>>(v, n);', strided('for (int j = i; j < n; j += gridDim.x * blockDim.x) v[j] += j;')],
  ] as const)
    it(`${launch} comes to the end of ${kernel?.split('\n').slice(2, -2).join(' ').trim() ?? 'n'}`, async () => {
      const after = await relaunched(launched(helpers + (kernel ?? guarded), launch));
      assert.match(after, /256(>>>|, b|\), g)/);
      assert.doesNotMatch(after, /unsigned int threads/);
    });
  for (const [launch, kernel] of [
    ['k<<<down(n, 48), 48>>>(v, n);'],
    ['k<<<up(n, 32), 48>>>(v, n);', ask('i < 2 * n')],
    ['k<<<up(t, 48), 48>>>(v, n);'],
    ['k<<<ceil(n / 48), 48>>>(v, n);'],
    ['k<<<ceil((float)n / 64), 48>>>(v, n);'],
    ['k<<<n / 48 + (n % 64 != 0), 48>>>(v, n);'],
    ['k<<<n / 48 + (t % 48 != 0), 48>>>(v, n);'],
    ['k<<<n / 48 + (n % 48 == 0), 48>>>(v, n);'],
    ['k<<<n / 48 + (n % 48 ? 0 : 1), 48>>>(v, n);'],
    ['k<<<n / 48 + (n % 48 ? 0 : 1), 48>>>(v, n);'],
    ['k<<<n / 48 + !(n % 48), 48>>>(v, n);'],
    ['k<<<n / 48 + (n % 48 == 0 ? 1 : 0), 48>>>(v, n);'],
    ['k<<<n / 48 + (n % 48 < 0 ? 1 : 0), 48>>>(v, n);'],
    ['k<<<n / 48 + (n % 48 > 1 ? 1 : 0), 48>>>(v, n);'],
    ['k<<<n / 48 + 1 % n, 48>>>(v, n);'],
    ['int b;\n  b = (n + 47) / 48;\n  n++;\n  k<<<b, 48>>>(v, n);'],
    ['int b = (all + 47) / 48;\n  more();\n  k<<<b, 48>>>(v, all);'],
    ['int b = (all + 47) / 48;\n  all++;\n  k<<<b, 48>>>(v, all);'],
    ['for (int s = 0; s < n; s++) k<<<(n + 47) / 48, 48>>>(v, n + s);'],
    ['for (int s = n; s > -n; s--) k<<<(n + 47) / 48, 48>>>(v, n - s);'],
    ['for (int s = -1; s < n; s++) k<<<(n + 47) / 48, 48>>>(v, n - s);'],
    ['for (int s = 0; s < n; s++) { keep(&s); k<<<(n + 47) / 48, 48>>>(v, n - s); }'],
    ['for (int s = 0; s < n; s += t) k<<<(n + 47) / 48, 48>>>(v, n - s);'],
    ['k<<<(n + 47) / 48, 48>>>(v, n - t);'],
    ['k<<<min((n + 47) / 48, 99), 48>>>(v, n);'],
    ['k<<<n, 48>>>(v, 2 * n);', ask('i < 25 * n')],
    ['k<<<t, 48>>>(v, 49 * t);'],
    ['int m = n;\n  const int b = (m + 47) / 48;\n  m *= 2;\n  k<<<b, 48>>>(v, m);'],
    ['int m = n;\n  const int b = (m + 47) / 48;\n  keep(&m);\n  k<<<b, 48>>>(v, m);'],
    ['int m = n;\n  dim3 g((m + 47) / 48);\n  m++;\n  k<<<g, 48>>>(v, m);'],
    ['int m = t;\n  dim3 b(m);\n  m++;\n  k<<<(n + m - 1) / m, b>>>(v, n);'],
    ['int m = t;\n  dim3 b(m);\n  m++;\n  k<<<(n + b.x - 1) / m, m>>>(v, n);'],
    ['int b = (n + 47) / 48;\n  b--;\n  k<<<b, 48>>>(v, n);'],
    ['k<<<(n + 47) / 48, 48>>>(v, n);', ask('i <= n')],
    ['k<<<(n + 47) / 48, 48>>>(v, n);', ask('!(i > n)')],
    ['k<<<(n + 47) / 48, 48>>>(v, n);', ask('i - 1 < n')],
    ['k<<<(n + 47) / 48, 48>>>(v, n);', ask('i < n * n')],
    ['k<<<(n + 47) / 48, 48>>>(v, 4 * n + 1);', ask('i * 4 < n')],
    ['k<<<3, 48>>>(v, n);', ask('i < 145')],
    ['k<<<(n + 47) / 48, 48>>>(v, n);', strided('if (i < n) v[i] = 0;\n  if (i < 2 * n) v[i] += 1;')],
    ['k<<<(n + 47) / 48, 48>>>(v, n);', strided('for (int j = i; j < 2 * n; j += 3) v[i] += j;')],
    ['k<<<1, 48>>>(v, n);', strided('for (int j = i; j < n; j += 3) v[j] += j;')],
    ['k<<<(n + 47) / 48, 48>>>(v, n);', strided('n *= 2;\n  if (i < n) v[i] = 0;')],
  ] as const)
    it(`${launch} may not come to the end of ${kernel?.split('\n').slice(2, -2).join(' ').trim() ?? 'n'}`, async () => {
      const text = helpers + (kernel ?? guarded);
      assert.doesNotMatch(await relaunched(launched(text, launch)), /^(?!refused)(?![\s\S]*unsigned int threads)/);
      assert.equal(await relaunched(launched(text, launch), true), 'refused: guard');
    });
  for (const [name, kernel] of [
    ['exits in front', plane('if (x >= n) return;\n  if (y + 1 >= n) return;\n  v[y * n + x] = 0;')],
    ['one exit', plane('if (x >= n || !(y < n - 1)) return;\n  v[y * n + x] = 0;')],
    ['a condition around all', plane('if (x > 0 && x < n && n > 2 * y && v[y * n + x] > 0) v[y * n + x] = 0;')],
  ] as const)
    it(`brings as many threads in planes: ${name}`, async () =>
      assert.equal(
        await relaunched(launched(kernel, 'k<<<dim3(n / 4 + 1, (n + 4) / 5), dim3(4, 5)>>>(v, n);')),
        launched(kernel, 'k<<<dim3(n / 16 + 1, (n + 15) / 16), dim3(16, 16)>>>(v, n);'),
      ));
  for (const [name, kernel] of [
    ['in the head', strided('for (int j = i; j < n; j += blockDim.x * gridDim.x) v[j] = 0;')],
    ['from behind', strided('for (int j = i; n > j; j += blockDim.x * gridDim.x) v[j] = 0;')],
    ['up to the end', strided('for (int j = i; j <= n - 1; j += blockDim.x * gridDim.x) v[j] = 0;')],
    ['by a name', strided('const int all = blockDim.x * gridDim.x;\n  for (int j = i; j < n; j = all + j) v[j] = 0;')],
    ['of the number', strided('while (i < n) {\n    v[i] = 0;\n    i += blockDim.x * gridDim.x;\n  }')],
  ] as const)
    it(`brings as many threads to a loop over the grid: ${name}`, async () =>
      assert.equal(
        await relaunched(launched(kernel, 'k<<<10, 48>>>(v, n);')),
        launched(kernel, 'k<<<2, 256>>>(v, n);'),
      ));
  const endless = guarded.replace('if (i < n) ', '');
  const ended = endless
    .replace('int n)', 'int n, unsigned int threads)')
    .replace(') {\n', ') {\n  if (blockIdx.x * blockDim.x + threadIdx.x >= threads) return;\n');
  for (const [launch, after] of [
    ['k<<<n, 1>>>(v, n);', 'k<<<(n + 255) / 256, 256>>>(v, n, n);'],
    ['k<<<n / 4, 48>>>(v, n);', 'k<<<((n / 4) * 48 + 255) / 256, 256>>>(v, n, (n / 4) * 48);'],
    [
      'const int g = n;\n  k<<<g, 7>>>(v, n);\n  k<<<t, 7>>>(v, 3);',
      'const int g = n;\n  k<<<(g * 7 + 255) / 256, 256>>>(v, n, g * 7);\n  k<<<t, 7>>>(v, 3, t * 7);',
    ],
  ] as const)
    it(`${launch} gives a kernel an end`, async () =>
      assert.equal(await relaunched(launched(endless, launch)), launched(ended, after)));
  it('gives an end to a kernel whose name also occurs in comments and strings', async () => {
    const said = '// k of all\n/* k\n and k */\nconst char *named = "k, \\"k\\"";\nint other; // not k\n';
    assert.equal(
      await relaunched(launched(said + endless, 'k<<<n, 1>>>(v, n);')),
      launched(said + ended, 'k<<<(n + 255) / 256, 256>>>(v, n, n);'),
    );
  });
  it('takes another block beside what another build does without its threads', async () =>
    assert.equal(
      await relaunched(
        launched(
          `#ifdef OTHER\n__device__ int lane() { return threadIdx.x; }\n#endif\n${guarded.replace('  if', '#ifdef OTHER\n  n = 3;\n#endif\n  if')}`,
          'k<<<n, 1>>>(v, n);',
        ),
      ).then((after) => after.includes('k<<<(n + 255) / 256, 256>>>(v, n')),
      true,
    ));
  it('gives an end to a kernel without arguments', async () =>
    assert.match(
      await relaunched(
        launched(
          '__device__ float v[9];\n__global__ void k() {\n  v[blockIdx.x * blockDim.x + threadIdx.x] = 0;\n}\n',
          'k<<<t, 3>>>();',
        ),
      ),
      /void k\(unsigned int threads\) \{\n {2}if [\s\S]*256>>>\(t \* 3\);/,
    ));
  it('gives an end to a kernel whose head is laid out otherwise', async () => {
    const wide = endless
      .replace('int n) {', 'int n\n)\n\n{')
      .replace('__global__', '__global__ __launch_bounds__(256)');
    assert.match(
      await relaunched(launched(wide, 'k<<<n, 48>>>(v, n);')),
      /int n, unsigned int threads\n\)\n\n\{\n {2}if \(block/,
    );
    const narrow =
      '__global__ void __launch_bounds__(256) k(){\n  count[blockIdx.x * blockDim.x + threadIdx.x]++;\n}\n';
    assert.match(
      await relaunched(launched(`__device__ int count[99];\n${narrow}`, 'k<<<n, 48>>>();')),
      /__launch_bounds__\(256\) k\(unsigned int threads\)\{\n {2}if \(block[\s\S]*256>>>\(n \* 48\);/,
    );
  });
  const number = 'blockIdx.x * blockDim.x + threadIdx.x';
  const leave = `if (${number} >= threads) return;`;
  const written = `v[${number}] = 1;`;
  for (const [body, after] of [
    [`{ ${written} }`, `{\n  ${leave}\n  ${written}\n}`],
    [`{${written}}`, `{\n  ${leave}\n  ${written}\n}`],
    [`{ // one\n\t${written}\n}`, `{\n\t${leave} // one\n\t${written}\n}`],
    [`{ /* one */ ${written} }`, `{\n  ${leave} /* one */ ${written} }`],
    [`{ ${written}\n    ${written}\n}`, `{\n  ${leave}\n  ${written}\n    ${written}\n}`],
    [`{\r\n    ${written}\r\n}`, `{\r\n    ${leave}\r\n    ${written}\r\n}`],
    [`\n  {\n    ${written}\n  }`, `\n  {\n    ${leave}\n    ${written}\n  }`],
  ] as const)
    it(`writes the end before all else: ${JSON.stringify(body)}`, async () =>
      assert.equal(
        await relaunched(launched(`__global__ void k(float *v) ${body}\n`, 'k<<<n, 48>>>(v);')),
        launched(
          `__global__ void k(float *v, unsigned int threads) ${after}\n`,
          'k<<<(n * 48 + 255) / 256, 256>>>(v, n * 48);',
        ),
      ));
  it('calls functions that overload each other', async () =>
    assert.match(
      await relaunched(
        launched(
          `__device__ float4 wide(float a) { return wide(a, a); }\n__device__ float4 wide(float a, float b) { return make_float4(a, b, a, b); }\n${guarded.replace('1.0f', 'wide(1).x')}`,
          'k<<<n, 48>>>(v, n);',
        ),
      ),
      /256>>>/,
    ));
  const refusals: readonly (readonly [string, string, boolean?])[] = [
    ...(
      [
        ['x has no end', plane('if (y < n) v[y * n + x] = 0;')],
        ['y has no end', plane('if (x >= n) return;\n  v[y * n + x] = 0;')],
        ['it reads before it asks for y', plane('if (x < n && v[y * n + x] > 0 && y < n) v[y * n + x] = 0;')],
        [
          'it reads before it leaves',
          plane('float w = v[y * n + x];\n  if (x >= n || y >= n) return;\n  v[y * n + x] = w + 1;'),
        ],
        ['it writes behind the condition', plane('if (x < n && y < n) v[y * n + x] = 0;\n  v[0] = 1;')],
        ['others have another end', plane('if (x >= y || y >= n) return;\n  v[y * n + x] = 0;')],
        ['the number is below an end, not beyond', plane('if (x > n && y < n) v[y * n + x] = 0;')],
        ['one end or the other', plane('if (x < n || y < n) v[y * n + x] = 0;')],
        ['the number falls', plane('if (y < n && -x < n) v[y * n + x] = 0;')],
        [
          'an end of each thread',
          plane('int m = n;\n  if (x > 3) m = 2 * n;\n  if (x < m && y < n) v[y * n + x] = 0;'),
        ],
      ] as const
    ).map(([name, kernel]) => [`guard: ${name}`, launched(kernel, 'k<<<dim3(n, n), dim3(4, 4)>>>(v, n);')] as const),
    ...[
      'k<<<dim3(2, 2), dim3(4, 4)>>>(v, n);',
      'k<<<dim3(n / 4, n / 4 + 1), dim3(4, 4)>>>(v, n);',
      'k<<<dim3(n / 4 + 1, n / 4), dim3(4, 4)>>>(v, n);',
      'k<<<dim3(n / 5 + 1, n / 4 + 1), dim3(4, 5)>>>(v, n);',
    ].map((launch) => [`guard: ${launch}`, launched(plane('if (x < n && y < n) v[y * n + x] = 0;'), launch)] as const),
    ...(
      [
        [
          'each thread has its own place',
          strided('float w = v[i];\n  for (int j = i; j < n; j += blockDim.x * gridDim.x) v[j] = w;'),
        ],
        ['its own place in the loop', strided('for (int j = i; j < n; j += blockDim.x * gridDim.x) v[j] = v[i];')],
        [
          'its own place under a guard',
          strided('if (i < n) v[i] = 0;\n  for (int j = i; j < n; j += blockDim.x * gridDim.x) v[j] = 0;'),
        ],
        ['places that are apart by all threads', strided('if (i < n) v[i + blockDim.x * gridDim.x] = 0;')],
        [
          'the number of threads is stored',
          strided('for (int j = i; j < n; j += blockDim.x * gridDim.x) v[j] = blockDim.x * gridDim.x;'),
        ],
        [
          'the name of the number of threads is stored',
          strided('int all = blockDim.x * gridDim.x;\n  for (int j = i; j < n; j += all) v[j] = all;'),
        ],
        ['a loop that steps otherwise', strided('for (int j = i; j < n; j += 1 + blockDim.x * gridDim.x) v[j] = 0;')],
        ['a loop that steps twice', strided('for (int j = i; j < n; j += blockDim.x * gridDim.x) v[j++] = 0;')],
        ['an end that is re-read', strided('for (int j = i; j < v[0]; j += blockDim.x * gridDim.x) v[j] = 0;')],
        [
          'an end that cannot be analysed',
          strided('for (int j = i; j < more(n); j += blockDim.x * gridDim.x) v[j] = 0;'),
        ],
        [
          'a variable whose address is taken',
          strided('for (int j = i; j < n; j += blockDim.x * gridDim.x) { int *p = &j; v[j] = 0; *p += 1; }'),
        ],
        ['a step behind the loop', strided('int j = i;\n  while (j < n) v[j] = 0;\n  j += blockDim.x * gridDim.x;')],
        ['a loop that never steps', strided('for (int j = i; j < n;) v[j] = gridDim.x * blockDim.x;')],
        ['a loop that starts elsewhere', strided('for (int j = 3; j < n; j += blockDim.x * gridDim.x) v[j] = i;')],
        [
          'an end that changes',
          strided('int m = n;\n  m++;\n  for (int j = i; j < m; j += blockDim.x * gridDim.x) v[j] = 0;'),
        ],
        ['an end of each thread', strided('for (int j = i; j < n + i; j += blockDim.x * gridDim.x) v[j] = 0;')],
        [
          'the variable lives on',
          strided('int j;\n  for (j = i; j < n; j += blockDim.x * gridDim.x) v[j] = 0;\n  v[j] = 1;'),
        ],
      ] as const
    ).map(([name, kernel]) => [`guard: ${name}`, launched(kernel, 'k<<<10, 48>>>(v, n);')] as const),
    ...(
      [
        ['the number of threads', plane('if (x < n && y < n) v[y * n + x] = gridDim.x * blockDim.x;')],
        ['the place in the block', plane('if (x < n && y < n) v[y * n + x] = threadIdx.y;')],
        ['nothing along y', plane('if (x < n) v[x] = 0;').replace(/ {2}int y.*\n/, '  int y = threadIdx.z;\n')],
      ] as const
    ).map(([name, kernel]) => [`number: ${name}`, launched(kernel, 'k<<<dim3(n, n), dim3(4, 4)>>>(v, n);')] as const),
    ...[
      'k<<<dim3(n, n), dim3(4, 4, 2)>>>(v, n);',
      'k<<<dim3(n, n, t), dim3(4, 4)>>>(v, n);',
      'dim3 b(4, 4);\n  b.z = 2;\n  k<<<dim3(n, n), b>>>(v, n);',
    ].map(
      (launch) => [`extents: ${launch}`, launched(plane('if (x < n && y < n) v[y * n + x] = 0;'), launch)] as const,
    ),
    ['kernel: unknown', launched('__global__ void k(float *v, int n);\n', 'k<<<n, 1>>>(v, n);')],
    // A kernel without an end, where giving it one would break something else.
    ...(
      [
        ['a declaration in front', `__global__ void k(float *, int);\n${endless}`, 'k<<<n, 48>>>(v, n);'],
        [
          'an instantiation',
          `${endless.replace('__global__', 'template <int W> __global__')}template __global__ void k<3>(float *, int);\n`,
          'k<3><<<n, 48>>>(v, n);',
        ],
        ['its address taken', endless, 'keep(k); k<<<n, 48>>>(v, n);'],
        [
          'its address taken outside of functions',
          `${endless}void (*started)(float *, int) = k;\n`,
          'k<<<n, 48>>>(v, n);',
        ],
        ['an argument that has a default', endless.replace('int n', 'int n = 4'), 'k<<<n, 48>>>(v, n);'],
        [
          'arguments of any number',
          endless.replace('__global__', 'template <typename... All> __global__').replace('int n', 'int n, All... all'),
          'k<<<n, 48>>>(v, n);',
        ],
        ['a comment in its head', endless.replace(') {', ') /* of all */ {'), 'k<<<n, 48>>>(v, n);'],
        [
          'a head that a macro writes',
          endless.replace('int n)', 'int n CLOSE'),
          'k<<<n, 48>>>(v, n);',
          '#define CLOSE )\n',
        ],
        [
          'a name that a macro writes',
          endless.replace('void k', 'void NAME'),
          'k<<<n, 48>>>(v, n);',
          '#define NAME k\n',
        ],
        ['a driver that asks for it', endless, 'cuLibraryGetKernel(&kept, library, "k"); k<<<n, 48>>>(v, n);'],
        ['a macro for no argument', endless.replace('float *v, int n', ''), 'k<<<n, 48>>>(NONE);', '#define NONE\n'],
        ['a comment at its end', endless.replace('int n)', 'int n /* all */)'), 'k<<<n, 48>>>(v, n);'],
        ['a launch that a macro closes', endless, 'k<<<n, 48>>>(v, n CLOSE;', '#define CLOSE )\n'],
        ['an argument that counts', endless, 'k<<<n, 48>>>(v, n++);'],
        [
          'its name between characters',
          endless,
          "const char a = '\"'; keep(k); const char b = '\"'; k<<<n, 48>>>(v, n);",
        ],
        ['another launch in a plane', endless, 'k<<<n, 48>>>(v, n);\n  k<<<dim3(n, 2), 48>>>(v, n);'],
        [
          'a number of blocks that counts',
          endless,
          'k<<<next(), 48>>>(v, n);',
          'int count;\nint next() { return ++count; }\n',
        ],
      ] as const
    ).map(
      ([name, kernel, launch, before = '']) => [`guard: no end, ${name}`, launched(before + kernel, launch)] as const,
    ),
    [
      'guard: no end, and the number of all threads in a sum',
      launched(endless.replace('v[i] += 1', 'v[i] += gridDim.x * blockDim.x + n'), 'k<<<n, 48>>>(v, n);'),
    ],
    ['guard: no end, launched from other files', launched(endless, 'k<<<n, 48>>>(v, n);'), true],
    [
      'together: a function that shares memory',
      launched(
        `__device__ void f(float *v) { __shared__ float s; s = *v; }\n${guarded.replace('v[i] += 1.0f;', 'f(v + i);')}`,
        'k<<<n, 48>>>(v, n);',
      ),
    ],
    [
      'together: a function that meets in another',
      launched(
        `__device__ void g() { __syncthreads(); }\n__device__ void f() { g(); }\n${guarded.replace('v[i] += 1.0f;', 'f();')}`,
        'k<<<n, 48>>>(v, n);',
      ),
    ],
    ...['__shared__ float s;', 'v[threadIdx.x] = 0;', '__syncthreads();'].map(
      (line) =>
        [
          `together: another build has ${line}`,
          launched(guarded.replace('  if', `#ifdef OTHER\n  ${line}\n#endif\n  if`), 'k<<<n, 1>>>(v, n);'),
        ] as const,
    ),
    ['shared: memory that the launch gives', launched(guarded, 'k<<<n, 1, 64>>>(v, n);')],
    [
      'bounds: at most 32 threads',
      launched(guarded.replace('void k', '__launch_bounds__(32) void k'), 'k<<<n, 1>>>(v, n);'),
    ],
    ['extents: a macro that opens a parenthesis', launched(guarded, 'k<<<OPEN n), 48>>>(v, n);')],
    ['extents: a macro for the arguments of a dim3', launched(guarded, 'k<<<dim3(PAIR), 48>>>(v, n);')],
    ['extents: one macro for both', launched(guarded, 'k<<<BOTH>>>(v, n);')],
    ['extents: a macro that holds a plane', launched(guarded, 'k<<<PLANE, 48>>>(v, n);')],
    ...[
      'k<<<n, t>>>(v, n);',
      'const int b = 48;\n  note(b);\n  k<<<n, b>>>(v, n);',
      'const int b = 48;\n  k<<<n, b>>>(v, n);\n  other<<<n, b>>>(v);',
      'const int b = 48, g = (n + b - 1) / b;\n  note(g);\n  k<<<g, b>>>(v, n);',
      'const int b = 48, g = n / b + t;\n  k<<<g, b>>>(v, n);',
      'const int g = (n + 47) / 48;\n  note(g);\n  k<<<g, 48>>>(v, n);',
      'const int g = (n + 47) / 48;\n  dim3 h(g);\n  k<<<h, 48>>>(v, n);',
      'dim3 g(n);\n  note(g.x);\n  k<<<g, 48>>>(v, n);',
      'printf("%d threads", 48);\n  k<<<n, 48>>>(v, n);',
      'std::cout << "Size " << 1;\n  k<<<n, 1>>>(v, n);',
      'note("48 threads");\n  k<<<n, 48>>>(v, n);',
      'note("10 blocks");\n  k<<<10, 48>>>(v, 480);',
      'const int g = n / 64;\n  printf("%d", g);\n  k<<<g, 48>>>(v, n);',
    ].map((launch) => [`values: ${launch}`, launched(guarded, launch)] as const),
    ...[
      'dim3 b(4, 4);\n  note(b.x);\n  k<<<dim3(n, n), b>>>(v, n);',
      'const int b = 5;\n  k<<<dim3(n, n), dim3(b, b)>>>(v, n);',
    ].map((launch) => [`values: ${launch}`, launched(plane('if (x < n && y < n) v[y * n + x] = 0;'), launch)] as const),
  ];
  for (const [name, text, elsewhere] of refusals)
    it(`refuses ${name}`, async () =>
      assert.equal(await relaunched(text, elsewhere), `refused: ${name.split(':')[0]!}`));
});

describe('blocks of one thread', () => {
  const program = (kernel: string, launch = 'k<<<n, 1>>>(v, n);', before = ''): string =>
    `#define START blockIdx.x\n#define MORE (blockIdx.x + 1)\n${before}${kernel}void host(float *v, int n) {\n  ${launch}\n}\n`;
  const kernel = (body: string, head = 'void k'): string => `__global__ ${head}(float *v, int n) {\n  ${body}\n}\n`;
  const row = 'int b = blockIdx.x;\n  if (b >= n) return;\n  v[b] += 1;';
  const shared = '__shared__ float kept;\n';
  const turn = '__device__ volatile int turn;\n';
  const b4 = 'k<<<n, b::B>>>(v, n);';
  const withId = (id: string, before = ''): string =>
    program(
      kernel(row.replace('v[b]', 'v[id(b)]')),
      undefined,
      `${before}__device__ int *counter;\n__device__ ${id}\n`,
    );
  const withHead = (head: string, kernel: string, launch: string): string =>
    head.startsWith('template')
      ? program(kernel, launch).replace('void host', `${head}void host`)
      : program(kernel, launch, head);
  async function offered(text: string, elsewhere = false): Promise<string> {
    const context = await contextOf(text, 'host');
    const facts = launchShapeOf(context, nodesOf(context, 'launch')[0]!, 1, elsewhere);
    if (facts.relaunches) return applied(text, facts.relaunches[0]!.edits);
    return `refused: ${facts.refusals?.[0]?.precondition}`;
  }
  for (const [name, before, after] of [
    ['an exit', row, row.replace('blockIdx.x', 'blockIdx.x * blockDim.x + threadIdx.x')],
    [
      'an end around all',
      'if (blockIdx.x < n) v[blockIdx.x] += blockIdx.x;',
      'if ((blockIdx.x * blockDim.x + threadIdx.x) < n) v[(blockIdx.x * blockDim.x + threadIdx.x)] += blockIdx.x * blockDim.x + threadIdx.x;',
    ],
    [
      'a loop over the grid behind macros',
      'int i;\n  for (i = START; i < n; i += gridDim.x) v[i] += 1;',
      'int i;\n  for (i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v[i] += 1;',
    ],
  ] as const)
    it(`become threads: ${name}`, async () =>
      assert.equal(
        await offered(program(kernel(before))),
        program(kernel(after), 'k<<<(n + 255) / 256, 256>>>(v, n);'),
      ));
  const given = 'int n, unsigned int threads';
  for (const [name, body, launch, after] of [
    ['that nothing ends', 'v[blockIdx.x] += 1;', 'k<<<n, 1>>>(v, n);', 'k<<<(n + 255) / 256, 256>>>(v, n, n);'],
    ['that are fewer', row, 'k<<<n / 2, 1>>>(v, n);', 'k<<<(n / 2 + 255) / 256, 256>>>(v, n, n / 2);'],
    ['whose end changes', `n += 2;\n  ${row}`, 'k<<<8, 1>>>(v, n);', 'k<<<1, 256>>>(v, n, 8);'],
  ] as const)
    it(`${name} are given an end`, async () => {
      const thread = 'blockIdx.x * blockDim.x + threadIdx.x';
      const written = body.replace('v[blockIdx.x]', `v[(${thread})]`).replace('= blockIdx.x', `= ${thread}`);
      assert.equal(
        await offered(program(kernel(body), launch)),
        program(kernel(`if (${thread} >= threads) return;\n  ${written}`).replace('int n', given), after),
      );
    });
  for (const [name, launch, after] of [
    [
      'a constant among parts',
      'const int B = 1;\n  k<<<n, dim3(B, 1)>>>(v, n);',
      'B = 256;\n  k<<<(n + 255) / 256, dim3(B, 1)>>>',
    ],
    ['memory of 0 bytes and a stream', 'k<<<n, 1, 0, s>>>(v, n);', '<<<(n + 255) / 256, 256, 0, s>>>'],
  ] as const)
    it(`become threads of launches with ${name}`, async () =>
      assert.ok((await offered(program(kernel(row), launch))).includes(after)));
  for (const [name, end] of [
    ['an end with a sign', 'int i = blockIdx.x;\n  if (i > n - 7) return;'],
    ['an end one below', 'unsigned i = blockIdx.x;\n  if (i >= n - 1) return;'],
  ] as const)
    it(`become threads before ${name}`, async () =>
      assert.ok(!(await offered(program(kernel(`${end}\n  v[i] += 1;`)))).includes('threads')));
  const other = '#ifdef OTHER\n__device__ int lane() { __syncthreads(); return threadIdx.x; }\n#endif\n';
  for (const [name, body, before = '', launch = 'k<<<n, 1>>>(v, n);'] of [
    ['what other functions do in another build', row, other],
    ['a class that knows nothing', row.replace('v[b]', 'Id id;\n  v[b]'), 'struct Id { __device__ Id() {} };\n'],
    ['a class that it does not name', row, 'struct Id { __device__ Id() { v[threadIdx.x] = 0; } };\n'],
    ['atomics in a loop', row.replace('v[b] +=', 'for (int j = 0; j < 4; j++) atomicAdd(v + j, 1.0f);\n  v[b] =')],
    ['an atomic whose result is asked for', row.replace('+= 1', '+= atomicAdd(v + n, 1.0f)')],
    ['a call in a loop', row.replace('v[b] +=', 'for (int j = 0; j < 4; j++) v[b] = sqrtf(v[b]);\n  v[b] +=')],
    ['functions of the standard', row.replace('+= 1', '+= std::clamp(b, 0, 1)')],
    ['a structure that is made', row.replace('+= 1', '+= Pair(b, 1).a'), 'struct Pair { int a, b; };\n'],
    ['variables of its name', row, 'int use(int k);\nint twice(int k) { return use(k); }\n'],
    ['a number that is looked at', row, 'void look(const int &);\n', 'int m = n;\n  look(m);\n  k<<<m, 1>>>(v, m);'],
    ['a number that is printed', row, 'void say(const char *, ...);\n', 'say("", n, n);\n  k<<<n, 1>>>(v, n);'],
    ['a number that is shifted', row, '', 'int m = n >> 1;\n  k<<<n, 1>>>(v, n);\n  k<<<m, 1>>>(v, m);'],
  ] as const)
    it(`become threads beside ${name}`, async () => {
      const after = await offered(program(kernel(body), launch, before));
      assert.ok(/256>>>\(v, [nm]\)/.test(after) && !after.includes('threads)'), after);
    });
  it("become threads of a template's type", async () => {
    const text = `template <typename U, typename T> ${kernel(row.replace('+= 1', '+= T(1)'))}`;
    assert.ok((await offered(program(text, 'k<int, float><<<n, 1>>>(v, n);'))).includes('256>>>'));
  });
  it('are written once where a macro names its argument twice', async () => {
    const text = program(kernel('v[blockIdx.x] += SQUARE(blockIdx.x);'), undefined, '#define SQUARE(x) ((x) * (x))\n');
    assert.ok((await offered(text)).includes('SQUARE((blockIdx.x * blockDim.x + threadIdx.x));'));
  });
  it('become threads at each launch', async () =>
    assert.equal(
      await offered(program(kernel(row), 'k<<<n, 1>>>(v, n);\n  dim3 one(1), g(n / 2);\n  k<<<g, one>>>(v, n / 2);')),
      program(
        kernel(row.replace('blockIdx.x', 'blockIdx.x * blockDim.x + threadIdx.x')),
        'k<<<(n + 255) / 256, 256>>>(v, n);\n  dim3 one(256), g((n / 2 + 255) / 256);\n  k<<<g, one>>>(v, n / 2);',
      ),
    ));
  const refusals: readonly (readonly [string, string, boolean?])[] = [
    ['kernel: unknown', program('__global__ void k(float *v, int n);\n')],
    ['launches: in other files', program(kernel(row)), true],
    ['launches: a row of threads along y', program(kernel(row), 'k<<<n, dim3(1, 8)>>>(v, n);\n  k<<<n, 1>>>(v, n);')],
    [
      'launches: a block that changes',
      program(kernel(row), 'k<<<n, 1>>>(v, n);\n  dim3 b(1);\n  b.x = 2;\n  k<<<n, b>>>(v, n);'),
    ],
    ['name: a pointer to it', program(kernel(row), 'k<<<n, 1>>>(v, n);\n  auto p = k;')],
    ['number: it names its warp', program(kernel(row.replace('+= 1', '+= warpSize')))],
    ['number: a macro that says more', program(kernel(row.replace('+= 1', '+= MORE')))],
    ['number: its block is handed on', program(kernel(row.replace('+= 1', '+= sum(blockIdx)')))],
    [
      'guard: nothing ends it, and its name is used otherwise',
      program(`__global__ void k(float *, int);\n${kernel('v[blockIdx.x] += 1;')}`),
    ],
    [
      'guard: what ends it changes before its use',
      program(kernel('int m = n;\n  m = v != 0;\n  if (blockIdx.x < m) v[blockIdx.x] += 1;'), 'k<<<n, 1>>>(v, n++);'),
    ],
    ...[
      ['fewer blocks than its end', 'k<<<n / 2, 1>>>(v, n++);'],
      ['a number of blocks', 'k<<<8, 1>>>(v, n++);'],
      ['fewer at another launch', 'k<<<n, 1>>>(v, n);\n  k<<<n - 1, 1>>>(v, n++);'],
    ].map(([name, launch]) => [`guard: ${name}`, program(kernel(row), launch)] as const),
    [
      'guard: a loop that starts elsewhere',
      program(kernel('int b = blockIdx.x;\n  for (int i = 3; i < n; i += gridDim.x) v[i] += b;')),
    ],
    [
      'guard: its own place beside the loop',
      program(kernel('v[blockIdx.x] = 0;\n  for (int i = blockIdx.x; i < n; i += gridDim.x) v[i] += 1;')),
    ],
    [
      'guard: a loop that starts again from another place',
      program(kernel('int i = blockIdx.x;\n  for (i = 0; i < n; i += gridDim.x) v[i] += 1;')),
    ],
    ['together: memory of the block', program(kernel(`__shared__ float s;\n  ${row}`))],
    [
      'together: a function whose callee names the thread',
      program(
        `__device__ int inner() { return threadIdx.x; }\n__device__ int outer() { return inner(); }\n${kernel(row.replace('+= 1', '+= outer()'))}`,
      ),
    ],
    ['together: an unknown function', program(`__device__ int outer();\n${kernel(row.replace('+= 1', '+= outer()'))}`)],
    ['order: a lock', program(kernel(`${row}\n  while (atomicCAS((int *)v, 0, 1)) ;`))],
    ['bounds: at most one thread', program(kernel(row, '__launch_bounds__(1) void k'))],
    ...[
      ['a parameter of the template', 'template <int B> ', 'k<<<n, B>>>(v, n);'],
      ['a default of a template', 'template <int B = 1> ', 'k<<<n, B>>>(v, n);'],
      ['another constant of the name', 'namespace a { const int B = 1; }\nnamespace b { const int B = 4; }\n', b4],
      [
        'a constant that another class has',
        'struct A { static const int B = 1; };\n',
        'k<<<n, Other<int>::B>>>(v, n);',
      ],
    ].map(([name, before, launch]) => [`launches: ${name}`, withHead(before!, kernel(row), launch!)] as const),
    [
      'launches: a number that a function may write',
      program(kernel('v[blockIdx.x] += 1;'), 'int b = 1;\n  adjust(b);\n  k<<<n, b>>>(v, n);', 'void adjust(int &);\n'),
    ],
    ['launches: a number that is read in', program(kernel(row), 'int b = 1;\n  std::cin >> b;\n  k<<<n, b>>>(v, n);')],
    ['name: a table of kernels', program(`${kernel(row)}void (*table[])(float *, int) = {k};\n`)],
    [
      'name: an argument of a template',
      program(kernel(row), 'k<<<n, 1>>>(v, n);\n  run<k>(v, n);', 'template <auto F> void run(float *, int);\n'),
    ],
    [
      'name: an argument of a call',
      program(
        kernel(row),
        'k<<<n, 1>>>(v, n);\n  void *args[] = {&v, &n};\n  cudaLaunchKernel((void *)k, n, 32, args, 0, 0);',
      ),
    ],
    ['number: it is counted up', program(kernel('START++;\n  v[START] += 1;'))],
    ['number: it is written', program(kernel('START = 0;\n  v[START] += 1;'))],
    ['number: the address of it', program(kernel('const unsigned *p = &blockIdx.x;\n  v[*p] += 1;'))],
    ['number: the address of it behind a macro', program(kernel('const unsigned *p = &START;\n  v[*p] += 1;'))],
    ['number: a type made of it', program(kernel('decltype(blockIdx.x) i = blockIdx.x;\n  v[i] += 1;'))],
    [
      'number: another build names it elsewhere',
      program(kernel(`${row}\n#ifdef WIDE\n  v[2 * blockIdx.x] = 1;\n#endif`)),
    ],
    ['together: another build does more', program(kernel(`${row}\n#ifdef WIDE\n  reduce(v);\n#endif`))],
    [
      'together: a function that does more in another build',
      withId('int id(int b) {\n#ifdef WIDE\n  return lane();\n#else\n  return b;\n#endif\n}'),
    ],
    ['together: a default that names the thread', withId('int id(int b, int of = threadIdx.x) { return of; }')],
    [
      'together: a default at the declaration',
      withId('int id(int b, int of = blockIdx.x);\n__device__ int id(int b, int of) { return of; }'),
    ],
    ['together: memory of the block outside of it', program(kernel(`${row}\n  kept = v[b];`), undefined, shared)],
    ['together: memory of the block in a function', withId('int id(int b) { kept = b; return kept; }', shared)],
    ['together: a function that is not declared', program(kernel(row.replace('+= 1', '+= sum(v)')))],
    [
      'together: a function that is handed over',
      program(
        `template <typename F> ${kernel(row.replace('v[b] += 1', 'f(b)')).replace('int n', 'int n, F f')}`,
        'k<<<n, 1>>>(v, n, v);',
      ),
    ],
    ...[
      ['a constructor', 'Id() { i = blockIdx.x; }', 'Id id;\n  v[id.i] += 1;'],
      ['what a constructor begins with', 'Id() : i(threadIdx.x) {}', 'Id id;\n  v[id.i] += 1;'],
      ['a destructor', '~Id() { place[blockIdx.x] = 0; }', 'Id id;\n  v[b] += id.i;'],
      ['a conversion', 'operator int() const { return blockIdx.x; }', 'Id id;\n  v[id] += 1;'],
      ['an operator', 'int operator+(int o) const { return blockIdx.x + o; }', 'Id id;\n  v[id + 1] += 1;'],
    ].map(
      ([name, method, use]) =>
        [
          `together: ${name} that knows the thread`,
          program(kernel(row.replace('v[b] += 1;', use!)), undefined, `struct Id { int i; __device__ ${method} };\n`),
        ] as const,
    ),
    ['together: a barrier by its other name', program(kernel(`${row}\n  __barrier_sync(0);`))],
    [
      'together: a function that is handed over by a name that is known',
      program(
        `template <typename F> ${kernel(row.replace('v[b] += 1', 'swap(b)')).replace('int n', 'int n, F swap')}`,
        'k<<<n, 1>>>(v, n, v);',
      ),
    ],
    ['together: clusters of blocks', program(kernel(row, 'void __cluster_dims__(2, 1, 1) k'))],
    ...[
      ['a queue', 'int t = atomicAdd(&l[0], 1);\n  while (atomicAdd(&l[1], 0) != t) ;'],
      ['a lock that goes back', 'again:\n  if (atomicOr(&l[0], 1) != 0) goto again;'],
      ['a value that others write', 'while (((volatile int *)l)[0] != b) ;'],
    ].map(
      ([name, wait]) =>
        [
          `order: ${name}`,
          program(
            kernel(row.replace('v[b]', `${wait}\n  v[b]`)).replace('int n', 'int n, int *l'),
            'k<<<n, 1>>>(v, n, l);',
          ),
        ] as const,
    ),
    ['together: a variable that others write', program(kernel(`${row}\n  while (turn != b) ;`), undefined, turn)],
    ['together: a function that waits', withId('int id(int b) { while (atomicAdd(counter, 0) < b) ; return b; }')],
    [
      'guard: a macro that stands for no argument',
      program(
        '__global__ void k() { g[blockIdx.x] = 1; }\n',
        'k<<<n, 1>>>(NONE);',
        '#define NONE\n__device__ float g[9];\n',
      ),
    ],
    [
      'guard: a driver that is asked for it',
      program(kernel('v[blockIdx.x] += 1;'), 'k<<<n, 1>>>(v, n);\n  cuModuleGetFunction(&f, m, "k");'),
    ],
    ['guard: it starts itself', program(kernel('if (n > 1) k<<<blockIdx.x, 1>>>(v, n / 2);\n  v[blockIdx.x] += 1;'))],
    ...[
      ['a value that loses digits', 'unsigned char m = n;\n  k<<<m, 1>>>(v, n++);'],
      ['a value cast to fewer digits', 'k<<<(short)n, 1>>>(v, n++);'],
      ['a value that a function may write', 'int m = n;\n  adjust(m);\n  k<<<m, 1>>>(v, n++);'],
      ['a value that is read in', 'int m = n;\n  std::cin >> n;\n  k<<<m, 1>>>(v, n++);'],
    ].map(([name, launch]) => [`guard: ${name}`, program(kernel(row), launch, 'void adjust(int &);\n')] as const),
    ...['size_t i = blockIdx.x;\n  if (i > n - 7) return;', 'unsigned i = blockIdx.x;\n  if (i >= n - 2) return;'].map(
      (end) =>
        [
          `guard: an end below 0 that has no sign: ${end}`,
          program(`${kernel(`${end}\n  v[i] += 1;`)}__global__ void k(float *, int);\n`),
        ] as const,
    ),
    [
      'guard: a parameter of fewer digits',
      program(`${kernel(row).replace('int n', 'short n')}__global__ void k(float *, short);\n`),
    ],
    ['extents: more blocks than fit', program(kernel('v[blockIdx.x] += 1;'), 'k<<<2147483647, 1>>>(v, n);')],
    ['extents: memory that the launch gives', program(kernel(row), 'k<<<n, 1, 64>>>(v, n);')],
  ];
  for (const [name, text, elsewhere] of refusals)
    it(`refuses ${name}`, async () => assert.equal(await offered(text, elsewhere), `refused: ${name.split(':')[0]!}`));
});

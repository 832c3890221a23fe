// Row per thread to warp per row: what is written, and one example that fails each precondition alone.
import assert from 'node:assert/strict';
import type { BlockShape } from '../../../server/src/semantic/language/fn';
import { rowWarpsOf } from '../../../server/src/semantic/fixes/rowWarps';
import { applied, compilerComplaints, contextOf, isProven, nodesOf } from './harness';

const kernel = (body: string, parameters = 'const float *in, float *out, int rows, int n'): string =>
  `__global__ void k(${parameters}) {\n  int row = blockIdx.x * blockDim.x + threadIdx.x;\n${body}\n}\n`;
const sum =
  '  if (row >= rows) return;\n  float total = 0.0f;\n  for (int c = 0; c < n; c++) total += in[row * n + c];\n  out[row] = total;';
const host = (launch = 'k<<<(rows + 127) / 128, 128>>>(in, out, rows, n);'): string =>
  `void host(const float *in, float *out, int rows, int n, int threads) {\n  ${launch}\n}\n`;

interface Known {
  readonly shapes?: readonly BlockShape[];
  readonly open?: boolean;
  readonly elsewhere?: boolean;
  readonly name?: string;
}

async function rewritten(
  text: string,
  { shapes = [[128, 1, 1]], open, elsewhere, name = 'k' }: Known = {},
): Promise<string> {
  const context = await contextOf(text, name, { blockShapes: shapes, allShapesKnown: !open });
  const access = nodesOf(context, 'index').find(({ base }) => base.kind === 'name' && base.name === 'in')!;
  const fact = rowWarpsOf(context, access, elsewhere);
  return 'edits' in fact ? applied(text, fact.edits) : `refused: ${fact.precondition}`;
}

describe('one warp per row', () => {
  it('takes the row, shares the loop, puts the parts together and writes once', async () => {
    const after = await rewritten(kernel(sum) + host());
    assert.equal(
      after,
      kernel(
        '  if (row >= rows) return;\n  float total = 0.0f;\n  for (int c = lane; c < n; c += 32) total += in[row * n + c];\n' +
          '  for (int offset = 16; offset > 0; offset >>= 1) total += __shfl_xor_sync(0xffffffff, total, offset);\n' +
          '  if (lane == 0) out[row] = total;',
      ).replace(
        '  int row = blockIdx.x * blockDim.x + threadIdx.x;',
        '  const int lane = threadIdx.x % 32;\n  int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;',
      ) + host('k<<<((rows + 127) / 128) * 32, 128>>>(in, out, rows, n);'),
    );
    assert.equal(compilerComplaints(after) ?? '', '');
  });

  const second = 'k<<<g, 128>>>(in, out, rows, n);';
  for (const [name, launches, after] of [
    [
      'a grid that nothing else uses where it is declared',
      `dim3 g(rows); ${second} ${second}`,
      /dim3 g\(rows \* 32\); k<<<g, 128>>>.*k<<<g, 128>>>/,
    ],
    [
      'a grid that something else uses below it',
      `dim3 g(rows, 2); note(g); ${second}`,
      /dim3 g\(rows, 2\);\n {2}const dim3 gOfWarps\(g\.x \* 32, g\.y, g\.z\); note\(g\); k<<<gOfWarps, 128>>>/,
    ],
    [
      'a grid that a macro gives below it',
      `\n#define PAIR rows, 2\n  dim3 g(PAIR);\n  ${second}`,
      /dim3 g\(PAIR\);\n {2}const dim3 gOfWarps\(g\.x \* 32, g\.y, g\.z\);\n {2}k<<<gOfWarps, 128>>>/,
    ],
  ] as const)
    it(`changes ${name}`, async () => assert.match(await rewritten(kernel(sum) + host(launches)), after));

  it('lets the lanes part after writes of one lane', async () => {
    const after = await rewritten(kernel(`${sum}\n  out[rows + row] = total;`) + host());
    assert.match(after, /if \(lane == 0\) \{\n {4}out\[row\] = total;\n {4}out\[rows \+ row\] = total;\n {2}\}\n\}/);
  });

  it('makes blocks whole warps where a number says that they are none', async () => {
    const after = await rewritten(kernel(sum) + host('k<<<rows / 48 + 1, 48>>>(in, out, rows, n);'), {
      shapes: [[48, 1, 1]],
    });
    assert.match(after, /k<<<\(\(rows \/ 48 \+ 1\) \* 48 \+ 7\) \/ 8, 256>>>/);
  });

  it('numbers the lanes below what is said of the kernel', async () => {
    const after = await rewritten(kernel(sum).replace('  int row', '  // One row each.\n  int row') + host());
    assert.match(after, /\{\n {2}\/\/ One row each\.\n {2}const int lane = .*;\n {2}int row = /);
  });

  it('leaves the launch of a loop over the grid', async () => {
    const text =
      '__global__ void k(const float *in, float *out, int rows, int n) {\n' +
      '  for (int row = blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += blockDim.x * gridDim.x) {\n' +
      '    float total = out[row];\n    for (int c = 0; c < n; c++) total += in[row * n + c];\n    out[row] = total;\n  }\n}\n';
    const after = await rewritten(text + host());
    assert.match(after, /row \+= gridDim\.x \* \(blockDim\.x \/ 32\)/);
    assert.match(after, /if \(lane != 0\) total = 0;/);
    assert.match(after, /__syncwarp\(\);\n {4}if \(lane == 0\) out\[row\] = total;/);
    assert.ok(after.endsWith(host()), 'as many blocks as before');
  });

  it('indents the lines above a pragma of the first column as its loop', async () => {
    const text = kernel(
      '  if (row >= rows) return;\n  float total = out[row];\n#pragma unroll 4\n' +
        '  for (int c = 0; c < n; c++) total += in[row * n + c];\n  out[row] = total;',
    );
    const after = await rewritten(text + host());
    assert.match(after, /\n {2}if \(lane != 0\) total = 0;\n#pragma unroll 4\n {2}for .*\n {2}for \(int offset/);
  });

  for (const step of [
    'row += blockDim.x * gridDim.x',
    'row = row + blockDim.x * gridDim.x',
    'row = gridDim.x * blockDim.x + row',
  ])
    it(`steps over the grid by \`${step}\``, async () => {
      const loop = `  while (row < rows) {\n    float total = 0;\n    for (int c = 0; c < n; c++) total += in[row * n + c];\n    out[row] = total;\n    ${step};\n  }`;
      const after = await rewritten(kernel(loop) + host());
      assert.ok(after.endsWith(host()), 'as many blocks as before');
      assert.match(after, /gridDim\.x \* \(blockDim\.x \/ 32\)/);
    });

  it('shares loops whose variable is declared in front of them', async () => {
    const loops =
      '  int c;\n  for (c = 0; c < n; c++) total += in[row * n + c];\n  for (c = 0; c < n; ++c) out[row * n + c] = in[row * n + c];';
    const after = await rewritten(kernel(sum.replace(/ {2}for .*;\n {2}out.*/, loops)) + host());
    assert.match(after, /for \(c = lane; c < n; c \+= 32\) total/);
    assert.match(after, /for \(c = lane; c < n; c \+= 32\) out/);
  });

  it('lets the lanes meet before a pointer that moves reads what one of them wrote', async () => {
    const text = kernel(`${sum}\n  const float *p = out;\n  p += row;\n  float again = *p;`);
    assert.match(await rewritten(text + host()), /if \(lane == 0\) out\[row\] = total;\n {2}__syncwarp\(\);/);
  });

  for (const [name, statement, start] of [
    ['differences behind a sum', 'total = total + in[row * n + c] - in[row * n];', '0'],
    ['a maximum in braces, turned round', 'if (total < in[row * n + c]) { total = in[row * n + c]; }', '0'],
    ['a vector beside it that all rows share', 'total += in[row * n + c] * in[c];', '0'],
    ['a diagonal beside it', 'total += in[row * n + c] * in[row + c];', '0'],
    ['from another number', 'total += in[row * n + c];', '3'],
    ['from a sum', 'total += in[row * n + c];', 'row + 1'],
  ] as const)
    it(`shares ${name}`, async () => {
      const body = sum.replace('total += in[row * n + c];', statement).replace('c = 0', `c = ${start}`);
      assert.match(
        await rewritten(kernel(body) + host()),
        start === '0'
          ? /int c = lane; c < n; c \+= 32/
          : start === '3'
            ? /int c = 3 \+ lane;/
            : /int c = row \+ 1 \+ lane;/,
      );
    });
  it('prints once, and knows the types of conversions', async () => {
    const printing = sum
      .replace('+= in', '+= (Real)(in')
      .replace('+ c];', '+ c]);')
      .replace('out[row] = total;', 'out[row] = total;\n  if (total < 0) printf("%d", row);');
    const after = await rewritten(`typedef float Real;\n${kernel(printing)}${host()}`);
    assert.match(after, /c \+= 32\) total \+= \(Real\)\(in\[row \* n \+ c\]\);/);
    assert.match(after, /if \(total < 0\) \{\n {4}if \(lane == 0\) printf\("%d", row\);\n {2}\}/);
  });

  const greatest =
    '  if (row >= rows) return;\n  float best = 0.0f;\n  int at = -1;\n  for (int c = 0; c < n; c++) {\n' +
    '    float x = in[row * n + c];\n    if (x > best) {\n      best = x;\n      at = c;\n    }\n  }\n' +
    '  out[row] = best + at;';
  it('takes of equal values the first, as the loop does', async () => {
    const after = await rewritten(kernel(greatest) + host());
    assert.ok(
      after.includes(
        '  for (int offset = 16; offset > 0; offset >>= 1) {\n' +
          '    const auto otherBest = __shfl_xor_sync(0xffffffff, best, offset);\n' +
          '    const auto otherAt = __shfl_xor_sync(0xffffffff, at, offset);\n' +
          '    if (otherBest > best || (otherBest == best && otherAt < at)) {\n' +
          '      best = otherBest;\n      at = otherAt;\n    }\n  }\n',
      ),
      after,
    );
  });

  it('puts greatest values together after each loop, whose variable orders its own iterations alone', async () => {
    const planes = greatest
      .replace('  for (int c', '  for (int plane = 0; plane < n; plane++)\n  for (int c')
      .replace('[row * n + c]', '[(plane * rows + row) * n + c]');
    assert.match(
      await rewritten(kernel(planes) + host()),
      /\n {2}\}\n {2}for \(int offset[\s\S]*\n {2}\}\n {2}\}\n {2}if \(lane/,
    );
  });

  const strided =
    '  int thread = blockIdx.x * blockDim.x + threadIdx.x;\n  float total = 0;\n' +
    '  for (int row = thread; row < rows; row += gridDim.x * blockDim.x)\n' +
    '    for (int c = 0; c < n; c++) total += in[row * n + c];\n  out[thread] = total;';
  it('gives each warp the rows of one thread where more than its rows depends on it', async () => {
    const text = `__global__ void k(const float *in, float *out, int rows, int n) {\n${strided}\n}\n${host()}`;
    assert.match(await rewritten(text), /k<<<\(\(rows \+ 127\) \/ 128\) \* 32, 128>>>/);
  });

  it('is offered after a run of both texts', async () =>
    assert.ok(await isProven(kernel(sum) + host(), /^One warp per row/)));

  const refusals: readonly (readonly [string, string, Known?])[] = [
    [
      'kernel: in a function that a kernel calls',
      `__device__ float f(const float *in, int i) { return in[i]; }\n${kernel(sum)}${host()}`,
      { name: 'f' },
    ],
    ['launches: launched from other files', kernel(sum) + host(), { elsewhere: true }],
    ['name: its address is taken', `${kernel(sum)}void *p() { return (void *)k; }\n${host()}`],
    [
      'rows: a part of its number that changes',
      kernel(sum).replace(
        'int row = blockIdx.x * blockDim.x + threadIdx.x;',
        'int tx = threadIdx.x;\n  tx += n;\n  int row = blockIdx.x * blockDim.x + tx;',
      ) + host(),
    ],
    [
      'rows: a part of its number that is asked for alone',
      kernel(`${sum}\n  out[tx] = 1;`).replace(
        'int row = blockIdx.x * blockDim.x + threadIdx.x;',
        'int tx = threadIdx.x;\n  int row = blockIdx.x * blockDim.x + tx;',
      ) + host(),
    ],
    ['rows: its thread handed on', kernel(`${sum}\n  out[0] = f(threadIdx);`) + host()],
    ['grid: an unknown field', kernel(sum) + host('k<<<shape.grid, 128>>>(in, out, rows, n);')],
    [
      'grid: a dim3 that changes after its declaration',
      kernel(sum) + host('dim3 g(1); g.x = rows; k<<<g, 128>>>(in, out, rows, n);'),
    ],
    [
      'block: a dim3 for blocks of 100',
      kernel(sum) + host('dim3 b(100); k<<<rows, b>>>(in, out, rows, n);'),
      { shapes: [[100, 1, 1]] },
    ],
    [
      'guard: a block of 100 without an end',
      kernel(sum.replace('  if (row >= rows) return;\n', '')) + host('k<<<rows, 100>>>(in, out, rows, n);'),
      { shapes: [[100, 1, 1]] },
    ],
    // What a variable takes in may be no sum, no maximum, or depend on what it is.
    ...(
      [
        ['a sum that is weighted', 'total = total * 0.5f + in[row * n + c];'],
        ['a sum of what it is', 'total = total + in[row * n + c] * total;'],
        ['a difference from it', 'total = in[row * n + c] - total;'],
        ['a sum whose last part is it', 'total = total + in[row * n + c] - total * 2;'],
        ['a maximum that counts, too', 'if (in[row * n + c] > total) { total = in[row * n + c]; last = c; }'],
        ['a maximum with another arm', 'if (in[row * n + c] > total) total = in[row * n + c]; else total += 1;'],
        ['what is equal to it', 'if (in[row * n + c] == total) total = in[row * n + c];'],
        ['what is larger than another', 'if (in[row * n + c] > last) total = in[row * n + c];'],
        ['another value than what is larger', 'if (in[row * n + c] > total) total = in[row * n + c] * 2;'],
        ['a sum where it is larger', 'if (in[row * n + c] > total) total += in[row * n + c];'],
        ['a sum and a maximum', 'total += in[row * n + c]; total = fmaxf(total, 0.0f);'],
        ['a maximum of three', 'total = fmaxf(fmaxf(total, last), in[row * n + c] * total);'],
      ] as const
    ).map(
      ([name, statement]) =>
        [
          `carried: ${name}`,
          kernel(
            sum
              .replace('total += in[row * n + c];', `{ ${statement} }`)
              .replace('float total = 0.0f;', 'float total = 0.0f, last = 0;')
              .replace('out[row] = total;', 'out[row] = total + last;'),
          ) + host(),
        ] as const,
    ),
    ...(
      [
        ['of equal values the last', ['x > best', 'x >= best']],
        ['of equal values which one is not kept', ['at = c', 'at = n']],
        ['its place is in a type that has less values', ['int c', 'long long c']],
        ['its place is in a type that has other values', ['int at', 'unsigned int at']],
        ['its place in a type that is not moved', ['int at', 'short at']],
        ['its place is used in the loop', ['best = x;', 'best = x;\n      out[c] = at;']],
        ['its place is written elsewhere too', ['float x', 'at += 1;\n    float x']],
        ['its greatest is written elsewhere too', ['float x', 'best = fmaxf(best, 1);\n    float x']],
        ['its place is another time that of a smaller value', ['    }\n  }', '    }\n    if (x < best) at = c;\n  }']],
        ['what is taken is what was taken', ['at = c;', 'at = c;\n      rows = at;']],
        ['its values have digits that it does not keep', ['float x', 'double x']],
        ['where it is not greater', ['      at = c;\n    }', '      at = c;\n    } else at = 0;']],
      ] as const
    ).map(([name, [from, to]]) => [`carried: ${name}`, kernel(greatest.replace(from, to)) + host()] as const),
    [
      'writes: a reference',
      kernel(sum.replace('float total', 'float &all = out[rows];\n  all += 1;\n  float total')) + host(),
    ],
    ['writes: shared memory', kernel(`  __shared__ float s[4];\n${sum}`) + host()],
    ['writes: what it prints counts', kernel(`${sum}\n  printf("%d", n++);`) + host()],
    ['writes: how much it prints is used', kernel(`${sum}\n  n = printf("%f", total);`) + host()],
    [
      'memory: printed from iteration to iteration',
      kernel(sum.replace('total += in[row * n + c];', '{ total += in[row * n + c]; printf("%d", c); }')) + host(),
    ],
    ['writes: a call that keeps a state', kernel(sum.replace('= total', '= total + curand(state)')) + host()],
    [
      'walks: outside of the loop along the row',
      kernel(sum.replace('float total = 0.0f;', 'float total = in[row * n];')) + host(),
    ],
    ...(
      [
        ['is read behind it', 'int c;\n  for (c = 0; c < n; c++) total += in[row * n + c];\n  total += c;'],
        ['is read in front of it', 'int c = 5;\n  total += c;\n  for (c = 0; c < n; c++) total += in[row * n + c];'],
        ['is set in it', 'int c;\n  for (c = 0; c < n; c++) { total += in[row * n + c]; c += 1; }'],
        ['is handed on', 'int c;\n  for (c = 0; c < n; c++) { total += in[row * n + c]; keep(&c); }'],
        ['starts at an offset', 'int c;\n  for (c += 1; c < n; c++) total += in[row * n + c];'],
        ['is not a variable of the thread', 'static int c;\n  for (c = 0; c < n; c++) total += in[row * n + c];'],
      ] as const
    ).map(
      ([name, loop]) =>
        [
          `${/handed on|not a variable/.test(name) ? 'writes' : 'loops'}: its variable ${name}`,
          `__device__ void keep(int *at);\n${kernel(sum.replace('for (int c = 0; c < n; c++) total += in[row * n + c];', loop))}${host()}`,
        ] as const,
    ),
    [
      'columns: another array lies the other way',
      kernel(sum.replace('+= in[row * n + c]', '+= in[row * n + c] * out[c * rows + row]')) + host(),
    ],
    [
      'carried: the loop ends early',
      kernel(sum.replace('total += in[row * n + c];', '{ if (in[row * n + c] < 0) break; total += 1; }')) + host(),
    ],
  ];
  for (const [name, text, known] of refusals)
    it(`does not: ${name}`, async () => assert.equal(await rewritten(text, known), `refused: ${name.split(':')[0]!}`));
});

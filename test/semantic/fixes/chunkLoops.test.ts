// Chunk-per-thread loops: what is recognised, what is refused and why, and what the loop becomes.
import assert from 'node:assert/strict';
import { chunkLoopOf } from '../../../server/src/semantic/fixes/chunkLoops';
import type { ChunkLaunch } from '../../../server/src/semantic/fixes/writing/family';
import { fixIn, readIn } from '../../fixes/variations';
import { applied, compilerComplaints, contextOf, nodesOf } from './harness';

async function chunkIn(text: string, launches: readonly ChunkLaunch[] = []): Promise<ReturnType<typeof chunkLoopOf>> {
  const context = await contextOf(text);
  const loops = [...nodesOf(context, 'for'), ...nodesOf(context, 'while')];
  return loops.map((loop) => chunkLoopOf(context, loop, launches)).find((fact) => fact);
}

const T = '  int t = blockIdx.x * blockDim.x + threadIdx.x;\n';
const kernel = (body: string, params = 'const float *in, float *out, int n, int c'): string =>
  `__global__ void k(${params}) {\n${body}\n}\n`;

const mended: readonly { name: string; before: string; after: string; launches?: readonly ChunkLaunch[] }[] = [
  {
    name: 'the end is the next start',
    before: kernel(`${T}  for (int i = t * c; i < (t + 1) * c; i++) out[i] = in[i];`),
    after: kernel(`${T}  for (int i = t; i < c * gridDim.x * blockDim.x; i += gridDim.x * blockDim.x) out[i] = in[i];`),
  },
  {
    name: 'a macro writes the start, a number in it',
    before: `#define START int start = t * 64;\n${kernel(`${T}  START\n  for (int i = start; i < start + 64; i++) out[i] = in[i];`)}`,
    after: `#define START int start = t * 64;\n${kernel(
      `${T}  START\n  for (int i = t; i < 64 * gridDim.x * blockDim.x; i += gridDim.x * blockDim.x) out[i] = in[i];`,
    )}`,
  },
  {
    name: 'a macro writes the length of a chunk',
    before: `#define LENGTH 64\n${kernel(`${T}  for (int i = t * LENGTH; i < (t + 1) * LENGTH; i++) out[i] = in[i];`)}`,
    after: `#define LENGTH 64\n${kernel(
      `${T}  for (int i = t; i < LENGTH * gridDim.x * blockDim.x; i += gridDim.x * blockDim.x) out[i] = in[i];`,
    )}`,
  },
  {
    name: 'the end is cut at n, which the chunks are not known to reach',
    before: kernel(`${T}  for (int i = t * c; i < min(n, (t + 1) * c); ++i) {\n    out[i] = in[i] + in[i + 1];\n  }`),
    after: kernel(
      `${T}  for (int i = t; i < n && i < c * gridDim.x * blockDim.x; i += gridDim.x * blockDim.x) {\n    out[i] = in[i] + in[i + 1];\n  }`,
    ),
  },
  {
    name: 'the launches show that the chunks reach n',
    before: kernel(`${T}  for (int i = t * c; i < min(n, (t + 1) * c); ++i) out[i] = in[i];`),
    after: kernel(`${T}  for (int i = t; i < n; i += gridDim.x * blockDim.x) out[i] = in[i];`),
    launches: [
      {
        gridX: 4,
        blockX: 256,
        values: new Map([
          ['n', 10000],
          ['c', 10],
        ]),
      },
    ],
  },
  ...(
    [
      ['whose chunks have a length that is not known', 4, 256, [['n', 10000]]],
      ['whose n is not known', 4, 256, [['c', 10]]],
      [
        'whose grid is not known',
        undefined,
        256,
        [
          ['n', 10000],
          ['c', 10],
        ],
      ],
      [
        'whose blocks are not known',
        4,
        undefined,
        [
          ['n', 10000],
          ['c', 10],
        ],
      ],
    ] as const
  ).map(([of, gridX, blockX, values]) => ({
    name: `a launch ${of} keeps the end of its chunks`,
    before: kernel(`${T}  for (int i = t * c; i < min(n, (t + 1) * c); ++i) out[i] = in[i];`),
    after: kernel(
      `${T}  for (int i = t; i < n && i < c * gridDim.x * blockDim.x; i += gridDim.x * blockDim.x) out[i] = in[i];`,
    ),
    launches: [{ ...(gridX ? { gridX } : {}), ...(blockX ? { blockX } : {}), values: new Map<string, number>(values) }],
  })),
  {
    name: 'a launch whose chunks end before n keeps their end',
    before: kernel(`${T}  for (int i = t * c; i < min(n, (t + 1) * c); ++i) out[i] = in[i];`),
    after: kernel(
      `${T}  for (int i = t; i < n && i < c * gridDim.x * blockDim.x; i += gridDim.x * blockDim.x) out[i] = in[i];`,
    ),
    launches: [
      {
        gridX: 4,
        blockX: 256,
        values: new Map([
          ['n', 10000],
          ['c', 9],
        ]),
      },
    ],
  },
  ...(
    [
      ['unknown to the launch', 'c', [['n', 10000]], false],
      ['of which the end is unknown', 'c', [['c', 10]], false],
      [
        'cast and signed',
        '(int)+(c)',
        [
          ['n', 10000],
          ['c', 10],
        ],
        true,
      ],
      [
        'of a difference',
        'c - -2',
        [
          ['n', 10000],
          ['c', 8],
        ],
        true,
      ],
      [
        'of a quotient that is cut',
        'c / 3',
        [
          ['n', 10000],
          ['c', 29],
        ],
        false,
      ],
      [
        'of a quotient',
        'c / 3',
        [
          ['n', 10000],
          ['c', 30],
        ],
        true,
      ],
      [
        'of a name that is unknown',
        'c * d',
        [
          ['n', 10000],
          ['c', 10],
        ],
        false,
      ],
    ] as const
  ).map(([name, size, values, reach]) => {
    const end = reach ? 'i < n' : 'i < n && i < size * gridDim.x * blockDim.x';
    const whole = (loop: string): string =>
      kernel(
        `${T}  const int size = ${size};\n  ${loop} out[i] = in[i];`,
        'const float *in, float *out, int n, int c, int d',
      );
    return {
      name: `a chunk ${name}`,
      before: whole('for (int i = t * size; i < min(n, (t + 1) * size); ++i)'),
      // The size goes where nothing asks for it any more.
      after: whole(`for (int i = t; ${end}; i += gridDim.x * blockDim.x)`).replace(
        reach ? /.*int size = .*\n/ : '',
        '',
      ),
      launches: [{ gridX: 4, blockX: 256, values: new Map<string, number>(values) }],
    };
  }),
  {
    name: 'bounds in locals, which go',
    before: kernel(
      `${T}  int start = t * c;\n  int end = min(start + c, n);\n  for (int i = start; i < end; i++) out[i] = in[i];`,
    ),
    after: kernel(
      `${T}  for (int i = t; i < n && i < c * gridDim.x * blockDim.x; i += gridDim.x * blockDim.x) out[i] = in[i];`,
    ),
  },
  {
    name: 'a comment beside a local that goes is kept',
    before: kernel(
      `${T}  int start = t * c;   // where the chunk starts\n  for (int i = start; i < start + c; i++) out[i] = in[i];`,
    ),
    after: kernel(
      `${T}     // where the chunk starts\n  for (int i = t; i < c * gridDim.x * blockDim.x; i += gridDim.x * blockDim.x) out[i] = in[i];`,
    ),
  },
  {
    name: 'a chunk size by ceil-division over all threads reaches n',
    before: kernel(
      `${T}  int total = gridDim.x * blockDim.x;\n  int chunk = (n + total - 1) / total;\n  int start = t * chunk;\n  int end = start + chunk < n ? start + chunk : n;\n  for (int i = start; i < end; i++) out[i] = in[i] * 2.0f;`,
    ),
    after: kernel(
      `${T}  int total = gridDim.x * blockDim.x;\n  for (int i = t; i < n; i += total) out[i] = in[i] * 2.0f;`,
    ),
  },
  {
    name: 'two conditions, one of them the chunk',
    before: kernel(`${T}  for (int i = c * t; i < c * t + c && i < n; i += 1) out[i] = sqrtf(in[i]);`),
    after: kernel(
      `${T}  for (int i = t; i < n && i < c * gridDim.x * blockDim.x; i += gridDim.x * blockDim.x) out[i] = sqrtf(in[i]);`,
    ),
  },
  {
    name: 'a while loop',
    before: kernel(`${T}  int i = t * 16;\n  while (i < t * 16 + 16) {\n    out[i] = in[i];\n    i++;\n  }`),
    after: kernel(
      `${T}  int i = t;\n  while (i < 16 * gridDim.x * blockDim.x) {\n    out[i] = in[i];\n    i += gridDim.x * blockDim.x;\n  }`,
    ),
  },
  {
    name: 'chunks within a block, the array cut by blocks',
    before: kernel(
      `  int t = threadIdx.x;\n  for (int i = t * c; i < (t + 1) * c; i++) out[blockIdx.x * n + i] = in[blockIdx.x * n + i];`,
    ),
    after: kernel(
      `  int t = threadIdx.x;\n  for (int i = t; i < c * blockDim.x; i += blockDim.x) out[blockIdx.x * n + i] = in[blockIdx.x * n + i];`,
    ),
  },
  {
    name: 'an integer count that is added up atomically',
    before: kernel(
      `${T}  int count = 0;\n  for (int i = t * c; i < (t + 1) * c; i++) {\n    if (in[i] > 0.5f) count++;\n  }\n  atomicAdd(total, count);`,
      'const float *in, int *total, int c',
    ),
    after: kernel(
      `${T}  int count = 0;\n  for (int i = t; i < c * gridDim.x * blockDim.x; i += gridDim.x * blockDim.x) {\n    if (in[i] > 0.5f) count++;\n  }\n  atomicAdd(total, count);`,
      'const float *in, int *total, int c',
    ),
  },
  {
    name: 'a histogram, locals of the turn, two elements a turn',
    before: kernel(
      `${T}  for (size_t i = t * c; i < (t + 1) * c; i++) {\n    float v = in[i];\n    v *= 2.0f;\n    out[2 * i] = v;\n    out[2 * i + 1] = -v;\n    atomicAdd(&bins[(int)v], 1);\n  }`,
      'const float *in, float *out, int *bins, int c',
    ),
    after: kernel(
      `${T}  for (size_t i = t; i < c * gridDim.x * blockDim.x; i += gridDim.x * blockDim.x) {\n    float v = in[i];\n    v *= 2.0f;\n    out[2 * i] = v;\n    out[2 * i + 1] = -v;\n    atomicAdd(&bins[(int)v], 1);\n  }`,
      'const float *in, float *out, int *bins, int c',
    ),
  },
  {
    name: 'a guard that no thread of the launches meets',
    before: kernel(
      `${T}  if (t >= c) return;\n  for (int i = (n / c) * t; i < min(n, (n / c) * (t + 1)); ++i) out[i] = in[i];`,
    ),
    after: kernel(`${T}  if (t >= c) return;\n  for (int i = t; i < n; i += gridDim.x * blockDim.x) out[i] = in[i];`),
    launches: [
      {
        gridX: 4,
        blockX: 256,
        values: new Map([
          ['n', 1 << 20],
          ['c', 1024],
        ]),
      },
    ],
  },
  {
    name: 'the last thread takes what the division leaves',
    before: kernel(
      `${T}  int threads = gridDim.x * blockDim.x;\n  int chunk = n / threads;\n  int start = t * chunk;\n  int end = (t == threads - 1) ? n : start + chunk;\n  for (int i = start; i < end; i++) out[i] = in[i];`,
    ),
    after: kernel(
      `${T}  int threads = gridDim.x * blockDim.x;\n  for (int i = t; i < n; i += threads) out[i] = in[i];`,
    ),
  },
  {
    name: 'chunks counted from 0, their elements in a local',
    before: kernel(
      `${T}  int base = t * 4;\n#pragma unroll\n  for (int k = 0; k < 4; k++) {\n    int i = base + k;\n    if (i < n) out[i] = in[i] + in[i + 1];\n  }`,
    ),
    after: kernel(
      `${T}#pragma unroll\n  for (int k = 0; k < 4; k++) {\n    int i = t + k * gridDim.x * blockDim.x;\n    if (i < n) out[i] = in[i] + in[i + 1];\n  }`,
    ),
  },
  {
    name: 'chunks counted from 0, their elements in the subscripts',
    before: kernel(`${T}  for (int k = 0; k < c; k++) out[t * c + k] = in[t * c + k] * (t * c + k);`),
    after: kernel(
      `${T}  for (int k = 0; k < c; k++) out[t + k * gridDim.x * blockDim.x] = in[t + k * gridDim.x * blockDim.x] * (t + k * gridDim.x * blockDim.x);`,
    ),
  },
  {
    name: 'chunks counted from 0 that end early',
    before: kernel(
      `  for (int k = 0; k < 8; k++) {\n    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 8 + k;\n    if (i >= n) break;\n    out[i] = in[i];\n  }`,
    ),
    after: kernel(
      `  for (int k = 0; k < 8; k++) {\n    int i = blockIdx.x * blockDim.x + threadIdx.x + k * gridDim.x * blockDim.x;\n    if (i >= n) break;\n    out[i] = in[i];\n  }`,
    ),
  },
];

/** Bodies whose iterations need each other, their own thread or a function that is not known: a run tells. */
const LOOP = 'for (int i = t * c; i < (t + 1) * c; i++)';
const refused: readonly (readonly [name: string, body: string])[] = [
  ['a running sum', `float s = 0;\n  ${LOOP} { s += in[i]; out[i] = s; }`],
  ['a floating-point sum', `float s = 0;\n  ${LOOP} s += in[i];\n  out[t] = s;`],
  ['an integer sum that the thread keeps', `int s = 0;\n  ${LOOP} s += in[i] > 0;\n  out[t] = s;`],
  ['a neighbour of the written array', `${LOOP} out[i] = out[i + 1];`],
  ['a prefix in place', `${LOOP} out[i + 1] = out[i] + in[i];`],
  ['the written array used after the loop', `${LOOP} out[i] = in[i];\n  out[t * c] = 0;`],
  ['one element for all turns', `${LOOP} out[t] = in[i];`],
  ['the thread number in the body', `${LOOP} out[i] = in[i] + threadIdx.x;`],
  ['a break', `${LOOP} { if (in[i] < 0) break; out[i] = 1; }`],
  ['threads that left', `if (t >= n) return;\n  ${LOOP} out[i] = in[i];`],
  ['a loop around it that differs', `for (int k = 0; k < t; k++)\n    ${LOOP} out[i] += in[i];`],
  ['threads that pass by', `if (t < n) ${LOOP} out[i] = in[i];`],
  ['an unknown call', `${LOOP} out[i] = f(i);`],
  ['a scatter', `${LOOP} out[(int)in[i]] = in[i];`],
  ['a row per turn', `${LOOP} for (int j = 0; j < n; j++) out[i * n + j] = in[j];`],
  ['a reference', `${LOOP} { float &pair = out[i / 2]; pair += in[i]; }`],
  ['a pointer of the thread', `in += t;\n  ${LOOP} out[i] = in[i];`],
  [
    'a counted chunk that is summed up',
    'float s = 0;\n  for (int k = 0; k < c; k++) s += in[t * c + k];\n  out[t] = s;',
  ],
  ['a counted chunk whose neighbours meet', 'for (int k = 0; k < c; k++) out[t * c + k] = out[t * c + k + 1];'],
  ['a counted chunk that writes beside its element', 'for (int k = 0; k < c; k++) out[t * c + k + t] = in[t * c + k];'],
  ['a row for each thread', 'for (int j = 0; j < c; j++) out[t] += in[t * c + j];'],
  [
    'a counted chunk that ends at data',
    'for (int k = 0; k < c; k++) { int i = t * c + k; if (in[i] < 0) break; out[i] = 1; }',
  ],
];

const others: readonly { name: string; text: string }[] = [
  {
    name: 'a grid-stride loop',
    text: kernel(`${T}  for (int i = t; i < n; i += gridDim.x * blockDim.x) out[i] = in[i];`),
  },
  { name: 'chunks that overlap', text: kernel(`${T}  for (int i = t * c; i < (t + 2) * c; i++) out[i] = in[i];`) },
  { name: 'chunks with gaps', text: kernel(`${T}  for (int i = t * c; i < t * c + n; i++) out[i] = in[i];`) },
  {
    name: 'a thread number that is not the global one',
    text: kernel(
      `  int t = blockIdx.x * 128 + threadIdx.x;\n  for (int i = t * c; i < (t + 1) * c; i++) out[i] = in[i];`,
    ),
  },
  {
    name: 'a variable that lives on',
    text: kernel(`${T}  int i;\n  for (i = t * c; i < (t + 1) * c; i++) out[i] = in[i];\n  if (i == n) out[0] = 0;`),
  },
  {
    name: 'a size that changes',
    text: kernel(`${T}  c *= 2;\n  for (int i = t * c; i < (t + 1) * c; i++) out[i] = in[i];`),
  },
  {
    name: 'a counted chunk that is kept in an array',
    text: kernel(
      `${T}  float items[4];\n  for (int k = 0; k < 4; k++) items[k] = in[t * 4 + k];\n  out[t] = items[0];`,
    ),
  },
  { name: 'rows of another length', text: kernel(`${T}  for (int k = 0; k < c; k++) out[t * n + k] = in[t * n + k];`) },
  ...(
    [
      ['that is read behind it', 'int i = t * 16;', 'out[i] = in[i];\n    i++;', 'out[0] = i;'],
      ['that is read in front of it', 'int i = t * 16;\n  out[i] = 0;', 'out[i] = in[i];\n    i++;', ''],
      ['that is skipped over', 'int i = t * 16;', 'if (in[i] > 0) continue;\n    out[i] = in[i];\n    i++;', ''],
      ['that moves twice', 'int i = t * 16;', 'out[i] = in[i];\n    i += 0;\n    i++;', ''],
      ['that moves in front', 'int i = t * 16;', 'i++;\n    out[i] = in[i];', ''],
      ['that moves by two', 'int i = t * 16;', 'out[i] = in[i];\n    i += 2;', ''],
      ['that moves back', 'int i = t * 16;', 'out[i] = in[i];\n    i--;', ''],
      ['that grows by itself', 'int i = t * 16;', 'out[i] = in[i];\n    i = i + i;', ''],
      ['that is taken from another', 'int i = t * 16;', 'out[i] = in[i];\n    i = n + 1;', ''],
      ['that stays', 'int i = t * 16;', 'i++;\n    n += 1;', ''],
      ['whose address is known', 'int i = t * 16;\n  int *p = &i;', 'out[i] = in[i];\n    i++;', ''],
      ['that has no start', 'int i;', 'out[i] = in[i];\n    i++;', ''],
      ['that is an element', 'int i[1] = {t * 16};', 'out[i[0]] = 0;\n    i[0]++;', ''],
    ] as const
  ).map(([name, start, body, behind]) => ({
    name: `a while loop over a variable ${name}`,
    text: kernel(`${T}  ${start}\n  while (i < t * 16 + 16) {\n    ${body}\n  }\n  ${behind}`),
  })),
  { name: 'inclusive end', text: kernel(`${T}  for (int i = t * c; i <= (t + 1) * c; i++) out[i] = in[i];`) },
];

describe('chunk loops', function () {
  this.timeout(60000);
  for (const { name, before, after, launches } of mended) {
    it(`fixes: ${name}`, async () => {
      const fact = await chunkIn(before, launches);
      assert.ok(fact, 'recognised');
      assert.equal('edits' in fact ? applied(before, fact.edits) : fact.why, after);
      assert.equal(await chunkIn(after, launches), undefined, 'the fixed loop is not a chunk loop');
    });
  }
  it('produces code that nvcc accepts', () => {
    const all = mended.map((each, at) => each.after.replace('void k(', `void k${at}(`)).join('\n');
    assert.equal(compilerComplaints(all) ?? '', '');
  });
  for (const [name, body] of refused)
    it(`refuses: ${name}`, async () => {
      const text = kernel(T + body);
      assert.equal((await fixIn(await readIn(text), text, /grid-stride/))?.after, undefined);
    });
  for (const { name, text } of others)
    it(`is not a chunk loop: ${name}`, async () => assert.equal(await chunkIn(text), undefined));
});

// Variations of launches of few blocks, of kernels whose loops share their work among any number of threads.
import type { Draw, Variation } from './variations';

export const moreBlocks = { name: 'more-blocks', titles: /^Launch \d+ blocks/, vary };

function vary(draw: Draw, name: string): Variation {
  const type = draw.pick(['float', 'int', 'double']);
  const [blocks, threads] = draw.pick([
    [8, 32],
    [64, 64],
    [24, 96],
    [100, 32],
  ] as const);
  const extent = draw.pick(['blockDim.x', 'blockDim.x', 'THREADS']);
  const all = draw.pick([1, 1000, 4096, 7 * 13 * 99]);
  const at = draw.pick(['k', 'i']);
  const id = draw.pick(['pos', 'id', 'me']);
  const use = draw.pick([
    [`v[${at}] = v[${at}] * 2 + w[${at}];`],
    [`int q = ${at};`, 'const int a = (q /= 1) % 5;', `v[${at}] += w[a] - q;`],
    [`for (int j = 0; j < 3; j++) v[${at}] += w[j];`],
    [`if (w[${at}] > 0) v[${at}] = twice(w[${at}]);`],
    // What is kept from iteration to iteration, and what others write, is not shared.
    [`v[${at}] = last;`, `last = w[${at}];`],
    [`v[${at}] = ${at} > 0 ? v[${at} - 1] : w[0];`],
  ]);
  const [start, end, step] = draw.pick([
    [`N * ${id} / size`, `N * (${id} + 1) / size`, `++${at}`],
    [`N * ${id} / size`, `N * (${id} + 1) / size`, `${at}++`],
    [id, 'N', `${at} += size`],
    [id, 'N', `${at} += size`],
  ] as const);
  const launch = draw.pick([
    [`work<<<${blocks}, ${threads}>>>(v, w);`],
    [`const int blocks = ${blocks};`, `work<<<blocks, ${threads}>>>(v, w);`],
    [`dim3 grid(${blocks}), block(${threads});`, 'work<<<grid, block>>>(v, w);'],
  ]);
  const text = [
    `#define THREADS ${threads}`,
    `__device__ ${type} twice(${type} x) { return x + x; }`,
    `__global__ void work(${type} *v, const ${type} *w) {`,
    `  const int ${id} = blockIdx.x * ${extent} + threadIdx.x;`,
    `  const int size = ${draw.pick([`${extent} * gridDim.x`, `gridDim.x * ${extent}`])};`,
    `  const int N = ${all};`,
    ...(use.some((line) => line.includes('last')) ? [`  ${type} last = 0;`] : []),
    `  for (int ${at} = ${start}; ${at} < ${end}; ${step}) {`,
    ...use.map((line) => `    ${line}`),
    '  }',
    '}',
    '',
    `void run(${type} *v, const ${type} *w, int n) {`,
    ...launch.map((line) => `  ${line}`),
    '}',
    '',
  ].join('\n');
  const count = `${Math.max(all, 8)} + n`;
  return {
    name,
    text,
    parameters: [{ name: 'v', type, count }, { name: 'w', type, count }, { size: 'n' }],
    sizes: [1, 7].map((n) => ({ n })),
  };
}

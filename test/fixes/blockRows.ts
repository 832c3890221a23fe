// Variations of blocks whose threads each walk a separate row and go on with what came of it.
import type { Draw, Variation } from './variations';

export const blockRows = { name: 'block-rows', titles: /^One warp of the block per row/, vary };

function vary(draw: Draw, name: string): Variation {
  const [type, zero] = draw.pick([
    ['float', '0.0f'],
    ['double', '0'],
    ['int', '0'],
    ['unsigned int', '0u'],
  ] as const);
  const isFloat = type === 'float' || type === 'double';
  const [tid, sum, counter] = draw.pick([
    ['t', 'sum', 'c'],
    ['tid', 'total', 'row'],
    ['lane', 'offset', 'i'], // names that the fix would like for itself
    ['threadIdx.x', 'acc', 'j'],
  ] as const);
  const block = draw.pick([32, 64, 64, 128]);
  const shared = draw.chance(0.6);
  const before = draw.chance(0.5) ? `blockIdx.x * ${block} + ${tid}` : `(blockIdx.x * blockDim.x + ${tid})`;
  const element = `in[(${before.replace(/^\((.*)\)$/, '$1')}) * columns + ${counter}]`;
  const start = draw.chance(0.3) ? `seed[${tid}]` : zero;
  const combine = draw.pick([
    `${sum} += ${element};`,
    `${sum} += ${element} * vec[${counter}];`,
    `${sum} = ${sum} - ${element};`,
    `${sum} = max(${sum}, ${element});`,
    `if (${element} < ${sum}) ${sum} = ${element};`,
    ...(isFloat ? [] : [`${sum} ^= ${element};`]),
  ]);
  const second = draw.chance(0.3);
  const loop = `for (int ${counter} = 0; ${counter} < columns; ${draw.pick([`${counter}++`, `++${counter}`, `${counter} += 1`])})`;
  const body = [combine, ...(second ? [`most = max(most, ${element});`] : [])];
  const store = shared ? `means[${tid}]` : `result[blockIdx.x * ${block} + ${tid}]`;
  const lines = [
    ...(shared ? [`__shared__ ${type} means[${block}];`] : []),
    ...(tid.includes('.') ? [] : [`const int ${tid} = threadIdx.x;`]),
    `${type} ${sum} = ${start};`,
    ...(second ? [`${type} most = ${zero};`] : []),
    ...(draw.chance(0.2) ? ['#pragma unroll 2'] : []),
    ...(body.length === 1 && draw.chance(0.5)
      ? [loop, `  ${body[0]!}`]
      : [`${loop} {`, ...body.map((line) => `  ${line}`), '}']),
    `${store} = ${draw.pick([sum, `${sum} + ${sum}`, `${sum} * vec[0]`])};`,
    ...(second ? [`other[blockIdx.x * ${block} + ${tid}] = most;`] : []),
    ...(shared
      ? ['__syncthreads();', `result[blockIdx.x * ${block} + ${tid}] = means[${tid}] - means[${block} - 1 - ${tid}];`]
      : []),
  ];
  const text = [
    `__global__ void each(const ${type} *in, const ${type} *vec, const ${type} *seed, ${type} *result, ${type} *other, int columns) {`,
    ...lines.map((line) => (line.startsWith('#') ? line : `  ${line}`)),
    '}',
    '',
    `void run(const ${type} *in, const ${type} *vec, const ${type} *seed, ${type} *result, ${type} *other, int sets, int columns) {`,
    `  each<<<sets, ${block}>>>(in, vec, seed, result, other, columns);`,
    '}',
    '',
  ].join('\n');
  return {
    name,
    text,
    parameters: [
      { name: 'in', type, count: `sets * ${block} * columns` },
      { name: 'vec', type, count: 'columns + 1' },
      { name: 'seed', type, count: String(block) },
      { name: 'result', type, count: `sets * ${block}`, input: 'zero' },
      { name: 'other', type, count: `sets * ${block}`, input: 'zero' },
      { size: 'sets' },
      { size: 'columns' },
    ],
    sizes: [
      [1, 1],
      [0, 5],
      [1, 31],
      [1, 32],
      [1, 33],
      [1, 0],
      [2, 70],
    ].map(([sets, columns]) => ({ sets: sets!, columns: columns! })),
    bound: type === 'float' ? 2e-5 : 1e-12,
  };
}

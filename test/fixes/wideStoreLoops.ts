// Variations of kernels whose loops store elements as one by one.
import type { Draw, Variation } from './variations';
import { onAllocated } from './wideStores';

export const wideStoreLoops = { name: 'wide-store-loops', titles: /^Store \d+ elements as/, vary };

function vary(draw: Draw, name: string): Variation {
  const type = draw.pick(['float', 'int', 'double', 'short', 'unsigned char']);
  const each = type === 'double' ? 2 : draw.pick([2, 4, 4]);
  const row = draw.pick([each, each, 2 * each]);
  const [i, c] = draw.pick([
    ['i', 'c'],
    ['part', 'first'],
    ['id', 'parts'], // the name that the fix would like for itself
  ] as const);
  const from = draw.pick([0, 0, 1, 3]);
  const offset = draw.pick([0, 0, each]);
  const element = draw.pick([`${i} * ${row} + ${c}`, `${c} + ${row} * ${i}`, `(${i} * ${row}) + (${c})`]);
  const place = `${element}${from ? ` - ${from}` : ''}${offset ? ` + shift * ${offset}` : ''}`;
  const head = draw.pick([
    `for (int ${c} = ${from}; ${c} < ${each + from}; ${c}++)`,
    `for (int ${c} = ${from}; ${c} <= ${each + from - 1}; ++${c})`,
    `for (unsigned int ${c} = ${from}; ${each + from} > ${c}; ${c} += 1)`,
  ]);
  const value = draw.pick([
    `own[${c} % 4]`,
    `own[${c} % 4] * 2 + ${c}`,
    `in[(${i} + ${c}) % n]`,
    `(${type})(${c} + shift)`,
  ]);
  const body = draw.pick([
    [`${head} out[${place}] = ${value};`],
    [`${head} {`, `  const int to = ${place};`, `  out[to] = ${value};`, '}'],
    [`${head} {`, `  own[${c} % 4] += 1;`, `  out[${place}] = ${value};`, '}'],
    ['#pragma unroll', `${head}`, `  out[${place}] = ${value};`],
  ]);
  const braced = draw.chance(0.4);
  const text = [
    `__global__ void put(const ${type} *in, ${type} *out, int n, int shift) {`,
    `  int ${i} = blockIdx.x * blockDim.x + threadIdx.x;`,
    ...(braced ? [] : [`  if (${i} >= n) return;`]),
    `  ${type} own[4];`,
    `  for (int k = 0; k < 4; k++) own[k] = (${type})(${i} % 5 + k);`,
    ...(braced ? [`  if (${i} < n) {`, ...body.map((line) => `    ${line}`), '  }'] : body.map((line) => `  ${line}`)),
    '}',
    '',
    ...onAllocated(type, `n * ${row}`, 'put<<<(n + 63) / 64, 64>>>(in, own, n, shift);', each),
  ].join('\n');
  return {
    name,
    text,
    parameters: [
      { name: 'in', type, count: 'n + 1' },
      { name: 'out', type, count: `n * ${row} + ${2 * each} * shift` },
      { size: 'n' },
      { size: 'shift' },
    ],
    sizes: [0, 1, 31, 32, 33, 100].map((n, at) => ({ n, shift: at % 3 })),
  };
}

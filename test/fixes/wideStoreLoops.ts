// Variations of kernels whose loops store elements as one by one.
import type { Draw, Variation } from './variations';

export const wideStoreLoops = { name: 'wide-store-loops', titles: /^Store \d+ elements as/, vary };

function vary(draw: Draw, name: string): Variation {
  const type = draw.pick(['float', 'int', 'double', 'short', 'unsigned char']);
  const T = draw.chance(0.2) ? 'T' : type;
  const each = draw.pick([2, 4, 6, 8, 16]);
  const [i, c] = draw.pick([
    ['i', 'c'],
    ['part', 'first'], // names that the fix would like for itself
    ['id', 'parts'],
  ] as const);
  const from = draw.pick([0, 0, 1, 3]);
  const offset = draw.pick([0, 0, 1]);
  const element = draw.pick([`${i} * ${each} + ${c}`, `${c} + ${each} * ${i}`, `(${i} * ${each}) + (${c})`]);
  const place = `${element}${from ? ` - ${from}` : ''}${offset ? ' + shift' : ''}`;
  const head = draw.pick([
    `for (int ${c} = ${from}; ${c} < ${each + from}; ${c}++)`,
    `for (int ${c} = ${from}; ${c} <= ${each + from - 1}; ++${c})`,
    `for (unsigned int ${c} = ${from}; ${each + from} > ${c}; ${c} += 1)`,
  ]);
  const value = draw.pick([
    `own[${c} % 4]`,
    `own[${c} % 4] * 2 + ${c}`,
    `in[(${i} + ${c}) % n]`,
    `(${T})(${c} + shift)`,
  ]);
  const body = draw.pick([
    [`${head} out[${place}] = ${value};`],
    [`${head} {`, `  const int to = ${place};`, `  out[to] = ${value};`, '}'],
    [
      `${head} {`,
      `  own[${c} % 4] += 1;`,
      `  out[${place}] = ${value};`,
      `  other[${i} * ${each} + ${c} - ${from}] = ${value};`,
      '}',
    ],
    ['#pragma unroll', `${head}`, `  out[${place}] = ${value};`],
  ]);
  const braced = draw.chance(0.4);
  const text = [
    ...(T === 'T' ? ['template <typename T>'] : []),
    `__global__ void put(const ${T} *in, ${T} *out, ${T} *other, int n, int shift) {`,
    `  int ${i} = blockIdx.x * blockDim.x + threadIdx.x;`,
    ...(braced ? [] : [`  if (${i} >= n) return;`]),
    `  ${T} own[4];`,
    `  for (int k = 0; k < 4; k++) own[k] = (${T})(${i} % 5 + k);`,
    ...(braced ? [`  if (${i} < n) {`, ...body.map((line) => `    ${line}`), '  }'] : body.map((line) => `  ${line}`)),
    '}',
    '',
    `void run(const ${type} *in, ${type} *out, ${type} *other, int n, int shift) {`,
    `  put<<<(n + 63) / 64, 64>>>(in, out, other, n, shift);`,
    '}',
    '',
  ].join('\n');
  return {
    name,
    text,
    parameters: [
      { name: 'in', type, count: 'n + 1' },
      { name: 'out', type, count: `n * ${each} + shift` },
      { name: 'other', type, count: `n * ${each}` },
      { size: 'n' },
      { size: 'shift' },
    ],
    sizes: [0, 1, 31, 32, 33, 100].map((n, at) => ({ n, shift: at % 3 })),
  };
}

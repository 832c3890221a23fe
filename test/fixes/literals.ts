// Variations of kernels whose float arithmetic holds doubles; a float holds the drawn whole numbers exactly.
import type { Draw, Variation } from './variations';

export const literals = { name: 'literals', titles: /^Write `/, vary };
export const literalsTogether = { name: 'literals-together', titles: /^Write all \d+ doubles of/, vary };

function vary(draw: Draw, name: string): Variation {
  const number = (): string => draw.pick(['0.5', '2.0', '1.0', '4.', '.25', '1e1', 'HALF', 'TWICE']);
  const term = (): string =>
    draw.pick([
      `x * ${number()}`,
      `${number()} * x`,
      `x + ${number()}`,
      `(${number()} - x) * ${number()}`,
      `fabs(x) * ${number()}`,
      `x / ${draw.pick(['2.0', '0.5', 'TWICE'])}`,
      `(x > ${number()} ? x : ${number()})`,
      `-x + w[i] * ${number()}`,
    ]);
  const body = draw.pick([
    [`v[i] = ${term()};`],
    [`v[i] += ${term()} + ${term()};`],
    [`float y = ${term()};`, `for (int k = 0; k < 3; k++)`, `  y = y * 0.5 + ${number()};`, 'v[i] = y;'],
    [`if (x > ${number()})`, `  v[i] = ${term()};`],
    [`float y = x;`, `y *= ${number()};`, `v[i] = y - ${term()};`],
  ]);
  const text = [
    '#define HALF 0.5',
    '#define TWICE 2.0',
    '__global__ void mix(float *v, const float *w, int n) {',
    '  int i = blockIdx.x * blockDim.x + threadIdx.x;',
    '  if (i >= n) return;',
    '  float x = v[i];',
    ...body.map((line) => `  ${line}`),
    '}',
    '',
    'void run(float *v, const float *w, int n) {',
    '  mix<<<(n + 63) / 64, 64>>>(v, w, n);',
    '}',
    '',
  ].join('\n');
  return {
    name,
    text,
    parameters: [{ name: 'v', type: 'float', count: 'n' }, { name: 'w', type: 'float', count: 'n' }, { size: 'n' }],
    sizes: [0, 1, 31, 33, 100].map((n) => ({ n })),
    bound: 1e-5,
    rounds: true,
  };
}

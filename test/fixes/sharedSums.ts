// Variations of factorisations in shared memory, whose sums stay in the array that their loops read.
import type { Draw, Variation } from './variations';

export const sharedSums = { name: 'shared-sums', titles: /^Add up in a local variable and store it after/, vary };

function vary(draw: Draw, name: string): Variation {
  const type = draw.pick(['float', 'double', 'int', 'unsigned int', 'long long']);
  const size = draw.pick([12, 16, 24, 32]);
  const width = size + draw.pick([0, 1]);
  const T = draw.chance(0.2) ? 'T' : type;
  const t = draw.pick(['threadIdx.x', 't', 'sum'] as const);
  const flat = draw.chance(0.05);
  const at = (row: string, column: string): string =>
    flat ? `s[(${row}) * ${width} + ${column}]` : `s[${row}][${column}]`;
  const guard = (first: string): string =>
    draw.pick([`${t} > ${first}`, `${first} < ${t}`, `${t} >= ${first} + 1`, `${t} > ${first} && ${t} < ${size}`]);
  const head = (end: string): string =>
    draw.pick([
      `for (j = 0; j < ${end}; j++)`,
      `for (int j = 0; j < ${end}; ++j)`,
      `for (int j = 0; j <= ${end} - 1; j += 1)`,
      `for (int j = 0; ${end} > j; j += 2)`,
    ]);
  const adds = (place: string, value: string): string =>
    draw.pick([`${place} -= ${value};`, `${place} += ${value};`, `${place} = ${place} - ${value};`]);
  // The column below the diagonal, the row after it, or rows by those above them.
  const column = [
    `if (${guard('i')}) {`,
    `  ${head('i')} ${adds(at(t, 'i'), `${at(t, 'j')} * ${at('j', 'i')}`)}`,
    ...(draw.chance(0.6) ? [`  ${at(t, 'i')} *= 3;`] : []),
    '}',
  ];
  const row = [
    `if (${guard('i')}) {`,
    `  ${head('i + 1')} ${adds(at('i + 1', t), `${at('i + 1', 'j')} * ${at('j', t)}`)}`,
    '}',
  ];
  const above = [head('i'), `  ${adds(at('i', t), `${at('j', t)} * ${draw.pick(['2', 'w[j]', 'w[i]'])}`)}`];
  const steps = draw.pick([
    [...column, '__syncthreads();'],
    [...row, '__syncthreads();'],
    [...column, '__syncthreads();', ...row, '__syncthreads();'],
    above,
  ]);
  const last = draw.pick([`i < ${size} - 1`, `i <= ${size} - 2`]);
  const text = [
    ...(T === 'T' ? ['template <typename T>'] : []),
    `__global__ void factor(${T} *v, const ${T} *w, int n) {`,
    `  __shared__ ${T} s${flat ? `[${size} * ${width}]` : `[${size}][${width}]`};`,
    '  int i, j = 0;',
    ...(t === 'threadIdx.x' ? [] : [`  ${draw.pick(['int', 'const int', 'unsigned int'])} ${t} = threadIdx.x;`]),
    `  for (i = 0; i < ${size}; i++) ${at('i', t)} = v[(blockIdx.x * ${size} + i) * ${size} + ${t}] % 3;`,
    '  __syncthreads();',
    `  for (i = 0; ${last}; i++) {`,
    ...steps.map((line) => `    ${line}`),
    '  }',
    '  __syncthreads();',
    `  for (i = 0; i < ${size}; i++) v[(blockIdx.x * ${size} + i) * ${size} + ${t}] = ${at('i', t)} + j;`,
    '}',
    '',
    `void run(${type} *v, const ${type} *w, int n) {`,
    `  if (n > 0) factor<<<n, ${size}>>>(v, w, n);`,
    '}',
    '',
  ].join('\n');
  const real = type === 'float' || type === 'double';
  return {
    name,
    // Small numbers: what is multiplied so often leaves the range of a type soon.
    text: real ? text.replace('% 3;', '* 0.125f;') : text,
    parameters: [
      { name: 'v', type, count: `size_t(n) * ${size * size}` },
      { name: 'w', type, count: `${size}` },
      { size: 'n' },
    ],
    sizes: [0, 1, 3].map((n) => ({ n })),
    bound: type === 'float' ? 1e-5 : 1e-13,
    ...(real ? { rounds: true as const } : {}),
  };
}

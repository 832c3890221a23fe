// Variations of kernels whose blocks of one thread nothing ends, or whose end lies beyond what a launch starts.
import { runsOf, type Draw, type Variation } from './variations';

export const oneThreadEnds = {
  name: 'one-thread-ends',
  titles: /^One thread per element/,
  vary,
};

function vary(draw: Draw, name: string): Variation {
  const type = draw.pick(['float', 'int', 'double']);
  const T = draw.chance(0.3) ? 'T' : type;
  const at = draw.pick(['b', 'row', 'threads', 'i']);
  const columns = draw.pick([1, 3, 8]);
  const first = draw.chance(0.3) ? 'FIRST' : 'blockIdx.x';
  const use = (of: string): string[] =>
    draw.pick([
      [`v[${of}] = v[${of}] * 2 + ${of};`],
      [
        `${T} sum = 0;`,
        `for (int k = 0; k < ${columns}; k++)`,
        `  sum += w[${of} * ${columns} + k];`,
        `v[${of}] = sum;`,
      ],
      [`if (w[${of}] > 0)`, `  v[${of}] -= 1;`, 'else', `  v[${of}] = twice(w[${of} * ${columns}]);`],
    ]);
  const indented = (lines: readonly string[], by: string): string[] => lines.map((line) => by + line);
  const index = draw.pick(['int', 'unsigned', 'const int', 'size_t', 'long long']);
  const body = draw.pick([
    [`${index} ${at} = ${first};`, ...use(at)],
    [`${index} ${at} = ${first};`, ...use(at)],
    [`v[${first}] += w[${first}];`],
    [`${index} ${at} = ${first};`, `if (${at} < 2 * n) {`, ...indented(use(at), '  '), '}'],
    [`${index} ${at} = ${first};`, `if (${at} > n + 7)`, '  return;', ...use(at)],
    [`if (w[${first}] > 0) {`, `  ${index} ${at} = ${first};`, ...indented(use(at), '  '), '}'],
  ]);
  const grid = draw.pick(['n', 'n - 1 + 1', 'count(n)', 'n > 1 ? n : 1']);
  const launch = draw.pick([
    [`take<<<${grid}, 1>>>(v, w, n);`],
    [`take<<<dim3(${grid}), dim3(1)>>>(v, w, n);`],
    ['const int one = 1;', `take<<<${grid}, one>>>(v, w, n);`],
    [`dim3 grid(${grid}), block(1);`, 'take<<<grid, block>>>(v, w, n);'],
    [`take<<<${grid}, 1>>>(v, w, n);`, 'take<<<(n + 1) / 2, dim3(1, 1, 1)>>>(v, w, n);'],
    ['for (int k = 1; k < 4; k++)', '  take<<<(n + k - 1) / k, 1>>>(v, w, n);'],
  ]);
  const template = T === 'T' ? ['template <typename T>'] : [];
  const text = [
    ...(first === 'FIRST' ? ['#define FIRST blockIdx.x'] : []),
    'int count(int n) { return n; }',
    ...template,
    `__device__ ${T} twice(${T} x) { return x + x; }`,
    ...template,
    `__global__ void take(${T} *v, const ${T} *w, int n)${draw.pick([' {', '\n{'])}`,
    ...indented(body, '  '),
    '}',
    '',
    `void run(${type} *v, const ${type} *w, int n) {`,
    ...indented(launch, '  '),
    '}',
    '',
  ].join('\n');
  return { name, text, ...runsOf(type, columns) };
}

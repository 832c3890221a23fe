// Variations of kernels whose blocks of one thread each take an element or a row.
import { runsOf, type Draw, type Variation } from './variations';

export const oneThread = { name: 'one-thread', titles: /^One thread per element/, vary };

function vary(draw: Draw, name: string): Variation {
  const type = draw.pick(['float', 'int', 'double']);
  const at = draw.pick(['b', 'row', 'i']);
  const index = draw.pick(['int', 'unsigned', 'const int', 'size_t']);
  const columns = draw.pick([1, 3, 8]);
  const byMacro = draw.chance(0.3);
  const [first, step] = byMacro ? ['FIRST', 'STEP'] : ['blockIdx.x', 'gridDim.x'];
  const use = (of: string): string[] =>
    draw.pick([
      [`v[${of}] = v[${of}] * 2 + ${of};`],
      [
        `${type} sum = 0;`,
        `for (int k = 0; k < ${columns}; k++)`,
        `  sum += w[${of} * ${columns} + k];`,
        `v[${of}] = sum;`,
      ],
      [`v[${of}] = most(v[${of}], w[${of}]);`],
      [`if (v[${of}] > 0)`, `  v[${of}] -= 1;`, 'else', `  v[${of}] = w[${of} * ${columns}];`],
    ]);
  const indented = (lines: readonly string[], by: string): string[] => lines.map((line) => by + line);
  const body = draw.pick([
    [`${index} ${at} = ${first};`, `if (${at} < n) {`, ...indented(use(at), '  '), '}'],
    [`${index} ${at} = ${first};`, `if (${at} >= n)`, '  return;', ...use(at)],
    [`for (int ${at} = ${first}; ${at} < n; ${at} += ${step}) {`, ...indented(use(at), '  '), '}'],
    [`int ${at};`, `for (${at} = ${first}; ${at} < n; ${at} = ${at} + ${step}) {`, ...indented(use(at), '  '), '}'],
    [`int ${at} = ${first};`, `while (${at} < n) {`, ...indented(use(at), '  '), `  ${at} += ${step};`, '}'],
    [`if (${first} < n)`, `  v[${first}] += w[${first}];`],
  ]);
  const launch = draw.pick([
    ['take<<<n, 1>>>(v, w, n);'],
    ['take<<<dim3(n), dim3(1)>>>(v, w, n);'],
    ['const int one = 1;', 'take<<<n + 2, one>>>(v, w, n);'],
    ['dim3 grid(n), block(1);', 'take<<<grid, block>>>(v, w, n);'],
    ['take<<<n, 1>>>(v, w, n);', 'take<<<n, dim3(1, 1, 1)>>>(v, w, n / 2);'],
  ]);
  const text = [
    ...(byMacro ? ['#define FIRST blockIdx.x', '#define STEP gridDim.x'] : []),
    `__device__ ${type} most(${type} a, ${type} b) { return a > b ? a : b; }`,
    `__global__ void take(${type} *v, const ${type} *w, int n) {`,
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

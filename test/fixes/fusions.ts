// Variations of two elementwise kernels in a row, and of what looks like them: neighbours, other shapes, other arrays.
import type { Draw, Variation } from './variations';

export const fusions = { name: 'fused-kernels', titles: /^Fuse into one kernel, /, vary };

function vary(draw: Draw, name: string): Variation {
  const type = draw.pick(['float', 'double', 'int', 'unsigned int']);
  const plane = draw.chance(0.25);
  const components = plane ? 1 : draw.pick([1, 1, 1, 2, 3]);
  // The thread's own element, and its guard: written out again in each kernel.
  const index = (own: string): { readonly lines: readonly string[]; readonly inside: string; readonly at: string } =>
    plane
      ? {
          lines: [
            `int column = blockIdx.x * blockDim.x + threadIdx.x;`,
            `int row = ${draw.pick(['blockIdx.y * blockDim.y + threadIdx.y', 'threadIdx.y + blockIdx.y * 4'])};`,
            ...(own === 'at' ? ['int at = row * columns + column;'] : []),
          ],
          inside: 'row < rows && column < columns',
          at: own === 'at' ? 'at' : draw.pick(['row * columns + column', 'column + columns * row']),
        }
      : {
          lines: [`${draw.pick(['int', 'const int'])} ${own} = ${draw.pick(sums)};`],
          inside: `${own} < n`,
          at: own,
        };
  const extents = plane ? 'int rows, int columns' : 'int n';
  const given = plane ? 'rows, columns' : 'n';
  const body = (own: string, statement: (at: string) => string): string[] => {
    const { lines, inside, at } = index(own);
    const statements = Array.from({ length: components }, (_, c) =>
      statement(components === 1 ? at : c === 0 ? `${components} * ${at}` : `${components} * ${at} + ${c}`),
    );
    return draw.pick([
      [...lines, `if (${inside}) {`, ...statements.map((each) => `  ${each}`), '}'],
      [...lines, `if (!(${inside})) return;`, ...statements],
      [...lines, `if (${inside}) {`, '  // Its own.', ...statements.map((each) => `  ${each}`), '}'],
    ]);
  };
  const [x, y] = draw.pick([
    ['in', 'out'],
    ['a', 'b'],
    ['n2', 'value'],
  ] as const);
  const first = body(draw.pick(['i', 'at', 'id']), (at) =>
    draw.pick([`${y}[${at}] = ${x}[${at}] + by;`, `${y}[${at}] = by * ${x}[${at}];`, `${y}[${at}] += ${x}[${at}];`]),
  );
  // What a fused kernel would get wrong is among the forms of the second one.
  const neighbour = draw.chance(0.2);
  const inPlace = draw.chance(0.4);
  const [p, q] = draw.pick([
    ['in', 'result'],
    ['b', 'a'],
    ['values', 'to'],
  ] as const);
  const size = plane ? 'rows * columns' : `${components} * n`;
  const from = (at: string): string => (neighbour ? `${p}[(${at} + 1) % (${size})]` : `${p}[${at}]`);
  const second = body(draw.pick(['i', 'j', 'at']), (at) =>
    inPlace && !neighbour
      ? draw.pick([`${p}[${at}] = ${p}[${at}] * ${p}[${at}];`, `if (${p}[${at}] > by) ${p}[${at}] -= by;`])
      : draw.pick([`${q}[${at}] = ${from(at)} * 2;`, `${q}[${at}] += ${from(at)} + by;`]),
  );
  const writesInput = draw.chance(0.15);
  const lastOf = inPlace && !neighbour ? 'middle, last' : `middle, ${writesInput ? 'first' : 'last'}`;
  const block = plane ? 'dim3(16, 4)' : draw.pick(['64', '128']);
  const grid = plane ? 'dim3((columns + 15) / 16, (rows + 3) / 4)' : `(n + ${block} - 1) / ${block}`;
  const other = draw.chance(0.1) && !plane ? '(n + 31) / 32, 32' : `${grid}, ${block}`;
  const check = draw.pick(['', '', '  if (cudaGetLastError() != cudaSuccess) return;']);
  const text = [
    `__global__ void prepare(const ${type} *${x}, ${type} *${y}, ${extents}, ${type} by) {`,
    ...first.map((line) => `  ${line}`),
    '}',
    '',
    `__global__ void finish(${type} *${p}, ${type} *${q}, ${extents}, ${type} by) {`,
    ...second.map((line) => `  ${line}`),
    '}',
    '',
    `void run(${type} *first, ${type} *middle, ${type} *last, ${extents}, int by) {`,
    `  prepare<<<${grid}, ${block}>>>(first, middle, ${given}, by);`,
    ...(check ? [check] : []),
    `  finish<<<${other}>>>(${lastOf}, ${given}, ${draw.pick(['by', '3'])});`,
    '}',
    '',
  ].join('\n');
  const count = plane ? 'size_t(rows) * columns' : `${components} * size_t(n)`;
  return {
    name,
    text,
    parameters: [
      { name: 'first', type, count },
      { name: 'middle', type, count },
      { name: 'last', type, count },
      ...(plane ? [{ size: 'rows' }, { size: 'columns' }] : [{ size: 'n' }]),
      { size: 'by' },
    ],
    sizes: plane
      ? [
          { rows: 5, columns: 37, by: 2 },
          { rows: 4, columns: 16, by: 1 },
        ]
      : [{ n: 1 }, { n: 200 }, { n: 256 }].map((each) => ({ ...each, by: 2 })),
  };
}

const sums = [
  'blockIdx.x * blockDim.x + threadIdx.x',
  'threadIdx.x + blockIdx.x * blockDim.x',
  'blockDim.x * blockIdx.x + threadIdx.x',
];

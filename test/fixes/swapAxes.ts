// Variations of kernels whose x runs down the columns of their arrays.
import type { Draw, Variation } from './variations';

export const swapAxes = { name: 'swap-axes', titles: /^Swap x and y/, vary };

function vary(draw: Draw, name: string): Variation {
  const type = draw.pick(['float', 'double', 'int', 'unsigned char']);
  const generic = draw.chance(0.25);
  const T = generic ? 'T' : type;
  const [row, column] = draw.pick([
    ['row', 'column'],
    ['i', 'j'],
    ['x', 'y'],
  ] as const);
  const index = draw.pick(['int', 'unsigned int', 'auto', 'size_t']);
  const strided = draw.chance(0.3);
  const [bx, by] = draw.pick([
    [16, 16],
    [32, 32],
    [8, 32],
    [16, 8],
    [4, 16],
  ] as const);
  const element = (array: string, more = ''): string => `${array}[${row} * width + ${column}${more}]`;
  const planes = draw.chance(0.25);
  const at = (array: string): string =>
    planes ? `${array}[plane * height * width + ${row} * width + ${column}]` : element(array);
  const work = draw.pick([
    [`${at('out')} = ${at('in')} + (${T})1;`],
    [`${T} value = ${at('in')};`, `${at('out')} = value * value;`],
    [`${at('out')} += ${at('in')};`],
    [`${at('out')} = (${T})(${row} * 3 + ${column});`],
    [`${at('out')} = ${at('in')} + vec[width];`],
  ]);
  const inner = planes ? ['for (int plane = 0; plane < 2; plane++) {', ...work.map((line) => `  ${line}`), '}'] : work;
  const number = (axis: string): string =>
    draw.pick([
      `blockIdx.${axis} * blockDim.${axis} + threadIdx.${axis}`,
      `threadIdx.${axis} + blockDim.${axis} * blockIdx.${axis}`,
    ]);
  const body = strided
    ? [
        `for (int ${row} = ${number('x')}; ${row} < height; ${row} += gridDim.x * blockDim.x)`,
        `  for (int ${column} = ${number('y')}; ${column} < width; ${column} += blockDim.y * gridDim.y) {`,
        ...inner.map((line) => `    ${line}`),
        '  }',
      ]
    : [
        `${index} ${row} = ${number('x')};`,
        `${index} ${column} = ${number('y')};`,
        ...(draw.chance(0.5)
          ? [`if (${row} >= height || ${column} >= width) return;`, ...inner]
          : [`if (${row} < height && ${column} < width) {`, ...inner.map((line) => `  ${line}`), '}']),
      ];
  const [rowsOf, columnsOf] = strided ? ['2', '3'] : [`(height + ${bx} - 1) / ${bx}`, `(width + ${by} - 1) / ${by}`];
  const host = draw.pick([
    [`dim3 block(${bx}, ${by});`, `dim3 grid(${rowsOf}, ${columnsOf});`, 'K<<<grid, block>>>(A);'],
    [
      `dim3 block(${bx}, ${by}, 1);`,
      `dim3 grid(${rowsOf}, ${columnsOf}, 1);`,
      'dim3 copy = grid; (void)copy;',
      'K<<<grid, block>>>(A);',
    ],
    [`K<<<dim3(${rowsOf}, ${columnsOf}), dim3(${bx}, ${by})>>>(A);`],
    [
      'dim3 grid, block;',
      `block.x = ${bx}; block.y = ${by};`,
      `grid.x = ${rowsOf}; grid.y = ${columnsOf};`,
      'K<<<grid, block>>>(A);',
    ],
    [
      `dim3 block = dim3(${bx}, ${by});`,
      `const dim3 grid = dim3(${rowsOf}, ${columnsOf});`,
      'K<<<grid, block>>>(A);',
      'K<<<grid, block>>>(A);',
    ],
    [
      `dim3 block(side, side);`,
      `dim3 grid((height + side - 1) / side, (width + side - 1) / side);`,
      'K<<<grid, block>>>(A);',
    ],
  ]);
  const kernelName = generic ? `touch<${type}>` : 'touch';
  const text = [
    ...(generic ? ['template <typename T>'] : []),
    `__global__ void touch(const ${T} *in, ${T} *out, const ${T} *vec, int width, int height) {`,
    ...body.map((line) => `  ${line}`),
    '}',
    '',
    `void run(const ${type} *in, ${type} *out, const ${type} *vec, int width, int height, int side) {`,
    ...host.map(
      (line) => `  ${line.replace('K<<<', `${kernelName}<<<`).replace('(A);', '(in, out, vec, width, height);')}`,
    ),
    '}',
    '',
  ].join('\n');
  return {
    name,
    text,
    parameters: [
      { name: 'in', type, count: '2 * width * height' },
      { name: 'out', type, count: '2 * width * height' },
      { name: 'vec', type, count: 'width + 1' },
      { size: 'width' },
      { size: 'height' },
      { size: 'side' },
    ],
    sizes: [
      [1, 1],
      [0, 3],
      [31, 33],
      [33, 31],
      [32, 64],
      [100, 7],
    ].map(([width, height]) => ({ width: width!, height: height!, side: draw.pick([8, 16, 20]) })),
  };
}

// Variations of kernels that carry values from rows to columns.
import type { Draw, Variation } from './variations';

export const transposeTile = { name: 'transpose-tile', titles: /^Stage in a shared .* tile/, vary };

function vary(draw: Draw, name: string): Variation {
  const type = draw.pick(['float', 'double', 'int', 'unsigned char', 'short']);
  const generic = draw.chance(0.25);
  const T = generic ? 'T' : type;
  const side = draw.pick([8, 16, 32]);
  const macro = draw.chance(0.3);
  // Blocks of one square, of other planes, and of extents that run time gives.
  const plane = draw.pick(['square', 'square', 'known', 'run-time'] as const);
  const wide = draw.pick([8, 16, 24, 32, 64]);
  const [across, deep] =
    plane === 'square' ? [side, side] : plane === 'known' ? [wide, draw.pick([8, 10, 16])] : [0, 0];
  const extent = (axis: string): string =>
    plane === 'square'
      ? macro
        ? 'SIDE'
        : String(side)
      : plane === 'known'
        ? String(axis === 'x' ? across : deep)
        : `b${axis}`;
  const [x, y] = draw.pick([
    ['x', 'y'],
    ['ix', 'iy'],
    ['column', 'row'],
    ['tile', 'i'], // names that the fix would like for itself
    ['pitch', 'number'],
  ] as const);
  const dim = (axis: string): string =>
    plane === 'run-time' ? `blockDim.${axis}` : draw.pick([`blockDim.${axis}`, extent(axis)]);
  const parts = draw.chance(0.3);
  const thread = (axis: string): string => (parts ? `t${axis}` : `threadIdx.${axis}`);
  const number = (axis: string): string =>
    draw.pick([
      `blockIdx.${axis} * ${dim(axis)} + ${thread(axis)}`,
      `${thread(axis)} + ${dim(axis)} * blockIdx.${axis}`,
      `(blockIdx.${axis} * ${dim(axis)}) + ${thread(axis)}`,
    ]);
  const index = draw.pick(['int', 'const int', 'unsigned int', 'const auto']);
  const along = (array: string, width: string): string =>
    draw.pick([`${array}[${y} * ${width} + ${x}]`, `${array}[${x} + ${width} * ${y}]`]);
  const down = (array: string, height: string): string =>
    draw.pick([`${array}[${x} * ${height} + ${y}]`, `${array}[${y} + ${height} * ${x}]`]);
  const op = draw.pick(['=', '=', '+=', '-=']);
  const isWrite = draw.chance(0.5);
  const [target, source] = isWrite
    ? [down('out', 'height'), along('in', 'width')]
    : [along('out', 'width'), down('in', 'height')];
  const value = op !== '=' ? source : draw.pick([source, `(${T})2 * ${source}`, `${source} + vec[width]`]);
  const ends = draw.pick([
    [`if (${x} < width && ${y} < height) `, ''],
    [`if (${x} < width) if (${y} < height) `, ''],
    ['', `if (${x} >= width || ${y} >= height) return;`],
    ['', `if (${x} >= width) return; if (${y} >= height) return;`],
    [`if (!(${x} >= width) && ${y} < height) { `, ''],
  ] as const);
  const body = [
    ...(parts ? ['const int tx = threadIdx.x, ty = threadIdx.y;'] : []),
    `${index} ${x} = ${number('x')};`,
    `${index} ${y} = ${number('y')};`,
    ...(ends[1] ? [ends[1]] : []),
    `${ends[0]}${target} ${op} ${value};${ends[0].endsWith('{ ') ? ' }' : ''}`,
  ];
  const text = [
    ...(macro ? [`#define SIDE ${side}`] : []),
    ...(generic ? ['template <typename T>'] : []),
    `__global__ void carry(const ${T} *in, ${T} *out, const ${T} *vec, int width, int height) {`,
    ...body.map((line) => `  ${line}`),
    '}',
    '',
    `void run(const ${type} *in, ${type} *out, const ${type} *vec, int width, int height) {`,
    ...(plane === 'run-time' ? ['  int bx = 8 + width % 9, by = 8 + height % 25;'] : []),
    `  dim3 block(${extent('x')}, ${extent('y')});`,
    `  dim3 grid((width + ${extent('x')} - 1) / ${extent('x')}, (height + ${extent('y')} - 1) / ${extent('y')});`,
    '  carry<<<grid, block>>>(in, out, vec, width, height);',
    '}',
    '',
  ].join('\n');
  return {
    name,
    text,
    parameters: [
      { name: 'in', type, count: 'width * height' },
      { name: 'out', type, count: 'width * height' },
      { name: 'vec', type, count: 'width + 1' },
      { size: 'width' },
      { size: 'height' },
    ],
    sizes: [
      [1, 1],
      [0, 3],
      [31, 33],
      [33, 31],
      [64, 32],
      [100, 7],
    ].map(([width, height]) => ({ width: width!, height: height! })),
  };
}

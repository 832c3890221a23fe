// Variations of kernels that multiply matrices, an element a thread: layouts of the three, scalars, guards, launches.
import type { Draw, Variation } from './variations';

export const productCalls = { name: 'product-calls', titles: /^Call cublas[SDH]gemm /, vary };

function vary(draw: Draw, name: string): Variation {
  const type = draw.pick(['float', 'float', 'double', 'half']);
  const zero = type === 'float' ? '0.0f' : type === 'double' ? '0.0' : '__float2half(0.0f)';
  const inRows = draw.chance(0.7);
  const [alongA, alongB] = [draw.chance(0.6), draw.chance(0.5)];
  const padded = draw.chance(0.3);
  const [row, column, at] = draw.pick([
    ['row', 'column', 'k'],
    ['i', 'j', 'l'],
    ['y', 'x', 'step'],
  ] as const);
  // The matrices: `along` their own number is beside the terms' in memory.
  const leadingA = padded ? 'lda' : alongA ? 'depth' : 'm';
  const leadingB = padded ? 'ldb' : alongB ? 'depth' : 'n';
  const leadingC = padded ? 'ldc' : inRows ? 'n' : 'm';
  const place = (own: string, leading: string, other: string): string =>
    draw.pick([`${own} * ${leading} + ${other}`, `${other} + ${leading} * ${own}`]);
  const a = `a[${alongA ? place(row, leadingA, at) : place(at, leadingA, row)}]`;
  const b = `b[${alongB ? place(column, leadingB, at) : place(at, leadingB, column)}]`;
  const c = (): string => `c[${inRows ? place(row, leadingC, column) : place(column, leadingC, row)}]`;
  const product = draw.pick([`${a} * ${b}`, `${b} * ${a}`]);
  const scalars = type === 'half' ? 'none' : draw.pick(['none', 'none', 'added', 'alpha', 'both', 'memory', 'each']);
  const [width, height] = draw.pick([
    [16, 16],
    [32, 8],
    [8, 4],
  ] as const);
  const isWritten = draw.chance(0.3);
  const axes = draw.pick([
    ['x', 'y'],
    ['y', 'x'],
  ] as const);
  const number = (axis: 'x' | 'y'): string => {
    const block = isWritten ? `${axis === 'x' ? width : height}` : `blockDim.${axis}`;
    return draw.pick([
      `blockIdx.${axis} * ${block} + threadIdx.${axis}`,
      `threadIdx.${axis} + ${block} * blockIdx.${axis}`,
    ]);
  };
  const inside = draw.pick([
    [`if (${row} < m && ${column} < n) {`, '  ', '}'],
    [`if (${row} >= m || n <= ${column}) return;`, '', ''],
    [`if (!(${column} < n && ${row} <= m - 1)) return;`, '', ''],
  ]);
  const sum = draw.pick(['sum', 'total']);
  const add = draw.pick([
    `${sum} += ${scalars === 'each' ? 'alpha * ' : ''}${product};`,
    `${sum} = ${sum} + ${scalars === 'each' ? 'alpha * ' : ''}${product};`,
  ]);
  const stored = {
    none: `${c()} = ${sum};`,
    each: `${c()} = ${sum};`,
    added: draw.pick([`${c()} += ${sum};`, `${c()} = ${c()} + ${sum};`]),
    alpha: `${c()} = ${draw.pick([`alpha * ${sum}`, `${sum} * alpha`])};`,
    both: `${c()} = ${draw.pick([`alpha * ${sum} + beta * ${c()}`, `${c()} * beta + alpha * ${sum}`])};`,
    memory: '',
  }[scalars];
  const loop = `for (int ${at} = 0; ${at} < depth; ${draw.pick([`${at}++`, `++${at}`])})`;
  const work =
    scalars === 'memory'
      ? [draw.pick([`${c()} *= beta;`, `${c()} = 0;`, '']), `${loop} ${c()} += alpha * ${product};`]
      : [`${type} ${sum} = ${zero};`, `${loop} ${add}`, stored];
  const isScaled = /alpha|both|memory|each/.test(scalars);
  const sizes = ['m', 'n', 'depth', ...(padded ? ['lda', 'ldb', 'ldc'] : [])];
  // Sizes as expressions of the launching function.
  const twice = draw.chance(0.3);
  const given = sizes.map((size) => (twice && size === 'm' ? '2 * half_m' : size));
  const [mHost] = given;
  const blocks = (extent: string, threads: string): string =>
    draw.pick([
      `(${extent} + ${threads} - 1) / ${threads}`,
      `(${extent} - 1) / ${threads} + 1`,
      `${extent} / ${threads} + 1`,
    ]);
  const extentOf = (axis: 'x' | 'y'): string => (axes[0] === axis ? 'n' : `${mHost}`);
  const isNamed = draw.chance(0.5);
  const grid = `dim3(${blocks(extentOf('x'), `${width}`)}, ${blocks(extentOf('y'), `${height}`)})`;
  const config = isNamed ? 'grid, block' : `${grid}, dim3(${width}, ${height})`;
  const stream = draw.pick(['', '', ', 0, stream']);
  const scales = isScaled
    ? `, ${draw.pick(['by', '2', type === 'float' ? '0.5f' : '0.5'])}, ${draw.pick(['by', '1'])}`
    : '';
  const launch = `multiply<<<${config}${stream}>>>(a, b, c, ${given.join(', ')}${scales});`;
  const check = draw.pick(['', '', 'if (cudaGetLastError() != cudaSuccess) return;']);
  const form = draw.pick(['once', 'once', 'loop', 'twice', 'blocks'] as const);
  const launches = {
    once: [launch, check],
    loop: [`for (int turn = 0; turn < 3; turn++) ${launch}`],
    blocks: ['for (int turn = 0; turn < 2; turn++) {', `  ${launch}`, '}'],
    twice: [launch, draw.pick([check === '' ? 'cudaDeviceSynchronize();' : '', '']), launch],
  }[form];
  const text = [
    `__global__ void multiply(const ${type} *a, const ${type} *b, ${type} *c, ${sizes.map((size) => `int ${size}`).join(', ')}${isScaled ? `, ${type} alpha, ${type} beta` : ''}) {`,
    `  int ${row} = ${number(axes[1])};`,
    `  int ${column} = ${number(axes[0])};`,
    `  ${inside[0]}`,
    ...work.filter(Boolean).map((line) => `  ${inside[1]}${line}`),
    ...(inside[2] ? [`  ${inside[2]}`] : []),
    '}',
    '',
    `void run(${type} *a, ${type} *b, ${type} *c, ${sizes.map((size) => `int ${size}`).join(', ')}, int half_m, int by) {`,
    ...(stream ? ['  cudaStream_t stream = 0;'] : []),
    ...(isNamed ? [`  ${draw.pick(['const ', ''])}dim3 block(${width}, ${height}), grid${grid.slice(4)};`] : []),
    ...launches.filter(Boolean).map((line) => `  ${line}`),
    '}',
    '',
  ].join('\n');
  const row0 = (half: number, n: number, depth: number): Record<string, number> => ({
    m: 2 * half,
    n,
    depth,
    half_m: half,
    by: 2,
    lda: Math.max(depth, 2 * half) + 3,
    ldb: Math.max(depth, n) + 1,
    ldc: Math.max(n, 2 * half) + 2,
  });
  const count = (along: boolean, own: string, leading: string, other: string): string =>
    `size_t(${along ? own : other}) * ${leading}`;
  return {
    name,
    text,
    parameters: [
      { name: 'a', type, count: count(alongA, 'm', leadingA, 'depth') },
      { name: 'b', type, count: count(alongB, 'n', leadingB, 'depth') },
      { name: 'c', type, count: count(inRows, 'm', leadingC, 'n') },
      ...sizes.map((size) => ({ size })),
      { size: 'half_m' },
      { size: 'by' },
    ],
    sizes: [row0(3, 7, 5), row0(9, 33, 16), row0(16, 16, 3)],
    bound: type === 'double' ? 1e-12 : type === 'float' ? 1e-4 : 0.1,
    ...(type === 'half' ? { rounds: true as const } : {}),
  };
}

// Variations of kernels whose blocks each make a vector and multiply one matrix by it.
import type { Draw, Variation } from './variations';

export const blockProducts = { name: 'block-products', titles: /^Store the vectors; call cublas[SD]gemm /, vary };

/** The products of a row added up by the block: what is declared before the loop, and the statements of an iteration. */
type Reduction = (of: { readonly product: string; readonly type: string; readonly threads: number; to: string }) => {
  readonly shared: readonly string[];
  readonly lines: readonly string[];
};

const zeroOf = (type: string): string => (type === 'float' ? '0.0f' : '0.0');

function sweep(draw: Draw): Reduction {
  const step = draw.pick(['s >>= 1', 's /= 2', 's = s / 2']);
  const loops = (threads: number): readonly [string, string] =>
    draw.pick([
      [`for (int s = ${threads} / 2; s > 0; ${step}) {`, 'if (t < s) products[t] += products[t + s];'],
      [`for (int s = blockDim.x / 2; s >= 1; ${step}) {`, 'if (t < s) products[t] += products[t + s];'],
      [`for (int s = 1; s < ${threads}; s *= 2) {`, 'if (t % (2 * s) == 0) products[t] += products[t + s];'],
      [`for (int s = 1; s < ${threads}; s <<= 1) {`, 'if ((t & (2 * s - 1)) == 0) products[t] += products[t + s];'],
    ]);
  return ({ product, type, threads, to }) => {
    const [loop, add] = loops(threads);
    return {
      shared: [`__shared__ ${type} products[${threads}];`],
      lines: [
        `products[t] = ${product};`,
        '__syncthreads();',
        loop,
        `  ${add}`,
        '  __syncthreads();',
        '}',
        `if (t == 0) ${to} = products[0];`,
        '__syncthreads();',
      ],
    };
  };
}

function shuffles(draw: Draw): Reduction {
  const [shuffle, begin] = draw.pick([
    ['__shfl_down_sync', '16'],
    ['__shfl_xor_sync', 'warpSize / 2'],
  ] as const);
  const add = (of: string): string =>
    `for (int offset = ${begin}; offset > 0; offset ${draw.pick(['>>= 1', '/= 2'])}) ${of} += ${shuffle}(0xffffffff, ${of}, offset);`;
  const form = draw.pick(['warp', 'warp', 'thread'] as const);
  return ({ product, type, threads, to }) => ({
    shared: [`__shared__ ${type} warpSums[32];`],
    lines: [
      `${type} product = ${product};`,
      add('product'),
      'if (t % 32 == 0) warpSums[t / 32] = product;',
      '__syncthreads();',
      ...(form === 'warp'
        ? [
            `if (t < 32) {`,
            `  product = t < ${draw.pick([`${threads / 32}`, 'blockDim.x / 32'])} ? warpSums[t] : ${zeroOf(type)};`,
            `  ${add('product')}`,
            `  if (t == 0) ${to} = product;`,
            '}',
          ]
        : [
            'if (t == 0) {',
            `  product = ${zeroOf(type)};`,
            `  for (int w = 0; w < ${threads} / 32; w++) product += warpSums[w];`,
            `  ${to} = product;`,
            '}',
          ]),
      '__syncthreads();',
    ],
  });
}

/** The element of the block's vector that a thread or a warp makes of its row of the input. */
function vectorOf(draw: Draw, type: string, threads: number): readonly string[] {
  const zero = zeroOf(type);
  if (draw.chance(0.5))
    return [
      `${type} sum = ${zero};`,
      `for (int i = 0; i < count; i++) sum += input[(set * ${threads} + t) * count + i];`,
      `average[t] = ${draw.pick(['sum / count', 'sum', 'sum * sum'])};`,
    ];
  return [
    `for (int own = t / 32; own < ${threads}; own += blockDim.x / 32) {`,
    `  ${type} sum = ${zero};`,
    `  for (int i = t % 32; i < count; i += 32) sum += input[(set * ${threads} + own) * count + i];`,
    '  for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_down_sync(0xffffffff, sum, offset);',
    `  if (t % 32 == 0) average[own] = sum${draw.pick(['', ' / count'])};`,
    '}',
  ];
}

const onlyCalls = [
  'template <typename Work>',
  'void repeat(int times, Work work) {',
  '  for (int i = 0; i < times; i++) work();',
  '}',
  '',
];

function vary(draw: Draw, name: string): Variation {
  const type = draw.pick(['float', 'double']);
  const threads = draw.pick([32, 64, 128, 256]);
  const isNamed = draw.chance(0.5);
  const width = isNamed ? 'length' : `${threads}`;
  const pitch = draw.pick([width, width, 'blockDim.x', 'pitch']);
  const leading = draw.pick(['rows', 'rows', 'leading']);
  const at = draw.pick(['row', 'r']);
  const matrix = `matrix[${draw.pick([`${at} * ${pitch} + t`, `t + ${pitch} * ${at}`])}]`;
  const product = draw.pick([`${matrix} * average[t]`, `average[t] * ${matrix}`]);
  const to = `out[${draw.pick([`set * ${leading} + ${at}`, `${at} + ${leading} * blockIdx.x`])}]`;
  const { shared, lines } = draw.pick([sweep, shuffles])(draw)({ product, type, threads, to });
  const sizes = ['rows', 'count', 'pitch', 'leading'];
  const made = vectorOf(draw, type, threads);
  const params = [`const ${type} *input`, `const ${type} *matrix`, `${type} *out`];
  const order = draw.pick([
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [2, 1, 0],
    [1, 2, 0],
  ] as const);
  const kernel = [
    `__global__ void multiply(${[...order.map((of) => params[of]!), ...sizes.map((size) => `int ${size}`)].join(', ')}) {`,
    `  __shared__ ${type} average[${width}];`,
    ...shared.map((line) => `  ${line}`),
    `  ${draw.pick(['const ', ''])}int t = threadIdx.x${draw.pick([', set = blockIdx.x;', ';\n  const int set = blockIdx.x;'])}`,
    ...made.map((line) => `  ${line}`),
    '  __syncthreads();',
    `  for (int ${at} = 0; ${at} < rows; ${draw.pick([`${at}++`, `++${at}`])}) {`,
    ...lines.map((line) => `    ${line}`),
    '  }',
    '}',
    '',
  ];
  const form = draw.pick(['once', 'once', 'loop', 'blocks', 'twice', 'lambda'] as const);
  const inLambda = form === 'lambda';
  const sets = inLambda ? 'blocks' : draw.pick(['sets', 'sets', 'half * 2', 'dim3(sets)', 'grid']);
  const block = draw.pick([`${threads}`, width, `dim3(${threads})`, ...(inLambda ? [] : ['threads'])]);
  const stream = inLambda ? '' : draw.pick(['', '', ', 0, stream']);
  const given = order.map((of) => ['input', 'matrix', 'out'][of]!);
  const launch = `multiply<<<${sets}, ${block}${stream}>>>(${[...given, ...sizes].join(', ')});`;
  const launches = {
    once: [launch, draw.pick(['', 'if (cudaGetLastError() != cudaSuccess) return;'])],
    loop: [`for (int turn = 0; turn < 3; turn++) ${launch}`],
    blocks: ['for (int turn = 0; turn < 2; turn++) {', `  ${launch}`, '}'],
    twice: [launch, 'cudaDeviceSynchronize();', launch],
    lambda: ['repeat(2, [&] {', `  ${launch}`, '});'],
  }[form];
  const declared = [
    ...(stream ? ['cudaStream_t stream = 0;'] : []),
    ...(sets === 'grid' ? ['const dim3 grid(sets);'] : []),
    ...(block === 'threads' ? [`const int threads = ${threads};`] : []),
  ];
  const hostSizes = [...sizes, 'sets', 'half'];
  const text = [
    ...(isNamed ? [`const int length = ${threads};`, ''] : []),
    ...(inLambda ? ['const int blocks = 4;', '', ...onlyCalls] : []),
    ...kernel,
    `void run(${['input', 'matrix', 'out'].map((array) => `${type} *${array}`).join(', ')}, ${hostSizes.map((size) => `int ${size}`).join(', ')}) {`,
    ...[...declared, ...launches].filter(Boolean).map((line) => `  ${line}`),
    '}',
    '',
  ].join('\n');
  const sized = (half: number, rows: number, count: number): Record<string, number> => ({
    rows,
    count,
    pitch: threads + (rows % 4),
    leading: rows + (count % 3),
    sets: inLambda ? 4 : 2 * half,
    half,
  });
  const pitchIs = pitch === 'pitch' ? 'pitch' : `${threads}`;
  return {
    name,
    text,
    parameters: [
      { name: 'input', type, count: `size_t(sets) * ${threads} * count` },
      { name: 'matrix', type, count: `size_t(rows) * ${pitchIs}` },
      { name: 'out', type, count: `size_t(sets) * ${leading}` },
      ...hostSizes.map((size) => ({ size })),
    ],
    sizes: [sized(1, 5, 3), sized(2, 33, 40), sized(3, 2, 1)],
    bound: type === 'double' ? 1e-11 : 1e-3,
    ...(made.some((line) => line.includes('/ count')) ? { rounds: true as const } : {}),
  };
}

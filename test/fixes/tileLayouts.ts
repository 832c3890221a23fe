// Variations of kernels whose lanes meet in the banks of shared memory.
import type { Draw, Variation } from './variations';

export const tileLayouts = {
  name: 'tile-layout',
  titles: /^(Pad rows of|Pad `\w+` by|Swizzle columns of)/,
  vary,
};

interface Body {
  /** In front of the kernel. */
  readonly before?: readonly string[];
  readonly lines: readonly string[];
  readonly block: string;
  readonly threads: number;
  /** Elements that a block takes of `in` and gives to `out`. */
  readonly elements: number;
  /** Elements of dynamic shared memory. */
  readonly dynamic?: string;
}

const vectors: Readonly<Record<string, string>> = { float: 'float4', int: 'int4', double: 'double2' };

function vary(draw: Draw, name: string): Variation {
  const type = draw.pick(['float', 'float', 'int', 'double', 'short', 'unsigned char']);
  const make = draw.pick([square, square, rectangle, flat, flat, wide, planes, scan, strided, dots]);
  const generic = draw.chance(0.2) && make !== wide;
  const T = generic ? 'T' : type;
  const { before = [], lines, block, elements, dynamic } = make(draw, T, type);
  const bytes = dynamic && draw.pick([`${dynamic} * sizeof(${type})`, `sizeof(${type}) * ${dynamic}`]);
  const host: string[] = [];
  let shared = '';
  if (bytes) {
    const held = draw.chance(0.4);
    if (held) host.push(`${draw.pick(['size_t', 'int', 'const unsigned'])} shared = ${bytes};`);
    shared = `, ${held ? 'shared' : bytes}`;
  }
  const text = [
    ...before,
    ...(generic ? ['template <typename T>'] : []),
    `__global__ void meet(const ${T} *in, ${T} *out) {`,
    ...lines.map((line) => (line.startsWith('#') ? line : `  ${line}`)),
    '}',
    '',
    `void run(const ${type} *in, ${type} *out, int blocks) {`,
    ...host.map((line) => `  ${line}`),
    `  meet<<<blocks, ${block}${shared}>>>(in, out);`,
    '}',
    '',
  ].join('\n');
  return {
    name,
    text,
    parameters: [
      { name: 'in', type, count: `blocks * ${elements}` },
      { name: 'out', type, count: `blocks * ${elements}`, input: 'zero' },
      { size: 'blocks' },
    ],
    sizes: [0, 1, 2, 3].map((blocks) => ({ blocks })),
    // Nothing is added up in another order.
    bound: 0,
  };
}

/** Names that stand for the thread's place, and the declarations that they need. */
function threadNames(draw: Draw): { readonly x: string; readonly y: string; readonly lines: readonly string[] } {
  return draw.chance(0.4)
    ? { x: 'threadIdx.x', y: 'threadIdx.y', lines: [] }
    : draw.chance(0.5)
      ? { x: 'tx', y: 'ty', lines: ['const int tx = threadIdx.x, ty = threadIdx.y;'] }
      : { x: 'lx', y: 'ly', lines: ['unsigned int lx = threadIdx.x;', 'unsigned int ly = threadIdx.y;'] };
}

function sized(
  draw: Draw,
  values: Readonly<Record<string, number>>,
): { before: string[]; of: (name: string) => string } {
  const kind = draw.pick(['literal', 'macro', 'constant'] as const);
  return {
    before:
      kind === 'literal'
        ? []
        : Object.entries(values).map(([name, value]) =>
            kind === 'macro' ? `#define ${name} ${value}` : `const int ${name} = ${value};`,
          ),
    of: (name) => (kind === 'literal' ? String(values[name]) : name),
  };
}

/** Other arrays beside the tile, which may leave no room for longer rows. */
function beside(draw: Draw, tileBytes: number): string[] {
  const rest = 48 * 1024 - tileBytes;
  return draw.chance(0.25)
    ? [`__shared__ unsigned char rest[${rest}];`, 'if (threadIdx.x == 0 && threadIdx.y == 0) rest[0] = 1;']
    : [];
}

const bytesOf = (type: string): number =>
  type === 'double' ? 8 : type === 'short' ? 2 : type === 'unsigned char' ? 1 : 4;

function square(draw: Draw, T: string, type: string): Body {
  const side = 32;
  const rows = draw.pick([8, 16, 32]);
  const size = sized(draw, { SIDE: side, ROWS: rows });
  const [SIDE, ROWS] = [size.of('SIDE'), size.of('ROWS')];
  const { x, y, lines } = threadNames(draw);
  const loop = `for (int j = 0; j < ${SIDE}; j += ${ROWS})`;
  const swapped = draw.chance(0.3);
  const base = `blockIdx.x * ${side * side}`;
  const put = swapped ? `tile[${x}][${y} + j]` : `tile[${y} + j][${x}]`;
  const get = swapped ? `tile[${y} + j][${x}]` : `tile[${x}][${y} + j]`;
  return {
    before: size.before,
    lines: [
      `__shared__ ${T} tile[${SIDE}][${SIDE}];`,
      ...beside(draw, side * side * bytesOf(type)),
      ...lines,
      `${loop} ${put} = in[${base} + (${y} + j) * ${SIDE} + ${x}];`,
      '__syncthreads();',
      `${loop} out[${base} + (${y} + j) * ${SIDE} + ${x}] = ${get}${draw.pick(['', ' + 1', ` + tile[0][${x}]`])};`,
    ],
    block: `dim3(${SIDE}, ${ROWS})`,
    threads: side * rows,
    elements: side * side,
  };
}

function rectangle(draw: Draw, T: string, type: string): Body {
  const [width, height] = draw.pick([
    [32, 16],
    [16, 32],
    [64, 8],
    [32, 8],
    [24, 16],
  ] as const);
  const size = sized(draw, { WIDE: width, HIGH: height });
  const base = `blockIdx.x * ${width * height}`;
  const one = draw.pick(['unsigned int', 'int']);
  return {
    before: size.before,
    lines: [
      `__shared__ ${T} tile[${size.of('HIGH')}][${size.of('WIDE')}];`,
      ...beside(draw, width * height * bytesOf(type)),
      `${one} number = threadIdx.y * blockDim.x + threadIdx.x;`,
      `${one} down = number / blockDim.y, across = number % blockDim.y;`,
      `tile[threadIdx.y][threadIdx.x] = in[${base} + number];`,
      '__syncthreads();',
      `out[${base} + number] = tile[across][down];`,
    ],
    block: `dim3(${size.of('WIDE')}, ${size.of('HIGH')})`,
    threads: width * height,
    elements: width * height,
  };
}

function flat(draw: Draw, T: string): Body {
  const [width, height] = draw.pick([
    [32, 8],
    [32, 32],
    [16, 16],
    [64, 4],
  ] as const);
  const isDynamic = draw.chance(0.5);
  const count = draw.pick([`${width * height}`, `(${width} * ${height})`, `${width} * ${height}`]);
  const base = `blockIdx.x * ${width * height}`;
  const down = draw.pick([
    'threadIdx.x * blockDim.y + threadIdx.y',
    `threadIdx.x * ${height} + threadIdx.y`,
    `${height} * threadIdx.x + threadIdx.y`,
  ]);
  const named = draw.chance(0.5);
  const at = named ? 'down' : down;
  return {
    lines: [
      isDynamic ? `extern __shared__ ${T} tile[];` : `__shared__ ${T} tile[${count}];`,
      'unsigned int along = threadIdx.y * blockDim.x + threadIdx.x;',
      ...(named ? [`unsigned int down = ${down};`] : []),
      `tile[along] = in[${base} + along];`,
      '__syncthreads();',
      `out[${base} + along] = tile[${at}]${draw.pick(['', ' + tile[0]', ` - tile[${width * height - 1}]`])};`,
    ],
    block: `dim3(${width}, ${height})`,
    threads: width * height,
    elements: width * height,
    ...(isDynamic ? { dynamic: count } : {}),
  };
}

/** Rows stored by columns and read through a wider type. */
function wide(draw: Draw, _T: string, drawn: string): Body {
  const type = vectors[drawn] ? drawn : 'float';
  const vector = vectors[type]!;
  const pieces = vector.endsWith('4') ? 4 : 2;
  const width = draw.pick([64, 128]);
  const rows = 8;
  const count = width * rows;
  const threads = count / pieces;
  const base = `blockIdx.x * ${count}`;
  const macro = draw.chance(0.5);
  const wideAt = (at: string): string =>
    macro
      ? `WIDE(${at})`
      : draw.pick([
          `*reinterpret_cast<${vector} *>(&${at})`,
          `*(${vector} *)&${at}`,
          `reinterpret_cast<${vector} *>(&(${at}))[0]`,
        ]);
  return {
    before: macro ? [`#define WIDE(value) (reinterpret_cast<${vector} *>(&(value))[0])`] : [],
    lines: [
      `__shared__ __align__(16) ${type} tile[${rows}][${width}];`,
      `for (int i = threadIdx.x; i < ${count}; i += ${threads}) tile[i % ${rows}][i / ${rows}] = ${type === drawn ? '' : `(${type})`}in[${base} + i];`,
      '__syncthreads();',
      `const int row = threadIdx.x / ${width / pieces}, column = threadIdx.x % ${width / pieces} * ${pieces};`,
      `${vector} piece = ${wideAt('tile[row][column]')};`,
      ...['x', 'y', 'z', 'w']
        .slice(0, pieces)
        .map((field, at) => `out[${base} + threadIdx.x * ${pieces} + ${at}] = piece.${field};`),
    ],
    block: String(threads),
    threads,
    elements: count,
  };
}

/** Two planes that take turns. */
function planes(draw: Draw, T: string): Body {
  const base = 'blockIdx.x * 512';
  const turns = draw.pick([2, 3, 4]);
  const next = draw.pick(['1 - plane', 'plane ^ 1']);
  return {
    lines: [
      `__shared__ ${T} tile[2][16][32];`,
      `${draw.pick(['int', 'unsigned'])} plane = 0;`,
      `tile[plane][threadIdx.x % 16][threadIdx.x / 16] = in[${base} + threadIdx.x];`,
      '__syncthreads();',
      `for (int turn = 0; turn < ${turns}; turn++) {`,
      `  tile[${next}][threadIdx.x % 16][threadIdx.x / 16] = tile[plane][threadIdx.x / 32][threadIdx.x % 32] + 1;`,
      '  __syncthreads();',
      `  plane = ${next};`,
      '}',
      `out[${base} + threadIdx.x] = tile[plane][threadIdx.x % 16][threadIdx.x / 16];`,
    ],
    block: '512',
    threads: 512,
    elements: 512,
  };
}

/** The sweeps of a scan, whose strides double. */
function scan(draw: Draw, T: string): Body {
  const threads = draw.pick([64, 128, 256]);
  const count = 2 * threads;
  const isDynamic = draw.chance(0.5);
  const base = `blockIdx.x * ${count}`;
  return {
    lines: [
      isDynamic ? `extern __shared__ ${T} temp[];` : `__shared__ ${T} temp[${count}];`,
      'int thid = threadIdx.x, offset = 1;',
      `temp[2 * thid] = in[${base} + 2 * thid];`,
      `temp[2 * thid + 1] = in[${base} + 2 * thid + 1];`,
      `for (int d = ${threads}; d > 0; d >>= 1) {`,
      '  __syncthreads();',
      '  if (thid < d) {',
      '    int ai = offset * (2 * thid + 1) - 1;',
      '    int bi = offset * (2 * thid + 2) - 1;',
      '    temp[bi] += temp[ai];',
      '  }',
      '  offset *= 2;',
      '}',
      '__syncthreads();',
      `out[${base} + thid] = temp[thid];`,
      `out[${base} + thid + ${threads}] = temp[thid + ${threads}];`,
    ],
    block: String(threads),
    threads,
    elements: count,
    ...(isDynamic ? { dynamic: String(count) } : {}),
  };
}

/** Rows that loops walk by one element an iteration, each by lanes that share a row and by lanes that do not. */
function dots(draw: Draw, T: string): Body {
  const length = draw.pick([32, 48, 64]);
  const rows = 16;
  const isFlat = draw.chance(0.5);
  const size = sized(draw, { ROWS: rows, LENGTH: length });
  const [ROWS, LENGTH] = [size.of('ROWS'), size.of('LENGTH')];
  const { x, y, lines } = threadNames(draw);
  const at = (row: string, column: string): string =>
    isFlat ? `staged[${row} * ${LENGTH} + ${column}]` : `staged[${row}][${column}]`;
  const base = `blockIdx.x * ${rows * length}`;
  const combine = draw.pick(['total += part', 'total = total + part']);
  return {
    before: size.before,
    lines: [
      `__shared__ ${T} staged${isFlat ? `[${ROWS} * ${LENGTH}]` : `[${ROWS}][${LENGTH}]`};`,
      ...lines,
      `for (int k = ${x}; k < ${LENGTH}; k += ${ROWS}) ${at(y, 'k')} = in[${base} + ${y} * ${LENGTH} + k];`,
      '__syncthreads();',
      `${T} total = 0;`,
      `for (int k = 0; k < ${LENGTH}; k++) {`,
      `  ${T} part = ${draw.pick([`${at(x, 'k')} - ${at(y, 'k')}`, at(x, 'k'), `${at(y, 'k')} + ${at(x, 'k')}`])};`,
      `  ${combine};`,
      '}',
      `out[${base} + ${y} * ${ROWS} + ${x}] = total;`,
    ],
    block: `dim3(${ROWS}, ${ROWS})`,
    threads: rows * rows,
    elements: rows * length,
  };
}

/** A few elements a thread, side by side. */
function strided(draw: Draw, T: string): Body {
  const each = draw.pick([2, 4, 8, 16]);
  const threads = draw.pick([32, 64, 128]);
  const count = each * threads;
  const isDynamic = draw.chance(0.5);
  const base = `blockIdx.x * ${count}`;
  const t = draw.pick(['t', 'tid']);
  const combine = draw.pick(['total += part', 'total = total + part']);
  const size = sized(draw, { EACH: each, COUNT: count });
  return {
    before: size.before,
    lines: [
      isDynamic ? `extern __shared__ ${T} staged[];` : `__shared__ ${T} staged[${size.of('COUNT')}];`,
      `const int ${t} = threadIdx.x;`,
      `for (int i = ${t}; i < ${size.of('COUNT')}; i += ${threads}) staged[i] = in[${base} + i];`,
      '__syncthreads();',
      `${T} total = 0;`,
      `for (int k = 0; k < ${size.of('EACH')}; k++) {`,
      `  ${T} part = staged[${t} * ${size.of('EACH')} + k];`,
      `  ${combine};`,
      `  staged[${t} * ${size.of('EACH')} + k] = total;`,
      '}',
      '__syncthreads();',
      `for (int i = ${t}; i < ${size.of('COUNT')}; i += ${threads}) out[${base} + i] = staged[i];`,
    ],
    block: String(threads),
    threads,
    elements: count,
    ...(isDynamic ? { dynamic: String(count) } : {}),
  };
}

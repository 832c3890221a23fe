// Variations of kernels in which each thread walks a separate row.
import type { Draw, Variation } from './variations';

const titles = /^One warp per row/;
export const rowWarps = { name: 'row-warps', titles, vary };

interface Scalar {
  readonly type: string;
  readonly zero: string;
  readonly float: boolean;
  readonly max: string;
  readonly min: string;
}
const scalars: readonly Scalar[] = [
  { type: 'float', zero: '0.0f', float: true, max: 'fmaxf', min: 'fminf' },
  { type: 'float', zero: '0.f', float: true, max: 'fmaxf', min: 'min' },
  { type: 'double', zero: '0.0', float: true, max: 'fmax', min: 'fmin' },
  { type: 'double', zero: '0', float: true, max: 'max', min: 'min' },
  { type: 'int', zero: '0', float: false, max: 'max', min: 'min' },
  { type: 'unsigned int', zero: '0u', float: false, max: 'max', min: 'min' },
];

function vary(draw: Draw, name: string): Variation {
  const scalar = draw.pick(scalars);
  const { type } = scalar;
  const generic = draw.chance(0.2);
  const T = generic ? 'T' : type;
  const [rowName, columnName] = draw.pick([
    ['row', 'c'],
    ['r', 'j'],
    ['idx', 'i'],
    ['lane', 'offset'], // names that the fix would like for itself
    ['tid', 'k'],
  ] as const);
  const [rows, columns] = draw.pick([
    ['rows', 'columns'],
    ['n', 'm'],
    ['N', 'C'],
  ] as const);
  const indexType = draw.pick(['int', 'int', 'unsigned int', 'size_t', 'long long']);
  const blockKind = draw.pick(['literal', 'macro', 'constant', 'dim3', 'run-time', 'odd'] as const);
  const blockSize = draw.pick([32, 64, 128, 256]);
  const gridStride = draw.chance(0.2);
  const batched = !gridStride && blockKind === 'dim3' && draw.chance(0.3);
  const macros: string[] = [];
  if (blockKind === 'macro') macros.push(`#define BLOCK ${blockSize}`);
  const constantColumns = draw.chance(0.2);
  const columnCount = draw.pick([32, 33, 64, 100]);
  if (constantColumns) macros.push(`#define WIDTH ${columnCount}`);
  const width = constantColumns ? 'WIDTH' : columns;

  const number = draw.pick([
    ['', 'blockIdx.x * blockDim.x + threadIdx.x'],
    ['', 'threadIdx.x + blockIdx.x * blockDim.x'],
    ['', '(blockIdx.x * blockDim.x) + threadIdx.x'],
    ['int tx = threadIdx.x;', 'blockIdx.x * blockDim.x + tx'],
    ['const int bx = blockIdx.x, tx = threadIdx.x;', 'bx * blockDim.x + tx'],
    ['', '(int)blockIdx.x * blockDim.x + threadIdx.x'],
    ...(blockKind === 'macro' ? [['', 'blockIdx.x * BLOCK + threadIdx.x'] as const] : []),
  ] as const);

  // The row's elements.
  const through = draw.pick(['subscript', 'subscript', 'pointer', 'address', 'offset'] as const);
  const rowIndex = batched ? `(blockIdx.y * ${rows} + ${rowName})` : rowName;
  const element = (array: string, at: string): string =>
    through === 'subscript'
      ? `${array}[${rowIndex} * ${width} + ${at}]`
      : through === 'offset'
        ? `${array}[base + ${at}]`
        : `${array}Row[${at}]`;
  const rowSetUp = (arrays: readonly (readonly [string, boolean])[]): string[] =>
    through === 'subscript'
      ? []
      : through === 'offset'
        ? [`const ${indexType === 'int' ? 'int' : 'size_t'} base = ${rowIndex} * ${width};`]
        : arrays.map(
            ([array, constant]) =>
              `${constant ? 'const ' : ''}${T} *${array}Row = ${through === 'pointer' ? `${array} + ${rowIndex} * ${width}` : `&${array}[${rowIndex} * ${width}]`};`,
          );

  const counter = draw.pick(['int', 'int', indexType]);
  const head = (start: string): string =>
    draw.pick([
      `for (${counter} ${columnName} = ${start}; ${columnName} < ${width}; ${columnName}++)`,
      `for (${counter} ${columnName} = ${start}; ${columnName} < ${width}; ++${columnName})`,
      `for (${counter} ${columnName} = ${start}; ${columnName} < ${width}; ${columnName} += 1)`,
      `for (${counter} ${columnName} = ${start}; ${width} > ${columnName}; ${columnName}++)`,
      `for (${counter} ${columnName} = ${start}; ${columnName} < ${width}; ${columnName} = ${columnName} + 1)`,
    ]);
  const loop = (body: readonly string[], start = '0'): string[] => {
    const unrolled = draw.chance(0.15) ? ['#pragma unroll 4'] : [];
    return body.length === 1 && !body[0]!.startsWith('if') && draw.chance(0.5)
      ? [...unrolled, head(start), `  ${body[0]!}`]
      : [...unrolled, `${head(start)} {`, ...body.map((line) => `  ${line}`), '}'];
  };
  const x = element('in', columnName);
  const take = (accumulator: string, value: string, kind: string): string[] => {
    switch (kind) {
      case 'sum':
        return [
          draw.pick([
            `${accumulator} += ${value};`,
            `${accumulator} = ${accumulator} + ${value};`,
            `${accumulator} = ${value} + ${accumulator};`,
          ]),
        ];
      case 'difference':
        return [`${accumulator} -= ${value};`];
      case 'maximum':
        return draw.pick([
          [`if (${value} > ${accumulator}) ${accumulator} = ${value};`],
          [`if (${accumulator} < ${value}) { ${accumulator} = ${value}; }`],
          [`${accumulator} = ${generic ? 'max' : scalar.max}(${accumulator}, ${value});`],
          [`${accumulator} = ${value} > ${accumulator} ? ${value} : ${accumulator};`],
        ]);
      case 'minimum':
        return [`${accumulator} = ${generic ? 'min' : scalar.min}(${value}, ${accumulator});`];
      case 'or':
        return [`${accumulator} |= ${value};`];
      default:
        return [`${accumulator} ^= ${value};`];
    }
  };
  const kinds = ['sum', 'sum', 'maximum', 'minimum', 'difference', ...(scalar.float ? [] : ['or', 'xor'])];
  const seeded = draw.chance(0.3); // the accumulator starts with what the row says
  const start = (): string => (seeded ? `seed[${rowIndex}]` : scalar.zero);

  const shape = draw.pick([
    'reduce',
    'reduce',
    'two',
    'normalise',
    'map',
    'nested',
    'softmax',
    'inPlace',
    'greatest',
    'chunk',
  ] as const);
  const work: string[] = [];
  let writesOut = false;
  switch (shape) {
    case 'reduce': {
      const kind = draw.pick(kinds);
      const value = kind === 'sum' ? draw.pick([x, `${x} * ${x}`, `${x} * vec[${columnName}]`]) : x;
      work.push(`${T} total = ${start()};`, ...loop(take('total', value, kind)), `result[${rowIndex}] = total;`);
      break;
    }
    case 'two': {
      const [one, other] = [draw.pick(kinds), draw.pick(kinds)];
      work.push(
        `${T} first = ${start()};`,
        `${T} second = ${scalar.zero};`,
        ...loop([...take('first', x, one), ...take('second', x, other)]),
        `result[${rowIndex}] = first;`,
        `seed[${rowIndex}] = second;`,
      );
      break;
    }
    case 'normalise':
      work.push(
        `${T} mean = ${scalar.zero};`,
        ...loop(take('mean', x, 'sum')),
        `mean = mean / (${T})(${width} + 1);`,
        ...loop([`${element('out', columnName)} = ${x} - mean;`]),
        `result[${rowIndex}] = mean;`,
      );
      writesOut = true;
      break;
    case 'map':
      work.push(...loop([`${T} value = ${x};`, `${element('out', columnName)} = value + vec[${columnName}];`]));
      writesOut = true;
      break;
    case 'nested':
      work.push(
        `${T} total = ${start()};`,
        'for (int plane = 0; plane < 3; plane++)',
        ...loop(take('total', `in[(plane * ${rows} + ${rowIndex}) * ${width} + ${columnName}]`, draw.pick(kinds))).map(
          (line) => `  ${line}`,
        ),
        `result[${rowIndex}] = total;`,
      );
      break;
    case 'softmax':
      work.push(
        `${T} best = ${element('in', '0')};`,
        ...loop(take('best', x, 'maximum'), draw.pick(['0', '1'])),
        `${T} total = ${scalar.zero};`,
        ...loop([`${T} value = best - ${x};`, `${element('out', columnName)} = value;`, 'total += value;']),
        ...loop([`${element('out', columnName)} += total;`]),
      );
      writesOut = true;
      break;
    case 'greatest': {
      // Many are equal: of these the first counts.
      const value = draw.pick([x, `(${T})((int)${x} / 2)`]);
      const most = draw.chance(0.5);
      const is = draw.pick([`x ${most ? '>' : '<'} best`, `best ${most ? '<' : '>'} x`]);
      const taken = draw.pick([
        ['best = x;', `at = ${columnName};`],
        [`at = ${columnName};`, 'best = x;'],
        ['best = x;', `at = ${columnName};`, `beside = vec[${columnName}];`],
      ]);
      work.push(
        `${T} best = ${start()};`,
        `${T} beside = ${scalar.zero};`,
        `${draw.pick([counter, 'long long'])} at = ${draw.pick(['0', '5'])};`,
        ...loop([`const ${T} x = ${value};`, `if (${is}) {`, ...taken.map((line) => `  ${line}`), '}']),
        `result[${rowIndex}] = best + beside;`,
        `seed[${rowIndex}] = (${T})at;`,
      );
      break;
    }
    case 'chunk':
      work.push(
        `${T} total = ${start()};`,
        `for (${counter} ${columnName} = ${rowIndex} * ${width}; ${columnName} < (${rowIndex} + 1) * ${width}; ${columnName}++)`,
        `  ${take('total', `in[${columnName}]`, 'sum')[0]!}`,
        `result[${rowIndex}] = total;`,
      );
      break;
    case 'inPlace':
      work.push(
        `${T} total = ${scalar.zero};`,
        ...loop(take('total', element('out', columnName), 'sum')),
        ...loop([`${element('out', columnName)} = ${element('out', columnName)} - total;`]),
        `seed[${rowIndex}] += total;`,
      );
      writesOut = true;
      break;
  }
  // What a thread has after one row it has at the next: each warp has to take the rows of one thread.
  const carries = gridStride && draw.chance(0.4);
  const [before, after] = carries
    ? draw.pick([
        [['int count = 0;'], [`seed[${rowIndex}] += (${T})++count;`]],
        [['int last = 7;'], [`seed[${rowIndex}] += (${T})last;`, `last = ${rowName};`]],
        [[`${T} seen = ${scalar.zero};`], [`seen = result[${rowIndex}] - seen;`, `seed[${rowIndex}] -= seen;`]],
      ])
    : [[], []];
  work.push(...after);
  const setUp = rowSetUp(
    shape === 'inPlace' ? [['out', false]] : [['in', true], ...(writesOut ? ([['out', false]] as const) : [])],
  );
  const body: string[] = [...(number[0] ? [number[0]] : [])];
  const stride = draw.pick(['blockDim.x * gridDim.x', 'gridDim.x * blockDim.x']);
  if (gridStride)
    body.push(
      ...before,
      `for (${indexType} ${rowName} = ${number[1]}; ${rowName} < ${rows}; ${rowName} += ${stride}) {`,
      ...[...setUp, ...work].map((line) => `  ${line}`),
      '}',
    );
  else if (draw.chance(0.5))
    body.push(`${indexType} ${rowName} = ${number[1]};`, `if (${rowName} >= ${rows}) return;`, ...setUp, ...work);
  else
    body.push(
      `${draw.chance(0.3) ? 'const ' : ''}${indexType} ${rowName} = ${number[1]};`,
      `if (${rowName} < ${rows}) {`,
      ...[...setUp, ...work].map((line) => `  ${line}`),
      '}',
    );
  const restrict = draw.chance(0.4) ? ' __restrict__ ' : ' ';
  const parameters = `const ${T} *${restrict}in, ${T} *${restrict}out, const ${T} *${restrict}vec, ${T} *${restrict}seed, ${T} *${restrict}result, int ${rows}, int ${columns}`;
  const host: string[] = [];
  const grid = (block: string): string =>
    gridStride
      ? draw.pick(['3', `(${rows} + ${block} - 1) / ${block}`])
      : draw.pick([`(${rows} + ${block} - 1) / ${block}`, `${rows} / ${block} + 1`]);
  let configuration: string;
  switch (blockKind) {
    case 'literal':
      configuration = `${grid(String(blockSize))}, ${blockSize}`;
      break;
    case 'macro':
      host.push(`int blocks = ${grid('BLOCK')};`);
      configuration = 'blocks, BLOCK';
      break;
    case 'constant':
      host.push(`const int size = ${blockSize};`, `const int blocks = ${grid('size')};`);
      configuration = draw.pick(['blocks, size', 'dim3(blocks), dim3(size)', 'blocks, size, 0']);
      break;
    case 'dim3':
      host.push(`dim3 block(${blockSize});`, `dim3 grid(${grid('block.x')}${batched ? ', 2' : ''});`);
      configuration = 'grid, block';
      break;
    default:
      host.push(`int blocks = ${grid('threads')};`);
      configuration = 'blocks, threads';
  }
  const text = [
    ...macros,
    ...(generic ? ['template <typename T>'] : []),
    `__global__ void walkRows(${parameters}) {`,
    ...(draw.chance(0.3) ? declaredInFront(body) : body).map((line) => (line.startsWith('#') ? line : `  ${line}`)),
    '}',
    '',
    `void run(const ${type} *in, ${type} *out, const ${type} *vec, ${type} *seed, ${type} *result, int ${rows}, int ${columns}, int threads) {`,
    ...host.map((line) => `  ${line}`),
    `  walkRows${generic && draw.chance(0.5) ? `<${type}>` : ''}<<<${configuration}>>>(in, out, vec, seed, result, ${rows}, ${columns});`,
    '}',
    '',
  ].join('\n');
  const count = '6 * rows * columns + 1';
  return {
    name,
    text,
    parameters: [
      { name: 'in', type, count },
      { name: 'out', type, count: '2 * rows * columns + 1' },
      { name: 'vec', type, count: 'columns + 1' },
      { name: 'seed', type, count: '2 * rows + 1' },
      { name: 'result', type, count: '2 * rows + 1', input: 'zero' },
      { size: 'rows' },
      { size: 'columns' },
      { size: 'threads' },
    ],
    sizes: [
      [1, 1],
      [31, 33],
      [0, 5],
      [33, 31],
      [32, 32],
      [7, 100],
      [65, 0],
      [130, 3],
    ].map(([rowCount, wide]) => ({
      rows: rowCount!,
      columns: constantColumns ? columnCount : wide!,
      // No one may count on what the block is at run time.
      threads: blockKind === 'odd' ? draw.pick([1, 20, 50, 100, 300]) : blockSize,
    })),
    bound: type === 'float' ? 2e-5 : 1e-12,
  };
}

/** `for (int c = 0; …)` as C programs write it: `int c;` once, and `for (c = 0; …)`. */
function declaredInFront(body: readonly string[]): string[] {
  const head = /\bfor \(int (\w+) = /g;
  const names = new Set(body.flatMap((line) => [...line.matchAll(head)].map((match) => match[1]!)));
  const own = [...names].filter((name) => !body.some((line) => new RegExp(`(?<!for \\()int ${name}\\b`).test(line)));
  return [
    ...own.map((name) => `int ${name};`),
    ...body.map((line) =>
      line.replace(head, (found, name: string) => (own.includes(name) ? `for (${name} = ` : found)),
    ),
  ];
}

// Variations of tree reductions over shared memory.
import type { Draw, Variation } from './variations';

export const sweeps = { name: 'shuffles', titles: /^Reduce .* with shuffles/, vary };

function vary(draw: Draw, name: string): Variation {
  const [type, zero] = draw.pick([
    ['float', '0.0f'],
    ['double', '0.0'],
    ['int', '0'],
    ['unsigned int', '0u'],
    ['long long', '0'],
  ] as const);
  const isFloat = type === 'float' || type === 'double';
  const generic = draw.chance(0.25);
  const T = generic ? 'T' : type;
  const [array, tid, stride] = draw.pick([
    ['a', 't', 's'],
    ['partial', 'tid', 'stride'],
    ['warpTotals', 'offset', 'total'], // names that the fix would like for itself
    ['sdata', 'threadIdx.x', 'd'],
  ] as const);
  const block = draw.pick(['literal', 'macro', 'run-time', 'parameter'] as const);
  const size = draw.pick([64, 128, 256]);
  const extent = block === 'macro' ? 'BLOCK' : block === 'parameter' ? 'size' : 'blockDim.x';
  const dynamic = draw.chance(0.4);
  const two = draw.chance(0.25);
  const twice = !two && draw.chance(0.2);
  const operator = draw.pick(isFloat ? ['+', 'max', 'min'] : ['+', 'max', 'min', '|', '^', '&']);
  const combine = (target: string, other: string): string => {
    switch (operator) {
      case 'max':
      case 'min':
        return draw.pick([
          `${target} = ${operator}(${target}, ${other});`,
          `${target} = ${target} ${operator === 'max' ? '>' : '<'} ${other} ? ${target} : ${other};`,
          `if (${other} ${operator === 'max' ? '>' : '<'} ${target}) ${target} = ${other};`,
        ]);
      default:
        return draw.pick([`${target} ${operator}= ${other};`, `${target} = ${target} ${operator} ${other};`]);
    }
  };
  const step = (at: string, other: string): string => {
    const first = combine(`${array}[${at}]`, `${array}[${other}]`);
    return two ? `{ ${first} ${combine(`second[${at}]`, `second[${other}]`)} }` : first;
  };
  const sweep: string[] = [];
  const direction = draw.pick(['halving', 'halving', 'doubling', 'modulo'] as const);
  const top = twice ? extent : `${extent} / 2`;
  const counter = draw.pick(['int', 'unsigned int']);
  switch (direction) {
    case 'halving':
      sweep.push(
        draw.pick([
          `for (${counter} ${stride} = ${top}; ${stride} > 0; ${stride} >>= 1) {`,
          `for (${counter} ${stride} = ${top}; ${stride} >= 1; ${stride} /= 2) {`,
        ]),
        `  if (${tid} < ${stride}) ${step(tid, `${tid} + ${stride}`)}`,
        '  __syncthreads();',
        '}',
      );
      break;
    case 'doubling':
      sweep.push(
        `for (${counter} ${stride} = 1; ${stride} < ${extent}; ${stride} *= 2) {`,
        `  int index = 2 * ${stride} * ${tid};`,
        `  if (index < ${extent}) ${step('index', `index + ${stride}`)}`,
        '  __syncthreads();',
        '}',
      );
      break;
    case 'modulo':
      sweep.push(
        `for (${counter} ${stride} = 1; ${stride} < ${extent}; ${stride} *= 2) {`,
        `  if (${tid} % (2 * ${stride}) == 0) ${step(tid, `${tid} + ${stride}`)}`,
        '  __syncthreads();',
        '}',
      );
      break;
  }
  const elements = twice && direction === 'halving' ? 2 : 1;
  const neutral = operator === '&' ? (generic ? '~T(0)' : `~(${type})0`) : zero;
  const body: string[] = [];
  const most = elements * 1024;
  if (dynamic)
    body.push(
      `extern __shared__ ${type} shared[];`,
      `${type} *${array} = shared;`,
      ...(two ? [`${type} *second = shared + ${elements} * blockDim.x;`] : []),
    );
  else body.push(`__shared__ ${T} ${array}[${most}];`, ...(two ? [`__shared__ ${T} second[${most}];`] : []));
  // An index that nothing but the sweep uses.
  const apart = !tid.includes('.') && draw.chance(0.25);
  const index = apart ? 'threadIdx.x' : tid;
  if (index !== 'threadIdx.x') body.push(`int ${tid} = threadIdx.x;`);
  body.push(`int i = blockIdx.x * blockDim.x + threadIdx.x;`);
  body.push(`${array}[${index}] = i < n ? in[i] : ${neutral};`);
  if (elements === 2) body.push(`${array}[${index} + blockDim.x] = i + 1 < n ? in[i + 1] : ${neutral};`);
  if (two) body.push(`second[${index}] = i < n ? in[n - 1 - i] : ${neutral};`);
  body.push('__syncthreads();', ...(apart ? [`int ${tid} = threadIdx.x;`] : []), ...sweep);
  const everyone = draw.chance(0.3);
  if (everyone) body.push(`all[i] = ${array}[0];`);
  if (!everyone || two)
    body.push(
      `if (${index} == 0) ${two ? `{ out[2 * blockIdx.x] = ${array}[0]; out[2 * blockIdx.x + 1] = second[0]; }` : `out[blockIdx.x] = ${array}[0];`}`,
    );
  const bytes = dynamic ? `, ${elements * (two ? 2 : 1)} * threads * sizeof(${type})` : '';
  const threads = block === 'macro' ? 'BLOCK' : block === 'literal' ? String(size) : 'threads';
  const text = [
    ...(block === 'macro' ? [`#define BLOCK ${size}`] : []),
    ...(generic ? ['template <typename T>'] : []),
    `__global__ void reduce(const ${T} *in, ${T} *out, ${T} *all, int n${block === 'parameter' ? ', int size' : ''}) {`,
    ...body.map((line) => `  ${line}`),
    '}',
    '',
    `void run(const ${type} *in, ${type} *out, ${type} *all, int n, int threads) {`,
    `  int blocks = (n + ${threads} - 1) / ${threads};`,
    `  reduce<<<blocks, ${threads}${bytes}>>>(in, out, all, n${block === 'parameter' ? ', threads' : ''});`,
    '}',
    '',
  ].join('\n');
  const fixed = block === 'macro' || block === 'literal';
  // In the modulo form a block of another size reads beyond what it holds, or loses elements: what it does then is its own.
  const shapes = direction === 'halving' ? [32, 64, 100, 128, 1, 48, 256] : [32, 64, 128, 1, 16, 256];
  return {
    name,
    text,
    parameters: [
      { name: 'in', type, count: 'n' },
      { name: 'out', type, count: '2 * (n / threads + 1)', input: 'zero' },
      { name: 'all', type, count: 'n + threads', input: 'zero' },
      { size: 'n' },
      { size: 'threads' },
    ],
    sizes: [0, 1, 31, 32, 33, 300, 1000].map((n, at) => ({ n, threads: fixed ? size : shapes[at % shapes.length]! })),
    bound: type === 'float' ? 1e-5 : 1e-13,
  };
}

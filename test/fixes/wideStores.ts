// Variations of kernels whose threads store elements as one by one.
import type { Draw, Variation } from './variations';

export const wideStores = { name: 'wide-stores', titles: /^Store \d+ (?:elements|runs) as/, vary };

function vary(draw: Draw, name: string): Variation {
  const type = draw.pick(['half', 'float', 'int', 'unsigned int', 'double', 'short', 'unsigned char']);
  const most = type === 'half' || type === 'double' ? 2 : 4;
  const count = draw.pick([most, most, 2 * most, ...(most === 4 ? [2] : [])]);
  const t = draw.pick(['t', 'idx', 'own', 'tid']);
  const kind = draw.pick(['scaled', 'product', 'stride', 'pointer'] as const);
  const thread = 'blockIdx.x * blockDim.x + threadIdx.x';
  const declared = kind === 'scaled' ? draw.pick([`${count} * (${thread})`, `(${thread}) * ${count}`]) : thread;
  const start = kind === 'scaled' ? t : kind === 'stride' ? `${t} * stride` : `${t} * ${count}`;
  const of = (number: number): string => `${start} + ${number}`;
  const [array, from] = kind === 'pointer' ? ['row', ''] : ['out', start];
  const at = (number: number): string => {
    if (from === '') return String(number);
    return number === 0 && draw.chance(0.5) ? from : draw.pick([`${from} + ${number}`, `${number} + ${from}`]);
  };
  const numbers = Array.from({ length: count }, (_, number) => number);
  const loaded = (number: number): string => `in[min(${of(number)}, n - 1)]`;
  const set: string[] = [];
  let value: (number: number) => string;
  switch (draw.pick(['locals', 'array', 'computed', 'shared', 'apart'] as const)) {
    case 'array':
      set.push(`${type} kept[${count}];`, ...numbers.map((number) => `kept[${number}] = ${loaded(number)};`));
      value = (number) => `kept[${number}]`;
      break;
    case 'computed':
      set.push(...numbers.map((number) => `${draw.pick(['const ', ''])}${type} v${number} = ${loaded(number)};`));
      value = (number) =>
        draw.pick([`v${number} + v0`, `(${type})(v${number} - v${count - 1})`, `v${number} > v0 ? v${number} : v0`]);
      break;
    case 'shared':
      set.push(
        `__shared__ ${type} held[64 * ${count}];`,
        ...numbers.map((number) => `held[threadIdx.x * ${count} + ${number}] = ${loaded(number)};`),
      );
      value = (number) => `held[threadIdx.x * ${count} + ${number}]`;
      break;
    case 'apart':
      value = loaded;
      break;
    default:
      set.push(...numbers.map((number) => `${type} v${number} = ${loaded(number)};`));
      value = (number) => `v${number}`;
  }
  if (kind === 'pointer') set.push(`${type} *row = ${draw.pick([`out + ${start}`, `&out[${start}]`])};`);
  const stores = numbers.map((number) => `${array}[${at(number)}] = ${value(number)};`);
  const isWithin = `${of(count - 1)} < n`;
  const guarded = draw.chance(0.5);
  const text = [
    `__global__ void put(const ${type} *in, ${type} *out, int n, int stride) {`,
    `  int ${t} = ${declared};`,
    ...(guarded ? ['  if (n <= 0) return;'] : [`  if (!(${isWithin})) return;`]),
    ...set.map((line) => `  ${line}`),
    ...(guarded
      ? [`  if (${isWithin}) {`, ...stores.map((line) => `    ${line}`), '  }']
      : stores.map((line) => `  ${line}`)),
    '}',
    '',
    ...onAllocated(
      type,
      'n',
      `put<<<n / (64 * ${count}) + 1, 64>>>(in, own + ${draw.pick([most, 2 * most])} * shift, n, ${count});`,
      most,
    ),
  ].join('\n');
  return {
    name,
    text,
    parameters: [
      { name: 'in', type, count: 'n' },
      { name: 'out', type, count: `n + ${2 * most} * shift`, input: 'zero' },
      { size: 'n' },
      { size: 'shift' },
    ],
    sizes: [0, 1, 31, 32, 33, 64, 100, 1000].map((n, number) => ({ n, shift: number % 3 })),
    bound: 0,
  };
}

/** A host function that launches on a copy of `out` in memory of the GPU. */
export function onAllocated(type: string, count: string, launch: string, most: number): string[] {
  const bytes = `(${count} + ${2 * most} * shift) * sizeof(${type})`;
  return [
    `void run(const ${type} *in, ${type} *out, int n, int shift) {`,
    `  ${type} *own;`,
    `  cudaMalloc(&own, ${bytes});`,
    `  cudaMemcpy(own, out, ${bytes}, cudaMemcpyDefault);`,
    `  ${launch}`,
    `  cudaMemcpy(out, own, ${bytes}, cudaMemcpyDefault);`,
    '  cudaFree(own);',
    '}',
    '',
  ];
}

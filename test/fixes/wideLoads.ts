// Variations of kernels whose threads load neighbouring elements one by one.
import type { Draw, Variation } from './variations';

export const wideLoads = { name: 'wide-loads', titles: /^Load \d+ (?:elements|runs) as/, vary };

function vary(draw: Draw, name: string): Variation {
  const type = draw.pick(['float', 'int', 'unsigned int', 'double', 'short', 'unsigned char']);
  const most = type === 'double' ? 2 : 4;
  const count = draw.pick([most, most, 2 * most, most + 1, ...(most === 4 ? [2] : [])]);
  const t = draw.pick(['t', 'idx', 'own', 'tid']);
  const thread = 'blockIdx.x * blockDim.x + threadIdx.x';
  const kind = draw.pick(['scaled', 'product', 'pointer'] as const);
  const step = count === most + 1 ? 2 * most : count;
  const declared = kind === 'scaled' ? `${step} * (${thread})` : thread;
  const start = kind === 'scaled' ? t : `${t} * ${step}`;
  const array = kind === 'pointer' ? 'row' : 'in';
  const at = (number: number): string => {
    if (kind === 'pointer') return `${array}[${number}]`;
    return `${array}[${number === 0 && draw.chance(0.5) ? start : draw.pick([`${start} + ${number}`, `${number} + ${start}`])}]`;
  };
  const numbers = Array.from({ length: count }, (_, number) => number);
  const own = kind === 'scaled' ? `${t} / ${step}` : t;
  const body = (() => {
    switch (draw.pick(['sum', 'locals', 'elementwise', 'backwards', 'twice'] as const)) {
      case 'locals':
        return [
          ...numbers.map((number) => `${draw.pick(['const ', ''])}${type} v${number} = ${at(number)};`),
          `out[${own}] = ${numbers.map((number) => `v${number}`).join(' + ')};`,
        ];
      case 'elementwise':
        return numbers.map((number) => `out[${start} + ${number}] = ${at(number)} + ${at(number)};`);
      case 'backwards':
        return [
          `${type} sum = 0;`,
          ...[...numbers].reverse().map((number) => `sum += ${at(number)};`),
          `out[${own}] = sum;`,
        ];
      case 'twice':
        return [`out[${own}] = ${numbers.map((number) => `${at(number)} * ${at(number)}`).join(' + ')};`];
      default:
        return [`out[${own}] = ${numbers.map(at).join(' + ')};`];
    }
  })();
  const guard = `${start} + ${step - 1} < n`;
  const guarded = draw.chance(0.5);
  const text = [
    `__global__ void take(const ${type} *${draw.pick(['', '__restrict__ '])}in, ${type} *${draw.pick(['', '__restrict__ '])}out, int n) {`,
    `  int ${t} = ${declared};`,
    ...(guarded ? [] : [`  if (!(${guard})) return;`]),
    ...(kind === 'pointer' ? [`  const ${type} *row = ${draw.pick([`in + ${start}`, `&in[${start}]`])};`] : []),
    ...(guarded && body.length === 1
      ? [draw.pick([`  if (${guard}) ${body[0]}`, `  if (${guard})\n    ${body[0]}`])]
      : guarded
        ? [`  if (${guard}) {`, ...body.map((line) => `    ${line}`), '  }']
        : body.map((line) => `  ${line}`)),
    '}',
    '',
    `void run(const ${type} *in, ${type} *out, int n, int shift) {`,
    `  ${type} *held, *made;`,
    `  cudaMalloc(&held, (n + 8 * shift) * sizeof(${type}));`,
    `  cudaMalloc(&made, n * sizeof(${type}));`,
    `  cudaMemcpy(held + 8 * shift, in, n * sizeof(${type}), cudaMemcpyDefault);`,
    `  cudaMemcpy(made, out, n * sizeof(${type}), cudaMemcpyDefault);`,
    `  take<<<n / (64 * ${step}) + 1, 64>>>(held + 8 * shift, made, n);`,
    `  cudaMemcpy(out, made, n * sizeof(${type}), cudaMemcpyDefault);`,
    '  cudaFree(held);',
    '  cudaFree(made);',
    '}',
    '',
  ].join('\n');
  return {
    name,
    text,
    parameters: [
      { name: 'in', type, count: 'n' },
      { name: 'out', type, count: 'n', input: 'zero' },
      { size: 'n' },
      { size: 'shift' },
    ],
    sizes: [0, 1, 31, 32, 33, 64, 100, 1000].map((n, number) => ({ n, shift: number % 3 })),
    bound: 0,
  };
}

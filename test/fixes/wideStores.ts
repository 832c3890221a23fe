// Variations of kernels whose threads store elements as one by one.
import type { Draw, Variation } from './variations';

export const wideStores = { name: 'wide-stores', titles: /^Store \d+ elements as/, vary };

function vary(draw: Draw, name: string): Variation {
  const isHalf = draw.chance(0.25);
  const type = isHalf ? 'half' : draw.pick(['float', 'int', 'unsigned int', 'double', 'short', 'unsigned char']);
  const bytes = { half: 4, float: 4, int: 4, 'unsigned int': 4, double: 8, short: 2, 'unsigned char': 1 }[type]!;
  const most = bytes === 8 ? 2 : bytes === 1 ? 16 : 16 / bytes;
  const count = draw.pick([most, most, 2 * most, ...(bytes === 1 ? [8, 4] : bytes === 8 ? [] : [most / 2])]);
  if (count * bytes < 4 || count < 2) return vary(draw, name);
  const generic = !isHalf && draw.chance(0.2);
  const T = generic ? 'T' : type;
  // Elements of the array that one store covers.
  const step = isHalf ? 2 : 1;
  const each = count * step;
  const t = draw.pick(['t', 'idx', 'parts', 'tid']); // `parts` is the name that the fix would like for itself
  const scaled = draw.chance(0.5);
  const declared = scaled
    ? `int ${t} = ${draw.pick([`${each} * (blockIdx.x * blockDim.x + threadIdx.x)`, `(blockIdx.x * blockDim.x + threadIdx.x) * ${each}`])};`
    : `int ${t} = blockIdx.x * blockDim.x + threadIdx.x;`;
  const start = scaled ? t : `${t} * ${each}`;
  const at = (number: number): string =>
    number === 0 && draw.chance(0.5)
      ? start
      : draw.pick([`${start} + ${number * step}`, `${number * step} + ${start}`]);
  const kind = draw.pick(['locals', 'array', 'computed', 'shared', 'restrict'] as const);
  const of = (number: number): string => `${start} + ${number * step}`;
  const guards = draw.pick(['each', 'each', 'all', 'braces'] as const);
  const macro = draw.chance(0.5);
  const target = (place: string): string =>
    !isHalf
      ? `out[${place}]`
      : macro
        ? `PAIR(out[${place}])`
        : draw.pick([`*reinterpret_cast<half2 *>(&out[${place}])`, `reinterpret_cast<half2 *>(&(out[${place}]))[0]`]);
  const numbers = Array.from({ length: count }, (_, number) => number);
  const inside = (number: number): string => `${of(number)} + ${step - 1} < n`;
  const set: string[] = [];
  const one = (number: number): string => `in[min(${of(number)}, n - 1)]`;
  const loaded = (number: number): string =>
    isHalf ? `__halves2half2(${one(number)}, in[min(${of(number)} + 1, n - 1)])` : one(number);
  const local = isHalf ? 'half2' : T;
  let value: (number: number) => string;
  switch (isHalf && kind === 'computed' ? 'locals' : kind) {
    case 'array':
      set.push(`${local} own[${count}];`, ...numbers.map((number) => `own[${number}] = ${loaded(number)};`));
      value = (number) => `own[${number}]`;
      break;
    case 'computed':
      set.push(...numbers.map((number) => `${draw.pick(['const ', ''])}${local} v${number} = ${loaded(number)};`));
      value = (number) =>
        draw.pick([
          `v${number} + v0`,
          `(${T})(v${number} - v${count - 1})`,
          `v${number} > v0 ? v${number} : v0`,
          `max(v${number}, v0)`,
        ]);
      break;
    case 'shared':
      set.push(
        `__shared__ ${local} held[64 * ${count}];`,
        ...numbers.map((number) => `held[threadIdx.x * ${count} + ${number}] = ${loaded(number)};`),
      );
      value = (number) => `held[threadIdx.x * ${count} + ${number}]`;
      break;
    case 'restrict':
      if (isHalf) set.push(...numbers.map((number) => `${local} v${number} = ${loaded(number)};`));
      value = (number) => (isHalf ? `v${number}` : one(number));
      break;
    default:
      set.push(...numbers.map((number) => `${local} v${number} = ${loaded(number)};`));
      value = (number) => `v${number}`;
  }
  const stores = numbers.map((number) => {
    const store = `${target(at(number))} = ${value(number)};`;
    return guards === 'each'
      ? `if (${inside(number)}) ${store}`
      : guards === 'braces'
        ? `if (${inside(number)}) {\n    ${store}\n  }`
        : store;
  });
  const restrict = kind === 'restrict' && !isHalf ? ' *__restrict__ ' : ' *';
  const text = [
    ...(macro && isHalf ? ['#define PAIR(value) (reinterpret_cast<half2 *>(&(value))[0])'] : []),
    ...(generic ? ['template <typename T>'] : []),
    `__global__ void put(const ${T}${restrict}in, ${T}${restrict}out, int n) {`,
    `  ${declared}`,
    '  if (n <= 0) return;',
    ...(guards === 'all' ? [`  if (${of(count - 1)} + ${step - 1} >= n) return;`] : []),
    ...set.map((line) => `  ${line}`),
    ...stores.map((line) => `  ${line}`),
    '}',
    '',
    `void run(const ${type} *in, ${type} *out, int n, int shift) {`,
    `  put<<<n / (64 * ${each}) + 1, 64>>>(in, out + shift, n);`,
    '}',
    '',
  ].join('\n');
  return {
    name,
    text,
    parameters: [
      { name: 'in', type, count: 'n' },
      { name: 'out', type, count: 'n + shift', input: 'zero' },
      { size: 'n' },
      { size: 'shift' },
    ],
    // No one may count on where the array begins; pairs have to lie at pairs.
    sizes: [0, 1, 31, 32, 33, 64, 100, 1000].map((n, number) => ({
      n,
      shift: ([0, 1, 2, 3, 4, 0, 0, 1][number]! * step) % 8,
    })),
    bound: 0,
  };
}

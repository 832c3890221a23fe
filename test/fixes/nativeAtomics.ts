// Variations of loops that compare and swap until an operation is made that the GPU has.
import type { Draw, Variation } from './variations';

export const nativeAtomics = { name: 'native-atomics', titles: /^Replace the loop by atomic/, vary };

function vary(draw: Draw, name: string): Variation {
  const type = draw.pick(['int', 'unsigned']);
  const [op, isBound] = draw.pick([
    ['+', false],
    ['-', false],
    ['&', false],
    ['|', false],
    ['^', false],
    ['<', true],
    ['>', true],
  ] as const);
  const [old, seen] = draw.pick([
    ['old', 'assumed'],
    ['now', 'before'],
  ] as const);
  const place = draw.pick(['place', '&place[0]']);
  const next = isBound
    ? draw.pick([`value ${op} ${seen} ? value : ${seen}`, `${op === '<' ? 'min' : 'max'}(value, ${seen})`])
    : op === '-' || draw.chance(0.5)
      ? `${seen} ${op} value`
      : `value ${op} ${seen}`;
  const forms: readonly (readonly string[])[] = [
    [
      `${type} ${old} = *place, ${seen};`,
      'do {',
      `  ${seen} = ${old};`,
      `  ${old} = atomicCAS(${place}, ${seen}, ${next});`,
      `} while (${draw.pick([`${old} != ${seen}`, `${seen} != ${old}`])});`,
    ],
    [`${type} ${seen};`, 'do {', `  ${seen} = *place;`, `} while (atomicCAS(${place}, ${seen}, ${next}) != ${seen});`],
    [
      `${draw.pick(['for (;;)', 'while (true)', 'while (1)'])} {`,
      `  const ${type} ${seen} = place[0];`,
      `  const ${type} next = ${next};`,
      `  if (atomicCAS(place, ${seen}, next) == ${seen}) break;`,
      '}',
    ],
  ];
  const bounded = [
    `${type} ${old} = *place;`,
    `while (value ${op} ${old}) {`,
    `  ${type} ${seen} = ${old};`,
    ...draw.pick([
      [`  if ((${old} = atomicCAS(${place}, ${seen}, value)) == ${seen}) break;`],
      [`  ${old} = atomicCAS(${place}, ${seen}, value);`, `  if (${old} == ${seen}) {`, '    break;', '  }'],
    ]),
    '}',
  ];
  const loop = draw.pick(isBound ? [...forms, bounded] : forms);
  const text = [
    `__device__ void put(${type} *place, ${type} value) {`,
    ...loop.map((line) => `  ${line}`),
    '}',
    `__global__ void collect(const ${type} *in, ${type} *out, int n) {`,
    '  int i = blockIdx.x * blockDim.x + threadIdx.x;',
    '  if (i < n) put(out + i % 3, in[i]);',
    '}',
    '',
    `void run(const ${type} *in, ${type} *out, int n) {`,
    '  collect<<<(n + 63) / 64, 64>>>(in, out, n);',
    '}',
    '',
  ].join('\n');
  return {
    name,
    text,
    parameters: [{ name: 'in', type, count: 'n' }, { name: 'out', type, count: '3' }, { size: 'n' }],
    sizes: [0, 1, 31, 64, 65, 300].map((n) => ({ n })),
  };
}

// Variations of kernels that move structures of a few numbers, whose alignment is less than their size.
import type { Draw, Variation } from './variations';

export const alignedStructs = { name: 'aligned-structs', titles: /^Align `\w+` to \d+ bytes/, vary };

function vary(draw: Draw, name: string): Variation {
  const [type, fields] = draw.pick([
    ['double', ['re', 'im']],
    ['float', ['x', 'y']],
    ['float', ['r', 'g', 'b', 'a']],
    ['int', ['first', 'last']],
    ['short', ['u', 'v', 's', 't']],
  ] as const);
  const struct = draw.pick(['Pair', 'Value', 'COMPLEX']);
  const list = draw.chance(0.5)
    ? `${type} ${fields.join(', ')};`
    : fields.map((field) => `${type} ${field};`).join(' ');
  const declared = draw.pick([
    `struct ${struct} { ${list} };`,
    `typedef struct { ${list} } ${struct};`,
    `typedef struct ${struct}_tag\n{\n  ${list}\n} ${struct};`,
  ]);
  const count = fields.length;
  const set = fields.map((_, at) => `in[i * ${count} + ${at}]`).join(', ');
  const work = draw.pick([
    `to[i] = from[n - 1 - i];`,
    `${struct} own = from[i]; own.${fields[0]} += 1; to[i] = own;`,
    `to[i] = {${fields.map((field) => `(${type})(from[i].${field} * 2)`).join(', ')}};`,
    `if (from[i].${fields[1]} > 0) to[i] = from[i]; else to[i] = {};`,
  ]);
  const text = [
    declared,
    `__global__ void pack(const ${type} *in, ${struct} *all, int n) {`,
    '  int i = blockIdx.x * blockDim.x + threadIdx.x;',
    `  if (i < n) all[i] = {${set}};`,
    '}',
    `__global__ void work(const ${struct} *from, ${struct} *to, int n) {`,
    '  int i = blockIdx.x * blockDim.x + threadIdx.x;',
    `  if (i < n) { ${work} }`,
    '}',
    `__global__ void unpack(const ${struct} *all, ${type} *out, int n) {`,
    '  int i = blockIdx.x * blockDim.x + threadIdx.x;',
    '  if (i >= n) return;',
    ...fields.map((field, at) => `  out[i * ${count} + ${at}] = all[i].${field};`),
    '}',
    '',
    `void run(const ${type} *in, ${type} *out, int n) {`,
    `  ${struct} *a, *b;`,
    `  cudaMalloc(&a, n * sizeof(${struct}));`,
    `  cudaMalloc((void **)&b, sizeof(${struct}) * n);`,
    '  pack<<<(n + 63) / 64, 64>>>(in, a, n);',
    '  work<<<(n + 63) / 64, 64>>>(a, b, n);',
    '  unpack<<<(n + 63) / 64, 64>>>(b, out, n);',
    '  cudaFree(a);',
    '  cudaFree(b);',
    '}',
    '',
  ].join('\n');
  return {
    name,
    text,
    parameters: [
      { name: 'in', type, count: `n * ${count}` },
      { name: 'out', type, count: `n * ${count}` },
      { size: 'n' },
    ],
    sizes: [0, 1, 31, 32, 33, 100].map((n) => ({ n })),
  };
}

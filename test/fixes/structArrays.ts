// Variations of programs whose kernels touch fields of structures that the host allocates, fills and reads back.
import type { Draw, Variation } from './variations';

export const structArrays = { name: 'struct-arrays', titles: /^One array per field of `\w+`/, vary };

function vary(draw: Draw, name: string): Variation {
  const type = draw.pick(['float', 'double', 'int', 'long long']);
  const struct = draw.pick(['Body', 'particle', 'CELL', 'Values']);
  const [a, b, c] = draw.pick([
    ['x', 'vx', 'mass'],
    ['first', 'second', 'count'],
    ['to', 'from', 'error'], // names that the functions would like for themselves
    ['values', 'all', 'field'],
  ] as const);
  const others = ['double p0', 'char p1', 'float4 p2', 'unsigned char p3', 'double2 p4', 'long long p5'];
  const rest = others.filter(() => draw.chance(0.5));
  if (rest.length < 2) rest.push('double more', 'float4 rest');
  const fields = [`${type} ${a}`, ...rest, `${type} ${b}`, draw.pick([`${type} ${c}`, `int ${c}`])];
  if (draw.chance(0.3)) fields.reverse();
  const list = fields.map((field) => `${field};`).join(' ');
  const declared = draw.pick([
    `struct ${struct} { ${list} };`,
    `typedef struct { ${list} } ${struct};`,
    `typedef struct ${struct}_tag {\n  ${list}\n} ${struct};`,
  ]);
  const p = draw.pick(['bodies', 'p', 'all']);
  const at = draw.pick(['i', 'i', 'n - 1 - i']);
  const of = (field: string, index = at): string =>
    draw.pick([`${p}[${index}].${field}`, `${p}[ ${index} ] . ${field}`]);
  const work = draw.pick([
    [`${of(a)} += ${of(b)};`],
    [`${type} v = ${of(b)};`, `${of(a)} = v + step;`],
    [`if (${of(b)} > 0) ${of(a)} = ${of(a)} + ${of(b)} * 2;`],
    [`int k = (int)${of(c, 'i')} & 7;`, `if (i + k < n) ${of(a, 'i')} = ${p}[i + k].${b};`],
    [type === 'long long' ? `${of(a)} += 1;` : `atomicAdd(&${p}[${draw.pick(['0', 'i'])}].${a}, (${type})1);`],
    [`${of(a)}++;`],
  ]);
  const isAtomic = work[0]!.startsWith('atomicAdd');
  const alone = /i \+ k/.test(work.join('')) ? `${p}[i].${a} = ${p}[i].${b};` : work.join('\n  ');
  const pointer = draw.pick([`${struct} *${p}`, `${struct} *__restrict__ ${p}`, `${struct}* ${p}`]);
  const check = draw.chance(0.4);
  const call = (text: string): string =>
    check ? `CHECK(${text});` : draw.pick([`${text};`, `${text};`, `(void)${text};`]);
  const d = draw.pick(['d', 'device', 'gpu_all']);
  const two = draw.chance(0.3);
  const bytes = draw.pick([`n * sizeof(${struct})`, `sizeof(${struct}) * n`, 'bytes']);
  const setUp = bytes === 'bytes' ? [`const size_t bytes = n * sizeof(${struct});`] : [];
  const made = draw.pick([`&${d}`, `(void **)&${d}`]);
  const second = two
    ? [
        `__global__ void take(const ${struct} *from, ${struct} *to, int n) {`,
        '  int i = blockIdx.x * blockDim.x + threadIdx.x;',
        `  if (i < n) to[i].${b} = from[i].${a};`,
        '}',
      ]
    : [];
  const text = [
    '#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) return; } while (0)',
    declared,
    ...(draw.chance(0.5) ? ['// What moves them.'] : []),
    `__global__ void move(${pointer}, ${type} step, int n) {`,
    '  int i = blockIdx.x * blockDim.x + threadIdx.x;',
    draw.chance(0.5) ? '  if (i >= n) return;' : '  if (i < n) {',
    `  ${isAtomic || /n - 1 - i|i \+ k/.test(work.join('')) ? (isAtomic ? work.join('\n  ') : alone) : work.join('\n  ')}`,
    '  }',
    '}',
    ...second,
    '',
    `void run(${type} *v, int n) {`,
    `  ${struct} *host = new ${struct}[n];`,
    '  for (int k = 0; k < n; k++) {',
    `    host[k] = ${struct}();`,
    `    host[k].${a} = v[k];`,
    `    host[k].${b} = v[n - 1 - k];`,
    `    host[k].${c} = 3;`,
    '  }',
    ...(two && draw.chance(0.5)
      ? [`  ${struct} *${d}, *other;`]
      : [`  ${struct} *${d}${draw.pick(['', ' = nullptr', ' = NULL'])};`, ...(two ? [`  ${struct} *other;`] : [])]),
    ...setUp.map((line) => `  ${line}`),
    `  ${call(`cudaMalloc(${made}, ${bytes})`)}`,
    ...(two ? [`  ${call(`cudaMalloc(&other, sizeof(${struct}) * n)`)}`] : []),
    `  ${call(`cudaMemcpy(${d}, host, ${bytes}, cudaMemcpyHostToDevice)`)}`,
    ...(two ? [`  ${call(`cudaMemcpy(other, host, sizeof(${struct}) * n, cudaMemcpyHostToDevice)`)}`] : []),
    `  for (int round = 0; round < ${draw.pick(['1', '3'])}; round++)`,
    `    move<<<(n + 63) / 64, 64>>>(${d}, 2, n);`,
    ...(two ? [`  take<<<(n + 63) / 64, 64>>>(${d}, other, n);`] : []),
    `  ${call(`cudaMemcpy(host, ${two ? 'other' : d}, ${two ? `sizeof(${struct}) * n` : bytes}, cudaMemcpyDeviceToHost)`)}`,
    `  for (int k = 0; k < n; k++) v[k] = host[k].${a} + host[k].${b} + (${type})host[k].${c};`,
    ...(draw.chance(0.8) ? [`  ${call(`cudaFree(${d})`)}`, ...(two ? ['  cudaFree(other);'] : [])] : []),
    '  delete[] host;',
    '}',
    '',
  ].join('\n');
  return {
    name,
    text: text.replace('  if (i >= n) return;', '  if (i >= n) return;\n  {'),
    parameters: [{ name: 'v', type, count: 'n' }, { size: 'n' }],
    sizes: [0, 1, 31, 32, 33, 100].map((n) => ({ n })),
    bound: type === 'float' ? 1e-5 : 1e-12,
  };
}

// Variations of kernels whose threads all make an atomic at one integer.
import type { Draw, Variation } from './variations';

export const blockAtomics = { name: 'block-atomics', titles: /^Combine in shared memory/, vary };

function vary(draw: Draw, name: string): Variation {
  const type = draw.pick(['int', 'unsigned']);
  const operation = draw.pick(['Add', 'Sub', 'Min', 'Max', 'And', 'Or', 'Xor']);
  // A name that the fix would like for itself.
  const out = draw.pick(['out', 'ofBlock']);
  const place = draw.pick([out, `&${out}[0]`, `${out} + 1`, `&${out}[which]`, '&all']);
  const own = draw.pick(['own', 'in[i]', 'own * 2', 'own > 9 ? own : 3', '1']);
  const atomic = `atomic${operation}(${place}, ${own});`;
  const use = draw.pick([
    [atomic],
    ['if (own > 5) {', `  ${atomic}`, '}'],
    [`if (i % 3) ${atomic}`],
    [`for (int k = 0; k < i % 4; k++) ${atomic}`],
    ['while (own > 3) {', '  own /= 2;', `  ${atomic}`, '}'],
  ]);
  const shape = draw.pick(['64', '96', '100', 'dim3(16, 4)']);
  const thread = shape.startsWith('dim3') ? 'threadIdx.y * 16 + threadIdx.x' : 'threadIdx.x';
  const threads = shape.startsWith('dim3') ? 64 : Number(shape);
  const first = `int i = blockIdx.x * ${threads} + ${thread};`;
  const body = [`// Of this element.`, `${type} own = in[i];`, ...use];
  const indented = body.map((line) => `  ${line}`);
  const statements = draw.pick([
    [first, 'if (i >= n) return;', ...body],
    [first, 'if (!(i < n)) {', '  return;', '}', ...body],
    [first, 'if (i < n) {', ...indented, '}'],
    [
      'if (n == 0) return;',
      `for (int i = blockIdx.x * ${threads} + ${thread}; i < n; i += gridDim.x * ${threads}) {`,
    ].concat(indented, '}'),
  ]);
  const isOfFile = place === '&all';
  const text = [
    ...(isOfFile ? [`__device__ ${type} all;`] : []),
    `__global__ void collect(const ${type} *in, ${type} *${out}, int n, int which) {`,
    ...statements.map((line) => `  ${line}`),
    '}',
    ...(isOfFile
      ? [`__global__ void take(${type} *${out}) { *${out} = all; }`, '__global__ void set() { all = 7; }']
      : []),
    '',
    `void run(const ${type} *in, ${type} *${out}, int n, int which) {`,
    ...(isOfFile ? ['  set<<<1, 1>>>();'] : []),
    `  collect<<<(n + ${threads - 1}) / ${threads} + 1, ${shape}>>>(in, ${out}, n, which);`,
    ...(isOfFile ? [`  take<<<1, 1>>>(${out});`] : []),
    '}',
    '',
  ].join('\n');
  return {
    name,
    text,
    parameters: [{ name: 'in', type, count: 'n' }, { name: out, type, count: '2' }, { size: 'n' }, { size: 'which' }],
    sizes: [0, 1, 31, 64, 65, 100, 300].map((n, at) => ({ n, which: at % 2 })),
  };
}

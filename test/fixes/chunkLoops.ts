// Variations of kernels whose threads each walk a run of neighbouring elements.
import type { Draw, Variation } from './variations';

export const chunkLoops = { name: 'chunk-loops', titles: /^Make the loop over `\w+` grid-stride/, vary };

function vary(draw: Draw, name: string): Variation {
  const type = draw.pick(['float', 'int', 'double']);
  const thread = draw.pick(['t', 'tid', 'me']);
  const i = draw.pick(['i', 'at', 'k']);
  const per = draw.pick([8, 16, 33, 64]);
  const given = draw.chance(0.4);
  const run = given ? 'perThread' : String(per);
  const [first, end] = draw.pick([
    [`${thread} * ${run}`, `min(n, (${thread} + 1) * ${run})`],
    [`${thread} * ${run}`, `min((${thread} + 1) * ${run}, n)`],
    [`${run} * ${thread}`, `min(n, ${thread} * ${run} + ${run})`],
  ] as const);
  const [begin, stop] = draw.pick([
    [first, end],
    ['first', 'last'],
  ] as const);
  const bounds = begin === 'first' ? [`int first = ${first};`, `int last = ${end};`] : [];
  const use = draw.pick([
    `v[${i}] = v[${i}] * 2 + w[${i}];`,
    `v[${i}] += ${i};`,
    `if (w[${i}] > 0) v[${i}] = w[${i}];`,
    `v[${i}] = w[${i}];`,
    `{ ${type} own = w[${i}]; own = own * own; v[${i}] -= own; }`,
  ]);
  const head = draw.pick([
    `for (int ${i} = ${begin}; ${i} < ${stop}; ${i}++)`,
    `for (int ${i} = ${begin}; ${i} < ${stop}; ++${i})`,
    `for (int ${i} = ${begin}; ${i} < ${stop}; ${i} += 1)`,
  ]);
  const threads = draw.pick([32, 64, 128]);
  const text = [
    `__global__ void walk(${type} *v, const ${type} *w, int n${given ? ', int perThread' : ''}) {`,
    `  int ${thread} = ${draw.pick(['blockIdx.x * blockDim.x + threadIdx.x', 'threadIdx.x + blockIdx.x * blockDim.x'])};`,
    ...bounds.map((line) => `  ${line}`),
    `  ${head} {`,
    `    ${use}`,
    '  }',
    '}',
    '',
    `void run(${type} *v, const ${type} *w, int n) {`,
    ...(given ? [`  const int perThread = ${per};`] : []),
    `  const int threads = ${threads};`,
    `  const int blocks = (n + ${run} * threads - 1) / (${run} * threads);`,
    `  walk<<<${draw.pick(['blocks', 'blocks + 1'])}, threads>>>(v, w, n${given ? ', perThread' : ''});`,
    '}',
    '',
  ].join('\n');
  return {
    name,
    text,
    parameters: [{ name: 'v', type, count: 'n' }, { name: 'w', type, count: 'n' }, { size: 'n' }],
    sizes: [1, 31, 33, 500, 4097].map((n) => ({ n })),
  };
}

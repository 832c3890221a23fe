// Variations of host loops that make memory, wait and copy on each iteration.
import { sizesOfSteps, type Draw, type Variation } from './variations';

export const hostLoops = {
  name: 'host-loops',
  titles: /^(Move \w+ of|Synchronise once|Remove it:|Use cudaMemcpyAsync and wait)/,
  vary,
};

function vary(draw: Draw, name: string): Variation {
  const type = draw.pick(['float', 'int', 'double']);
  const step = draw.pick(['step', 'k', 'i']);
  const buffer = draw.pick(['scratch', 'd_tmp', 'part']);
  const bytes = draw.pick([`n * sizeof(${type})`, `sizeof(${type}) * n`, 'bytes']);
  const wait = draw.pick(['cudaDeviceSynchronize();', 'cudaDeviceSynchronize();', 'cudaStreamSynchronize(0);', '']);
  const checked = draw.chance(0.3);
  const call = (text: string): string => (checked ? `CHECK(${text.slice(0, -1)});` : text);
  const makes = draw.chance(0.6);
  const fill = draw.pick([
    [`twice<<<(n + 63) / 64, 64>>>(v, ${buffer}, n);`],
    [call(`cudaMemset(${buffer}, 0, ${bytes});`), `join<<<(n + 63) / 64, 64>>>(v, ${buffer}, n, ${step});`],
    [call(`cudaMemcpy(${buffer}, w, ${bytes}, cudaMemcpyHostToDevice);`)],
    [
      `if (${step} % 2) twice<<<(n + 63) / 64, 64>>>(v, ${buffer}, n);`,
      `else twice<<<(n + 63) / 64, 64>>>(w, ${buffer}, n);`,
    ],
  ]);
  const use = draw.pick([
    `join<<<(n + 63) / 64, 64>>>(${buffer}, v, n, ${step});`,
    `join<<<(n + 63) / 64, 64>>>(${buffer}, v, n, n - ${step});`,
  ]);
  const copy = draw.pick(['', '', call(`cudaMemcpy(copied, v, ${bytes}, cudaMemcpyDeviceToHost);`)]);
  // The host looks at what the loop made: in it, after it, or not at all; where nothing waits it may not.
  const waited = wait || copy || !makes;
  const look = draw.pick(['', '', waited ? 'if (n > 0) seen[0] += v[0];' : '', `seen[0] += ${step};`, 'other += n;']);
  const body = makes
    ? [
        ...(draw.chance(0.5) ? [`${type} *${buffer};`] : [`${type} *${buffer} = nullptr;`]),
        call(`cudaMalloc(&${buffer}, ${bytes});`),
        ...fill,
        use,
        ...(wait ? [call(wait)] : []),
        ...(copy ? [copy] : []),
        ...(look ? [look] : []),
        call(`cudaFree(${buffer});`),
      ]
    : [
        `join<<<(n + 63) / 64, 64>>>(w, v, n, ${step});`,
        call(wait || 'cudaDeviceSynchronize();'),
        ...(copy ? [copy] : []),
        ...(look ? [look] : []),
      ];
  const head = draw.pick([
    `for (int ${step} = 0; ${step} < steps; ${step}++) {`,
    `for (int ${step} = steps; ${step} > 0; --${step}) {`,
    `int ${step} = 0;\n  while (${step} < steps) {`,
  ]);
  const last = head.includes('while') ? [`${step}++;`] : [];
  const behind = draw.pick([
    [],
    [call('cudaDeviceSynchronize();')],
    ['if (n > 1) seen[0] += v[1];'],
    ['seen[0] += 1;'],
  ]);
  const text = [
    '#include <cstdio>',
    '#include <cstdlib>',
    ...(checked ? ['#define CHECK(call) do { if ((call) != cudaSuccess) { exit(1); } } while (0)'] : []),
    `__global__ void twice(const ${type} *from, ${type} *to, int n) {`,
    '  int i = blockIdx.x * blockDim.x + threadIdx.x;',
    '  if (i < n) to[i] = from[i] * 2;',
    '}',
    `__global__ void join(const ${type} *from, ${type} *to, int n, int by) {`,
    '  int i = blockIdx.x * blockDim.x + threadIdx.x;',
    '  if (i < n) to[i] = (to[i] + from[n - 1 - i] + by) / 2;',
    '}',
    '',
    `void run(${type} *v, ${type} *w, ${type} *copied, ${type} *seen, int n, int steps) {`,
    `  size_t bytes = n * sizeof(${type});`,
    '  int other = 0;',
    `  ${head}`,
    ...body.map((line) => `    ${line}`),
    ...last.map((line) => `    ${line}`),
    '  }',
    ...behind.map((line) => `  ${line}`),
    '  seen[0] += other;',
    '}',
    '',
  ].join('\n');
  return {
    name,
    text,
    parameters: [
      { name: 'v', type, count: 'n' },
      { name: 'w', type, count: 'n' },
      { name: 'copied', type, count: 'n' },
      { name: 'seen', type, count: '1', input: 'zero' },
      { size: 'n' },
      { size: 'steps' },
    ],
    sizes: sizesOfSteps,
  };
}

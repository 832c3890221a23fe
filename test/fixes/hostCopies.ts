// Variations of host loops with copies that are overwritten, and of allocations whose size is computed there.
import { sizesOfSteps, type Draw, type Variation } from './variations';

export const hostCopies = {
  name: 'host-copies',
  titles: /^(Copy once, after the loop|Allocate on stream)/,
  vary,
};

function vary(draw: Draw, name: string): Variation {
  const type = draw.pick(['float', 'int', 'double']);
  const step = draw.pick(['step', 'k', 'i']);
  const checked = draw.chance(0.3);
  const call = (text: string): string => (checked ? `CHECK(${text.slice(0, -1)});` : text);
  const bytes = draw.pick([`n * sizeof(${type})`, 'bytes']);
  const pools = draw.chance(0.4);
  const copy = draw.pick([
    call(`cudaMemcpy(copied, v, ${bytes}, cudaMemcpyDeviceToHost);`),
    call(`cudaMemcpy(&own, counter, sizeof(int), cudaMemcpyDeviceToHost);`),
  ]);
  // What is between the copy and the end of an iteration: some of it changes what was copied.
  const behind = draw.pick([
    [],
    [],
    [`printf("%d ", ${step} * 0);`.replace('printf', 'if (n < 0) printf')],
    [call('cudaDeviceSynchronize();')],
    [call(`cudaMemset(counter, 0, sizeof(int));`)],
    ['join<<<(n + 63) / 64, 64>>>(v, w, n, 1, counter);'],
    ['other += n;'],
  ]);
  const jump = draw.pick(['', '', '', `if (${step} == 2) break;`, `if (${step} == 1) continue;`]);
  const buffer = draw.pick(['scratch', 'part']);
  const end = call(`cudaFree(${buffer});`);
  const body = pools
    ? [
        `int count = n + ${step} % 2;`,
        draw.pick([`${type} *${buffer};`, `${type} *${buffer} = nullptr;`]),
        call(`cudaMalloc(&${buffer}, count * sizeof(${type}));`),
        call(`cudaMemset(${buffer}, 0, count * sizeof(${type}));`),
        `join<<<(n + 63) / 64, 64>>>(v, ${buffer}, n, ${step}, counter);`,
        `join<<<(n + 63) / 64, 64>>>(${buffer}, v, n, 1, counter);`,
        ...draw.pick([[end], [`if (${step} % 2) {`, end, '} else {', end, '}'], [end, 'other += n;']]),
      ]
    : [`join<<<(n + 63) / 64, 64>>>(w, v, n, ${step}, counter);`, ...(jump ? [jump] : []), copy, ...behind];
  const head = draw.pick([
    `for (int ${step} = 0; ${step} < steps; ${step}++) {`,
    `for (int ${step} = 0; ${step} < steps * 2; ${step} += 2) {`,
    `for (int ${step}(0); steps > ${step}; ++${step}) {`,
    `for (int ${step} = 1; ${step} <= 3; ${step}++) {`,
  ]);
  const text = [
    '#include <cstdio>',
    '#include <cstdlib>',
    ...(checked ? ['#define CHECK(call) do { if ((call) != cudaSuccess) { exit(1); } } while (0)'] : []),
    `__global__ void join(const ${type} *from, ${type} *to, int n, int by, int *counter) {`,
    '  int i = blockIdx.x * blockDim.x + threadIdx.x;',
    '  if (i == 0) *counter += by + 1;',
    '  if (i < n) to[i] = (to[i] + from[n - 1 - i] + by) / 2;',
    '}',
    '',
    `void run(${type} *v, ${type} *w, ${type} *copied, int *counter, int *seen, int n, int steps) {`,
    `  size_t bytes = n * sizeof(${type});`,
    '  int other = 0, own = 7;',
    `  ${head}`,
    ...body.map((line) => `    ${line}`),
    '  }',
    ...draw.pick([[], [call('cudaDeviceSynchronize();')], ['seen[0] += own;']]).map((line) => `  ${line}`),
    '  seen[0] += other + own;',
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
      { name: 'counter', type: 'int', count: '1', input: 'zero' },
      { name: 'seen', type: 'int', count: '1', input: 'zero' },
      { size: 'n' },
      { size: 'steps' },
    ],
    sizes: sizesOfSteps,
  };
}

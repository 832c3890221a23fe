// Variations of branches that the parity of the lane decides.
import type { Draw, Variation } from './variations';

export const branches = {
  name: 'branches',
  titles: /^Split even and odd threads/,
  vary,
};

function vary(draw: Draw, name: string): Variation {
  const type = draw.pick(['float', 'double']);
  const cond = draw.pick([
    'threadIdx.x % 2 == 0',
    'i % 2 == 0',
    'threadIdx.x % 2',
    '(threadIdx.x & 1) == 0',
    'i % 2 != 0',
  ]);
  const turns = draw.pick([20, 40]);
  const arm = (): string => draw.pick(['x = x * 0.5f + 1;', 'x = (x + w[i]) * 0.25f;', 'x -= x * 0.125f;']);
  return program(name, type, [
    `  ${type} x = v[i];`,
    `  if (${cond}) {`,
    `    for (int k = 0; k < ${turns}; k++) ${arm()}`,
    '  } else {',
    `    for (int k = 0; k < ${turns}; k++) ${arm()}`,
    '  }',
    '  v[i] = x;',
  ]);
}

function program(name: string, type: string, body: readonly string[]): Variation {
  const text = [
    `__global__ void choose(${type} *v, const ${type} *w, int n) {`,
    '  int i = blockIdx.x * blockDim.x + threadIdx.x;',
    '  if (i >= n) return;',
    ...body,
    '}',
    '',
    `void run(${type} *v, const ${type} *w, int n) {`,
    '  choose<<<(n + 127) / 128, 128>>>(v, w, n);',
    '}',
    '',
  ].join('\n');
  return {
    name,
    text,
    parameters: [{ name: 'v', type, count: 'n' }, { name: 'w', type, count: 'n' }, { size: 'n' }],
    sizes: [0, 1, 31, 33, 127, 128, 300].map((n) => ({ n })),
    bound: 1e-5,
    rounds: true,
  };
}

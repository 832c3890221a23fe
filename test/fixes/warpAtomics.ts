// Variations of kernels whose threads all add to one place.
import type { Draw, Variation } from './variations';

export const warpAtomics = { name: 'warp-atomics', titles: /^One atomic per warp/, vary };

function vary(draw: Draw, name: string): Variation {
  const type = draw.pick(['float', 'double', 'unsigned long long']);
  const [total, part] = draw.pick([
    ['sum', 'own'],
    ['lanes', 'part'], // names that the fix would like for itself
    ['out', 'value'],
  ] as const);
  const place = draw.pick([
    total,
    `&${total}[0]`,
    `${total} + 1`,
    `&${total}[blockIdx.x % 2]`,
    `&${total}[which]`,
    '&ofBlock',
    '&ofBlock',
    '&both.x',
  ]);
  const T = place !== '&both.x' && draw.chance(0.3) ? 'T' : type;
  const shared = place === '&ofBlock' || place === '&both.x';
  const inBlock = place.replace('&', '');
  const wide = type === 'unsigned long long' ? 'ulonglong2' : `${type}2`;
  const value = draw.pick([part, `${part} * 2`, `${part} - 1`, 'in[i]', `${part} > 0 ? ${part} : 0`, '1']);
  const atomic = `atomicAdd(${place}, ${value});`;
  const use = draw.pick([
    atomic,
    `if (${part} > 0) ${atomic}`,
    `if (i % 3) { ${atomic} } else ${part} = 0;`,
    `for (int k = 0; k < i % 4; k++) ${atomic}`,
    `for (int k = 0; k < 2; k++) {\n    ${atomic}\n    ${part} = ${part} + 1;\n  }`,
  ]);
  const guard = draw.chance(0.5)
    ? [`if (i >= n) return;`, `${T} ${part} = in[i];`, use]
    : ['if (i < n) {', `  ${T} ${part} = in[i];`, `  ${use}`, '}'];
  const text = [
    `#include <cstdio>`,
    ...(T === 'T' ? ['template <typename T>'] : []),
    `__global__ void collect(const ${T} *in, ${T} *${total}, int n, int which) {`,
    '  int i = blockIdx.x * blockDim.x + threadIdx.x;',
    ...(shared
      ? [
          place === '&ofBlock' ? `  __shared__ ${T} ofBlock;` : `  __shared__ ${wide} both;`,
          `  if (threadIdx.x == 0) ${inBlock} = 0;`,
          '  __syncthreads();',
        ]
      : []),
    // A barrier is behind what is guarded.
    ...(shared ? ['if (i < n) {', `  ${T} ${part} = in[i];`, `  ${use}`, '}'] : guard).map((line) => `  ${line}`),
    ...(shared ? ['  __syncthreads();', `  if (threadIdx.x == 0) atomicAdd(${total}, ${inBlock});`] : []),
    '}',
    '',
    `void run(const ${type} *in, ${type} *${total}, int n, int which) {`,
    `  collect<<<(n + 63) / 64, 64>>>(in, ${total}, n, which);`,
    '}',
    '',
  ].join('\n');
  return {
    name,
    text,
    parameters: [
      { name: 'in', type, count: 'n' },
      { name: total, type, count: '2', input: 'zero' },
      { size: 'n' },
      { size: 'which' },
    ],
    sizes: [0, 1, 31, 32, 33, 100, 300].map((n, at) => ({ n, which: at % 2 })),
    bound: type === 'float' ? 1e-4 : 1e-12,
  };
}

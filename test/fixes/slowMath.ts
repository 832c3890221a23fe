// Variations of kernels that square and cube by `pow`. What a float makes of it on whole numbers is exact.
import type { Draw, Variation } from './variations';

export const slowMath = {
  name: 'slow-math',
  titles: /^(?:Write \d+ powers|(?:Write|Compute the base once:) `(?!powf`).*`).* \(≤ \d+ ulp\)$/,
  vary,
};

function vary(draw: Draw, name: string): Variation {
  const type = draw.pick(['float', 'float', 'double']);
  const isFloat = type === 'float';
  const exponent = draw.pick([2, 2, 3, 4]);
  const literal = draw.pick([
    String(exponent),
    `${exponent}.0`,
    `${exponent}.0f`,
    ...(isFloat ? [`(float)${exponent}`] : []),
  ]);
  const call = isFloat ? draw.pick(['powf', 'pow']) : 'pow';
  const base = draw.pick([
    'x',
    'x',
    'in[i]',
    'x + 1',
    'x - in[0]',
    '(x)',
    'x * 2',
    '-x',
    'p.x',
    'noise(x)',
    'noise(in[i]) + x',
    'in[i] - in[0] + in[n - 1 - i] * 2 + in[(i + 1) % n]',
  ]);
  const power = `${call}(${base}, ${literal})`;
  const use = draw.pick([
    `total += ${power};`,
    `if (x > 0) total += ${power}; else total -= ${power};`,
    `for (int j = 0; j < 2; j++) total += ${power} - j;`,
    `total = total - ${power};`,
    `total -= 2 * ${power};`,
    `total = ${power} / 4 + total;`,
    `total += (${power} + 1) / 2;`,
    `if (${power} > 1) total += 1;`,
    `total += -${power};`,
    `total += x > 0 ? ${power} : x;`,
    `{ const ${type} square = ${power}; total += square; }`,
    // Of a float and a double CUDA has no such function.
    `total = fmax(total, (${type})${power});`,
  ]);
  const device = draw.chance(0.3);
  const text = [
    `struct Pair { ${type} x, y; };`,
    `__device__ ${type} noise(${type} v) { return v * 2 + 1; }`,
    ...(device
      ? [
          `__device__ ${type} inner(const ${type} *in, int i, int n, ${type} x, ${type} total) {`,
          '  Pair p = {x, x};',
          `  ${use}`,
          '  return total + p.y * 0;',
          '}',
        ]
      : []),
    `__global__ void shade(const ${type} *in, ${type} *out, int n) {`,
    '  int i = blockIdx.x * blockDim.x + threadIdx.x;',
    '  if (i >= n) return;',
    `  ${type} total = 0;`,
    '  for (int k = 0; k < 3; k++) {',
    `    ${type} x = in[i] + k;`,
    ...(device
      ? ['    total = inner(in, i, n, x, total);']
      : ['    Pair p = {x, x};', `    ${use}`, '    total += p.y * 0;']),
    '  }',
    '  out[i] = total;',
    '}',
    '',
    `void run(const ${type} *in, ${type} *out, int n) {`,
    '  shade<<<(n + 63) / 64, 64>>>(in, out, n);',
    '}',
    '',
  ].join('\n');
  return {
    name,
    text,
    parameters: [{ name: 'in', type, count: 'n' }, { name: 'out', type, count: 'n', input: 'zero' }, { size: 'n' }],
    sizes: [0, 1, 31, 32, 33, 100].map((n) => ({ n })),
    bound: isFloat ? 1e-5 : 1e-13,
    rounds: true,
  };
}

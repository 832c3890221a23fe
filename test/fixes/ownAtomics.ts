// Variations of atomics on an element that no other thread of the grid reaches.
import type { Draw, Variation } from './variations';

export const ownAtomics = { name: 'own-atomics', titles: /^Update it without an atomic/, vary };

function vary(draw: Draw, name: string): Variation {
  const [type, operation] = draw.pick([
    ['double', 'Add'],
    ['float', 'Add'],
    ['int', 'Sub'],
    ['unsigned', 'Xor'],
    ['unsigned long long', 'Or'],
  ]);
  const isPlane = draw.chance(0.3);
  const place = isPlane ? 'y * width + x' : 'i';
  const add = (value: string): string =>
    `atomic${operation}(${draw.pick([`&out[${place}]`, `out + (${place})`])}, ${value});`;
  const inLoop = `for (int k = 0; k < rows; k++) ${add(`(${type})in[k * ${isPlane ? 'width' : 'n'} + ${isPlane ? 'x' : 'i'}]`)}`;
  const body = draw.pick([
    [inLoop],
    [`if (in[${place}] > 2) ${inLoop}`],
    [`const ${type} own = in[${place}] * 2;`, add('own')],
    [add(`in[${place}]`), inLoop],
  ]);
  const indented = body.map((line) => `  ${line}`);
  const first = 'int i = blockIdx.x * blockDim.x + threadIdx.x';
  const statements = isPlane
    ? [
        'const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;',
        'if (x >= width || y >= height) return;',
        ...body,
      ]
    : draw.pick([
        [`const ${first};`, 'if (i >= n) return;', ...body],
        [`const ${first};`, 'if (i < n) {', ...indented, '}'],
        [`for (${first}; i < n; i += gridDim.x * blockDim.x) {`, ...indented, '}'],
      ]);
  const sizes = isPlane ? ['width', 'height'] : ['n'];
  const all = sizes.join(' * ');
  const parameters = `const int *in, ${type} *out, ${sizes.map((size) => `int ${size}`).join(', ')}, int rows`;
  const shape = isPlane ? 'dim3((width + 15) / 16, (height + 3) / 4), dim3(16, 4)' : '(n + 63) / 64, 64';
  const text = `__global__ void update(${parameters}) {
${statements.map((line) => `  ${line}\n`).join('')}}

void run(${parameters}) {
  update<<<${shape}>>>(in, out, ${sizes.join(', ')}, rows);
}
`;
  return {
    name,
    text,
    parameters: [
      { name: 'in', type: 'int', count: `${all} * (rows + 1)` },
      { name: 'out', type, count: all },
      ...[...sizes, 'rows'].map((size) => ({ size })),
    ],
    sizes: [1, 31, 64, 65, 100].map((n, at) => (isPlane ? { width: n, height: at + 3, rows: at } : { n, rows: at })),
  };
}

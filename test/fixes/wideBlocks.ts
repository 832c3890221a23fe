// Variations of launches whose blocks are narrower than a warp, of kernels that take any block.
import type { Draw, Variation } from './variations';

export const wideBlocks = { name: 'wide-blocks', titles: /^Use blocks of 32 × /, vary };

function vary(draw: Draw, name: string): Variation {
  const type = draw.pick(['unsigned char', 'short', 'float', 'signed char']);
  const [x, y] = draw.pick([
    ['x', 'y'],
    ['col', 'row'],
    ['threads', 'ty'],
  ] as const);
  const [wide, high] = draw.pick([
    [16, 16],
    [16, 16],
    [8, 8],
    [8, 32],
    [4, 64],
    [1, 256],
    [16, 2],
    [20, 16],
    [10, 16],
  ] as const);
  const use = draw.pick([
    `v[${y} * w + ${x}] = v[${y} * w + ${x}] * 2 + 1;`,
    `v[${y} * w + ${x}] += u[${y} * w + ${x}] - ${y};`,
    `if (u[${y} * w + ${x}] > 0) v[${y} * w + ${x}] = twice(${x});`,
  ]);
  const body = draw.pick([
    [`if (${x} < w && ${y} < h) ${use}`],
    [`if (${x} >= w || ${y} >= h) return;`, use],
    [`if (${x} < w) {`, `  if (${y} < h) ${use}`, '}'],
    [`if (${x} + 1 < w && ${x} > 0 && ${y} + 1 < h && ${y} > 0)`, `  ${use}`],
    // Without an end: the array has room for all threads.
    [use],
  ]);
  const form = draw.pick(['direct', 'names', 'macros', 'written'] as const);
  const [bx, by] = form === 'direct' ? [wide, high] : form === 'macros' ? ['WIDE', 'HIGH'] : ['block.x', 'block.y'];
  const along = draw.pick([
    (extent: string, block: string | number) => `(${extent} + ${block} - 1) / ${block}`,
    (extent: string, block: string | number) => `${extent} / ${block} + 1`,
    // Not all of the plane is covered.
    (extent: string, block: string | number) => `1 + ${extent} / (2 * ${block})`,
  ]);
  const [gx, gy] = [along('w', bx), along('h', by)];
  const launch = {
    direct: [`work<<<dim3(${gx}, ${gy}), dim3(${wide}, ${high})>>>(v, u, w, h);`],
    names: [`dim3 block(${wide}, ${high});`, `dim3 grid(${gx}, ${gy});`, 'work<<<grid, block>>>(v, u, w, h);'],
    macros: ['dim3 block(WIDE, HIGH);', `dim3 grid(${gx}, ${gy});`, 'work<<<grid, block>>>(v, u, w, h);'],
    written: [
      `dim3 block(${wide}, ${high}, 1), grid(1, 1, 1);`,
      `grid.x = ${gx};`,
      `grid.y = ${gy};`,
      'work<<<grid, block>>>(v, u, w, h);',
    ],
  }[form];
  const again = draw.chance(0.2) ? ['work<<<dim3((w + 31) / 32, h), dim3(32, 1)>>>(v, u, w, h);'] : [];
  const text = [
    ...(form === 'macros' ? [`#define WIDE ${wide}`, `#define HIGH ${high}`] : []),
    `__device__ ${type} twice(${type} a) { return a + a; }`,
    `__global__ void work(${type} *v, const ${type} *u, int w, int h) {`,
    `  int ${x} = blockIdx.x * blockDim.x + threadIdx.x;`,
    `  int ${y} = ${draw.pick(['blockIdx.y * blockDim.y + threadIdx.y', 'threadIdx.y + blockDim.y * blockIdx.y'])};`,
    ...body.map((line) => `  ${line}`),
    '}',
    '',
    `void run(${type} *v, const ${type} *u, int w, int h) {`,
    ...[...launch, ...again].map((line) => `  ${line}`),
    '}',
    '',
  ].join('\n');
  const isOpen = body.length === 1 && body[0] === use;
  // Threads without an end write beyond the plane, some of them to one place.
  const bounded = isOpen ? text.replaceAll(`${y} * w + ${x}`, `${y} * (w + 512) + ${x}`) : text;
  const sizes = [
    [1, 1],
    [31, 2],
    [32, 33],
    [33, 5],
    [7, 70],
    [16, 17],
    [65, 40],
  ] as const;
  const count = isOpen ? '(w + 512) * (h + 600)' : 'w * h';
  return {
    name,
    text: bounded,
    parameters: [{ name: 'v', type, count }, { name: 'u', type, count }, { size: 'w' }, { size: 'h' }],
    sizes: sizes.map(([w, h]) => ({ w, h })),
  };
}

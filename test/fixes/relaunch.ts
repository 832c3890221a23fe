// Variations of launches whose blocks are not whole warps, of kernels that take any block.
import type { Draw, Variation } from './variations';

export const relaunch = { name: 'relaunch', titles: /^Use blocks of/, vary };

function vary(draw: Draw, name: string): Variation {
  return draw.pick([inRows, inPlanes, withoutEnd, ofFewBlocks])(draw, name);
}

/** A few large blocks, with or without an end, or with a loop over the grid. */
function ofFewBlocks(draw: Draw, name: string): Variation {
  const type = draw.pick(['float', 'int', 'double']);
  const [blocks, threads] = draw.pick([
    [16, 512],
    [8, 1024],
    [64, 128],
    [30, 256],
    [12, 768],
  ] as const);
  const id = draw.pick(['i', 'id', 'row']);
  const use = (at: string): string =>
    draw.pick([`v[${at}] = v[${at}] * 2 + w[${at}];`, `for (int k = 0; k < 5; k++) v[${at}] += w[k] - ${at};`]);
  const body = draw.pick([
    [use(id)],
    [`if (${id} < n) ${use(id)}`],
    [`if (${id} >= n) return;`, use(id)],
    [`for (int j = ${id}; j < n; j += gridDim.x * blockDim.x) ${use('j')}`],
  ]);
  const launch = draw.pick([
    [`work<<<${blocks}, ${threads}>>>(v, w, n);`],
    [`const int blocks = ${blocks};`, `work<<<blocks, ${threads}>>>(v, w, n);`],
    [`dim3 grid(${blocks}), block(${threads});`, 'work<<<grid, block>>>(v, w, n);'],
    [`work<<<dim3(${blocks / 2} + ${blocks / 2}), dim3(${threads})>>>(v, w, n);`],
  ]);
  const text = [
    `__global__ void work(${type} *v, const ${type} *w, int n) {`,
    `  ${draw.pick(['int', 'unsigned', 'const long'])} ${id} = ${draw.pick(['blockIdx.x * blockDim.x + threadIdx.x', 'threadIdx.x + blockDim.x * blockIdx.x'])};`,
    ...body.map((line) => `  ${line}`),
    '}',
    '',
    `void run(${type} *v, const ${type} *w, int n) {`,
    ...launch.map((line) => `  ${line}`),
    '}',
    '',
  ].join('\n');
  const count = `${blocks * threads} + n`;
  return {
    name,
    text,
    parameters: [{ name: 'v', type, count }, { name: 'w', type, count }, { size: 'n' }],
    sizes: [5, 700, blocks * threads, blocks * threads + 3].map((n) => ({ n })),
  };
}

/** Kernels that nothing ends, whose launches bring exactly as many threads as there are elements. */
function withoutEnd(draw: Draw, name: string): Variation {
  const type = draw.pick(['float', 'int', 'double']);
  const block = draw.pick([1, 4, 7, 48, 100]);
  const T = draw.chance(0.3) ? 'T' : type;
  const id = draw.pick(['i', 'id', 'threads']);
  const grid = draw.pick(['n', 'n * 2 - n', 'count(n)']);
  const use = draw.pick([
    `v[${id}] = v[${id}] * 2 + 1;`,
    `if (v[${id}] > 0) v[${id}] = ${id};`,
    `for (int k = 0; k < 3; k++) v[${id}] += twice(v[${id}]);`,
  ]);
  const launch = draw.pick([
    [`work<<<${grid}, ${block}>>>(v);`],
    [`dim3 blocks(${grid}), block(${block});`, 'work<<<blocks, block>>>(v);'],
    [`work<<<${grid}, ${block}>>>(v);`, `work<<<n, ${block === 4 ? 2 : block}>>>(v);`],
    [`for (int k = 0; k < 2; k++) work<<<dim3(${grid}), dim3(${block})>>>(v);`],
  ]);
  const text = [
    'int count(int n) { return n; }',
    ...(T === 'T' ? ['template <typename T>'] : []),
    `__device__ ${T} twice(${T} x) { return x + x; }`,
    ...(T === 'T' ? ['template <typename T>'] : []),
    `__global__ void work(${T} *v)${draw.pick([' {', '\n{'])}`,
    `  ${draw.pick(['int', 'unsigned', 'size_t'])} ${id} = ${draw.pick(['blockIdx.x * blockDim.x + threadIdx.x', 'threadIdx.x + blockDim.x * blockIdx.x'])};`,
    `  ${use}`,
    '}',
    '',
    `void run(${type} *v, int n) {`,
    '  if (n == 0) return;',
    ...launch.map((line) => `  ${line}`),
    '}',
    '',
  ].join('\n');
  return {
    name,
    text,
    parameters: [{ name: 'v', type, count: `n * ${block}` }, { size: 'n' }],
    sizes: [0, 1, 2, 31, 33, 65].map((n) => ({ n })),
  };
}

function inRows(draw: Draw, name: string): Variation {
  const type = draw.pick(['float', 'int', 'double']);
  const index = draw.pick(['int', 'unsigned', 'size_t', 'const long long']);
  const block = draw.pick([1, 1, 7, 48, 100, 33, 250]);
  const number = draw.pick([
    'blockIdx.x * blockDim.x + threadIdx.x',
    'threadIdx.x + blockDim.x * blockIdx.x',
    '(blockIdx.x * blockDim.x) + threadIdx.x',
  ]);
  const per = draw.pick([1, 1, 4]);
  const use = (at: string): string =>
    draw.pick([
      `v[${at}] = v[${at}] * 2 + w[${at}];`,
      `v[${at}] += w[n - 1 - ${at}];`,
      `if (w[${at}] > 0) v[${at}] = ${at};`,
    ]);
  const body = draw.pick([
    [`if (i < n) ${use('i')}`],
    ['if (i >= n)', '  return;', use('i')],
    ['if (n > i) {', `  ${use('i')}`, '}'],
    ['for (int j = i; j < n; j += blockDim.x * gridDim.x)', `  ${use('j')}`],
    ['int all = gridDim.x * blockDim.x;', 'for (int j = i; j < n; j += all) {', `  ${use('j')}`, '}'],
    [`int at = i * ${per};`, 'if (at < n)', `  for (int k = at; k < at + ${per} && k < n; k++) ${use('k')}`],
  ]);
  const grid = draw.pick([`(n + ${block - 1}) / ${block}`, `n / ${block} + 1`, `(n + ${block}) / ${block}`]);
  const [before, launch] = draw.pick([
    ['', `work<<<${grid}, ${block}>>>(v, w, n);`],
    [`dim3 grid(${grid}), block(${block});`, 'work<<<grid, block>>>(v, w, n);'],
    [`const int blocks = ${grid};`, `work<<<dim3(blocks), dim3(${block})>>>(v, w, n);`],
  ] as const);
  const text = [
    `__global__ void work(${type} *v, const ${type} *w, int n) {`,
    `  ${index.replace('const ', '')} i = ${number};`,
    ...body.map((line) => `  ${line}`),
    '}',
    '',
    `void run(${type} *v, const ${type} *w, int n) {`,
    ...(before ? [`  ${before}`] : []),
    `  ${launch}`,
    '}',
    '',
  ].join('\n');
  return {
    name,
    text,
    parameters: [{ name: 'v', type, count: 'n' }, { name: 'w', type, count: 'n' }, { size: 'n' }],
    sizes: [1, 31, 32, 33, 255, 256, 257, 700].map((n) => ({ n })),
  };
}

function inPlanes(draw: Draw, name: string): Variation {
  const type = draw.pick(['float', 'int', 'double']);
  const [x, y] = draw.pick([
    ['x', 'y'],
    ['col', 'row'],
    ['tx', 'ty'],
  ] as const);
  const [wide, high] = [draw.pick([1, 2, 3, 4, 5, 10, 20]), draw.pick([1, 3, 4, 7, 10])];
  const down = draw.chance(0.3);
  const at = down ? `${x} * h + ${y}` : `${y} * w + ${x}`;
  const use = draw.pick([
    `v[${at}] = v[${at}] * 2 + 1;`,
    `v[${at}] += ${x} - ${y};`,
    `if (v[${at}] > 0) v[${at}] = ${y};`,
  ]);
  const body = draw.pick([
    [`if (${x} < w && ${y} < h) ${use}`],
    [`if (${x} >= w || ${y} >= h) return;`, use],
    [`if (${x} >= w) return;`, `if (${y} >= h) return;`, use],
    [`if (${y} < h && ${x} < w && v[${at}] != 2) {`, `  ${use}`, '}'],
    [`if (${x} + 1 < w && ${x} > 0 && ${y} + 1 < h && ${y} > 0)`, `  v[${at}] = v[${at}] * 3 - 1;`],
  ]);
  const direct = draw.chance(0.4);
  const bx = direct ? String(wide) : 'block.x';
  const by = direct ? String(high) : 'block.y';
  const extents = `(w + ${bx} - 1) / ${bx}, (h + ${by} - 1) / ${by}`;
  const launch = direct
    ? [`  work<<<dim3(${extents}), dim3(${wide}, ${high})>>>(v, w, h);`]
    : [
        `  dim3 block(${wide}, ${high}${draw.chance(0.3) ? ', 1' : ''});`,
        `  dim3 grid(${extents});`,
        '  work<<<grid, block>>>(v, w, h);',
      ];
  const text = [
    `__global__ void work(${type} *v, int w, int h) {`,
    `  int ${x} = blockIdx.x * blockDim.x + threadIdx.x;`,
    `  int ${y} = ${draw.pick(['blockIdx.y * blockDim.y + threadIdx.y', 'threadIdx.y + blockDim.y * blockIdx.y'])};`,
    ...body.map((line) => `  ${line}`),
    '}',
    '',
    `void run(${type} *v, int w, int h) {`,
    ...launch,
    '}',
    '',
  ].join('\n');
  const sizes = [
    [1, 1],
    [31, 2],
    [32, 33],
    [33, 5],
    [7, 40],
    [16, 17],
  ] as const;
  return {
    name,
    text,
    parameters: [{ name: 'v', type, count: 'w * h' }, { size: 'w' }, { size: 'h' }],
    sizes: sizes.map(([w, h]) => ({ w, h })),
  };
}

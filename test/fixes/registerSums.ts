// Variations of kernels that keep a sum in global memory through their loops.
import type { Draw, Variation } from './variations';

export const registerSums = { name: 'register-sums', titles: /^Add up in a local variable/, vary };

function vary(draw: Draw, name: string): Variation {
  const type = draw.pick(['float', 'double', 'int', 'unsigned int', 'long long']);
  const T = draw.chance(0.2) ? 'T' : type;
  const [out, i, k] = draw.pick([
    ['out', 'i', 'k'],
    ['sum', 'id', 'j'], // a name that the fix would like for itself
    ['total', 'sum', 'c'],
  ] as const);
  // Where a thread's sum lies, and how many elements that takes.
  const [place, setUp] = draw.pick([
    [`${out}[${i}]`, ''],
    [`${out}[${i} * 2 + 1]`, ''],
    [`${out}[at]`, `const int at = 2 * ${i};`],
    ['*to', `${T} *to = ${out} + ${i};`],
    [`to[0]`, `${T} *to = &${out}[${i}];`],
    [`(${out} + ${i})[n]`, ''],
  ] as const);
  const x = (at: string): string => `in[(${at}) * n + ${i}]`;
  const real = type === 'float' || type === 'double';
  const adds = (value: string): string =>
    draw.pick([
      `${place} += ${value};`,
      `${place} = ${place} + ${value};`,
      `${place} -= ${value};`,
      ...(real ? [`${place} = ${value} + ${place} * ${value};`] : [`${place} ^= ${value};`, `${place} |= ${value};`]),
      `${place} += ${value} * (${place} > 3 ? 1 : 2);`,
    ]);
  const deep = draw.pick(['one', 'one', 'two', 'three'] as const);
  const value = deep === 'one' ? x(k) : deep === 'two' ? x(`${k} + b % 2`) : x(`${k} + (b + a) % 2`);
  const statement = adds(value);
  const leaves = draw.pick(['', '', '', `if (in[${k}] > 3) break;`, `if (in[${i}] < -3) continue;`]);
  const body = leaves ? `{\n      ${statement}\n      ${leaves}\n    }` : statement;
  // The loop may not run at all, for each thread on its own: what lies beyond the array then must not be touched.
  const own = draw.pick([`rows`, `rows`, `(${i} < n ? rows : 0)`, 'mine']);
  const head = draw.pick([
    `for (int ${k} = 0; ${k} < ${own}; ${k}++)`,
    `for (int ${k} = 1; ${k} <= ${own}; ++${k})`,
    `for (int ${k} = ${own} - 1; ${k} >= 0; ${k}--)`,
    `for (unsigned int ${k} = 0u; ${k} < ${own}; ${k} += 2)`,
    `for (int ${k} = first; ${own} > ${k}; ${k}++)`,
  ]);
  const inner =
    deep === 'one'
      ? [`${head} ${body}`]
      : deep === 'two'
        ? [`${head}`, `  for (int b = 0; b < ${draw.pick(['3', 'rows', '2'])}; b++) ${statement}`]
        : [
            `${head} {`,
            `  for (int b = 0; b < 2; b++)`,
            `    for (int a = 0; a < ${draw.pick(['2', 'b'])}; a++) ${statement}`,
            '}',
          ];
  const around = draw.pick(['before', 'before', 'behind', 'none', 'none'] as const);
  const pragma = draw.chance(0.15) ? ['#pragma unroll 2'] : [];
  // Without anything else at the place only the loop's own condition keeps threads off.
  const guarded = around !== 'none' || !/mine|\?/.test(own) || draw.chance(0.3);
  const lines = [
    `int ${i} = blockIdx.x * blockDim.x + threadIdx.x;`,
    `const int first = ${i} % 2;`,
    `int mine = ${i} < n ? rows : 0;`,
    ...(guarded ? [`if (${i} >= n) return;`] : []),
    ...(setUp ? [setUp] : []),
    ...(around === 'before' ? [`${place} = 1;`] : []),
    ...(draw.chance(0.2) ? [`if (rows > 1) {`, ...pragma, ...inner, '}'] : [...pragma, ...inner]),
    ...(around === 'behind' ? [draw.pick([`${place} = ${place} * 2;`, `${place} += 1;`])] : []),
  ];
  const text = [
    ...(T === 'T' ? ['template <typename T>'] : []),
    `__global__ void collect(const ${T} *in, ${T} *${out}, int n, int rows) {`,
    ...lines.map((line) => `  ${line}`),
    '}',
    '',
    `void run(const ${type} *in, ${type} *${out}, int n, int rows) {`,
    `  collect<<<(n + 63) / 64, 64>>>(in, ${out}, n, rows);`,
    '}',
    '',
  ].join('\n');
  return {
    name,
    text,
    parameters: [
      { name: 'in', type, count: 'size_t(n) * (rows + 4)' },
      { name: out, type, count: '2 * size_t(n)' },
      { size: 'n' },
      { size: 'rows' },
    ],
    sizes: [
      [0, 5],
      [1, 0],
      [31, 1],
      [32, 2],
      [33, 9],
      [100, 0],
      [130, 7],
    ].map(([n, rows]) => ({ n: n!, rows: rows! })),
    bound: type === 'float' ? 1e-5 : 1e-13,
    ...(real ? { rounds: true as const } : {}),
  };
}

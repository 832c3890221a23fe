// Holds the model of unrolled loops against nvcc: npx tsx lab/fuzz/unrolling.ts [--count 400] [--seed 1] [--record]
//
// Draws kernels whose loops read or write neighbouring elements of shared memory, over types, extents, paddings, nests
// and pragmas, compiles them and counts the instructions of the marked line for each store of the result. Printed are
// those of which the model has another number. `--record` writes the draw and what nvcc made of it to
// test/semantic/merging/unrolling.json. Exit status: 0 where all are equal, 1 where some differ, 2 without nvcc.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { compiledAccesses, compilerAtHand } from '../../test/semantic/merging/machineCode';
import { type LoopCase, loopFile, modelled } from '../../test/semantic/merging/unrolling';

const types = ['float', 'int', 'double', 'float4', 'float2'] as const;
type ElementType = (typeof types)[number];

interface Shape {
  readonly type: ElementType;
  /** Iterations, elements of a row, and elements of a thread's tile. */
  readonly count: number;
  readonly row: number;
  readonly tile: number;
  /** The pragma in front of a loop. */
  readonly unroll: string;
  /** The work is in a loop whose end the compiler does not know. */
  readonly isInLoop: boolean;
}
interface Parts {
  readonly shared: string;
  readonly fill: string;
  readonly init: string;
  readonly body: readonly string[];
  readonly result: string;
  readonly mode?: 'load' | 'store';
}

const scalarOf = (type: ElementType): string => (type.startsWith('float') ? 'float' : type);
const partOf = (type: ElementType, place: string): string => (/\d$/.test(type) ? `${place}.y` : place);
const mark = '// @';

const rows = ({ type, row }: Shape): Pick<Parts, 'shared' | 'fill'> => ({
  shared: `__shared__ ${type} s[64][${row}];`,
  fill: `for (int q = t; q < ${64 * row}; q += 64) (&s[0][0])[q] = in[q + k0];`,
});
const sum = (shape: Shape): Pick<Parts, 'init' | 'result'> => ({
  init: `${scalarOf(shape.type)} v = 0;`,
  result: 'out[t + k0] = v;',
});
const loop = ({ unroll, count }: Shape, statement: string, end = `${count}`): string[] => [
  unroll,
  `for (int i = 0; i < ${end}; i++)`,
  `${statement} ${mark}`,
];
const reads = (shape: Shape, place: string): string => `v += ${partOf(shape.type, place)};`;

const forms: Readonly<Record<string, (shape: Shape) => Parts>> = {
  row: (shape) => ({ ...rows(shape), ...sum(shape), body: loop(shape, reads(shape, 's[t][i]')) }),
  backwards: (shape) => ({
    ...rows(shape),
    ...sum(shape),
    body: [shape.unroll, `for (int i = ${shape.count} - 1; i >= 0; i--)`, `${reads(shape, 's[t][i]')} ${mark}`],
  }),
  column: (shape) => ({
    ...sum(shape),
    shared: `__shared__ ${shape.type} s[${shape.row}][64];`,
    fill: `for (int q = t; q < ${64 * shape.row}; q += 64) (&s[0][0])[q] = in[q + k0];`,
    body: loop(shape, reads(shape, 's[i][t]')),
  }),
  nest: (shape) => ({
    ...rows(shape),
    init: `${scalarOf(shape.type)} w[${shape.count}] = {};`,
    body: [
      shape.unroll,
      `for (int j = 0; j < ${shape.count}; j++)`,
      ...loop(shape, `w[i] += ${partOf(shape.type, 's[t][i]')} * ${partOf(shape.type, 's[(t + 1) % 64][j]')};`),
    ],
    result: `${scalarOf(shape.type)} v = 0; for (int i = 0; i < ${shape.count}; i++) v += w[i]; out[t + k0] = v;`,
  }),
  tile: (shape) => {
    const [width, side] = [8 * shape.tile, shape.tile];
    return {
      shared: `__shared__ ${shape.type} s[${shape.count}][${width}], u[${shape.count}][${width}];`,
      fill: `for (int q = t; q < ${shape.count * width}; q += 64) { (&s[0][0])[q] = in[q]; (&u[0][0])[q] = in[q + 5]; }`,
      init: `${scalarOf(shape.type)} w[${side}][${side}] = {};`,
      body: [
        shape.unroll,
        `for (int k = 0; k < ${shape.count}; k++)`,
        shape.unroll,
        `for (int i = 0; i < ${side}; i++)`,
        shape.unroll,
        `for (int j = 0; j < ${side}; j++)`,
        `w[i][j] += ${partOf(shape.type, `s[k][t / 8 * ${side} + i]`)} * ` +
          `${partOf(shape.type, `u[k][t % 8 * ${side} + j]`)}; ${mark}`,
      ],
      result:
        `${scalarOf(shape.type)} v = 0; for (int i = 0; i < ${side}; i++) for (int j = 0; j < ${side}; j++) ` +
        `v += w[i][j] * (i * 3 + j); out[t + k0] = v;`,
    };
  },
  fragment: (shape) => ({
    shared: `__shared__ ${shape.type} s[${shape.count}][${8 * shape.tile}];`,
    fill: `for (int q = t; q < ${shape.count * 8 * shape.tile}; q += 64) (&s[0][0])[q] = in[q + k0];`,
    ...sum(shape),
    body: [
      shape.unroll,
      `for (int k = 0; k < ${shape.count}; k++) {`,
      `${scalarOf(shape.type)} f[${shape.tile}];`,
      ...loop(shape, `f[i] = ${partOf(shape.type, `s[k][t % 8 * ${shape.tile} + i]`)};`, `${shape.tile}`),
      `for (int i = 0; i < ${shape.tile}; i++) v += f[i] * f[${shape.tile} - 1 - i];`,
      '}',
    ],
  }),
  condition: (shape) => ({
    ...rows(shape),
    ...sum(shape),
    body: [
      shape.unroll,
      `for (int i = 0; i < ${shape.count}; i++)`,
      'if (i != t)',
      `${reads(shape, 's[t][i]')} ${mark}`,
    ],
  }),
  call: (shape) => {
    const name = ['log', 'tanh', 'sin', 'log2', 'exp', 'exp2', 'cos', 'cbrt'][(shape.row + shape.tile) % 8]!;
    return { ...rows(shape), ...sum(shape), body: loop(shape, `v += ${name}(${partOf(shape.type, 's[t][i]')});`) };
  },
  root: (shape) => ({
    ...rows(shape),
    ...sum(shape),
    body: loop(shape, `v += sqrt(${partOf(shape.type, 's[t][i]')} * 1.5f);`),
  }),
  quotient: (shape) => ({
    ...rows(shape),
    init: `${scalarOf(shape.type)} v = 0; float by = out[t];`,
    result: sum(shape).result,
    body: loop(shape, `v += ${partOf(shape.type, 's[t][i]')} / by;`),
  }),
  store: (shape) => ({
    ...rows(shape),
    fill: '',
    init: `${shape.type} x[${shape.count}]; for (int i = 0; i < ${shape.count}; i++) x[i] = in[t * 3 + i * 777];`,
    body: loop(shape, 's[t][i] = x[i];'),
    result:
      `${scalarOf(shape.type)} v = 0; for (int i = 0; i < ${shape.count}; i++) ` +
      `v += ${partOf(shape.type, `s[(t * 5 + i * 3) % 64][(i + t) % ${shape.count}]`)}; out[t + k0] = v;`,
    mode: 'store',
  }),
  window: (shape) => ({
    ...sum(shape),
    shared: `__shared__ ${shape.type} s[${(64 + shape.count) * 2}];`,
    fill: `for (int q = t; q < ${(64 + shape.count) * 2}; q += 64) s[q] = in[q + k0];`,
    body: loop(shape, `v += ${partOf(shape.type, 's[2 * t + i]')} * (i + 1);`),
  }),
  fields: (shape) => ({
    ...sum(shape),
    shared: `struct P { ${shape.type} a, b, c, d; }; __shared__ P s[64];`,
    fill: 's[t].a = in[t + k0]; s[t].b = in[t + 64]; s[t].c = in[t + 128]; s[t].d = in[t + 192];',
    body: [
      `v += ${['abcd', 'ab', 'cd', 'abd']
        [shape.count % 4]!.split('')
        .map((field) => partOf(shape.type, `s[t ^ 1].${field}`))
        .join(' + ')}; ${mark}`,
    ],
  }),
};

function programOf(form: string, shape: Shape, number: number): LoopCase['text'] {
  const { shared, fill, init, body, result } = forms[form]!(shape);
  const kernel = `k${number}`;
  const parameters = `const ${shape.type} *in, ${scalarOf(shape.type)} *out, int n`;
  return [
    `extern "C" __global__ void ${kernel}(${parameters}) {`,
    shared,
    'int t = threadIdx.x;',
    shape.isInLoop ? 'for (int k0 = 0; k0 < n; k0++) {' : 'int k0 = n;',
    fill,
    '__syncthreads();',
    init,
    ...body,
    '__syncthreads();',
    `${result} // result`,
    ...(shape.isInLoop ? ['}'] : []),
    '}',
    `void run${number}(${parameters}) { ${kernel}<<<10, 64>>>(in, out, n); }`,
    '',
  ]
    .filter((line) => line !== '')
    .join('\n');
}

/** Loops of more iterations leave more than one copy in the text, which cannot be distinguished from iterations. */
const counts = [2, 4, 8, 16];

function draw(count: number, first: number): { name: string; text: string; mode: 'load' | 'store'; times: number }[] {
  let seed = first >>> 0;
  const random = (): number => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return (seed >>> 8) / 2 ** 24;
  };
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  return Array.from({ length: count }, (_, number) => {
    const form = pick(Object.keys(forms));
    const count = pick(counts);
    const isNest = /nest|tile|fragment|fields|quotient/.test(form);
    const parts = isNest ? [] : [1, 2, 4].filter((part) => count % part === 0 && part < count);
    const unroll = pick(['', '#pragma unroll', ...parts.map((part) => `#pragma unroll ${part}`)]);
    const shape: Shape = {
      type: pick(
        /call|root|quotient|nest|tile|fragment|store|window/.test(form) ? (['float', 'double'] as const) : types,
      ),
      count,
      row: count + pick([0, 0, 1, 2, 4]),
      tile: pick([2, 4, 8]),
      unroll,
      isInLoop: pick([true, false]),
    };
    const { type, row, tile, isInLoop } = shape;
    const name = [
      form,
      type,
      count,
      row,
      tile,
      unroll ? unroll.replace('#pragma unroll', 'pragma') : 'plain',
      isInLoop ? 'in a loop' : 'once',
    ].join(' ');
    return {
      name: `${number} ${name}`,
      text: programOf(form, shape, number),
      mode: forms[form]!(shape).mode ?? 'load',
      // Copies of the body that one iteration of the compiled loop makes stand for all.
      times: count / (Number(/\d+$/.exec(unroll)?.[0]) || count),
    };
  });
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      count: { type: 'string', default: '400' },
      seed: { type: 'string', default: '1' },
      record: { type: 'boolean', default: false },
    },
  });
  const compiler = compilerAtHand();
  if (compiler === undefined) {
    console.error('nvcc is not there: install CUDA, it compiles the programs.');
    return 2;
  }
  const programs = draw(Number(values.count), Number(values.seed));
  const text = programs.map((program) => program.text).join('\n');
  const lines = text.split('\n');
  const machine = compiledAccesses(`${text}\n`);
  const cases: LoopCase[] = programs.map(({ name, text, mode, times }, number) => {
    const accesses = machine.get(`k${number}`) ?? [];
    const at = (what: string): typeof accesses => accesses.filter(({ line }) => lines[line]!.endsWith(what));
    const results = at('// result').filter(({ space, mode }) => space === 'global' && mode === 'store').length;
    const marked = at(mark).filter((access) => access.space === 'shared' && access.mode === mode);
    return { name, text, mode, instructions: (times * marked.length) / results };
  });
  let different = 0;
  for (const each of cases) {
    const instructions = await modelled(each);
    if (instructions === each.instructions) continue;
    different++;
    console.log(`${each.name}: nvcc ${each.instructions}, model ${instructions}`);
  }
  console.log(`${cases.length - different} of ${cases.length} are equal`);
  if (values.record) writeFileSync(loopFile, `${JSON.stringify({ compiler, cases }, null, 1)}\n`);
  return different > 0 ? 1 : 0;
}

void main().then((status) => (process.exitCode = status));

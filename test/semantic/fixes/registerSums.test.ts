// Sums in registers: what is written, and one example that fails each precondition alone.
import assert from 'node:assert/strict';
import { registerSumOf } from '../../../server/src/semantic/fixes/registerSums';
import { ancestorsOf } from '../../../server/src/semantic/language/scope';
import type { Stmt } from '../../../server/src/syntax/ast';
import { sampleOf } from '../../support/depth';
import { applied, contextOf, keepsResults, nodesOf } from './harness';

const kernel = (body: string, before = '', after = ''): string =>
  `${before}__global__ void k(const float *in, float *out, int n) {\n  int i = threadIdx.x;\n  ${body}\n}\n${after}`;

/**
 * The text with the sum at the last store to `out` in a register, out of the `most` innermost loops around it; where
 * both are run, only if they leave the same.
 */
async function summed(text: string, most = 9, runs = true): Promise<string> {
  const context = await contextOf(text, 'k');
  const sum = nodesOf(context, 'assign').findLast(
    ({ op, target, value }) =>
      target.kind !== 'name' &&
      (op !== '=' || (value.kind === 'binary' && /^[-+*]$/.test(value.op))) &&
      insideLoop(target),
  );
  assert.ok(sum);
  const fact = registerSumOf(context, sum.target, loopsAround(sum.target));
  if (!('edits' in fact)) return `refused: ${fact.precondition}`;
  const after = applied(text, fact.edits);
  return !runs || (await keepsResults(text, after)) ? after : 'refused: run';

  function loopsAround(node: Parameters<typeof ancestorsOf>[0]): Stmt[] {
    return [...ancestorsOf(node, context.locals)]
      .filter((around): around is Stmt => around.kind === 'for' || around.kind === 'while' || around.kind === 'do')
      .slice(0, most);
  }
  function insideLoop(node: Parameters<typeof ancestorsOf>[0]): boolean {
    return loopsAround(node).length > 0;
  }
}

describe('sums in registers', () => {
  const cases: readonly (readonly [string, string, string])[] = [
    [
      'where the place is written before',
      'out[i] = 0;\n  for (int k = 0; k < n; k++) out[i] += in[k];',
      'float sum = 0;\n  for (int k = 0; k < n; k++) sum += in[k];\n  out[i] = sum;',
    ],
    [
      'where the place is written some computations before',
      'out[i] = 0;\n  int b = (int)in[i];\n  b *= 2;\n  for (int k = b; k < n; k++) out[i] += in[k];',
      'float sum = 0;\n  int b = (int)in[i];\n  b *= 2;\n  for (int k = b; k < n; k++) sum += in[k];\n  out[i] = sum;',
    ],
    ...['__syncthreads();', 'if (n < 0) return;', 'float b = out[i];', 'g(in);'].map(
      (between) =>
        [
          `where the place is written before \`${between}\``,
          `out[i] = 0;\n  ${between}\n  for (int k = 0; k < n; k++) out[i] += in[k];`,
          `out[i] = 0;\n  ${between}\n  float sum = out[i];\n  for (int k = 0; k < n; k++) sum += in[k];\n  out[i] = sum;`,
        ] as const,
    ),
    [
      'under a condition of its loop alone, where its end in memory may change in the loop around',
      '__shared__ int m[1];\n  for (int a = 0; a < m[0]; a++) {\n    m[0] = 0;\n    for (int b = 0; b < m[0]; b++) out[i] += in[b];\n  }',
      '__shared__ int m[1];\n  for (int a = 0; a < m[0]; a++) {\n    m[0] = 0;\n    if (m[0] > 0) {\n      float sum = out[i];\n      for (int b = 0; b < m[0]; b++) sum += in[b];\n      out[i] = sum;\n    }\n  }',
    ],
    [
      'with what scales it before',
      'out[i] *= 2;\n  for (int k = 0; k < n; k++) out[i] += in[k];',
      'float sum = out[i] * 2;\n  for (int k = 0; k < n; k++) sum += in[k];\n  out[i] = sum;',
    ],
    [
      'into what is behind the loop',
      'out[i] = (in[i] + 1);  // first\n  for (int k = 0; k < n; k++) out[i] += in[k];\n  out[i] /= n + 1;',
      'float sum = (in[i] + 1);  // first\n  for (int k = 0; k < n; k++) sum += in[k];\n  out[i] = sum / (n + 1);',
    ],
    [
      'into a product behind the loop, in its parentheses',
      'for (int k = 0; k < 9; k++) out[i] += in[k];\n  out[i] *= (-1.f + out[i]) * 2;',
      'float sum = out[i];\n  for (int k = 0; k < 9; k++) sum += in[k];\n  out[i] = sum * ((-1.f + sum) * 2);',
    ],
    [
      'into an assignment behind the loop',
      'for (int k = 0; k < 9; k++) out[i] += in[k];\n  out[i] = sqrtf(out[i] / n);',
      'float sum = out[i];\n  for (int k = 0; k < 9; k++) sum += in[k];\n  out[i] = sqrtf(sum / n);',
    ],
    [
      'before what reads the array elsewhere',
      'for (int k = 0; k < 9; k++) out[i] += in[k];\n  out[i] = out[i] / out[n];',
      'float sum = out[i];\n  for (int k = 0; k < 9; k++) sum += in[k];\n  out[i] = sum;\n  out[i] = out[i] / out[n];',
    ],
    [
      'before what calls a function',
      'for (int k = 0; k < 9; k++) out[i] += in[k];\n  out[i] *= weigh(out);',
      'float sum = out[i];\n  for (int k = 0; k < 9; k++) sum += in[k];\n  out[i] = sum;\n  out[i] *= weigh(out);',
    ],
    [
      'before an operator that a comment follows',
      'for (int k = 0; k < 9; k++) out[i] += in[k];\n  out[i] *= /* twice */ 2;',
      'float sum = out[i];\n  for (int k = 0; k < 9; k++) sum += in[k];\n  out[i] = sum;\n  out[i] *= /* twice */ 2;',
    ],
    [
      'where it is written behind',
      'while (n-- > 0) {\n    out[i] = out[i] + in[n];\n  }\n  n = 0;\n  out[i] *= 2;',
      'float sum = out[i];\n  while (n-- > 0) {\n    sum = sum + in[n];\n  }\n  out[i] = sum;\n  n = 0;\n  out[i] *= 2;',
    ],
    [
      'under the condition that the loop runs, a level deeper',
      '#pragma unroll\n  for (int k = 1; n >= k; k++) {\n    out[i] += in[k];\n  }',
      'if (n >= 1) {\n    float sum = out[i];\n    #pragma unroll\n    for (int k = 1; n >= k; k++) {\n      sum += in[k];\n    }\n    out[i] = sum;\n  }',
    ],
    [
      'under the condition of a while',
      'int k = n;\n  while (k > i) { k--; out[i] += in[k]; }',
      'int k = n;\n  if (k > i) {\n    float sum = out[i];\n    while (k > i) { k--; sum += in[k]; }\n    out[i] = sum;\n  }',
    ],
    [
      'out of two loops whose counts are known',
      'for (int a = 0; a < 3; a++)\n    for (int b = 3; b > 0; b--) out[i] += in[a + b];',
      'float sum = out[i];\n  for (int a = 0; a < 3; a++)\n    for (int b = 3; b > 0; b--) sum += in[a + b];\n  out[i] = sum;',
    ],
    [
      'out of the inner one where only that is known to run',
      'for (int a = 0; a < 3; a++) {\n    for (int b = 0; b < n; b++) out[i] += in[a + b];\n  }',
      'for (int a = 0; a < 3; a++) {\n    if (n > 0) {\n      float sum = out[i];\n      for (int b = 0; b < n; b++) sum += in[a + b];\n      out[i] = sum;\n    }\n  }',
    ],
    [
      'bare where an outer counter starts beyond the inner one',
      'for (int a = 1; a < n; a++) {\n    for (int b = 0; b < a; b++) out[i] += in[a + b];\n  }',
      'for (int a = 1; a < n; a++) {\n    float sum = out[i];\n    for (int b = 0; b < a; b++) sum += in[a + b];\n    out[i] = sum;\n  }',
    ],
    [
      'under a condition where an outer counter may not',
      'for (int a = 0; a < n; a++) {\n    for (int b = 0; b < a; b++) out[i] += in[a + b];\n  }',
      'for (int a = 0; a < n; a++) {\n    if (a > 0) {\n      float sum = out[i];\n      for (int b = 0; b < a; b++) sum += in[a + b];\n      out[i] = sum;\n    }\n  }',
    ],
    [
      'through loops under one condition',
      'for (int a = 0; a < n; a++) {\n    for (int b = 0; b < n; b++) out[i] += in[a + b];\n  }',
      'if (n > 0) {\n    float sum = out[i];\n    for (int a = 0; a < n; a++) {\n      for (int b = 0; b < n; b++) sum += in[a + b];\n    }\n    out[i] = sum;\n  }',
    ],
    [
      'inside a loop that changes the condition',
      'for (int a = 0; a < n; a++) {\n    for (int b = 0; b < n; b++) out[i] += in[a + b];\n    n--;\n  }',
      'for (int a = 0; a < n; a++) {\n    if (n > 0) {\n      float sum = out[i];\n      for (int b = 0; b < n; b++) sum += in[a + b];\n      out[i] = sum;\n    }\n    n--;\n  }',
    ],
    [
      'in an arm without braces, with a name that is free',
      'float sum = in[0];\n  if (sum > 1)\n    for (int k = 0; k < 9; k++) out[i] += in[k] * out[i];',
      'float sum = in[0];\n  if (sum > 1) {\n    float total = out[i];\n    for (int k = 0; k < 9; k++) total += in[k] * total;\n    out[i] = total;\n  }',
    ],
    [
      'with a start of the type of its variable',
      'for (int k = i; k < n; k++) { out[i] += in[k]; if (in[k] > 1) break; }',
      'if (i < n) {\n    float sum = out[i];\n    for (int k = i; k < n; k++) { sum += in[k]; if (in[k] > 1) break; }\n    out[i] = sum;\n  }',
    ],
  ];
  const run = sampleOf(cases, 6);
  for (const one of cases)
    it(`adds up ${one[0]}`, async () =>
      assert.equal(await summed(kernel(one[1]), 9, run.includes(one)), kernel(one[2])));
  it('stores the sum before a read of what a launch passes for both', async () => {
    const launch = 'void run(float *p) { k<<<1, 32>>>(p, p, 9); }\n';
    const loop = (sum: string): string => `for (int k = 0; k < 9; k++) ${sum} += k;`;
    assert.equal(
      await summed(kernel(`${loop('out[i]')}\n  out[i] /= in[0];`, '', launch)),
      kernel(`float sum = out[i];\n  ${loop('sum')}\n  out[i] = sum;\n  out[i] /= in[0];`, '', launch),
    );
  });
  for (const [name, step] of [
    ['four spaces', '    '],
    ['tabs', '\t'],
  ] as const)
    it(`keeps to ${name}`, async () => {
      const [, before, after] = cases.find(([what]) => what === 'under the condition of a while')!;
      const indented = (text: string): string =>
        kernel(text).replace(/^( {2})+/gm, (all) => step.repeat(all.length / 2));
      assert.equal(await summed(indented(before)), indented(after));
    });
  it('takes the type of a template by its name', async () =>
    assert.match(
      await summed(
        kernel('do { n--; out[i] += in[n]; } while (n > 0);', 'template <typename T> ').replaceAll('float', 'T'),
      ),
      /T sum = out\[i\];\n {2}do/,
    ));

  const loop = 'for (int k = 0; k < 8; k++)';
  const refusals: readonly (readonly [string, string, number?])[] = [
    ['statement: a part of another expression', kernel(`${loop} n = (out[i] += in[k]);`)],
    ['macros: the sum', kernel(`${loop} ADD(in[k]);`, '#define ADD(value) out[i] += value\n')],
    ['macros: one of two', kernel(`${loop} { n = OWN; out[i] += in[k]; }`, '#define OWN out[i]\n')],
    ['macros: the loop', kernel('EACH out[i] += in[k];', '#define EACH for (int k = 0; k < 8; k++)\n')],
    ['condition: an if', kernel(`out[i] = 0;\n  ${loop} if (in[k] > 0) out[i] += in[k];`)],
    ['condition: an else', kernel(`out[i] = 0;\n  ${loop} if (in[k] > 0) n = 1; else out[i] += in[k];`)],
    ['condition: a switch', kernel(`out[i] = 0;\n  ${loop} switch (n) { case 1: out[i] += in[k]; }`)],
    ['condition: a continue before it', kernel(`out[i] = 0;\n  ${loop} { if (in[k] < 0) continue; out[i] += in[k]; }`)],
    ['condition: a break before it', kernel(`out[i] = 0;\n  ${loop} { if (k >= n) break; out[i] += in[k]; }`)],
    ['leaves: its address', kernel(`out[i] = 0;\n  ${loop} { float *p = &out[i]; out[i] += in[k] + *p; }`)],
    ['run: a reference to it', kernel(`float &same = out[i];\n  ${loop} { out[i] += in[k]; same *= 2; }`)],
    ['leaves: its array elsewhere', kernel(`out[i] = 0;\n  ${loop} out[i] += out[k];`)],
    ['leaves: its array by another name', kernel(`float *all = out + 4;\n  out[i] = 0;\n  ${loop} out[i] += all[k];`)],
    [
      'overlap: one array for both',
      kernel(`out[i] = 0;\n  ${loop} out[i] += in[k];`, '', 'void run(float *a) { k<<<1, 32>>>(a, a, 3); }\n'),
    ],
    [
      'overlap: one array for both, by an offset',
      kernel(`${loop} out[i] += in[k];`, '', 'void run(float *a) { k<<<1, 32>>>(a + 8, a, 3); }\n'),
    ],
    [
      'overlap: a field of a structure by value that is given the array',
      kernel(
        `out[i] = 0;\n  ${loop} out[i] += in.p[k];`,
        'struct View { float *p; };\n',
        'void run(float *a) { View view; view.p = a + 3; k<<<1, 32>>>(view, a, 3); }\n',
      ).replace('const float *in', 'View in'),
    ],
    [
      'overlap: one structure behind both pointers',
      kernel(
        `${loop} out->sum += in->sum;`,
        'struct Pair { float sum, more; };\n',
        'void run(Pair *a) { k<<<1, 1>>>(a, a, 3); }\n',
      )
        .replace('const float *in', 'const Pair *in')
        .replace('float *out', 'Pair *out'),
    ],
    [
      'overlap: a field of what is cast for it',
      kernel(
        `${loop} out[i] += in->sum;`,
        'struct Pair { float sum, more; };\n',
        'void run(Pair *a) { k<<<1, 32>>>(a, (float *)a, 3); }\n',
      ).replace('const float *in', 'const Pair *in'),
    ],
    [
      'leaves: the same field of another element, behind an arrow',
      kernel(`${loop} out->sum += (out + k)->sum;`, 'struct Pair { float sum, more; };\n').replace(
        'float *out',
        'Pair *out',
      ),
    ],
    ['runs: a condition that changes', kernel('while (n--) out[i] += in[n];')],
    ['runs: another place before it', kernel('out[i + 1] = 0;\n  while (n--) out[i] += in[n];')],
    ['runs: the place of another i', kernel('out[i] = 0;\n  i = n;\n  while (n--) out[i] += in[n];')],
    ['runs: in one arm before it', kernel('if (n) out[i] = 0;\n  while (n--) out[i] += in[n];')],
    ['runs: behind a return', kernel('while (n--) out[i] += in[n];\n  if (i > 7) return;\n  out[i] = 1;')],
    [
      'runs: before a loop that moves on',
      kernel('out[i] = 0;\n  for (; i < n; i += 32) { int m = n; while (m--) out[i] += in[m]; }'),
      1,
    ],
    ['runs: an inner loop that may not', kernel('for (int a = 0; a < n; a++) for (int b = n; b--; ) out[i] += in[b];')],
    [
      'runs: from a number to one that is not beyond',
      kernel('for (int k = 3; k < 3; k++) out[i] += in[k] * f(k);', 'int f(int);\n').replace('k < 3', 'k < g()'),
    ],
    ['run: a start that compares otherwise', kernel('for (unsigned k = -1; k < n; k++) out[i] += in[k];')],
    ['runs: an end of a macro', kernel('for (int k = 0; k < END; k++) out[i] += in[k];', '#define END (n + 1)\n')],
  ];
  for (const [name, text, most] of refusals)
    it(`does not: ${name}`, async () => assert.equal(await summed(text, most), `refused: ${name.split(':')[0]!}`));
});

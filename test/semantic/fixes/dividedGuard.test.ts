// Guards divided at their barriers: what is written, and one example that fails each precondition alone.
import assert from 'node:assert/strict';
import { dividedGuardOf } from '../../../server/src/semantic/fixes/dividedGuard';
import { applied, compilerComplaints, contextOf, nodesOf } from './harness';

const kernel = (lines: readonly string[], before = ''): string =>
  [
    `${before}__global__ void k(const float *in, float *out, int n) {`,
    '  __shared__ float s[64];',
    '  int i = blockIdx.x * 64 + threadIdx.x;',
    ...lines.map((line) => `  ${line}`),
    '}',
    '',
  ].join('\n');

async function divided(text: string): Promise<string> {
  const context = await contextOf(text, 'k');
  const guard = nodesOf(context, 'if')[0];
  assert.ok(guard);
  const fact = dividedGuardOf(context, guard.cond);
  if (!('edits' in fact)) return `refused: ${fact.precondition}`;
  const after = applied(text, fact.edits);
  assert.equal(compilerComplaints(after) ?? '', '');
  return after;
}
const guarded = (...lines: string[]): string[] => ['if (i < n) {', ...lines.map((line) => `  ${line}`), '}'];
const load = 's[threadIdx.x] = in[i];';
const store = 'out[i] = s[63 - threadIdx.x];';
const barrier = '__syncthreads();';

describe('guards divided at their barriers', () => {
  it('have separate names, since both of a function may be divided', async () => {
    const text = kernel([...guarded(load, barrier, store), ...guarded(barrier, load, barrier, store)]);
    const context = await contextOf(text, 'k');
    const edits = nodesOf(context, 'if').flatMap(({ cond }) => {
      const fact = dividedGuardOf(context, cond);
      return 'edits' in fact ? fact.edits : [];
    });
    const after = applied(text, edits);
    assert.equal(compilerComplaints(after) ?? '', '');
    assert.deepEqual(after.match(/const bool \w+/g), ['const bool inside', 'const bool inside2']);
  });

  it('keeps depths of blanks and tabs in either order', async () => {
    const lines = ['  \tif (i < n) {', `    \t${load}`, `    \t${barrier}`];
    const loop = ['  \t  for (int k = 0; k < 8; k++) {', '    \t  out[i] += s[k];', '  \t  }', '  \t}'];
    const after = await divided(kernel([...lines, ...loop]).replace(`    \t${load}`, `  \t  ${load}`));
    assert.match(after, /\n([ \t]*)for \(int k[^\n]*\n\1 {2}out\[i\] \+= s\[k\];\n\1\}\n/);
  });

  const cases: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    [
      'a loop without a barrier, which some threads leave early',
      guarded(load, barrier, 'for (int k = 0; k < 8; k++) {', '  if (s[k] > i) break;', '  out[i] += s[k];', '}'),
      [
        'const bool inside = i < n;',
        'if (inside) {',
        `  ${load}`,
        '}',
        barrier,
        'if (inside) {',
        '  for (int k = 0; k < 8; k++) {',
        '    if (s[k] > i) break;',
        '    out[i] += s[k];',
        '  }',
        '}',
      ],
    ],
    [
      'the work on both sides',
      guarded(load, `${barrier}  // all are there`, '', '// from the other end', store),
      [
        'const bool inside = i < n;',
        'if (inside) {',
        `  ${load}`,
        '}',
        `${barrier}  // all are there`,
        'if (inside) {',
        '  // from the other end',
        `  ${store}`,
        '}',
      ],
    ],
    [
      'a barrier at the end',
      guarded(load, barrier),
      ['const bool inside = i < n;', 'if (inside) {', `  ${load}`, '}', barrier],
    ],
    [
      'variables of both sides',
      guarded('const float own = in[i], *from = in;', load, barrier, 'out[i] = from[i] + s[0];').map((line) =>
        line.replace(', *from = in;', '; const float *from = in;'),
      ),
      [
        'const bool inside = i < n;',
        'const float *from = in;',
        'if (inside) {',
        '  const float own = in[i];',
        `  ${load}`,
        '}',
        barrier,
        'if (inside) {',
        '  out[i] = from[i] + s[0];',
        '}',
      ],
    ],
    [
      'a loop around barriers',
      guarded(
        'float sum = 0;',
        'for (int k = 0; k < n; k += 64) {',
        '  s[threadIdx.x] = in[i] + k;',
        `  ${barrier}`,
        '  sum += s[0];',
        `  ${barrier}`,
        '}',
        'out[i] = sum;',
      ),
      [
        'const bool inside = i < n;',
        'float sum = 0;',
        'for (int k = 0; k < n; k += 64) {',
        '  if (inside) {',
        '    s[threadIdx.x] = in[i] + k;',
        '  }',
        `  ${barrier}`,
        '  if (inside) {',
        '    sum += s[0];',
        '  }',
        `  ${barrier}`,
        '}',
        'if (inside) {',
        '  out[i] = sum;',
        '}',
      ],
    ],
    [
      'shared memory and constants that are declared inside',
      guarded(
        '__shared__ float own[64];',
        'const int last = 63;',
        'own[threadIdx.x] = in[i];',
        barrier,
        'out[i] = own[last];',
      ),
      [
        'const bool inside = i < n;',
        '__shared__ float own[64];',
        'const int last = 63;',
        'if (inside) {',
        '  own[threadIdx.x] = in[i];',
        '}',
        barrier,
        'if (inside) {',
        '  out[i] = own[last];',
        '}',
      ],
    ],
    [
      'arrays that get their values later',
      guarded('float own[2][2];', 'own[0][1] = in[i];', barrier, 'out[i] = own[0][1];'),
      [
        'const bool inside = i < n;',
        'float own[2][2];',
        'if (inside) {',
        '  own[0][1] = in[i];',
        '}',
        barrier,
        'if (inside) {',
        '  out[i] = own[0][1];',
        '}',
      ],
    ],
    [
      'comments beside the statements that they are above or behind',
      guarded(
        '// loads one element',
        load,
        '// as many as there are threads',
        'const int last = 63; // the other end',
        '// all are there',
        barrier,
        '// in turn',
        '// from the end',
        'for (int k = 0; k < 2; k++) {',
        '  // once more',
        `  ${barrier}`,
        '}',
        '',
        'out[i] = s[last - threadIdx.x];',
        '// no more',
      ),
      [
        'const bool inside = i < n;',
        '// as many as there are threads',
        'const int last = 63; // the other end',
        'if (inside) {',
        '  // loads one element',
        `  ${load}`,
        '}',
        '// all are there',
        barrier,
        '// in turn',
        '// from the end',
        'for (int k = 0; k < 2; k++) {',
        '  // once more',
        `  ${barrier}`,
        '}',
        'if (inside) {',
        '  out[i] = s[last - threadIdx.x];',
        '  // no more',
        '}',
      ],
    ],
    [
      'the depth of what stays guarded',
      ['if (i < n) {', `   ${load}`, `   ${barrier}`, `   ${store}`, '}'],
      ['const bool inside = i < n;', 'if (inside) {', `   ${load}`, '}', barrier, 'if (inside) {', `   ${store}`, '}'],
    ],
    [
      'a condition in separate parentheses',
      [`if ((i < n))`, '{', `  ${load}`, `  ${barrier}`, `  ${store}`, '}'],
      ['const bool inside = i < n;', 'if (inside) {', `  ${load}`, '}', barrier, 'if (inside) {', `  ${store}`, '}'],
    ],
  ];
  for (const [name, before, after] of cases)
    it(`keeps ${name}`, async () => {
      const text = await divided(kernel(before));
      assert.deepEqual(
        text.split('\n').filter((line) => line.trim() !== ''),
        kernel(after)
          .split('\n')
          .filter((line) => line.trim() !== ''),
      );
    });

  for (const [name, before, end] of [
    ['a constant of the file', '__device__ const int rounds = 4;\n', 'rounds'],
    ['a number of the block', '', 'blockIdx.x + 2'],
    ['the number of its threads', '', 'blockDim.x / warpSize'],
  ] as const)
    it(`divides a loop that is as long as ${name} says`, async () =>
      assert.match(
        await divided(kernel(guarded(`for (int k = 0; k < ${end}; k++) {`, load, barrier, store, '}'), before)),
        /const bool inside = i < n;/,
      ));
  it('divides a loop that is as long as a variable outside says', async () =>
    assert.match(
      await divided(
        kernel([
          'const int m = n / 2, half = m + 1;',
          ...guarded('for (int k = 0; k < half; k++) {', load, barrier, store, '}'),
        ]),
      ),
      /const bool inside = i < n;/,
    ));

  const refusals: readonly (readonly [string, string])[] = [
    ['guard: a device function', kernel(guarded(load, barrier, store)).replace('__global__', '__device__')],
    ['guard: another arm', kernel([...guarded(load, barrier, store), 'else out[0] = 0;'])],
    ['guard: the barrier alone', kernel([`if (i < n) ${barrier}`])],
    [
      'barriers: a function that may meet',
      kernel(guarded(load, barrier, 'meet();', store), '__device__ void meet();\n'),
    ],
    ['barriers: a count over the block', kernel(guarded(load, 'out[i] = __syncthreads_count(s[0] > 0);', barrier))],
    [
      'loops: as long as the thread is far',
      kernel(guarded('for (int k = 0; k < threadIdx.x; k++) {', load, barrier, store, '}')),
    ],
    [
      'loops: as long as the lane is far',
      kernel([
        'int lane = threadIdx.x % 32;',
        ...guarded('for (int k = 0; k < lane; k++) {', load, barrier, store, '}'),
      ]),
    ],
    [
      'loops: as long as a variable of the file says',
      kernel(guarded('for (int k = 0; k < rounds; k++) {', load, barrier, store, '}'), '__device__ int rounds;\n'),
    ],
    [
      'loops: as long as an argument that changes says',
      kernel(['n += i % 2;', ...guarded('for (int k = 0; k < n; k++) {', load, barrier, store, '}')]),
    ],
    [
      'loops: as long as an argument says that others may change',
      kernel(
        ['change(&n);', ...guarded('for (int k = 0; k < n; k++) {', load, barrier, store, '}')],
        '__device__ void change(int *);\n',
      ),
    ],
    [
      'loops: as long as a variable says that is set twice',
      kernel(['int m = n;', 'm += i % 2;', ...guarded('for (int k = 0; k < m; k++) {', load, barrier, store, '}')]),
    ],
    ['loops: as long as memory says', kernel(guarded('for (int k = 0; k < in[0]; k++) {', load, barrier, store, '}'))],
    [
      'loops: as long as a variable inside says',
      kernel(guarded('int m = n / 2;', 'for (int k = 0; k < m; k++) {', load, barrier, store, '}')),
    ],
    [
      'loops: whose counter is moved on',
      kernel(guarded('for (int k = 0; k < n; k++) {', load, barrier, 'k += threadIdx.x;', '}')),
    ],
    ['declared: without its own type', kernel(guarded('auto own = in[i];', load, barrier, 'out[i] = own;'))],
    ['declared: a reference', kernel(guarded('float &own = s[threadIdx.x];', load, barrier, 'out[i] = own;'))],
    [
      'declared: a name that is there twice',
      kernel([...guarded('float own = in[i];', load, barrier, 'out[i] = own;'), 'float own = 1;', 'out[0] = own;']),
    ],
    [
      'declared: an array with values',
      kernel(guarded('float own[2] = {in[i], 1};', load, barrier, 'out[i] = own[1];')),
    ],
    [
      'macros: lines of the preprocessor',
      kernel(guarded(load, barrier, '#ifdef LAST', store, '#endif', 'out[0] = 1;')).replace(/^ +#/gm, '#'),
    ],
  ];
  for (const [name, text] of refusals)
    it(`does not: ${name}`, async () => assert.equal(await divided(text), `refused: ${name.split(':')[0]!}`));
});

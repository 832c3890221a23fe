// The numbers of a line that a sweep can try: launches, OpenACC clauses, constants, and what is none.
import assert from 'node:assert/strict';
import { parametersOn } from '../../server/src/semantic/parameters';
import { memoryUri, memoryWorkspace } from '../support/analyseText';

const kernel =
  '__global__ void scale(float *v, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) v[i] *= 2; }\n';
const host = (body: string): string => `${kernel}void run(float *v, int n) {\n${body}\n}\n`;

/** `name @ literal: candidates` on the line that holds `⟨`, which is taken out. */
async function on(marked: string): Promise<string[]> {
  const at = marked.indexOf('⟨');
  const text = marked.replace('⟨', '');
  const { model } = (await memoryWorkspace(new Map())).analyse(memoryUri('line.cu'), { text, version: 1 })!;
  const start = text.lastIndexOf('\n', at - 1) + 1;
  const end = text.indexOf('\n', at);
  return parametersOn(model, text, { uri: model.uri, start, end: end < 0 ? text.length : end }).map(
    ({ name, at: literal, candidates, remark }) =>
      `${name} @ ${text.slice(literal.start, literal.end)}: ${candidates.join(' ')}${remark ? ` (${remark})` : ''}`,
  );
}

const cases: readonly (readonly [string, string, readonly string[]])[] = [
  [
    'a launch whose size stands elsewhere',
    host('  const int threads = 48;\n  ⟨scale<<<(n + threads - 1) / threads, threads>>>(v, n);'),
    ['block size of scale @ 48: 32 48 64 96 128 192 256 384 512 768 1024'],
  ],
  [
    'the constant that is the size of a launch',
    host('  ⟨const int threads = 256;\n  scale<<<(n + threads - 1) / threads, threads>>>(v, n);'),
    ['block size of scale @ 256: 32 64 96 128 192 256 384 512 768 1024'],
  ],
  [
    'a number in the launch',
    host('  ⟨scale<<<100, 256>>>(v, n);'),
    ['block size of scale @ 256: 32 64 96 128 192 256 384 512 768 1024 (the grid may not follow the block)'],
  ],
  ['a macro', '#define TILE 32 // ⟨a tile\n', ['TILE @ 32: 8 16 32 64 128']],
  ['a macro in parentheses', '#define ROWS (12)⟨\n', ['ROWS @ 12: 3 6 12 24 48']],
  ['a macro of words', '#define WORDS a⟨ 3 b\n', []],
  ['a constexpr', 'constexpr unsigned perThread = 3u;⟨\n', ['perThread @ 3: 3 6 12']],
  [
    'two constants',
    'static const int rows = 8; static const int columns = 16;⟨\n',
    ['rows @ 8: 2 4 8 16 32', 'columns @ 16: 4 8 16 32 64'],
  ],
  ['an octal number and a variable', 'const int mode = 0644; int x = 5;⟨\n', []],
  [
    'workers and vector length',
    'void f(float *a) {\n#pragma acc parallel loop gang ⟨num_workers(4) vector_length(128)\n  for (int i = 0; i < 9; i++) a[i] = 0;\n}\n',
    ['num_workers @ 4: 1 2 4 8', 'vector_length @ 128: 32 64 128 256'],
  ],
  [
    'a clause on a continued line',
    'void f(float *a) {\n#pragma acc kernels loop \\\n  gang worker(2) \\\n  vector⟨( length : 32 )\n  for (int i = 0; i < 9; i++) a[i] = 0;\n}\n',
    ['worker @ 2: 1 2 4 8 16 32', 'vector @ 32: 32 64 128 256 512'],
  ],
  [
    'a clause of an expression',
    'void f(float *a, int n) {\n#pragma acc parallel loop num_workers(n⟨)\n  for (int i = 0; i < 9; i++) a[i] = 0;\n}\n',
    [],
  ],
  [
    'a Fortran directive',
    '!$acc parallel loop num_gangs(64) &\n!$acc⟨   vector_length(32)\n',
    ['num_gangs @ 64: 16 32 64 128 256', 'vector_length @ 32: 32 64 128 256 512 1024'],
  ],
  ['a comment', '// num_workers(4) ⟨\n', []],
];

describe('parameters to sweep', () => {
  for (const [name, text, expected] of cases) it(name, async () => assert.deepEqual(await on(text), expected));
});

// Comments that say whether a function's time matters: text in, severities out.
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { createWorkspace } from '../../server/src/workspace/workspace';
import { lint, type LintResult } from '../../server/src/lint/lint';
import { applyEdits } from '../../server/src/workspace/edits';
import { readRuleSettings } from '../../server/src/lint/settings';
import { registry } from '../../server/src/rules/registry';
import { memoryFileSystem, memoryUri, testSyntax } from '../support/analyseText';

/** The result for the first of the files, each `name: text`. */
async function resultOf(
  files: Readonly<Record<string, string>>,
  options: Partial<Parameters<typeof lint>[2]> = {},
): Promise<LintResult> {
  const texts = new Map(Object.entries(files).map(([name, text]) => [`/memory/${name}`, text]));
  const workspace = createWorkspace({ fileSystem: memoryFileSystem(texts), syntax: await testSyntax() });
  const uri = memoryUri(Object.keys(files)[0]!);
  await workspace.ready(uri);
  const { model, text, gpu } = workspace.analyse(uri)!;
  return lint(model, text, { gpu, ...options });
}

/** Severities by line, from 1; marks of other places are left out. */
async function severitiesOf(
  files: Readonly<Record<string, string>>,
  options: Partial<Parameters<typeof lint>[2]> = {},
): Promise<string[]> {
  const text = Object.values(files)[0]!;
  const { findings } = await resultOf(files, options);
  return findings
    .filter(({ markOf }) => !markOf)
    .map(({ at, rule, severity }) => `${text.slice(0, at.start).split('\n').length} ${rule} ${severity}`);
}

const gather = (head: string): string =>
  `${head}(const float *a, const int *at, float *b) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  b[i] = a[at[i]];\n}\n`;
const strided = (head: string): string => `${head}(float *a) {\n  a[33 * threadIdx.x] = 1;\n}\n`;

/** With the mark in the place of `@`, and without it. */
async function withEach(
  files: Readonly<Record<string, string>>,
  comment = '//',
): Promise<Readonly<Record<'plain' | 'hot' | 'cold', string[]>>> {
  const of = (word: string): Promise<string[]> => {
    const mark = word && `${comment} warplens: ${word}`;
    return severitiesOf(
      Object.fromEntries(
        Object.entries(files).map(([name, text]) => [
          name,
          text.replace(/@(?:: .*)?/, (found) => mark && found.replace('@', mark)),
        ]),
      ),
    );
  };
  return { plain: await of(''), hot: await of('hot'), cold: await of('cold') };
}
const ids = { a: 'cuda/uncoalesced-access', v: 'acc/vector-length' };
const expected = (line: number, id: string, plain: string, hot: string): object => ({
  plain: [`${line} ${id} ${plain}`],
  hot: [`${line} ${id} ${hot}`],
  cold: [`${line} ${id} hint`],
});

describe('marks', () => {
  it('of a hot kernel let the upper end of the gain decide, of a cold one allow hints', async () => {
    deepStrictEqual(await withEach({ 'a.cu': gather('@\n__global__ void k') }), expected(4, ids.a, 'hint', 'warning'));
    deepStrictEqual(
      await withEach({ 'a.cu': strided('@\n__global__ void k') }),
      expected(3, ids.a, 'warning', 'warning'),
    );
  });

  it('count above the definition, above its template or after it, and on its first line', async () => {
    for (const head of [
      '@\ntemplate <typename T>\n__global__ void k',
      'template <typename T>\n@\n__global__ void k',
      '@: reads little\n\n// what it does;\n__global__ void\nk',
      'namespace n { struct S {}; }\n@\nextern "C" __global__ __launch_bounds__(256) void k',
    ]) {
      const text = gather(head);
      const line = text.split('\n').findIndex((each) => each.includes('a[at')) + 1;
      deepStrictEqual(await withEach({ 'a.cu': text }), expected(line, ids.a, 'hint', 'warning'), head);
    }
    const behind = gather('__global__ void k').replace('{', '{ @');
    deepStrictEqual(await withEach({ 'a.cu': behind }), expected(3, ids.a, 'hint', 'warning'));
    deepStrictEqual(await severitiesOf({ 'a.cu': gather('/* warplens: HOT */ __global__ void k') }), [
      `3 ${ids.a} warning`,
    ]);
  });

  it('belong to one function', async () => {
    const two = strided('// warplens: cold\n__global__ void one') + strided('__global__ void two');
    deepStrictEqual(await severitiesOf({ 'a.cu': two }), [`3 ${ids.a} hint`, `6 ${ids.a} warning`]);
  });

  it('of a kernel count for what it calls, and a mark of the callee before them', async () => {
    const callee = '__device__ void put(float *a) {\n  a[33 * threadIdx.x] = 1;\n}\n';
    const caller = (head: string, name: string): string => `${head}__global__ void ${name}(float *a) { put(a); }\n`;
    const cold = '// warplens: cold\n';
    const at = `2 ${ids.a}`;
    deepStrictEqual(await severitiesOf({ 'a.cu': callee + caller(cold, 'k') }), [`${at} hint`]);
    deepStrictEqual(await severitiesOf({ 'a.cu': callee + caller(cold, 'k') + caller('', 'other') }), [
      `${at} warning`,
    ]);
    deepStrictEqual(
      await severitiesOf({ 'a.cu': callee + caller(cold, 'k') + caller('// warplens: hot\n', 'other') }),
      [`${at} warning`],
    );
    deepStrictEqual(await severitiesOf({ 'a.cu': cold + callee + caller('// warplens: hot\n', 'k') }), [
      `3 ${ids.a} hint`,
    ]);
  });

  it('of a kernel in a header count in the header, and at a launch in another file', async () => {
    const header = `#pragma once\n${strided('@\n__global__ void k')}`;
    const launched = (shape: string): string => `#include "k.cuh"\nvoid run(float *a) { k<<<${shape}>>>(a); }\n`;
    deepStrictEqual(
      await withEach({ 'k.cuh': header, 'main.cu': launched('9000, 256') }),
      expected(4, ids.a, 'warning', 'warning'),
    );
    deepStrictEqual(
      await withEach({ 'main.cu': launched('10, 64'), 'k.cuh': header }),
      expected(2, 'cuda/block-shape', 'warning', 'warning'),
    );
  });

  it('of a function of the host count for its calls', async () => {
    const text =
      '@\nvoid run(float *a) {\n  for (int i = 0; i < 100; i++) { k<<<1000, 256>>>(a); cudaDeviceSynchronize(); }\n}\n';
    const { plain, cold } = await withEach({ 'a.cu': strided('__global__ void k') + text });
    const of = (found: string[]): string[] => found.filter((each) => each.includes('sync-in-loop'));
    deepStrictEqual([of(plain), of(cold)], [['6 cuda/sync-in-loop warning'], ['6 cuda/sync-in-loop hint']]);
  });

  const short = [
    '@',
    'void sum(int n, const double *restrict v, double *restrict y) {',
    '  #pragma acc parallel loop gang vector_length(256)',
    '  for (int i = 0; i < n; i++) {',
    '    double s = 0;',
    '    #pragma acc loop vector reduction(+:s)',
    '    for (int k = 0; k < 20; k++) s += v[20 * i + k];',
    '    y[i] = s;',
    '  }',
    '}',
    '',
  ];
  const shortInFortran = [
    '@',
    'subroutine total(n, v, y)',
    '  integer, intent(in) :: n',
    '  real(8), intent(in) :: v(20, n)',
    '  real(8), intent(out) :: y(n)',
    '  real(8) :: s',
    '  integer :: i, k',
    '  !$acc parallel loop gang vector_length(256)',
    '  do i = 1, n',
    '    s = 0',
    '    !$acc loop vector reduction(+:s)',
    '    do k = 1, 20',
    '      s = s + v(k, i)',
    '    end do',
    '    y(i) = s',
    '  end do',
    'end subroutine',
    '',
  ];
  /** The mark above line `to`, which is counted without it. */
  const markedAt = (lines: readonly string[], to: number): string => {
    const [mark, ...rest] = lines;
    return [...rest.slice(0, to), mark, ...rest.slice(to)].join('\n');
  };

  it('stand above procedures and constructs of OpenACC, in C and Fortran', async () => {
    for (const to of [0, 1])
      deepStrictEqual(await withEach({ 'a.c': markedAt(short, to) }), expected(3, ids.v, 'warning', 'warning'));
    for (const to of [0, 6])
      deepStrictEqual(
        await withEach({ 'a.f90': markedAt(shortInFortran, to) }, '!'),
        expected(8, ids.v, 'warning', 'warning'),
      );
    const fixed = shortInFortran.map((line) => line.replace(/^ *!\$acc/, '!$acc').replace(/^(?=[^@!])/, '      '));
    deepStrictEqual(await withEach({ 'a.f': markedAt(fixed, 6) }, 'c'), expected(8, ids.v, 'warning', 'warning'));
    const inner = ['// warplens: cold', ...short.slice(1, 2), '// warplens: hot', ...short.slice(2)].join('\n');
    deepStrictEqual(await severitiesOf({ 'a.c': inner }), [`4 ${ids.v} warning`]);
  });

  it('leave errors and chosen severities', async () => {
    const text = strided('__global__ void k').replace('a[33 * threadIdx.x]', '*a');
    const launch = 'void run(float *a) { k<<<1, 2048>>>(a); }\n';
    deepStrictEqual(await severitiesOf({ 'a.cu': `// warplens: cold\n${text}${launch}` }), [
      '5 cuda/block-shape error',
    ]);
    const settings = readRuleSettings({ [ids.a]: 'information' }, registry).settings;
    for (const word of ['hot', 'cold'])
      deepStrictEqual(
        await severitiesOf({ 'a.cu': strided(`// warplens: ${word}\n__global__ void k`) }, { settings }),
        [`3 ${ids.a} information`],
      );
  });

  it('are counted', async () => {
    const text = ['hot', 'cold', 'hot']
      .map((word, at) => strided(`// warplens: ${word}\n__global__ void k${at}`))
      .join('');
    deepStrictEqual((await resultOf({ 'a.cu': text })).marked, { hot: 2, cold: 1 });
    const main = '#include "a.cuh"\n// warplens: cold\nvoid f() {}\n';
    deepStrictEqual((await resultOf({ 'main.cu': main, 'a.cuh': text })).marked, { hot: 0, cold: 1 });
  });

  it('with an unknown word, or above nothing, are hints with a fix', async () => {
    const fixedBy = async (text: string): Promise<readonly unknown[]> => {
      const [finding] = (await resultOf({ 'a.cu': text })).findings;
      const fix = finding!.fixes[0];
      return [finding!.severity, finding!.rule, fix && applyEdits(text, fix.edits, finding!.at.uri)];
    };
    const empty = '__global__ void k() {}\n';
    deepStrictEqual(await fixedBy(`// warplens: hto\n${empty}`), [
      'hint',
      'warplens/unknown-mark',
      `// warplens: hot\n${empty}`,
    ]);
    deepStrictEqual(await fixedBy(`// warplens: warm\n${empty}`), ['hint', 'warplens/unknown-mark', undefined]);
    deepStrictEqual(await fixedBy(`${empty}// warplens: cold\nint n;\n`), [
      'hint',
      'warplens/unused-mark',
      `${empty}int n;\n`,
    ]);
    deepStrictEqual(await fixedBy(`// warplens: cold\n__global__ void k();\n`), [
      'hint',
      'warplens/unused-mark',
      `__global__ void k();\n`,
    ]);
  });

  it('are not found in strings and prose, nor is the number of iterations one', async () => {
    const text = [
      'const char *s = "// warplens: hot";',
      '// the comment warplens: hot would be too much',
      '__global__ void k() {',
      '  // warplens: trip <= 20',
      '  for (int i = 0; i < 9; i++) {}',
      '}',
    ].join('\n');
    const { findings, marked } = await resultOf({ 'a.cu': text });
    deepStrictEqual([findings.length, marked], [0, { hot: 0, cold: 0 }]);
  });

  it('do not throw on broken text', async () => {
    for (const text of [
      '/* warplens: hot',
      '// warplens:',
      '// warplens: hot',
      '"warplens: hot',
      '// warplens: hot\\\n',
    ])
      strictEqual((await resultOf({ 'a.cu': text })).failures.length, 0);
  });
});

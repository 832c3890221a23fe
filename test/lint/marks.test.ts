// Comments that say whether a function's time matters: text in, severities out.
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { createWorkspace } from '../../server/src/workspace/workspace';
import { lint, type LintResult } from '../../server/src/lint/lint';
import { applyEdits } from '../../server/src/lint/edits';
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

describe('trial', () => {
  it('prints', async () => {
    const show = async (files: Record<string, string>): Promise<void> => console.log(await severitiesOf(files));
    for (const m of ['', '// warplens: hot\n', '// warplens: cold\n']) {
    await show({ 'a.cu': gather(m+'__global__ void k') });
    await show({ 'a.cu': strided(m+'__global__ void k') });
    await show({ 'a.cu': 'template <typename T> __device__ T get(const T *a, const int *at, int i) {\n  return a[at[i]];\n}\n'+m+'template <typename T>\n__global__ void k(const T *a, const int *at, T *b) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  b[i] = get(a, at, i);\n}\nvoid run(float *a, int *at, float *b) { k<float><<<1000, 256>>>(a, at, b); }\n' });
    await show({ 'a.f90': m.replace('//', '!')+'subroutine s(a, n)\n  integer :: n\n  real :: a(n,n)\n  !$acc parallel loop gang vector\n  do i = 1, n\n    do j = 1, n\n      a(i,j) = 2.0 * a(j,i)\n    end do\n  end do\nend subroutine\n' });
    await show({ 'a.c': m+'void s(int n, int m, const int *restrict r, const double *restrict v, double *restrict y) {\n  #pragma acc parallel loop gang vector_length(256)\n  for (int i = 0; i < n; i++) {\n    double s = 0;\n    #pragma acc loop vector reduction(+:s)\n    for (int k = 0; k < 20; k++) s += v[20 * i + k];\n    y[i] = s;\n  }\n}\n' });
    }
  });
});

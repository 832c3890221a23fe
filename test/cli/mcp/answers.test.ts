// Words of answers to agents: numbers, fixes of any length, and what to do about code that was not read.
import { match, ok, strictEqual } from 'node:assert/strict';
import { longestAnswer } from '../../../cli/src/mcp/answer';
import { checkAnswer, fixAnswer, modelAnswer } from '../../../cli/src/mcp/code';
import { testSyntax } from '../../support/analyseText';
import { cacheOfTests, writeFiles } from '../../support/commandLine';

/** A kernel whose fix gives each row to a warp: its edits go through all of these sums. */
const rows = (sums: number): string => `__global__ void rows(float *out, const float *in, int n, int m) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < n) {
    float sum = 0.0f;
${Array.from({ length: sums }, (_, at) => `    for (int i = 0; i < m; i++) sum += in[row * m + i] * ${at}.5f;`).join('\n')}
    out[row] = sum;
  }
}
void run(float *out, const float *in, int n) { rows<<<(n + 255) / 256, 256>>>(out, in, n, 1024); }
`;

describe('the words of an answer', () => {
  let folder: string;
  cacheOfTests((path) => {
    folder = path;
  });
  const question = () => ({ root: folder, analysis: {}, came: Date.now() + 60_000, parsers: testSyntax });

  it('gives a long fix as a diff alone, a longer one by the command that writes it', async () => {
    const answers = new Map<number, string>();
    for (const sums of [1, 8, 60]) {
      writeFiles(folder, { 'a.cu': rows(sums) });
      const answer = (await fixAnswer(question(), 'a.cu', 5)).text;
      ok(answer.length <= longestAnswer);
      match(answer, /\ncuda\/uncoalesced-access \(unsafe\): One warp per row/);
      ok(!answer.includes('did not fit'), answer);
      answers.set(sums, answer);
    }
    match(answers.get(1)!, /\nedit a\.cu 2:.*\n--- a\/a\.cu\n/s);
    match(answers.get(8)!, /\n--- a\/a\.cu\n/);
    ok(!answers.get(8)!.includes('\nedit '));
    match(answers.get(60)!, /: warplens check --fix --unsafe-fixes --rule cuda\/uncoalesced-access a\.cu$/);
  });

  it('counts one of a thing as one', async () => {
    writeFiles(folder, { 'a.cu': '__global__ void one(float *a) { if (threadIdx.x == 0) a[0] = 1; }\n' });
    match((await checkAnswer(question(), ['a.cu'], 'hint')).text, /^0 of 0 findings in 1 file: /);
    match((await modelAnswer(question(), 'a.cu', 'one')).text, / a\[0\]: 1 sector instead of 1 /);
  });

  it('takes constant memory for none whose sectors are unknown', async () => {
    writeFiles(folder, {
      'a.cu': '__constant__ float c[4];\n__global__ void one(float *a) { a[threadIdx.x] = c[0]; }\n',
    });
    match(
      (await modelAnswer(question(), 'a.cu', 'one')).text,
      /constant load of 4 bytes, c\[0\]: no sectors, by the constant/,
    );
  });

  it('takes a kernel by the name that it gives', async () => {
    writeFiles(folder, { 'a.cu': 'namespace far { __global__ void one(float *a) { a[threadIdx.x] = 1; } }\n' });
    match((await modelAnswer(question(), 'a.cu')).text, /kernel far::one, line 1/);
    for (const name of ['one', 'far::one'])
      match((await modelAnswer(question(), 'a.cu', name)).text, /line 1: global store/);
  });

  it('says what to do about missing headers, and only about those', async () => {
    const kernel = '__global__ void one(float *a) { a[threadIdx.x] = 1; }\n';
    const advice = /\nList the folders of missing headers as "includeFolders" in warplens\.json/;
    writeFiles(folder, { 'a.cu': `#include "missing.h"\n${kernel}`, 'b.cu': kernel });
    match((await checkAnswer(question(), ['a.cu'], 'hint')).text, advice);
    match((await modelAnswer(question(), 'a.cu')).text, advice);
    ok(!advice.test((await checkAnswer(question(), ['b.cu'], 'hint')).text));
    ok(!advice.test((await modelAnswer(question(), 'b.cu')).text));
    writeFiles(folder, { 'warplens.json': '{ "includeFolders": ["include"] }', 'include/missing.h': '' });
    strictEqual(advice.test((await modelAnswer(question(), 'a.cu')).text), false);
  });
});

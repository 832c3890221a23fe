// The samples that average sets of vectors and multiply by a matrix, fixed and run on the processor.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasCompiler, runPairs } from '../support/onProcessor/pairs';
import { skipBecause } from '../support/skipBecause';
import { fixedBy } from './variations';

const problem = `const int vectorLength = 1024;
const int vectorsPerSet = 3;
const int sets = 2;

struct Problem {
  float *input, *matrix, *averages, *output;
};

template <typename Work>
float medianMilliseconds(int repetitions, Work work) {
  for (int i = 0; i < repetitions; i++) work();
  return 0;
}
`;

/** The sample with its problem in it, and what its `main` takes from it as parameters. */
function program(sample: string): string {
  return replaced(readFileSync(join(__dirname, '../../samples/ado', sample), 'utf8'), [
    ['#include "problem.cuh"\n', problem],
    ['int main() {', 'void run(float *input, float *matrix, float *output) {'],
    ['Problem problem = createProblem();', 'Problem problem{input, matrix, nullptr, output};'],
    ['medianMilliseconds(5,', 'medianMilliseconds(1,'],
    ['  return checkProblem(problem, milliseconds);\n', ''],
  ]);
}

function replaced(text: string, changes: readonly (readonly [string, string])[]): string {
  return changes.reduce((before, [from, to]) => {
    assert.ok(before.includes(from), from);
    return before.replace(from, () => to);
  }, text);
}

describe('the samples of averages, with the product left to cuBLAS', function () {
  this.timeout(120_000);
  before(function () {
    if (!hasCompiler()) skipBecause(this, 'g++ is not there');
  });
  it('compute what they did', async () => {
    const text = program('3-shuffle.cu');
    const fixed = await fixedBy(text, /^Store the vectors; call cublasSgemm /);
    assert.ok(fixed);
    const before = replaced(text, [['row = 0; row < vectorLength', 'row = 0; row < 20']]);
    const after = replaced(fixed.after, [['CUBLAS_OP_N, vectorLength, sets', 'CUBLAS_OP_N, 20, sets']]);
    const size = { type: 'float', count: 'size_t(2) * 1024' } as const;
    const parameters = [
      { ...size, name: 'input', count: 'size_t(2) * 1024 * 3' },
      { ...size, name: 'matrix', count: 'size_t(1024) * 1024' },
      { ...size, name: 'output' },
    ];
    const rest = { name: '3-shuffle', after, parameters, sizes: [{}], bound: 1e-3, rounds: true } as const;
    const outcomes = await runPairs([{ ...rest, before }]);
    assert.deepEqual(outcomes, [{ name: '3-shuffle' }]);
  });
  for (const sample of ['1-row-per-thread.cu', '2-coalesced.cu'])
    it(`are offered it at once: ${sample}`, async () => {
      const fixed = await fixedBy(program(sample), /^Store the vectors; call cublasSgemm /);
      assert.match(
        fixed?.after ?? '',
        /cublasSgemm\(handle, CUBLAS_OP_T, CUBLAS_OP_N, vectorLength, sets, vectorLength,/,
      );
    });
});

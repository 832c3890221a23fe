// Which documents start the server: each sample and each example of a rule does, plain C and C++ do not.
import { equal } from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mayBeGpuCode } from '../../client/src/gpuText';

const root = join(__dirname, '../..');

describe('texts that may be code for a GPU', () => {
  it('are all C and C++ examples of rules', () => {
    let seen = 0;
    for (const file of readdirSync(join(root, 'server/src/rules'), { recursive: true, encoding: 'utf8' })) {
      if (!/\/bad[^/]*\.(?:c|cpp)$/.test(file)) continue;
      seen++;
      equal(mayBeGpuCode('c', readFileSync(join(root, 'server/src/rules', file), 'utf8')), true, file);
    }
    equal(seen > 20, true);
  });
  for (const [what, language, text, expected] of [
    ['plain C', 'c', '#include <stdio.h>\nint access(int accumulate) { return accumulate << 2; }\n', false],
    ['plain C++ with templates', 'cpp', 'std::cout << std::vector<std::vector<int>>{}.size();\n', false],
    ['other directives', 'c', '#pragma omp parallel for\nfor (;;);\n', false],
    ['a directive', 'c', '#  pragma   acc  parallel loop\n', true],
    ['a directive of a macro', 'cpp', '_Pragma("acc loop") for (;;);\n', true],
    ['a kernel', 'cpp', '__global__ void k();\n', true],
    ['a call of the runtime', 'cpp', 'cudaMalloc(&p, 4);\n', true],
    ['a header of device code', 'cpp', '#include "kernels.cuh"\n', true],
    ['an empty CUDA file', 'cuda-cpp', '', true],
    ['an empty Fortran file', 'FortranFreeForm', '', true],
  ] as const)
    it(`${what}: ${expected}`, () => equal(mayBeGpuCode(language, text), expected));
});

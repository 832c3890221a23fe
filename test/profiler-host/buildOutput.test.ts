/** What compilers print, read back: their own words, as nvcc 13.0, GCC 12 and NVIDIA's HPC compilers print them. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';

import { errorLine, librariesFor, readCompilerOutput } from '../../profiler/src/build/diagnostics';
import { commonFolder, includeClosure } from '../../profiler/src/build/includes';
import { readPtxasReport } from '../../profiler/src/build/ptxasReport';
import { skipBecause } from '../support/skipBecause';

describe('compiler messages', () => {
  it('nvcc, with the column under the written line, not under the expanded one', () => {
    const source = [
      '#include <cstdio>',
      '__global__ void k(float* x, int n) { int i = threadIdx.x; x[i] = y[i]; }',
      'int main() { k<<<1,2>>>(0); retrun 0; }',
    ];
    const output = `bad.cu(2): error: identifier "y" is undefined
  __attribute__((global)) void k(float* x, int n) { int i = threadIdx.x; x[i] = y[i]; }
                                                                                ^

bad.cu(3): error: too few arguments in function call
  int main() { k<<<1,2>>>(0); retrun 0; }
                           ^

bad.cu(3): warning #177-D: variable "v" was declared but never referenced

Remark: The warnings can be suppressed with "-diag-suppress <warning-number>"

2 errors detected in the compilation of "bad.cu".
`;
    const messages = readCompilerOutput(output, (_file, line) => source[line - 1]);
    assert.deepEqual(messages, [
      {
        severity: 'error',
        file: 'bad.cu',
        line: 2,
        column: source[1]!.indexOf('y[i]') + 1,
        message: 'identifier "y" is undefined',
      },
      { severity: 'error', file: 'bad.cu', line: 3, column: 26, message: 'too few arguments in function call' },
      {
        severity: 'warning',
        file: 'bad.cu',
        line: 3,
        message: 'variable "v" was declared but never referenced',
        code: '177-D',
      },
    ]);
    assert.equal(readCompilerOutput(output)[0]!.column, undefined, 'no guess without the source');
  });
  it('a message that continues on the next line', () => {
    const [message] = readCompilerOutput(
      'k.cu(9): error: no instance of function template "f" matches the argument list\n            argument types are: (int)\n    f(1);\n    ^\n          detected during instantiation of "g"\n\n',
    );
    assert.equal(
      message!.message,
      'no instance of function template "f" matches the argument list argument types are: (int)',
    );
    assert.equal(message!.column, 3);
  });
  it('GCC, ptxas, linkers, make', () => {
    const messages = readCompilerOutput(`bad.cu:1:10: fatal error: nope.h: No such file or directory
    1 | #include "nope.h"
      |          ^~~~~~~~
compilation terminated.
ptxas error   : Entry function '_Z1kPfi' uses too much shared data (0x61a80 bytes, 0xc000 max)
ptxas fatal   : Ptx assembly aborted due to errors
nvlink error   : Undefined reference to '_Z1gv' in '/tmp/a.o' (target: sm_90)
/usr/bin/ld: /tmp/tmpxft_1.o: in function \`main':
tmpxft_1.cpp:(.text+0x87): undefined reference to \`f()'
collect2: error: ld returned 1 exit status
nvcc fatal   : Unsupported gpu architecture 'sm_20'
make: *** No rule to make target 'all'.  Stop.
`);
    assert.deepEqual(
      messages.map(({ severity, file, line, column, message }) => [severity, file, line, column, message.slice(0, 40)]),
      [
        ['error', 'bad.cu', 1, 10, 'nope.h: No such file or directory'],
        ['error', undefined, undefined, undefined, "ptxas: Entry function '_Z1kPfi' uses too"],
        ['error', undefined, undefined, undefined, "nvlink: Undefined reference to '_Z1gv' i"],
        ['error', undefined, undefined, undefined, "ld: undefined reference to `f()'"],
        ['error', undefined, undefined, undefined, "nvcc: Unsupported gpu architecture 'sm_2"],
        ['error', undefined, undefined, undefined, "make: No rule to make target 'all'.  Sto"],
      ],
    );
  });
  it('name the libraries that have what a linker did not find', () => {
    const linker = `/usr/bin/ld: /tmp/a.o: in function \`main':
a.cpp:(.text+0x1): undefined reference to \`cufftPlan1d'
a.cpp:(.text+0x2): undefined reference to \`cublasCreate_v2'
a.cpp:(.text+0x3): undefined reference to \`cublasSgemm_v2'
a.cpp:(.text+0x4): undefined reference to \`cuModuleLoad'
a.cpp:(.text+0x5): undefined reference to \`custom(int)'
`;
    assert.deepEqual(librariesFor(readCompilerOutput(linker)), ['-lcufft', '-lcublas', '-lcuda']);
    assert.deepEqual(
      librariesFor(readCompilerOutput("nvlink error   : Undefined reference to '_Z1gv' in 'a.o'\n")),
      [],
    );
  });
  it('gfortran and the HPC compilers', () => {
    assert.deepEqual(
      readCompilerOutput(`spmv.f90:12:7:

   12 |   call nosuch(
      |       1
Error: Syntax error in argument list at (1)
NVFORTRAN-S-0034-Syntax error at or near end of line (spmv.f90: 5)
NVC++-W-0155-Accelerator region ignored (cg.cpp: 40)
`),
      [
        { severity: 'error', file: 'spmv.f90', line: 12, column: 7, message: 'Syntax error in argument list at (1)' },
        { severity: 'error', file: 'spmv.f90', line: 5, message: 'Syntax error at or near end of line', code: '0034' },
        { severity: 'warning', file: 'cg.cpp', line: 40, message: 'Accelerator region ignored', code: '0155' },
      ],
    );
  });
  it('says a thing once when it is said for each architecture', () => {
    assert.equal(
      readCompilerOutput('a.cu(1): warning #1-D: last line\n\na.cu(1): warning #1-D: last line\n').length,
      1,
    );
  });
});

describe('ptxas -v', () => {
  it('registers, spills and shared memory per kernel and architecture', () => {
    assert.deepEqual(
      readPtxasReport(`ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z5plainPfi' for 'sm_90'
ptxas info    : Function properties for _Z5plainPfi
    16 bytes stack frame, 8 bytes spill stores, 4 bytes spill loads
ptxas info    : Used 10 registers, used 1 barriers, 400 bytes smem
ptxas info    : Compile time = 13.148 ms
ptxas info    : Function properties for _Z6helperf
    96 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Compiling entry function '_Z5plainPfi' for 'sm_60'
ptxas info    : Function properties for _Z6helperf
    96 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 12 registers, 4096+16 bytes smem, 332 bytes cmem[0]
`),
      [
        {
          symbol: '_Z5plainPfi',
          architecture: 'sm_90',
          sharedBytes: 400,
          stackBytes: 16,
          spillStoreBytes: 8,
          spillLoadBytes: 4,
          registers: 10,
          barriers: 1,
        },
        { symbol: '_Z5plainPfi', architecture: 'sm_60', sharedBytes: 4112, registers: 12 },
      ],
    );
  });
  it('what nvcc here says of a kernel', function () {
    this.timeout(60_000);
    const folder = mkdtempSync('/tmp/wl-ptxas-');
    try {
      writeFileSync(
        join(folder, 'k.cu'),
        '__global__ void tile(float* x) { __shared__ float t[100]; t[threadIdx.x] = x[threadIdx.x]; __syncthreads(); x[threadIdx.x] = t[99 - threadIdx.x]; }\n',
      );
      const run = spawnSync('nvcc', ['-c', '-Xptxas', '-v', '-o', join(folder, 'k.o'), join(folder, 'k.cu')], {
        encoding: 'utf8',
      });
      if (run.error) skipBecause(this, 'there is no nvcc on this machine');
      const [kernel] = readPtxasReport(run.stdout + run.stderr);
      assert.equal(kernel!.symbol, '_Z4tilePf');
      assert.equal(kernel!.sharedBytes, 400);
      assert.ok(kernel!.registers! > 3);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('the line of an error', () => {
  const builds = {
    'clang: error: linker command failed': 'make all\nclang: error: linker command failed\nmake: *** [all] Error 1\n',
    'CMake Error at CMakeLists.txt:3 (find_package):':
      '-- Looking\nCMake Error at CMakeLists.txt:3 (find_package):\n  no\n',
    './build.sh: line 2: module: not found': 'go\n./build.sh: line 2: module: not found\n\nmake: *** [all] Error 127\n',
  };
  for (const [line, printed] of Object.entries(builds)) it(line, () => assert.equal(errorLine(printed), `: ${line}`));
  it('is absent where nothing was printed', () => assert.equal(errorLine('\n'), '.'));
});

describe('what a source includes', () => {
  const files: Record<string, string> = {
    '/p/src/a.cu':
      '#include "b.cuh"\n  #  include <cstdio>\n#include "../include/c.h"\n#include <lib/d.h>\n#include "gone.h"\n',
    '/p/src/b.cuh': '#include "b.cuh"\n#include "deep/e.h"\n',
    '/p/src/deep/e.h': '',
    '/p/include/c.h': '',
    '/q/lib/d.h': '#include "f.h"\n',
    '/q/lib/f.h': '',
  };
  it('all the way down, quoted and in the given folders, each once', async () => {
    assert.deepEqual(
      (await includeClosure(['/p/src/a.cu'], ['/q'], async (path) => files[path])).sort(),
      Object.keys(files).sort(),
    );
    assert.deepEqual(
      (await includeClosure(['/p/src/a.cu'], [], async (path) => files[path])).includes('/q/lib/d.h'),
      false,
    );
  });
  it('the folder that holds them all', () => {
    assert.equal(commonFolder(['/p/src/a.cu', '/p/include/c.h']), '/p');
    assert.equal(commonFolder(['/p/src/a.cu', '/p/src2/c.h']), '/p');
    assert.equal(commonFolder(['/p/src/a.cu', '/q/c.h']), '/');
    assert.equal(commonFolder(['/p/src/a.cu']), '/p/src');
  });
});

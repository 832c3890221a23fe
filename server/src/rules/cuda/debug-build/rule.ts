// cuda/debug-build: device code that the build compiles for the debugger, without optimisation.
import { defineRule, type Finding } from '../../rule';

type Message = 'contradiction' | 'debug';

export default defineRule<'build', Message>({
  meta: {
    id: 'cuda/debug-build',
    since: '0.1.0',
    family: 'cuda',
    severity: 'warning',
    fixable: 'no',
    summary: 'The build compiles device code for the debugger: `-G` leaves it without optimisation.',
    docs: {
      what:
        'Reports, at the first kernel of a file, that the file is built with `-G`: by the Makefile beside it, where ' +
        'the flag stands under no condition and in nothing that is named for debugging, or by a ' +
        '`compile_commands.json` that asks for `-O1` to `-O3` as well.',
      why:
        'With `-G` nvcc compiles device code without optimisation, whatever `-O` says, which is for the host then, ' +
        'and `-lineinfo` is taken no notice of. On an H200 a copy with a factor took 2.1 times as long, SiLU 2.9 ' +
        'times, a matrix product 10 times, the same by tiles 28 times, beside `-O3` as without. What a profile says ' +
        'of such a program holds for no other build of it.',
      whenNot:
        'Silent for flags under `ifeq` and the like, for variables and targets that are named for debugging or not ' +
        'used, where another command of the Makefile compiles CUDA without it, and for databases of debug builds. ' +
        'An information where the build asks for no optimisation beside it: then somebody may be looking for a ' +
        'mistake. `-lineinfo` gives a profiler its lines without it.',
      references: [
        {
          title: 'NVIDIA CUDA Compiler Driver NVCC, --device-debug',
          url: 'https://docs.nvidia.com/cuda/cuda-compiler-driver-nvcc/index.html#device-debug-g',
        },
      ],
      measurement: 'h200-rule-pairs',
    },
    messages: {
      contradiction:
        'This file is built with `-G` beside `-O` ({where}): its kernels are not optimised. nvcc compiles device ' +
        'code for the debugger then, and `-O` holds for the host alone; `-lineinfo` in its place keeps both.',
      debug:
        'This file is built with `-G` ({where}): its kernels are not optimised. Their times are not those of ' +
        'another build, and `-lineinfo` gives a profiler its lines without it.',
    },
    example: { where: 'Makefile, line 6' },
  },
  on: 'build',
  *check({ at, where, optimised }): Generator<Finding<Message>> {
    yield {
      at,
      message: optimised ? 'contradiction' : 'debug',
      ...(optimised ? {} : { severity: 'information' as const }),
      data: { where },
      confidence: 'proven',
    };
  },
});

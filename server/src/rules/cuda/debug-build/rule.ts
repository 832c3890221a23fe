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
    summary: 'The build compiles device code with `-G`, without optimisation.',
    docs: {
      what:
        'Reports, at the first kernel of a file, that the file is built with `-G`: by the Makefile beside ' +
        'it, or the `CMakeLists.txt` where there is none, if the flag is unconditional and not in a variable ' +
        'or target named for debugging, or by a `compile_commands.json` that also asks for `-O1` to `-O3`.',
      why:
        'With `-G` nvcc compiles device code without optimisation; `-O` then applies to the host only and ' +
        '`-lineinfo` is ignored. On an H200, compared with `-O3`, a scaled copy took 2.1 times as long, ' +
        'SiLU 2.9 times, a matrix product 10 times, and a tiled one 28 times. A profile of such a program ' +
        'says nothing about other builds.',
      whenNot:
        'Silent for flags under `ifeq` and similar, for variables and targets named for debugging or ' +
        'unused, where another command of the Makefile compiles CUDA without it, and for databases of ' +
        'debug builds. An information where the build asks for no optimisation. `-lineinfo` gives a ' +
        'profiler its lines without `-G`.',
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
        'Built with `-G` beside `-O`: kernels are not optimised ({where}). nvcc then compiles device code ' +
        'for the debugger, and `-O` applies to the host only; use `-lineinfo` instead.',
      debug:
        'Built with `-G`: kernels are not optimised ({where}). Their times say nothing about other builds; ' +
        '`-lineinfo` gives a profiler its lines without it.',
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

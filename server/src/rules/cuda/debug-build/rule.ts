// cuda/debug-build: device code that the build compiles for the debugger, without optimisation.
import { defineRule, type Finding } from '../../rule';
import docs from './docs.json';

type Message = 'contradiction' | 'debug';

export default defineRule<'build', Message>({
  meta: {
    id: 'cuda/debug-build',
    since: '0.1.0',
    family: 'cuda',
    severity: 'warning',
    fixable: 'no',
    summary: 'The build compiles device code with `-G`, without optimisation.',
    docs,
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

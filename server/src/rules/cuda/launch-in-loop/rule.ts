// cuda/launch-in-loop: the same few short kernels, launched one by one on each iteration of a host loop.
import { defineRule, type Finding } from '../../rule';
import { excerpt } from '../../wording';

export default defineRule<'replay', 'graph'>({
  meta: {
    id: 'cuda/launch-in-loop',
    since: '0.1.0',
    family: 'cuda',
    severity: 'information',
    fixable: 'unsafe',
    summary:
      'Short kernels that a loop launches one by one, the same on each iteration: a graph launches them at once.',
    docs: {
      what:
        'Reports a host loop that does nothing but launch two or more kernels, with the same shapes and arguments on ' +
        'each iteration, where the grid is known and small, and the kernels have no loops and touch few elements: ' +
        'they take less time than their launches.',
      why:
        'A launch takes the host some three microseconds, and a kernel of a few thousand threads is done before the ' +
        'next one arrives. On an H200 a graph of one iteration was 2.7 times as fast for two empty kernels, 3.4 ' +
        'times for five, 4.3 times for twenty, 1.8 times at ten iterations, the making of the graph included.',
      whenNot:
        'Four kernels of 3 µs gain 1.2 times, of 10 µs 1.06 times, a single one from 3 µs on nothing: silent for one ' +
        'launch an iteration, for kernels with loops or of many threads, where an argument changes from iteration to ' +
        'iteration, for fewer than ten iterations, and where the sizes are not in sight. A timeline of Nsight ' +
        'Systems tells how long the GPU idled in these launches.',
      fix:
        'The launches of one iteration are captured in front of the loop, and the loop launches the graph. Unsafe: ' +
        'the stream must not be the default one, and what the graph launches is fixed when it is captured.',
      references: [
        {
          title: 'CUDA C++ Programming Guide, CUDA Graphs',
          url: 'https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#cuda-graphs',
        },
      ],
      measurement: 'h200-rule-pairs',
    },
    messages: {
      graph:
        '{launches} short launches, the same in each iteration of `{loop}`. Kernels that end before the next launch ' +
        'arrives leave the GPU idle: a CUDA graph of one iteration launches them at once{unfixed}.',
    },
    timeline: {
      metric: 'idle',
      against: 'span',
      badWhen: 'metric / against >= 0.05',
      noneWhen: 'metric / against < 0.01',
    },
    example: {
      launches: 2,
      loop: 'for (int step = 0; step < steps; step++)',
      name: 'cudaLaunchKernel',
    },
  },
  on: 'replay',
  *check(fact): Generator<Finding<'graph'>> {
    yield {
      at: fact.at,
      message: 'graph',
      waste: { kind: 'host', does: 'launch', times: fact.launches.length },
      data: {
        name: 'cudaLaunchKernel',
        launches: fact.launches.length,
        loop: excerpt(fact.text, 50),
        unfixed: fact.why === undefined ? '' : `. No fix is offered: ${fact.why}`,
      },
      related: [
        { at: fact.headerAt, text: 'on each iteration of this loop' },
        ...fact.launches.slice(1).map((at) => ({ at, text: 'and this launch' })),
      ],
      measuredAt: fact.launches,
      confidence: 'assumed',
      fixes: fact.captured ? [{ title: fact.captured.title, applicability: 'unsafe', edits: fact.captured.edits }] : [],
    };
  },
});

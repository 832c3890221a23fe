// cuda/launch-in-loop: the same few short kernels, launched one by one on each iteration of a host loop.
import type { LaunchFact } from '../../../semantic/model';
import { defineRule, type Finding } from '../../rule';
import { excerpt } from '../../wording';

/** Threads a multiprocessor for which a kernel of few accesses ends before the next one could be launched. */
const fewThreads = 1024;

export default defineRule<'replay', 'graph'>({
  meta: {
    id: 'cuda/launch-in-loop',
    since: '0.1.0',
    family: 'cuda',
    severity: 'information',
    fixable: 'unsafe',
    summary: 'A loop launches the same short kernels one by one on each iteration; a graph launches them at once.',
    docs: {
      what:
        'Reports a host loop that only launches two or more kernels, with the same shapes and arguments on ' +
        'each iteration and a small known grid, whose kernels have no loops and touch few elements: they ' +
        'take less time than their launches.',
      why:
        'A launch takes about three microseconds of host time; a kernel of a few thousand threads ends ' +
        'before the next arrives. On an H200 a graph of one iteration was 2.7 times as fast for two empty ' +
        'kernels, 3.4 times for five, 4.3 times for twenty, and 1.8 times at ten iterations including ' +
        'graph creation. Four kernels of 3 µs gain 1.2 times, of 10 µs 1.06 times, a single one nothing.',
      whenNot:
        'Silent for one launch per iteration, kernels with loops or many threads, arguments that change, ' +
        'fewer than ten iterations, and unknown sizes. A timeline of Nsight Systems shows how long the GPU ' +
        'idled.',
      fix:
        'Captures one iteration before the loop and launches the graph in the loop. Unsafe: the stream ' +
        'must not be the default one, and the graph is fixed when it is captured.',
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
        '{launches} short launches, the same on each iteration. With at most {threads} threads the kernels ' +
        'of `{loop}` end before the next launch arrives. Launch a CUDA graph of one iteration{unfixed}.',
    },
    timeline: {
      metric: 'idle',
      against: 'span',
      badWhen: 'metric / against >= 0.05',
      noneWhen: 'metric / against < 0.01',
    },
    example: {
      launches: 2,
      threads: '16,384',
      loop: 'for (int step = 0; step < steps; step++)',
      name: 'cudaLaunchKernel',
    },
  },
  on: 'replay',
  *check(fact, { model, gpu }): Generator<Finding<'graph'>> {
    const sizes = fact.launches.map((at) =>
      threadsOf(model.facts.launch.find((launch) => launch.at.start === at.start && launch.at.uri === at.uri)),
    );
    const most = Math.max(...sizes.map((size) => size ?? Number.POSITIVE_INFINITY));
    if (most > fewThreads * gpu.multiprocessors) return;
    yield {
      at: fact.at,
      message: 'graph',
      data: {
        name: 'cudaLaunchKernel',
        launches: fact.launches.length,
        loop: excerpt(fact.text, 50),
        threads: most.toLocaleString('en'),
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

/** Threads of the grid, where all of it is known. */
function threadsOf(launch: LaunchFact | undefined): number | undefined {
  if (!launch?.gridExact || !launch.blockExact) return undefined;
  const { grid, block } = launch;
  const parts = [grid.x, grid.y, grid.z, block.x, block.y, block.z];
  return parts.every((part) => part !== undefined) ? parts.reduce<number>((all, part) => all * part!, 1) : undefined;
}

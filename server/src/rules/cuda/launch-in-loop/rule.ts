// cuda/launch-in-loop: the same few short kernels, launched one by one on each iteration of a host loop.
import { defineRule, type Finding } from '../../rule';
import { excerpt } from '../../wording';
import docs from './docs.json';

export default defineRule<'replay', 'graph'>({
  meta: {
    id: 'cuda/launch-in-loop',
    since: '0.1.0',
    family: 'cuda',
    severity: 'information',
    fixable: 'unsafe',
    summary: 'A loop launches the same short kernels one by one on each iteration; a graph launches them at once.',
    docs,
    messages: {
      graph:
        '{launches} short launches, the same on each iteration. Kernels of `{loop}` that end before the next ' +
        'launch arrives leave the GPU idle. Launch a CUDA graph of one iteration{unfixed}.',
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

// cuda/sync-in-loop: the host waits for the GPU on each iteration of a loop and does nothing with the results there.
import { defineRule, type Finding, type Fix } from '../../rule';
import { excerpt } from '../../wording';

type Message = 'synchronise' | 'copy' | 'overwritten';

export default defineRule<'runtime-call', Message>({
  meta: {
    id: 'cuda/sync-in-loop',
    since: '0.1.0',
    family: 'cuda',
    severity: 'warning',
    fixable: 'unsafe',
    summary: 'The host waits for the GPU on each iteration of a loop in which it needs no result.',
    docs: {
      what: 'Reports `cudaDeviceSynchronize`, `cudaStreamSynchronize` and blocking copies in a host loop that launches kernels, when nothing the host does before it waits again could need what they wait for: no memory that kernels write or that copies fill is read, no clock is read, and no function that is given such memory is called. A blocking copy to the host is reported as well where the next iteration overwrites what it brought before anything reads it.',
      why: 'Launches are queued: while one kernel runs, the host prepares the next, and a stream keeps their order without help. A wait in each iteration empties the queue, and the GPU idles for the time of a launch and of a wake-up on every iteration.',
      whenNot:
        'A clock within the iteration needs the wait before it; a clock before and behind the loop needs the last wait alone. Silent for warm-up loops, for kernels that print, for synchronisations under a condition or between `#if` and `#endif`, for work on several streams, several devices or managed memory, and whenever in doubt. ' +
        'A warning where the loop does nothing but steps of one computation; an information where it prints, works on memory of the host, launches in a loop further in, or runs ten times at most; a hint where each iteration has a size, a measurement or a file of its own. ' +
        'A copy from pageable memory is staged by the driver in any case; `cudaMemcpyAsync` only overlaps where the host memory is pinned.',
      fix: 'The synchronisation moves behind the loop (unsafe: errors of a kernel show up later, and a host that is far ahead holds more launches in flight). A copy becomes `cudaMemcpyAsync` on the stream of the launches with one wait behind the loop (unsafe: the host memory must stay untouched until then).',
      references: [
        {
          title: 'CUDA C++ Best Practices Guide, Asynchronous and Overlapping Transfers with Computation',
          url: 'https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/index.html#asynchronous-transfers-and-overlapping-transfers-with-computation',
        },
        {
          title: 'CUDA Runtime API, API synchronization behavior',
          url: 'https://docs.nvidia.com/cuda/cuda-runtime-api/api-sync-behavior.html',
        },
      ],
      measurement: 'h200-rule-pairs',
    },
    messages: {
      synchronise:
        '`{name}` on each iteration of a loop: the host needs no result there. It waits for the GPU each time round `{loop}`, though the stream keeps the launches in order by itself{clock}.',
      copy: '`{name}` blocks the host on each iteration of a loop. The host itself does nothing in `{loop}` with what it copies.',
      overwritten:
        '`{name}` on each iteration of a loop, for one result. Each time round `{loop}` it overwrites `{array}` before anything reads it, and blocks the host: one copy after the loop brings the same.',
    },
    timeline: {
      metric: 'idle',
      against: 'span',
      badWhen: 'metric / against >= 0.05',
      noneWhen: 'metric / against < 0.01',
    },
    example: {
      name: 'cudaDeviceSynchronize',
      loop: 'for (int step = 0; step < steps; step++)',
      clock: '',
      array: 'host',
    },
  },
  on: 'runtime-call',
  *check(fact): Generator<Finding<Message>> {
    const { wait } = fact;
    const loop = fact.loops[0];
    if (!wait || wait.needed || !loop) return;
    const fixes: Fix[] = wait.edits?.length
      ? [{ title: wait.title ?? 'Wait after the loop', applicability: 'unsafe', edits: wait.edits }]
      : [];
    yield {
      at: fact.at,
      waste: { kind: 'host', does: 'wait', times: 1 },
      message: wait.overwritten ? 'overwritten' : fact.category === 'copy' ? 'copy' : 'synchronise',
      data: {
        name: fact.name,
        loop: excerpt(loop.text, 50),
        clock: wait.bracketed ? ', and the clock behind the loop needs the last wait alone' : '',
        array: wait.overwritten ?? '',
      },
      related: [{ at: loop.headerAt, text: 'on each iteration of this loop' }],
      confidence: 'assumed',
      fixes,
    };
  },
});

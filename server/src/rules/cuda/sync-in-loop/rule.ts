// cuda/sync-in-loop: the host waits for the GPU on each iteration of a loop and does nothing with the results there.
import type { RuntimeCallFact } from '../../../semantic/model';
import { defineRule, type Finding, type Fix } from '../../rule';
import { excerpt } from '../../wording';

const testSeldom = 'Test it every few iterations, or on the GPU in a conditional node of a CUDA graph';

type Message = 'synchronise' | 'copy' | 'overwritten' | 'number' | 'peer';

export default defineRule<'runtime-call', Message>({
  meta: {
    id: 'cuda/sync-in-loop',
    since: '0.1.0',
    family: 'cuda',
    severity: 'warning',
    fixable: 'unsafe',
    summary: 'The host waits for the GPU on each iteration of a loop in which it needs no result.',
    docs: {
      what:
        'Reports `cudaDeviceSynchronize`, `cudaStreamSynchronize` and blocking copies in a host loop that ' +
        'launches kernels, when the host uses nothing that they wait for before it waits again: it reads ' +
        'no memory that kernels or copies fill and no clock, and calls no function with such memory. Also ' +
        'reports a blocking copy to the host whose result the next iteration overwrites unread, and one of a single ' +
        'number that the host reads on each iteration, and `cudaMemcpyPeer` between launches. Waits in functions of ' +
        'the program count as well.',
      why:
        'Launches are queued: while one kernel runs the host prepares the next, and a stream keeps their ' +
        'order. A wait in each iteration empties the queue, and the GPU idles for a launch and a wake-up ' +
        'on every iteration.',
      whenNot:
        'Silent for warm-up loops, kernels that print, synchronisations under a condition or `#if`, ' +
        'several streams or devices, managed memory, and in doubt. A clock within the iteration needs the ' +
        'wait before it; a clock around the loop needs only the last. ' +
        'The driver stages copies from pageable memory; `cudaMemcpyAsync` overlaps only with pinned host ' +
        'memory.',
      fix:
        'Moves the synchronisation after the loop (unsafe: errors appear later, and more launches are in ' +
        "flight). A copy becomes `cudaMemcpyAsync` on the launches' stream with one wait after the loop " +
        '(unsafe: the host memory must not change until then).',
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
        '`{name}` on each iteration of a loop. {through}The host needs no result in `{loop}`, and the stream ' +
        'already keeps the launches in order{clock}{unfixed}.',
      copy:
        '`{name}` blocks the host on each iteration of a loop. The host does not use the copied data in ' + '`{loop}`.',
      overwritten:
        '`{name}` on each iteration, for one result. Every iteration of `{loop}` overwrites `{array}` ' +
        'before anything reads it, and blocks the host. Copy once after the loop.',
      number:
        '`{name}` of one number on each iteration. The host waits for `{array}` in every iteration of ' +
        '`{loop}`, and the GPU idles until the next launch. {advice}.',
      peer:
        '`{name}` on each iteration of a loop: both GPUs wait. It starts after all work of both in `{loop}`, and ' +
        'their next launches wait for it. Use `{name}Async` on a stream, and events for what needs the data.',
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
      through: '',
      clock: '',
      unfixed: '',
      array: 'host',
      advice: testSeldom,
    },
  },
  on: 'runtime-call',
  *check(fact): Generator<Finding<Message>> {
    const { wait } = fact;
    const loop = fact.loops[0];
    if (!wait || (wait.needed && !wait.number && !wait.ofDevices) || !loop) return;
    const fixes: Fix[] = wait.edits?.length
      ? [{ title: wait.title ?? 'Wait after the loop', applicability: 'unsafe', edits: wait.edits }]
      : [];
    yield {
      at: fact.at,
      waste: { kind: 'host', does: 'wait', times: 1 },
      message: wait.number
        ? 'number'
        : wait.overwritten
          ? 'overwritten'
          : wait.ofDevices
            ? 'peer'
            : fact.category === 'copy'
              ? 'copy'
              : 'synchronise',
      data: {
        name: fact.name,
        through: fact.through === undefined ? '' : `\`${fact.through}\` calls it. `,
        unfixed: unfixed(fact),
        loop: excerpt(loop.text, 50),
        clock: wait.bracketed ? ', and the clock behind the loop needs the last wait alone' : '',
        array: wait.overwritten ?? wait.number?.name ?? '',
        advice: wait.number?.ends
          ? testSeldom
          : 'Keep it on the GPU until the loop ends, or read it an iteration later',
      },
      related: [{ at: loop.headerAt, text: 'on each iteration of this loop' }],
      confidence: 'assumed',
      fixes,
    };
  },
});

function unfixed({ wait, through }: RuntimeCallFact): string {
  const names = wait?.unread ?? (through !== undefined && !wait?.edits?.length ? [through] : []);
  if (names.length === 0) return '';
  const list = names.map((name) => `\`${name}\``).join(', ');
  return wait?.unread
    ? `. No fix is offered: ${list} could not be read`
    : `. No fix is offered: callers of ${list} may rely on the wait`;
}

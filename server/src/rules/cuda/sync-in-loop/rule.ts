// cuda/sync-in-loop: the host waits for the GPU on each iteration of a loop and does nothing with the results there.
import type { RuntimeCallFact } from '../../../semantic/model';
import { defineRule, type Finding, type Fix } from '../../rule';
import { excerpt } from '../../wording';
import docs from './docs.json';

const testSeldom = 'Test it every few iterations, or on the GPU in a conditional node of a CUDA graph';

type Message = 'synchronise' | 'copy' | 'overwritten' | 'number' | 'peer' | 'parts';

export default defineRule<'runtime-call', Message>({
  meta: {
    id: 'cuda/sync-in-loop',
    since: '0.1.0',
    family: 'cuda',
    severity: 'warning',
    fixable: 'unsafe',
    summary: 'The host waits for the GPU on each iteration of a loop in which it needs no result.',
    docs,
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
        '`{name}` {what} on each iteration. The host waits for `{array}` in every iteration of ' +
        '`{loop}`, and the GPU idles until the next launch. {advice}.',
      peer:
        '`{name}` on each iteration of a loop: both GPUs wait. It starts after all work of both in `{loop}`, and ' +
        'their next launches wait for it. Use `{name}Async` on a stream, and events for what needs the data.',
      parts:
        '`{name}` of one part on each iteration. Every iteration of `{loop}` launches kernels and waits for them. ' +
        'Handle all parts in one call: segmented (CUB), by key (Thrust), or in a kernel.',
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
      what: 'of one number',
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
    if (!wait || (wait.needed && !wait.number && !wait.ofDevices && !wait.ofParts) || !loop) return;
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
            : wait.ofParts
              ? 'parts'
              : fact.category === 'copy'
                ? 'copy'
                : 'synchronise',
      data: {
        name: fact.name,
        through: fact.through === undefined ? '' : `\`${fact.through}\` calls it. `,
        what: fact.through === undefined ? 'of one number' : `in \`${fact.through}\``,
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

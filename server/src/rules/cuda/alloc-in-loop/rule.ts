// cuda/alloc-in-loop: memory, streams, events and handles that are made and given back on each iteration of a host
// loop.
import type { RuntimeCallFact } from '../../../semantic/model';
import { defineRule, type Finding, type Fix } from '../../rule';
import { excerpt } from '../../wording';
import docs from './docs.json';

type Message = 'allocation' | 'creation';

export default defineRule<'runtime-call', Message>({
  meta: {
    id: 'cuda/alloc-in-loop',
    since: '0.1.0',
    family: 'cuda',
    severity: 'warning',
    fixable: 'both',
    summary: 'A host loop creates and frees memory, a stream, an event or a handle on each iteration.',
    docs,
    messages: {
      allocation:
        '`{name}` and `{partner}` on each iteration{more}. {through}They go through the driver and wait for the GPU ' +
        'in every iteration of `{loop}`{unfixed}.',
      creation:
        '`{name}` on each iteration{more}. {through}Every iteration of `{loop}` creates a new object and destroys ' +
        'it{unfixed}.',
    },
    timeline: {
      metric: 'idle',
      against: 'span',
      badWhen: 'metric / against >= 0.05',
      noneWhen: 'metric / against < 0.01',
    },
    example: { name: 'cudaMalloc', partner: 'cudaFree', through: '', loop: 'for (int step = 0; step < steps; step++)' },
  },
  on: 'runtime-call',
  *check(fact, { model }): Generator<Finding<Message>> {
    const { hoist } = fact;
    const loop = fact.loops[0];
    if (!hoist || !loop) return;
    // What no fix can move is one remark for its loop: a macro that allocates fifteen arrays is not fifteen mistakes.
    const alike = hoist.edits.length
      ? []
      : model.facts['runtime-call'].filter(
          (other) =>
            other.hoist &&
            !other.hoist.edits.length &&
            other.hoist.why === hoist.why &&
            other.category === fact.category &&
            other.loops[0]?.at.start === loop.at.start &&
            other.loops[0]?.at.uri === loop.at.uri,
        );
    if (alike.length && alike.some((other) => other.at.start < fact.at.start)) return;
    const more = alike.length > 1 ? ` (and ${alike.length - 1} more)` : '';
    const note = / \([^()]*\)$/.exec(hoist.title ?? '')?.[0] ?? '';
    const fixes: Fix[] = hoist.edits.length
      ? [
          {
            title: hoist.title ?? `Move ${fact.name} out of the loop`,
            applicability: hoist.safe ? 'safe' : 'unsafe',
            edits: hoist.edits,
            ...(hoist.title?.startsWith('Move') && {
              alike: {
                precondition: `moves ${note} ${loop.at.start}`,
                title: `Move {count} pairs of calls out of the loop${note}`,
              },
            }),
          },
        ]
      : [];
    yield {
      at: fact.at,
      message: fact.category === 'create' ? 'creation' : 'allocation',
      waste: { kind: 'host', does: 'allocation', times: 1 },
      data: {
        name: fact.name,
        partner: partnerName(fact),
        through: fact.through === undefined ? '' : `\`${fact.through}\` calls them. `,
        loop: excerpt(loop.text, 50),
        more,
        unfixed: !fixes.length && hoist.why ? `. No fix is offered: ${hoist.why}` : '',
      },
      related: [
        { at: hoist.partnerAt, text: 'it is given back here' },
        { at: loop.headerAt, text: 'on each iteration of this loop' },
      ],
      confidence: 'proven',
      fixes,
    };
  },
});

function partnerName(fact: RuntimeCallFact): string {
  if (/^(cudaMallocHost|cudaHostAlloc)$/.test(fact.name)) return 'cudaFreeHost';
  if (/Array$/.test(fact.name)) return 'cudaFreeArray';
  if (fact.name === 'cudaHostRegister') return 'cudaHostUnregister';
  return fact.name.startsWith('cuMem') ? 'cuMemFree' : 'cudaFree';
}

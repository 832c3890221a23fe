// acc/missing-mapping: loops of a parallel construct that no directive gives to the levels they want.
import type { AccMappingFact } from '../../../semantic/model';
import { defineRule, type Finding, type Layout } from '../../rule';
import { figure, fixesOf } from '../../wording';
import docs from './docs.json';

type Message = AccMappingFact['form'];

/** What a form leaves idle of the GPU. */
const layouts: Readonly<Partial<Record<Message, Layout>>> = {
  redundant: { alone: true },
  serial: { alone: true },
  'idle-lanes': { useful: 1 },
  'no-vector': { useful: 1 },
  'inner-seq': { useful: 1 },
  unshared: { alone: true },
};
const proven = new Set<Message>(['redundant', 'serial', 'no-gang', 'few-gangs', 'idle-workers', 'triangle']);

export default defineRule<'acc-mapping', Message>({
  meta: {
    id: 'acc/missing-mapping',
    since: '0.1.0',
    family: 'acc',
    severity: 'information',
    fixable: 'both',
    summary: 'A loop of a compute construct that no directive shares among enough gangs, workers or vector lanes.',
    docs,
    evidence: {
      messages: ['inner-unmapped'],
      metric: 'memory_l2_theoretical_sectors_global',
      against: 'memory_l2_theoretical_sectors_global_ideal',
      badWhen: 'metric / against >= 1.5',
      noneWhen: 'metric / against < 1.05',
    },
    messages: {
      redundant:
        'Every gang runs the whole loop over `{loop}`. No loop directive shares it among the gangs of the ' +
        'parallel construct.',
      'idle-lanes':
        'One lane per vector runs the loop over `{loop}`. None of its levels is a vector, and the loop ' +
        'over `{inner}` has no directive, so the other lanes are idle unless the compiler maps it.',
      'no-vector':
        'One lane of each warp works: `{levels}` without `vector` on the loop over `{loop}`. Nothing inside ' +
        'it can use the other 31 lanes. Add `vector`.',
      'inner-unproven':
        'Only the outer loop over `{loop}` is `independent`. The compiler cannot prove it for the loop ' +
        'over `{inner}`, which runs along the arrays, since pointers may overlap: each lane walks its own ' +
        'row.',
      'inner-unmapped':
        'No directive maps the loop over `{inner}`. It runs along the arrays: nvc usually gives it the ' +
        'lanes, but GCC gives them to `{loop}`, so each lane walks its own row.',
      serial: 'One lane of the GPU runs the loop over `{loop}`. Its iterations {hindrance}: use `parallel loop`.',
      'no-gang':
        'No gangs share the loop over `{loop}`: add `gang`. With `{levels}` alone each gang runs all iterations.',
      'few-gangs': '{gangs} for {multiprocessors} multiprocessors of {gpu}. {why}.',
      unshared:
        'The compiler cannot share the loop over `{loop}`. Its iterations meet in {arrays}: declare it `independent` ' +
        'with {remedy} if that holds.',
      'inner-seq':
        'One lane of each warp works: the loop over `{inner}` is `seq`. Its iterations are independent and run along ' +
        'the arrays: give it `vector`.',
      'idle-workers':
        '{trips} for {gangs} workers: the others are idle. Those are the iterations of the loop over `{loop}`.',
      triangle:
        'Half of the joined iterations do nothing: the `if` is a triangle. Bound `{inner}` by `{loop}`, uncollapsed.',
      'tiny-outer':
        'Gangs and lanes share at most {trips} iterations. Those are the iterations of the loop over ' +
        '`{loop}`; the long loop over `{inner}` runs in each lane alone.',
    },
    example: {
      loop: 'row',
      inner: 'column',
      trips: 8,
      levels: 'gang worker',
      gangs: 'At most 5 gangs',
      multiprocessors: 132,
      gpu: 'H100',
      why: 'A clause limits the gangs: leave their number to the compiler',
      hindrance: 'are independent',
      arrays: '`sums`',
      remedy: '`private`',
    },
  },
  on: 'acc-mapping',
  *check(fact, { gpu }) {
    const { form, inner, trips, arrays = [], remedy = '' } = fact;
    const iterations = trips && `${trips.exact ? '' : 'At most '}${figure(trips.atMost)} iterations`;
    yield {
      at: fact.at,
      message: form,
      ...(form === 'triangle' || form === 'idle-workers' ? {} : { waste: wasteOf(fact) }),
      confidence: proven.has(form) ? 'proven' : 'assumed',
      data: {
        loop: fact.variable,
        inner: inner?.variable ?? '',
        trips: (form === 'tiny-outer' ? trips?.atMost : iterations) ?? '',
        levels: fact.levels ?? '',
        gangs: form === 'few-gangs' ? `At most ${fact.gangs} gang${fact.gangs === 1 ? '' : 's'}` : (fact.gangs ?? ''),
        multiprocessors: gpu.multiprocessors,
        gpu: gpu.name,
        why: inner
          ? `The loop over \`${inner.variable}\` inside is shared by no other gang: use \`collapse\`, or \`gang\` there`
          : 'A clause limits the gangs: leave their number to the compiler',
        hindrance: remedy === '' ? 'are independent' : 'need `atomic` alone',
        arrays: listed(arrays),
        remedy,
      },
      ...(inner?.whole ? { measuredAt: [inner.whole] } : {}),
      related: inner ? [{ at: inner.at, text: `the loop over \`${inner.variable}\`` }] : [],
      fixes: fixesOf(fact.fix),
    };
  },
});

function wasteOf({ form, at, inner, gangs }: AccMappingFact): NonNullable<Finding['waste']> {
  const now = gangs === undefined ? (layouts[form] ?? {}) : { gangs };
  const then = form === 'no-gang' ? { shared: [at] } : form === 'few-gangs' ? {} : { lane: inner?.at ?? at };
  return {
    kind: 'layout',
    now,
    then: form === 'few-gangs' && inner ? { shared: [inner.at] } : then,
    maybe: form === 'inner-unmapped',
  };
}

function listed(arrays: readonly string[]): string {
  return arrays.map((array) => `\`${array}\``).join(', ');
}

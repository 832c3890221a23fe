// acc/missing-mapping: loops of a parallel construct that no directive gives to the levels they want.
import type { AccMappingFact } from '../../../semantic/model';
import { defineRule, type Finding, type Layout } from '../../rule';
import { figure, fixesOf } from '../../wording';
import docs from './docs.json';
import words from './words.json';

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
    ...words,
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

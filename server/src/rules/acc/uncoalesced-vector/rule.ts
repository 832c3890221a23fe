// acc/uncoalesced-vector: vector lanes that run across the rows of their arrays (the columns in Fortran) instead of
// along them.
import { defineRule } from '../../rule';
import { excerpt, fixesOf } from '../../wording';
import docs from './docs.json';
import words from './words.json';

type Message = 'across' | 'row-per-lane';

export default defineRule<'acc-stride', Message>({
  meta: {
    id: 'acc/uncoalesced-vector',
    since: '0.1.0',
    family: 'acc',
    severity: 'warning',
    fixable: 'unsafe',
    summary: 'A vector loop that does not run along its arrays: neighbouring lanes are far apart.',
    docs,
    ...words,
    evidence: {
      metric: 'memory_l2_theoretical_sectors_global',
      against: 'memory_l2_theoretical_sectors_global_ideal',
      badWhen: 'metric / against >= 1.5',
      noneWhen: 'metric / against < 1.05',
    },
  },
  on: 'acc-stride',
  *check(fact) {
    const first = fact.strided[0];
    if (!first) return;
    // What counts are arrays that move, not how often a statement names one: after an interchange of a transposition
    // the other array is the strided one.
    const strided = new Set(fact.strided.map(({ array }) => array)).size;
    if (strided <= fact.contiguous) return;
    yield {
      at: fact.at,
      message: fact.better.inside ? 'row-per-lane' : 'across',
      waste: { kind: 'layout', now: {}, then: { lane: fact.better.at } },
      confidence: fact.origin === 'assumed' ? 'assumed' : 'proven',
      data: {
        loop: fact.variable,
        better: fact.better.variable,
        access: excerpt(first.text, 40),
        stride: first.stride.startsWith('a ')
          ? `${first.stride} of \`${first.array}\``
          : `${/^(many|\d+)$/.test(first.stride) ? first.stride : `\`${first.stride}\``} elements`,
        count: `${fact.strided.length} of ${fact.accesses} accesses`,
      },
      related: [
        { at: fact.better.at, text: `the loop over \`${fact.better.variable}\`` },
        ...fact.strided.map((access) => ({ at: access.at, text: `\`${excerpt(access.text, 40)}\` is strided` })),
      ],
      measuredAt: fact.strided.map((access) => access.at),
      fixes: fixesOf(fact.fix, 'unsafe'),
    };
  },
});

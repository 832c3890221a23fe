// acc/missing-data-region: a host loop brings the same arrays to the GPU and back on each of its iterations.
import { defineRule, type Finding } from '../../rule';
import type { AccRepeatedTransferFact } from '../../../semantic/model';
import { bytesText, excerpt, listExcerpt, fixesOf } from '../../wording';
import docs from './docs.json';
import words from './words.json';

type Message = 'in-loop' | 'through-calls';

export default defineRule<'acc-repeated-transfer', Message>({
  meta: {
    id: 'acc/missing-data-region',
    since: '0.1.0',
    family: 'acc',
    severity: 'warning',
    fixable: 'unsafe',
    summary: 'A host loop copies the same arrays to the GPU and back on each iteration.',
    docs,
    ...words,
  },
  on: 'acc-repeated-transfer',
  *check(fact): Generator<Finding<Message>> {
    const [first, ...rest] = fact.arrays;
    const arrays =
      rest.length === 0
        ? `\`${first}\``
        : rest.length > 4
          ? `\`${first}\` and ${rest.length} other arrays`
          : `${[first, ...rest.slice(0, -1)].map((name) => `\`${name}\``).join(', ')} and \`${rest.at(-1)}\``;
    yield {
      at: fact.at,
      message: fact.through === 'calls' ? 'through-calls' : 'in-loop',
      confidence: 'assumed',
      waste: {
        kind: 'transfer',
        arrays: fact.names,
        at: fact.constructs,
        ways: [fact.ways, 0],
        maybe: fact.through === 'calls' && !fact.stated,
        ...(fact.bytes ? { bytes: (fact.bytes.toGpu + fact.bytes.toHost) / fact.ways } : {}),
      },
      data: {
        arrays,
        travel: rest.length ? 'travel' : 'travels',
        amount: fact.bytes ? amountOf(fact.bytes) : '',
        them: rest.length ? 'them' : 'it',
        loop: excerpt(fact.loopText, 50),
        advice: listExcerpt(fact.advice, 160),
      },
      related: [
        ...fact.regions.map((at) => ({ at, text: fact.through === 'calls' ? 'this call moves them' : 'here' })),
        ...(fact.advice.length > 160 ? [{ at: fact.at, text: `the whole directive: ${fact.advice}` }] : []),
      ],
      fixes: fixesOf(fact.fix, 'unsafe'),
    };
  },
});

function amountOf({ toGpu, toHost, atMost }: NonNullable<AccRepeatedTransferFact['bytes']>): string {
  const there = toGpu > 0 ? [`${bytesText(toGpu)} there`] : [];
  const back = toHost > 0 ? [`${atMost ? 'up to ' : ''}${bytesText(toHost)} back`] : [];
  const all = [...there, ...back];
  return all.length ? `: ${all.join(', ')}` : '';
}

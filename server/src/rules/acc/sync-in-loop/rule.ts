// acc/sync-in-loop: the host waits for the GPU where it has nothing to wait for.
import { defineRule, type Finding } from '../../rule';
import { excerpt, fixesOf } from '../../wording';
import docs from './docs.json';
import words from './words.json';

type Message = 'wait-each-iteration' | 'one-after-another' | 'in-steps';

const messages = {
  'wait-in-loop': 'wait-each-iteration',
  'independent-regions': 'one-after-another',
  'dependent-regions': 'in-steps',
} as const;
const relations = {
  'wait-in-loop': 'this goes to a queue',
  'independent-regions': 'this could run at the same time',
  'dependent-regions': 'this could be in the same queue',
};

export default defineRule<'acc-wait', Message>({
  meta: {
    id: 'acc/sync-in-loop',
    since: '0.1.0',
    family: 'acc',
    severity: 'information',
    fixable: 'unsafe',
    summary:
      'A `wait` on each iteration of a host loop, or independent regions run one after another, keeps ' +
      'the GPU from overlapping work.',
    docs,
    ...words,
  },
  on: 'acc-wait',
  *check(fact): Generator<Finding<Message>> {
    const count = fact.regions.length;
    yield {
      at: fact.at,
      message: messages[fact.form],
      confidence: 'assumed',
      ...(fact.form === 'dependent-regions' && { severity: 'information' as const }),
      waste: {
        kind: 'host',
        does: 'wait',
        times: fact.form === 'wait-in-loop' ? 1 : count,
        at: fact.form === 'wait-in-loop' ? fact.regions : [fact.at, ...fact.regions],
        overlap: fact.form === 'independent-regions',
      },
      data: {
        loop: excerpt(fact.loopText ?? '', 50),
        following: count === 1 ? 'next one' : `${count} behind it`,
        count: count + 1,
      },
      related: fact.regions.map((at) => ({
        at,
        text: relations[fact.form],
      })),
      fixes: fixesOf(fact.fix, 'unsafe'),
    };
  },
});

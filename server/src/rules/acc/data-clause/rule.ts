// acc/data-clause: a data clause that moves more than its region needs.
import { defineRule, type Finding } from '../../rule';
import { fixesOf } from '../../wording';
import docs from './docs.json';
import words from './words.json';

type Message = 'too-wide' | 'unused';

export default defineRule<'acc-data-clause', Message>({
  meta: {
    id: 'acc/data-clause',
    since: '0.1.0',
    family: 'acc',
    severity: 'information',
    fixable: 'safe',
    summary: 'A data clause moves an array in a direction that the region does not need, or an unused array.',
    docs,
    ...words,
  },
  on: 'acc-data-clause',
  *check(fact): Generator<Finding<Message>> {
    const fixes = fixesOf(fact.fix);
    const unless = fact.handedIn ? ', unless a caller has it on the GPU' : '';
    const ways = /^p?(?:resent_or_)?copy$/.test(fact.clause) ? 2 : 1;
    const common = {
      at: fact.at,
      waste: {
        kind: 'transfer',
        arrays: [fact.array],
        at: [fact.regionAt],
        ways: [ways, fact.better && fact.better !== 'create' ? 1 : 0],
        maybe: fact.handedIn,
        repeated: fact.amortised,
      },
      confidence: 'proven',
      fixes,
      related: fact.reasons,
    } as const;
    if (!fact.better) {
      yield {
        ...common,
        message: 'unused',
        data: {
          array: fact.array,
          clause: fact.clause,
          unless,
          region: `${fact.directive.replace(/ loop$/, '')} region`,
        },
      };
      return;
    }
    yield {
      ...common,
      message: 'too-wide',
      data: {
        array: fact.array,
        unless,
        clause: fact.clause,
        better: fact.better,
        why: fact.better === 'copyin' ? 'not written on the GPU here' : 'overwritten on the GPU before it is read',
        direction: fact.better === 'copyin' ? 'back' : 'to the GPU',
      },
    };
  },
});

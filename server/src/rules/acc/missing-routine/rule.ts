// acc/missing-routine: code for the GPU calls a procedure that is not compiled for it.
import { defineRule, type Finding } from '../../rule';
import { fixesOf } from '../../wording';
import docs from './docs.json';
import words from './words.json';

export default defineRule<'acc-routine', 'not-for-device' | 'inlined'>({
  meta: {
    id: 'acc/missing-routine',
    since: '0.1.0',
    family: 'acc',
    severity: 'warning',
    fixable: 'safe',
    summary: 'A compute region calls a procedure that has no `routine` directive.',
    docs,
    ...words,
  },
  on: 'acc-routine',
  *check(fact): Generator<Finding<'not-for-device' | 'inlined'>> {
    yield {
      at: fact.at,
      message: fact.inlined ? 'inlined' : 'not-for-device',
      ...(fact.inlined ? { severity: 'hint' as const } : {}),
      confidence: 'proven',
      data: { name: fact.name, why: fact.why ? `. No fix is offered: ${fact.why}` : '' },
      related: [
        { at: fact.definitionAt, text: 'it is declared here' },
        ...fact.alsoAt.map((at) => ({ at, text: 'it is called here too' })),
      ],
      fixes: fixesOf(fact.fix, 'safe'),
    };
  },
});

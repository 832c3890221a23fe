// Starts a rule: `npx tsx tools/new-rule.ts cuda/name fact` makes its folder with the parts a rule has, to be filled
// in.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { noFacts } from '../server/src/semantic/facts/registry';

const facts: readonly string[] = Object.keys(noFacts);
const [id, fact] = process.argv.slice(2);
const match = /^(cuda|acc)\/([a-z][a-z0-9-]*)$/.exec(id ?? '');

if (!match || !fact || !facts.includes(fact)) {
  console.error(`Usage: npx tsx tools/new-rule.ts <cuda|acc>/<name-with-dashes> <${facts.join('|')}>`);
  process.exitCode = 2;
} else {
  const folder = join(__dirname, '../server/src/rules', match[0]);
  if (existsSync(folder)) {
    console.error(`${match[0]} exists already.`);
    process.exitCode = 2;
  } else {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'rule.ts'), ruleText(match[0], match[1]!, fact));
    const ending = match[1] === 'acc' ? 'c' : 'cu';
    writeFileSync(
      join(folder, `bad.${ending}`),
      '// The smallest kernel that deserves the finding, with its launch.\n',
    );
    writeFileSync(join(folder, `good.${ending}`), '// The nearest kernel that does not.\n');
    console.log(
      `Made ${match[0]}. Next: fill in the capitals, write bad.${ending} with its carets and ` +
        `bad.fixed.${ending}, then \`npx tsx tools/generate.ts\` and \`npx mocha --import tsx ` +
        'test/rules/*.test.ts`.',
    );
  }
}

function ruleText(ruleId: string, family: string, on: string): string {
  return `// ${ruleId}: WHAT IT FINDS.
import { defineRule } from '../../rule';

export default defineRule<'${on}', 'found'>({
  meta: {
    id: '${ruleId}',
    since: '0.1.0',
    family: '${family}',
    severity: 'warning',
    fixable: 'no',
    summary: 'ONE SENTENCE.',
    docs: {
      what: 'WHAT THE CODE LOOKS LIKE AND HOW IT IS RECOGNISED.',
      why: 'WHAT IT COSTS, WITH A MEASURED PAIR IN docs/measurements.',
      whenNot: 'WHEN IT IS SILENT, AND WHEN THE CODE IS RIGHT AS IT IS.',
      references: [],
    },
    messages: { found: 'WHAT AND HOW MUCH, ON {name}, IN ONE SHORT SENTENCE. THE REST BEHIND IT.' },
    example: { name: 'A NAME' },
  },
  on: '${on}',
  *check(fact) {
    yield { at: fact.at, message: 'found', confidence: 'proven', data: { name: 'THE VARIABLE' } };
  },
});
`;
}

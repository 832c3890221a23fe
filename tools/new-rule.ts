// Starts a rule, a kind of fact, or a family of fixes: makes their files with the parts that they have, to be
// filled in, and registers them.
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { families } from '../server/src/semantic/facts/families';
import { noFacts } from '../server/src/semantic/facts/registry';
import { fromTemplate, makeFamily } from './newFamily';

const server = join(__dirname, '../server/src');
const known: readonly string[] = Object.keys(noFacts);
const [id, ...rest] = process.argv.slice(2);
const isNew = rest[0] === '--fact';
const isFix = rest[0] === '--fix';
const fact = isNew || isFix ? rest[1] : rest[0];
const match = /^(cuda|acc)\/([a-z][a-z0-9-]*)$/.exec(id ?? '');
const name = (fact ?? '').replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

const problem =
  !match || !fact || !/^[a-z][a-z0-9-]*$/.test(fact)
    ? 'Usage: npx tsx tools/new-rule.ts <cuda|acc>/<name-with-dashes> <fact | --fact new-kind | --fix new-family>\n' +
      `Kinds of facts: ${known.join(', ')}.`
    : isFix
      ? problemOfFamily(match[0], fact)
      : !isNew && !known.includes(fact)
        ? `There is no fact "${fact}". Make one with --fact ${fact}, or take one of ${known.join(', ')}.`
        : isNew && known.includes(fact)
          ? `The fact "${fact}" exists: leave out --fact.`
          : existsSync(join(server, 'rules', match[0]))
            ? `${match[0]} exists already.`
            : undefined;

if (problem !== undefined || !match || !fact) {
  console.error(problem);
  process.exitCode = 2;
} else if (isFix) {
  const made = makeFamily(match[0], fact);
  console.log(
    `Made ${made.join(', ')}. Next: fill in the capitals, offer the fix in rules/${match[0]}, then\n` +
      `  npx tsx lab/fuzz/fixes.ts ${fact} --record`,
  );
} else {
  const [ruleId, family] = match;
  const ending = family === 'acc' ? 'c' : 'cu';
  if (isNew) {
    const type = `${name[0]!.toUpperCase()}${name.slice(1)}Fact`;
    const key = fact === name ? fact : `'${fact}'`;
    writeFileSync(join(server, `semantic/facts/${name}.ts`), fromTemplate('fact', { fact, name, key, type }));
    const list = join(server, 'semantic/facts/list.ts');
    writeFileSync(list, `${readFileSync(list, 'utf8')}export { ${name} } from './${name}';\n`);
  }
  const folder = join(server, 'rules', ruleId);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'rule.ts'), fromTemplate('rule', { id: ruleId, family: family!, fact }));
  copyFileSync(join(__dirname, 'templates/docs.json'), join(folder, 'docs.json'));
  writeFileSync(join(folder, `bad.${ending}`), '// The smallest kernel that deserves the finding, with its launch.\n');
  writeFileSync(join(folder, `good.${ending}`), '// The nearest kernel that does not.\n');
  console.log(
    `Made rules/${ruleId}${isNew ? ` and semantic/facts/${name}.ts` : ''}. Next: fill in the capitals, write ` +
      `bad.${ending} with its carets (and bad.fixed.${ending}), then\n  npx tsx tools/generate.ts\n  ` +
      `node --import tsx node_modules/mocha/bin/mocha.js --timeout 60000 test/rules/fixtures.test.ts -g ${ruleId}`,
  );
}

function problemOfFamily(rule: string, family: string): string | undefined {
  if (!existsSync(join(server, 'rules', rule))) return `There is no rule ${rule}: make it first.`;
  return families.some(({ id }) => id === family) ? `The family "${family}" exists.` : undefined;
}

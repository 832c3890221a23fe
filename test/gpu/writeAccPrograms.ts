// Writes the OpenACC rules' own examples, before and after their fixes, as programs that GCC 12 can compile (with a main where they have none): npx tsx test/gpu/writeAccPrograms.ts FOLDER.
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { extname, join, resolve } from 'node:path';
import { proceduresOf } from '../../server/src/semantic/acc/fromC';
import { createSyntax } from '../../server/src/syntax';
import { readGrammarFiles } from '../../server/src/syntax/grammarFiles';
import type { ProcedureFile } from '../../server/src/syntax/procedures';
import { accLanguage, resolveForNvidia, type AccLanguage } from '../support/accCompilers';
import { readFixture } from '../support/fixtureFile';
import { generateMain } from './generateMain';

const endings: Readonly<Record<AccLanguage, string>> = { c: 'c', cpp: 'cpp', free: 'f90', fixed: 'f' };
const mains: Readonly<Record<AccLanguage, RegExp>> = { c: /\bint\s+main\s*\(/, cpp: /\bint\s+main\s*\(/, free: /^\s*program\s+\w/im, fixed: /^\s*program\s+\w/im };

async function main(folder: string | undefined): Promise<void> {
  if (!folder) { console.error('usage: npx tsx test/gpu/writeAccPrograms.ts FOLDER'); process.exitCode = 2; return; }
  const syntax = await createSyntax(readGrammarFiles());
  await syntax.loadFortran();
  const settings = { defines: {}, undefines: [], computeCapability: 90 };
  function proceduresIn(name: string, text: string, language: AccLanguage): ProcedureFile | undefined {
    const uri = `file:///example/${name}`;
    return language === 'c' || language === 'cpp'
      ? proceduresOf(syntax.parse(uri, text, 1, settings, { resolve: () => undefined }), uri)
      : syntax.parseFortran(uri, text, 1, { ...settings, fixedForm: language === 'fixed' }, { include: () => undefined, module: () => undefined });
  }
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const rules = resolve(__dirname, '../../server/src/rules/acc');
  let pairs = 0;
  const without: string[] = [];
  for (const rule of existsSync(rules) ? readdirSync(rules, { withFileTypes: true }).filter((entry) => entry.isDirectory()).map(({ name }) => name).sort() : []) {
    for (const name of readdirSync(join(rules, rule)).sort()) {
      const language = accLanguage(name);
      const ending = extname(name);
      const fixed = join(rules, rule, `${name.slice(0, -ending.length)}.fixed${ending}`);
      if (language === undefined || !name.startsWith('bad') || name.includes('.fixed.') || !existsSync(fixed)) continue;
      const [before, after] = [join(rules, rule, name), fixed].map((path) => readFixture(readFileSync(path, 'utf8')).text) as [string, string];
      let complete: ((example: string) => string) | undefined = (example) => example;
      if (!mains[language].test(before)) {
        // A file of mistakes is read as it is once they are mended.
        const read = proceduresIn(name, before, language) ?? proceduresIn(name, after, language);
        complete = read && generateMain(read);
      }
      if (complete === undefined) { without.push(`${rule}/${name}`); continue; }
      pairs++;
      for (const [kind, text] of [['before', before], ['after', after]] as const) writeFileSync(join(folder, `${rule}-${name.slice(0, -ending.length)}.${kind}.${endings[language]}`), resolveForNvidia(complete(text), language).text);
    }
  }
  console.log(`${pairs} pairs in ${folder}${without.length > 0 ? `; nothing to call in ${without.join(', ')}` : ''}`);
}

void main(process.argv[2]);

// Writes the OpenACC rules' own examples that have a main, before and after their fixes, as GCC 12 can compile them: npx tsx test/gpu/writeAccPrograms.ts FOLDER.
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { extname, join, resolve } from 'node:path';
import { accLanguage, resolveForNvidia, type AccLanguage } from '../support/accCompilers';
import { readFixture } from '../support/fixtureFile';

const endings: Readonly<Record<AccLanguage, string>> = { c: 'c', cpp: 'cpp', free: 'f90', fixed: 'f' };

function main(folder: string | undefined): void {
  if (!folder) { console.error('usage: npx tsx test/gpu/writeAccPrograms.ts FOLDER'); process.exitCode = 2; return; }
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const rules = resolve(__dirname, '../../server/src/rules/acc');
  let pairs = 0;
  for (const rule of existsSync(rules) ? readdirSync(rules).sort() : []) {
    for (const name of readdirSync(join(rules, rule)).sort()) {
      const language = accLanguage(name);
      const ending = extname(name);
      const fixed = join(rules, rule, `${name.slice(0, -ending.length)}.fixed${ending}`);
      if (language === undefined || !name.startsWith('bad') || name.includes('.fixed.') || !existsSync(fixed)) continue;
      const [before, after] = [join(rules, rule, name), fixed].map((path) => readFixture(readFileSync(path, 'utf8')).text);
      const runs = language === 'c' || language === 'cpp' ? /\bint\s+main\s*\(/ : /^\s*program\s+\w/im;
      if (!runs.test(before!) || !runs.test(after!)) continue;
      pairs++;
      for (const [kind, text] of [['before', before!], ['after', after!]] as const) writeFileSync(join(folder, `${rule}-${name.slice(0, -ending.length)}.${kind}.${endings[language]}`), resolveForNvidia(text, language).text);
    }
  }
  console.log(`${pairs} pairs in ${folder}`);
}

main(process.argv[2]);

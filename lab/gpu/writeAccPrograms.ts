// Writes the OpenACC rules' own examples before and after their fixes, and the samples before and after each fix, as
// programs that GCC 12 can compile (with a main where they have none): npx tsx lab/gpu/writeAccPrograms.ts FOLDER.
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, extname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { applyEdits } from '../../server/src/workspace/edits';
import { lint } from '../../server/src/lint/lint';
import { proceduresOf } from '../../server/src/semantic/acc/fromC';
import { createSyntax } from '../../server/src/syntax';
import { readGrammarFiles } from '../../server/src/syntax/grammarFiles';
import type { ProcedureFile } from '../../server/src/syntax/procedures';
import { accLanguage, resolveForNvidia, type AccLanguage } from '../../test/support/accCompilers';
import { memoryWorkspace } from '../../test/support/analyseText';
import { readFixture } from '../../test/support/fixtureFile';
import { generateMain } from './generateMain';

const endings: Readonly<Record<AccLanguage, string>> = { c: 'c', cpp: 'cpp', free: 'f90', fixed: 'f' };
/** Examples whose results are unknown. */
const leftOut: Readonly<Record<string, string>> = {
  'missing-reduction/bad-extremes.c': 'keeps a race that the rule leaves alone',
};
const mains: Readonly<Record<AccLanguage, RegExp>> = {
  c: /\bint\s+main\s*\(/,
  cpp: /\bint\s+main\s*\(/,
  free: /^\s*program\s+\w/im,
  fixed: /^\s*program\s+\w/im,
};

async function main(folder: string | undefined): Promise<void> {
  if (!folder) {
    console.error('usage: npx tsx lab/gpu/writeAccPrograms.ts FOLDER');
    process.exitCode = 2;
    return;
  }
  const syntax = await createSyntax(readGrammarFiles());
  await syntax.loadFortran();
  const settings = { defines: {}, undefines: [], computeCapability: 90 };
  function proceduresIn(name: string, text: string, language: AccLanguage): ProcedureFile | undefined {
    const uri = `file:///example/${name}`;
    return language === 'c' || language === 'cpp'
      ? proceduresOf(syntax.parse(uri, text, 1, settings, { resolve: () => undefined }), uri)
      : syntax.parseFortran(
          uri,
          text,
          1,
          { ...settings, fixedForm: language === 'fixed' },
          { include: () => undefined, module: () => undefined },
        );
  }
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const rules = resolve(__dirname, '../../server/src/rules/acc');
  let pairs = 0;
  const without: string[] = [];
  for (const rule of existsSync(rules)
    ? readdirSync(rules, { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => name)
        .sort()
    : []) {
    for (const name of readdirSync(join(rules, rule)).sort()) {
      const language = accLanguage(name);
      const ending = extname(name);
      const fixed = join(rules, rule, `${name.slice(0, -ending.length)}.fixed${ending}`);
      if (language === undefined || !name.startsWith('bad') || name.includes('.fixed.') || !existsSync(fixed)) continue;
      const [before, after] = [join(rules, rule, name), fixed].map(
        (path) => readFixture(readFileSync(path, 'utf8')).text,
      ) as [string, string];
      // GCC runs a kernels region on one gang: a thousand steps of it would take minutes.
      let complete: ((example: string) => string) | undefined = (example) => example;
      if (!mains[language].test(before)) {
        // A file of mistakes is read as it is once they are fixed.
        const read = proceduresIn(name, before, language) ?? proceduresIn(name, after, language);
        complete = read && generateMain(read);
      }
      if (`${rule}/${name}` in leftOut) {
        without.push(`${rule}/${name} (${leftOut[`${rule}/${name}`]!})`);
        continue;
      }
      if (complete === undefined) {
        without.push(`${rule}/${name}`);
        continue;
      }
      pairs++;
      for (const [kind, text] of [
        ['before', before],
        ['after', after],
      ] as const)
        writeFileSync(
          join(folder, `${rule}-${name.slice(0, -ending.length)}.${kind}.${endings[language]}`),
          resolveForNvidia(complete(text.replace(/\bsteps = 1000\b/, 'steps = 8')), language).text,
        );
    }
  }
  const fixes = await writeSamples(folder);
  console.log(
    `${pairs} pairs of examples and ${fixes} of samples in ${folder}${without.length > 0 ? `; nothing to call in ${without.join(', ')}` : ''}`,
  );
}

/** Each fix of the samples that GCC can build (its kernels regions are left out), beside the sample itself. */
async function writeSamples(folder: string): Promise<number> {
  const samples = resolve(__dirname, '../../samples/openacc');
  const files = new Map(
    readdirSync(samples, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(?:c|h|f90|inc)$/.test(name) && !name.startsWith('build'))
      .map((name) => [join(samples, name), readFileSync(join(samples, name), 'utf8')]),
  );
  const workspace = await memoryWorkspace(files);
  await workspace.ready(pathToFileURL(join(samples, 'any.f90')).href);
  const selfContained = (text: string): string =>
    text
      .replace('#include "../problem.h"', () => files.get(join(samples, 'problem.h'))!)
      .replace('include "../problem.inc"', () => files.get(join(samples, 'problem.inc'))!);
  let pairs = 0;
  for (const [path, text] of files) {
    const language = accLanguage(path);
    if (language === undefined || basename(path).startsWith('kernels-')) continue;
    const uri = pathToFileURL(path).href;
    const analysed = workspace.analyse(uri, { text, version: 1 });
    if (!analysed) continue;
    for (const finding of lint(analysed.model, text, { gpu: analysed.gpu }).findings) {
      for (const [index, fix] of finding.fixes.entries()) {
        const edited = applyEdits(text, fix.edits, uri);
        if (edited === undefined) continue;
        pairs++;
        const name = `sample-${path
          .slice(samples.length + 1)
          .replaceAll(/[\\/]/g, '-')
          .replace(/\.\w+$/, '')}-${basename(finding.rule)}-${index + 1}`;
        for (const [kind, each] of [
          ['before', text],
          ['after', edited],
        ] as const)
          writeFileSync(
            join(folder, `${name}.${kind}.${endings[language]}`),
            resolveForNvidia(selfContained(each), language).text,
          );
      }
    }
  }
  return pairs;
}

void main(process.argv[2]);

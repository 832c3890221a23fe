// Compiles OpenACC programs before and after each fix that is offered for them, with GCC.
//
// npx tsx lab/bench/compileFixes.ts FOLDER… [--show]
//
// Each fix of a rule of OpenACC, safe or unsafe, is applied alone to a file that GCC reads; directives stand as they do
// for an NVIDIA GPU (test/support/accCompilers.ts). Headers are looked for in all folders below FOLDER, and modules of
// Fortran are made first. Exit status: 1 where a fix brings an error, 2 for bad arguments.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, extname, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { openWorkspace, readAnalysisFlags, uriOf } from '../../cli/src/analysis';
import { lint } from '../../server/src/lint/lint';
import type { Fix } from '../../server/src/rules/rule';
import { applyEdits } from '../../server/src/workspace/edits';
import { accCompilers, accLanguage, resolveForNvidia, type AccLanguage } from '../../test/support/accCompilers';
import { analysedIn } from './analysed';

interface Offered {
  readonly path: string;
  readonly text: string;
  readonly rule: string;
  readonly fix: Fix;
}

type Compile = (path: string, text: string) => string;

/** What GCC says against a text at a path; nothing where it takes it. */
function compilerOf(root: string, folder: string): Compile {
  const { found } = accCompilers();
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' });
  const headers = names.filter((name) => /\.(?:h|hpp|inc|incl)$/.test(name));
  const folders = [...new Set(headers.map((name) => join(root, dirname(name))))].sort();
  const commandOf = (language: AccLanguage): string | undefined =>
    found.find((one) => one.resolves && one.languages.includes(language))?.command;
  const compile: Compile = (path, text) => {
    const language = accLanguage(path);
    const command = language && commandOf(language);
    if (!language || !command) return 'no compiler';
    const source = join(folder, basename(path));
    writeFileSync(source, resolveForNvidia(text, language).text);
    const form = {
      c: ['-std=gnu11'],
      cpp: ['-std=gnu++17'],
      free: ['-cpp', '-ffree-line-length-none', `-J${folder}`],
      fixed: ['-cpp', '-ffixed-line-length-none', `-J${folder}`],
    }[language];
    const includes = [dirname(path), ...folders].map((one) => `-I${one}`);
    try {
      const flags = ['-fopenacc', '-foffload=disable', '-w', '-c', '-O0', '-o', '/dev/null'];
      execFileSync(command, [...flags, ...form, ...includes, source], {
        cwd: folder,
        stdio: ['ignore', 'ignore', 'pipe'],
        timeout: 60_000,
      });
      return '';
    } catch (error) {
      return String((error as { stderr?: Buffer }).stderr) || String(error);
    }
  };
  // Modules that others use come into the folder in the first passes.
  let waiting = names.filter((name) => /\.f(?:90|95|03|08)?$/i.test(name)).map((name) => join(root, name));
  for (let before = Infinity; waiting.length > 0 && waiting.length < before; ) {
    before = waiting.length;
    waiting = waiting.filter((path) => compile(path, readFileSync(path, 'utf8')) !== '');
  }
  return compile;
}

function errorsIn(said: string): readonly string[] {
  return said.match(/\b[Ee]rror: .*/g) ?? [];
}

/** The edits of one fix in one file: a fix of several files is compiled file by file. */
function changedBy({ path, text, fix }: Offered): readonly (readonly [string, string, string])[] {
  const own = uriOf(path);
  return [...new Set(fix.edits.map(({ at }) => at.uri))].flatMap((uri) => {
    const at = uri === own ? path : decodeURIComponent(new URL(uri).pathname);
    const before = uri === own ? text : readFileSync(at, 'utf8');
    const after = applyEdits(before, fix.edits, uri);
    if (after === undefined) throw new Error(`${path}: the edits of "${fix.title}" conflict`);
    return accLanguage(at) === undefined ? [] : [[at, before, after] as const];
  });
}

async function offeredIn(root: string): Promise<Offered[]> {
  const workspace = await openWorkspace(readAnalysisFlags({}), (sentence) => console.error(sentence));
  const offered: Offered[] = [];
  for await (const { source, analysed } of analysedIn(workspace, root, undefined)) {
    const { path, text } = source;
    if (accLanguage(path) === undefined) continue;
    for (const { rule, fixes } of lint(analysed.model, text, { gpu: analysed.gpu }).findings)
      if (rule.startsWith('acc/'))
        for (const fix of fixes) if (fix.edits.length) offered.push({ path, text, rule, fix });
  }
  return offered;
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { show: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  if (positionals.length === 0) throw new Error('usage: npx tsx lab/bench/compileFixes.ts FOLDER… [--show]');
  let sum = 0;
  let errors = 0;
  let skipped = 0;
  let erroneous = 0;
  for (const root of positionals.map((each) => resolve(each))) {
    const offered = await offeredIn(root);
    const folder = mkdtempSync(join(tmpdir(), 'warplens-fixes-'));
    try {
      const compile = offered.length ? compilerOf(root, folder) : () => '';
      const accepted = new Map<string, string>();
      for (const one of offered)
        for (const [path, before, after] of changedBy(one)) {
          if (!accepted.has(path)) accepted.set(path, compile(path, before));
          const refused = accepted.get(path)!;
          // After a header or module that is missing GCC reads no further; other errors are those of the program.
          if (/fatal error|no compiler|ETIMEDOUT/i.test(refused)) {
            skipped++;
            if (values.show) console.log(`${relative(root, path)} does not compile as it is: ${refused.slice(0, 300)}`);
            continue;
          }
          if (refused) erroneous++;
          else sum++;
          const said = compile(path, after);
          const known = new Set(errorsIn(refused));
          if (said === '' || (refused && errorsIn(said).every((error) => known.has(error)))) continue;
          errors++;
          console.log(
            `${relative(root, path)} (${extname(path)}), ${one.rule}, "${one.fix.title}":\n${errorsIn(said)
              .filter((error) => !known.has(error))
              .join('\n')}`,
          );
        }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    console.log(`${root}: ${offered.length} fixes offered`);
  }
  console.log(
    `${sum} fixes compiled, and ${erroneous} in files that have errors as they are: ${errors} with new errors; ` +
      `${skipped} in files that cannot be compiled`,
  );
  process.exitCode = errors ? 1 : 0;
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
});

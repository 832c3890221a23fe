// warplens check: findings of files and folders, as text, JSON or SARIF, and their safe fixes.
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { defaultSettings } from '../../protocol/src/settings';
import { fixAll } from '../../server/src/lint/edits';
import { isAtLeast, isSeverity, severities, type ResolvedFinding } from '../../server/src/lint/finding';
import { unknownRule } from '../../server/src/lint/settings';
import { createCompilerFeedback } from '../../server/src/workspace/compilerFeedback';
import { placeFinder, readAnalysisFlags, uriOf, type AnalysisFlags } from './analysis';
import type { CheckedFile } from './checkedFile';
import { createChecker, type CheckSettings } from './checking';
import { resultsOf } from './checkResults';
import { readCompilerLogFile } from './compilerFeedback';
import { codeQualityOf } from './codeQuality';
import { jsonOf } from './json';
import { openBaseline } from './baseline';
import { byCost, heaviestOf, keptOf, withHeads, withoutCalls } from './order';
import { changesSince, touched } from './since';
import { analyseFlags, commaList, repeated, type Terminal } from './options';
import { createTeller } from './remarks';
import { ruleIds } from './rules';
import { sarifOf } from './sarif';
import { BadUse, displayPath, findSources, interruptedWrite, writeSource } from './source';
import { cleanJson } from './terminalText';
import { textOf } from './text';

interface CheckFlags extends AnalysisFlags {
  readonly format: string;
  readonly rule?: readonly string[];
  readonly minSeverity: string;
  readonly fix?: boolean;
  readonly unsafeFixes?: boolean;
  readonly feedback?: readonly string[];
  readonly jobs?: string;
  readonly cache?: boolean;
  readonly top?: string;
  readonly baseline?: string;
  readonly updateBaseline?: boolean;
  readonly since?: string;
  readonly quietPath?: readonly string[];
}

export function registerCheck(program: Command, terminal: Terminal): void {
  analyseFlags(program.command('check'))
    .description('Report the lines that waste the GPU. Exit code 0: nothing found, 1: findings, 2: bad use.')
    .argument(
      '<paths...>',
      'files and folders (.cu and .cuh; C, C++ and Fortran files that hold device code or OpenACC directives)',
    )
    .option('-f, --format <format>', 'text, json, sarif, or codequality (of GitLab)', 'text')
    .option('-r, --rule <id>', 'run only this rule (repeat for several)', commaList)
    .option('-s, --min-severity <severity>', `leave out what is less grave than this: ${severities.join(', ')}`, 'hint')
    .option('--fix', 'apply the safe fixes to the files')
    .option('--unsafe-fixes', 'with --fix: apply the unsafe ones too, which may change results or resources')
    .option(
      '--feedback <log>',
      'what a compiler said of the build (nvc -Minfo=accel, gcc -fopt-info-omp, *.opt-record.json.gz), to go by instead of what is usual (repeat for several)',
      repeated,
    )
    .option('--top <number>', 'show only so many findings: those that cost the most by prediction')
    .option('--baseline <file>', 'leave out the findings that this file holds')
    .option('--update-baseline', 'with --baseline: write the findings of now into the file')
    .option(
      '--quiet-path <name>',
      'hints alone, errors apart, in folders and files of this name, * for any characters (repeat for several; tests and generated code if none is given)',
      commaList,
    )
    .option('--since <revision>', 'only findings on lines, or in kernels, that changed since this revision of git')
    .option('-j, --jobs <number>', 'threads to check with (one a core)')
    .option('--no-cache', 'neither use nor keep the results of unchanged files')
    .action(async (paths: string[], flags: CheckFlags) => {
      terminal.exitCode = await check(paths, flags, terminal);
    });
}

async function check(paths: readonly string[], flags: CheckFlags, terminal: Terminal): Promise<number> {
  if (!['text', 'json', 'sarif', 'codequality'].includes(flags.format))
    throw new BadUse(`There is no format "${flags.format}"; use text, json, sarif or codequality.`);
  const least = flags.minSeverity;
  if (!isSeverity(least)) throw new BadUse(`There is no severity "${least}"; use ${severities.join(', ')}.`);
  for (const id of flags.rule ?? []) if (!ruleIds.includes(id)) throw new BadUse(unknownRule(id, ruleIds));
  if (flags.unsafeFixes && !flags.fix) throw new BadUse('--unsafe-fixes goes with --fix.');
  const top = flags.top === undefined ? undefined : wholeFrom1('--top', flags.top);
  if (flags.updateBaseline && flags.baseline === undefined)
    throw new BadUse('--update-baseline goes with --baseline FILE.');
  if (flags.fix && (flags.baseline !== undefined || flags.since !== undefined))
    throw new BadUse('--fix mends all that it finds: leave out --baseline and --since.');
  const baseline =
    flags.baseline === undefined ? undefined : openBaseline(flags.baseline, flags.updateBaseline === true);
  const sources = findSources(paths, (sentence) => terminal.note(sentence));
  if (sources.length === 0) terminal.note(`No CUDA or OpenACC sources in ${paths.join(', ')}.`);
  const settings = readSettings(paths, flags, terminal);
  const results = flags.fix
    ? undefined
    : await resultsOf(sources, settings, {
        jobs: flags.jobs === undefined ? undefined : wholeFrom1('--jobs', flags.jobs),
        cache: flags.cache !== false,
      });
  const files: CheckedFile[] = [];
  let fixed = 0;
  let unwritten = 0;
  const told = createTeller(terminal);
  const grave = (finding: ResolvedFinding): boolean => isAtLeast(finding.severity, least);
  const checker = results ? undefined : await createChecker(settings);
  for (const [at, source] of sources.entries()) {
    const { path } = source;
    const uri = uriOf(path);
    const interrupted = interruptedWrite(path);
    if (interrupted !== undefined) terminal.note(interrupted);
    const result = results?.[at] ?? (await checker!.check(source));
    told.hear(path, result);
    let current = source.text;
    let { findings } = result;
    if (flags.fix) {
      findings = findings.filter(grave);
      const findingsIn = (text: string): readonly ResolvedFinding[] =>
        checker!.findingsIn({ path, text }).filter(grave);
      const fixes = fixAll(
        current,
        uri,
        findings,
        findingsIn,
        (fix, finding) =>
          (fix.applicability === 'safe' || flags.unsafeFixes === true) && !finding.rule.startsWith('warplens/'),
      );
      if (fixes.applied > 0) {
        try {
          writeSource(path, current, fixes.text);
          checker!.written(path);
          fixed += fixes.applied;
          current = fixes.text;
          findings = findingsIn(current);
        } catch (error) {
          // The other files can still be fixed.
          if (!(error instanceof BadUse)) throw error;
          terminal.note(error.message);
          unwritten++;
        }
      }
    }
    if (findings.length > 0) files.push({ path, uri, text: current, findings });
  }
  told.end();
  if (baseline && flags.updateBaseline) {
    terminal.note(
      baseline.update(
        files,
        sources.map(({ path }) => path),
      ),
    );
    return 0;
  }
  const once = withoutCalls(files);
  const changes = flags.since === undefined ? undefined : changesSince(flags.since);
  const news = baseline ? baseline.news(once) : once;
  const placeOf = placeFinder(new Map(files.map((file) => [file.uri, file.text])));
  const left = news.flatMap((file) => {
    const touchedOnes = changes ? touched(file, changes(file.path)) : file.findings;
    const findings = withHeads(touchedOnes).filter(grave);
    return findings.length > 0 ? [{ ...file, findings }] : [];
  });
  const ordered = byCost(left);
  const first = top === undefined ? ordered : ordered.slice(0, top);
  const shown = top === undefined ? left : keptOf(left, new Set(first.map(({ finding }) => finding)));
  const heaviest = heaviestOf(shown, ordered);
  const output =
    flags.format === 'json'
      ? cleanJson(jsonOf(shown, placeOf, told.remarks))
      : flags.format === 'sarif'
        ? cleanJson(sarifOf(heaviest.files, placeOf, [...heaviest.remarks, ...told.remarks]))
        : flags.format === 'codequality'
          ? cleanJson(codeQualityOf(shown, placeOf))
          : textOf(first, placeOf, terminal.colour);
  if (output !== '') terminal.print(output);
  if (flags.format === 'text') {
    terminal.note(summary(left, sources.length, fixed));
    if (first.length < ordered.length)
      terminal.note(`The ${first.length} that cost the most are shown; --top ${ordered.length} shows all.`);
  }
  if (unwritten > 0) {
    terminal.note(`The fixes of ${unwritten} ${unwritten === 1 ? 'file' : 'files'} were not written.`);
    return 2;
  }
  return left.length > 0 ? 1 : 0;
}

function readSettings(paths: readonly string[], flags: CheckFlags, terminal: Terminal): CheckSettings {
  return {
    quiet: {
      paths: flags.quietPath ?? defaultSettings.quietPaths,
      below: [process.cwd(), ...paths.map((path) => resolve(path)).filter((path) => statSync(path).isDirectory())],
    },
    analysis: readAnalysisFlags(flags),
    ...(flags.rule ? { only: flags.rule } : {}),
    feedback: (flags.feedback ?? []).map((log) => {
      const text = readCompilerLogFile(log);
      if (createCompilerFeedback().take(log, text) === 0)
        terminal.note(
          `${displayPath(log)} says nothing of loops for an accelerator; build with -Minfo=accel (nvc, nvc++, nvfortran) or -fopt-info-omp (GCC).`,
        );
      return { source: log, text };
    }),
  };
}

function wholeFrom1(option: string, given: string): number {
  const value = Number(given);
  if (!Number.isInteger(value) || value < 1) throw new BadUse(`${option} ${given}: give a whole number from 1.`);
  return value;
}

function summary(files: readonly CheckedFile[], checked: number, fixed: number): string {
  const findings = files.flatMap((file) => file.findings.filter(({ markOf }) => !markOf));
  const applied = fixed === 0 ? '' : ` ${fixed} ${fixed === 1 ? 'fix' : 'fixes'} applied.`;
  if (findings.length === 0) return `Nothing found in ${checked} ${checked === 1 ? 'file' : 'files'}.${applied}`;
  const counts = [...severities]
    .reverse()
    .map((severity) => [severity, findings.filter((finding) => finding.severity === severity).length] as const)
    .filter(([, count]) => count > 0);
  const safe = findings.filter((finding) => finding.fixes.some((fix) => fix.applicability === 'safe')).length;
  return `${findings.length} ${findings.length === 1 ? 'finding' : 'findings'} in ${files.length} of ${checked} ${checked === 1 ? 'file' : 'files'} (${counts.map(([severity, count]) => `${severity} ${count}`).join(', ')}).${applied}${safe > 0 ? ` ${safe} can be fixed with --fix.` : ''}`;
}

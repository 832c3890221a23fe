// warplens check: findings of files and folders, as text, JSON or SARIF, and their fixes.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { fixAll } from '../../server/src/workspace/edits';
import { isAtLeast, isSeverity, severities, type ResolvedFinding } from '../../server/src/lint/finding';

import { unknownRule } from '../../server/src/lint/settings';
import type { Severity } from '../../server/src/rules/rule';
import { createCompilerFeedback } from '../../server/src/workspace/compilerFeedback';
import { isFolder, placeFinder, readAnalysisFlags, uriOf, type AnalysisFlags } from './analysis';
import { type CheckedFile, headsOf } from './checkedFile';
import { annotationsOf, junitOf } from './annotations';
import { createChecker, type CheckSettings, type FileResult } from './checking';
import { resultsOf } from './checkResults';
import { readCompilerLogFile } from './compilerFeedback';
import { withVerdicts } from './compilerWitness';
import { codeQualityOf } from './codeQuality';
import { jsonOf } from './json';
import { openBaseline } from './baseline';
import { byCost, heaviestOf, keptOf, withHeads, withoutCalls } from './order';
import { patchOf } from './patch';
import { changesSince, touched } from './since';
import { addOptions, report, type Terminal } from './options';
import { createTeller, type Teller } from './remarks';
import { ruleIds } from './rules';
import { sarifOf } from './sarif';
import { BadUse, displayPath, findSources, placesIn, writeSource, type Source } from './source';
import { cleanJson } from './terminalText';
import { settingsText } from './settingsText';
import { statisticsOf, textOf } from './text';
import { nextChange } from './watch';

interface CheckFlags extends AnalysisFlags {
  readonly format: string;
  readonly outputFormat?: string;
  readonly rule?: readonly string[];
  readonly minSeverity: string;
  readonly quiet?: boolean;
  readonly failOn?: readonly string[];
  readonly unread?: boolean;
  readonly exitZero?: boolean;
  readonly outputFile?: string;
  readonly exclude?: readonly string[];
  readonly stdinFilename?: string;
  readonly fix?: boolean;
  readonly diff?: boolean;
  readonly statistics?: boolean;
  readonly showFiles?: boolean;
  readonly showSettings?: boolean;
  readonly watch?: boolean;
  readonly unsafeFixes?: boolean;
  readonly tryFixes?: boolean;
  readonly feedback?: readonly string[];
  readonly jobs?: string;
  readonly cache?: boolean;
  readonly top?: string;
  readonly baseline?: string;
  readonly updateBaseline?: boolean;
  readonly since?: string;
  readonly quietPath?: readonly string[];
  readonly withCompiler?: boolean | string;
  readonly nvcc?: string;
}

const formats = ['text', 'json', 'sarif', 'github', 'junit', 'codequality'] as const;

export function registerCheck(program: Command, terminal: Terminal): void {
  addOptions(program.command('check'), 'analysis', 'check')
    .argument(
      '<paths...>',
      'files and folders (.cu and .cuh; C, C++ and Fortran files that hold device code or OpenACC directives), ' +
        'or - for standard input',
    )
    .action(async (paths: string[], flags: CheckFlags) => {
      const all = { ...flags, format: flags.outputFormat ?? flags.format };
      terminal.exitCode = await check(paths, all, terminal);
      while (flags.watch) {
        terminal.note('Waiting for changes; Ctrl+C ends.');
        await nextChange(paths);
        terminal.exitCode = await check(paths, all, terminal);
      }
    });
}

function checkedFlags(
  paths: readonly string[],
  flags: CheckFlags,
): {
  readonly least: Severity;
  readonly failing: Severity;
  readonly failsUnread: boolean;
  readonly format: (typeof formats)[number];
} {
  const format = formats.find((each) => each === flags.format);
  if (!format) throw new BadUse(`Unknown format "${flags.format}". Use ${formats.join(', ')}.`);
  const severityOf = (given: string): Severity => {
    if (!isSeverity(given)) throw new BadUse(`Unknown severity "${given}". Use ${severities.join(', ')}.`);
    return given;
  };
  const asked = severityOf(flags.minSeverity);
  const failOn = flags.failOn ?? [];
  const failing = failOn.filter((each) => each !== 'unread').map(severityOf);
  if (failing.length > 1) throw new BadUse(`--fail-on takes one severity, not ${failing.join(' and ')}.`);
  for (const id of flags.rule ?? []) if (!ruleIds.includes(id)) throw new BadUse(unknownRule(id, ruleIds));
  if (flags.unsafeFixes && !flags.fix && !flags.diff) throw new BadUse('--unsafe-fixes requires --fix or --diff.');
  if (flags.watch && (flags.fix || flags.diff || paths.includes('-')))
    throw new BadUse('--watch cannot be combined with --fix, --diff or -.');
  if (flags.statistics && !['text', 'json'].includes(flags.format))
    throw new BadUse('--statistics has the formats text and json.');
  if (flags.nvcc !== undefined && !flags.withCompiler) throw new BadUse('--nvcc requires --with-compiler.');
  if (flags.updateBaseline && flags.baseline === undefined)
    throw new BadUse('--update-baseline requires --baseline FILE.');
  if ((flags.fix || flags.diff) && (flags.baseline !== undefined || flags.since !== undefined))
    throw new BadUse('--fix and --diff cannot be combined with --baseline or --since.');
  if (paths.includes('-')) {
    if (paths.length > 1) throw new BadUse('- cannot be combined with other paths.');
    if (flags.withCompiler)
      throw new BadUse('--with-compiler cannot be combined with -, which has no file to compile.');
    if (flags.fix || flags.diff) throw new BadUse('--fix and --diff cannot be combined with -, which has no file.');
    if (flags.baseline !== undefined || flags.since !== undefined)
      throw new BadUse('- cannot be combined with --baseline or --since.');
  } else if (flags.stdinFilename !== undefined) throw new BadUse('--stdin-filename requires the path -.');
  return {
    least: flags.quiet && !isAtLeast(asked, 'warning') ? 'warning' : asked,
    failing: failing[0] ?? 'warning',
    failsUnread: failOn.includes('unread'),
    format,
  };
}

/** The text of standard input under the name given for it. */
function sourceOfInput(flags: CheckFlags, terminal: Terminal): Source {
  const bytes = terminal.input ? terminal.input() : readFileSync(0, 'utf8');
  return { path: resolve(flags.stdinFilename ?? 'stdin.cu'), text: bytes };
}

async function check(paths: readonly string[], flags: CheckFlags, terminal: Terminal): Promise<number> {
  const { least, failing, failsUnread, format } = checkedFlags(paths, flags);
  const top = flags.top === undefined ? undefined : wholeFrom1('--top', flags.top);
  const jobs = flags.jobs === undefined ? undefined : wholeFrom1('--jobs', flags.jobs);
  const baseline =
    flags.baseline === undefined ? undefined : openBaseline(flags.baseline, flags.updateBaseline === true);
  const isInput = paths.includes('-');
  let excluded = 0;
  const said = createTeller(terminal, flags.unread === true);
  const sources = isInput
    ? [sourceOfInput(flags, terminal)]
    : findSources(paths, (sentence) => terminal.note(sentence), {
        exclude: flags.exclude,
        unreadable: said.miss,
        excluded: () => excluded++,
      });
  const isUnread = said.remarks.length > 0;
  // Hooks name files one by one: it is not a mistake if all of them are excluded.
  if (sources.length === 0 && !isUnread && excluded === 0)
    throw new BadUse(`No CUDA or OpenACC sources in ${paths.join(', ')}: name a folder or a file that has some.`);
  const settings = readSettings(paths, flags, terminal);
  if (flags.showFiles || flags.showSettings) {
    if (flags.showFiles) terminal.print(sources.map(({ path }) => displayPath(path)).join('\n'));
    if (flags.showSettings && sources[0]) terminal.print(await settingsText(sources[0], settings.analysis));
    return isUnread ? 2 : 0;
  }
  const results =
    flags.fix || flags.diff
      ? undefined
      : await resultsOf(sources, settings, {
          jobs,
          // Cached results belong to the file's text on disk.
          cache: flags.cache !== false && !isInput,
        });
  const { files, marked, fixed, unwritten, patches } = await checkedFiles(sources, results, settings, flags, {
    terminal,
    hear: said.hear,
    least,
  });
  said.end();
  if (flags.diff) {
    if (patches.length > 0) report(patches.join('\n'), flags.outputFile, terminal);
    terminal.note(
      `${fixed} ${fixed === 1 ? 'fix' : 'fixes'} of ${patches.length} of ${sources.length} files; nothing is written.`,
    );
    return isUnread ? 2 : patches.length > 0 && !flags.exitZero ? 1 : 0;
  }
  if (baseline && flags.updateBaseline) {
    terminal.note(
      baseline.update(
        files,
        sources.map(({ path }) => path),
      ),
    );
    return isUnread ? 2 : 0;
  }
  const once = flags.withCompiler
    ? await withVerdicts(withoutCalls(files), {
        analysis: settings.analysis,
        host: flags.withCompiler === true ? undefined : flags.withCompiler,
        nvcc: flags.nvcc,
        note: (sentence) => terminal.note(sentence),
      })
    : withoutCalls(files);
  const changes = flags.since === undefined ? undefined : changesSince(flags.since);
  const news = baseline ? baseline.news(once) : once;
  const placeOf = placeFinder(new Map(files.map((file) => [file.uri, file.text])));
  const left = news.flatMap((file) => {
    const touchedOnes = changes ? touched(file, changes(file.path)) : file.findings;
    const findings = withHeads(touchedOnes).filter(({ severity }) => isAtLeast(severity, least));
    return findings.length > 0 ? [{ ...file, findings }] : [];
  });
  const ordered = byCost(left);
  const first = top === undefined ? ordered : ordered.slice(0, top);
  const shown = top === undefined ? left : keptOf(left, new Set(first.map(({ finding }) => finding)));
  const heaviest = heaviestOf(shown, ordered);
  const writers: Readonly<Record<(typeof formats)[number], () => string>> = {
    text: () => textOf(first, placeOf, terminal.colour && flags.outputFile === undefined),
    json: () => jsonOf(shown, placeOf, said, marked),
    sarif: () => cleanJson(sarifOf(heaviest.files, placeOf, [...heaviest.remarks, ...said.remarks], said.unread)),
    github: () => annotationsOf(shown, placeOf),
    junit: () =>
      junitOf(
        shown,
        sources.map(({ path }) => path),
        placeOf,
      ),
    codequality: () => cleanJson(codeQualityOf(shown, placeOf)),
  };
  const output = flags.statistics ? statisticsOf(shown, flags.format) : writers[format]();
  report(output, flags.outputFile, terminal);
  if (flags.format === 'text') {
    // Comments change severities.
    const { hot, cold } = marked;
    const marks = hot + cold === 0 ? '' : ` Functions that comments mark: ${hot} hot, ${cold} cold.`;
    if (sources.length > 0) terminal.note(`${summary(left, sources.length, fixed, flags)}${marks}`);
    if (first.length < ordered.length)
      terminal.note(`Showing the ${first.length} most expensive; --top ${ordered.length} shows all.`);
  }
  if (unwritten > 0)
    terminal.note(`The fixes of ${unwritten} ${unwritten === 1 ? 'file were' : 'files were'} not written.`);
  if (unwritten > 0 || isUnread) return 2;
  const fails =
    left.some(({ findings }) => findings.some(({ severity }) => isAtLeast(severity, failing))) ||
    said.unread.some((file) => failsUnread || file.fails);
  return fails && !flags.exitZero ? 1 : 0;
}

/** The files with findings, after the requested fixes. */
async function checkedFiles(
  sources: readonly Source[],
  results: readonly FileResult[] | undefined,
  settings: CheckSettings,
  flags: CheckFlags,
  { terminal, hear, least }: Pick<Teller, 'hear'> & { readonly terminal: Terminal; readonly least: Severity },
) {
  const files: CheckedFile[] = [];
  const marked = { hot: 0, cold: 0 };
  let fixed = 0;
  let unwritten = 0;
  // With --diff, what would be written.
  const patches: string[] = [];
  const isReported = ({ severity }: ResolvedFinding): boolean => isAtLeast(severity, least);
  const checker = results ? undefined : await createChecker(settings);
  for (const [at, source] of sources.entries()) {
    const { path } = source;
    const uri = uriOf(path);
    const result = results?.[at] ?? (await checker!.check(source));
    hear(path, result);
    marked.hot += result.marked.hot;
    marked.cold += result.marked.cold;
    let current = source.text;
    let { findings } = result;
    if (flags.fix || flags.diff) {
      findings = findings.filter(isReported);
      const trials = checker!.trials(path);
      const findingsIn = (text: string): readonly ResolvedFinding[] => trials.read(text)!.findings.filter(isReported);
      const fixes = fixAll(
        current,
        uri,
        findings,
        findingsIn,
        (fix, finding) =>
          (fix.applicability === 'safe' || flags.unsafeFixes === true) && !finding.rule.startsWith('warplens/'),
        trials,
      );
      for (const { finding, fix, reason, text } of fixes.refused) {
        const { line, column } = placesIn(text)(finding.at);
        terminal.note(`${displayPath(path)}:${line}:${column}: "${fix.title}" not applied: ${reason}.`);
      }
      if (fixes.applied > 0 && flags.diff) {
        patches.push(patchOf(displayPath(path), current, fixes.text));
        fixed += fixes.applied;
      } else if (fixes.applied > 0) {
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
      findings = checker!.judged(findings, current, trials);
    }
    if (findings.length > 0) files.push({ path, uri, text: current, findings });
  }
  return { files, marked, fixed, unwritten, patches };
}

function readSettings(paths: readonly string[], flags: CheckFlags, terminal: Terminal): CheckSettings {
  return {
    quiet: { paths: flags.quietPath, below: [process.cwd(), ...paths.map((path) => resolve(path)).filter(isFolder)] },
    analysis: readAnalysisFlags(flags, (sentence) => terminal.note(sentence)),
    ...(flags.rule ? { only: flags.rule } : {}),
    tries: flags.tryFixes,
    feedback: (flags.feedback ?? []).map((log) => {
      const text = readCompilerLogFile(log);
      if (createCompilerFeedback().take(log, text) === 0)
        terminal.note(
          `${displayPath(log)} has no remarks on accelerator loops. Build with -Minfo=accel (nvc, ` +
            'nvc++, nvfortran) or -fopt-info-omp (GCC).',
        );
      return { source: log, text };
    }),
  };
}

function wholeFrom1(option: string, given: string): number {
  const value = Number(given);
  if (!Number.isInteger(value) || value < 1)
    throw new BadUse(`Invalid ${option} "${given}": use an integer of at least 1.`);
  return value;
}

function summary(files: readonly CheckedFile[], checked: number, fixed: number, flags: CheckFlags): string {
  const findings = files.flatMap(headsOf);
  const applied = flags.fix ? ` ${fixed} ${fixed === 1 ? 'fix' : 'fixes'} applied.` : '';
  if (findings.length === 0) return `Nothing found in ${checked} ${checked === 1 ? 'file' : 'files'}.${applied}`;
  const counts = [...severities]
    .reverse()
    .map((severity) => [severity, findings.filter((finding) => finding.severity === severity).length] as const)
    .filter(([, count]) => count > 0);
  const safe = findings.filter((finding) => finding.fixes.some((fix) => fix.applicability === 'safe')).length;
  return (
    `${findings.length} ${findings.length === 1 ? 'finding' : 'findings'} in ${files.length} ` +
    `of ${checked} ${checked === 1 ? 'file' : 'files'} ` +
    `(${counts.map(([severity, count]) => `${severity} ${count}`).join(', ')}).${applied}${safe > 0 ? ` ${flags.fix || flags.tryFixes ? '' : 'Up to '}${safe} can be fixed with --fix.` : ''}`
  );
}

// warplens check: findings of files and folders, as text, JSON or SARIF, and their safe fixes.
import { dirname } from 'node:path';
import type { Command } from 'commander';
import { lint } from '../../server/src/lint/lint';
import { fixAll } from '../../server/src/lint/edits';
import { isAtLeast, isSeverity, severities, type ResolvedFinding } from '../../server/src/lint/finding';
import { unknownRule } from '../../server/src/lint/settings';
import { registry } from '../../server/src/rules/registry';
import { analyseFlags, commaList, repeated, type Terminal } from './options';
import { openWorkspace, placeFinder, uriOf, type AnalysisFlags } from './analysis';
import { readCompilerLogFile } from './compilerFeedback';
import { jsonOf } from './json';
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
}

/** A checked file: its text as it is now, after fixes, and what was found in that text. */
export interface CheckedFile {
  readonly path: string;
  readonly uri: string;
  readonly text: string;
  readonly findings: readonly ResolvedFinding[];
}

export function registerCheck(program: Command, terminal: Terminal): void {
  analyseFlags(program.command('check'))
    .description('Report the lines that waste the GPU. Exit code 0: nothing found, 1: findings, 2: bad use.')
    .argument(
      '<paths...>',
      'files and folders (.cu and .cuh; C, C++ and Fortran files that hold device code or OpenACC directives)',
    )
    .option('-f, --format <format>', 'text, json or sarif', 'text')
    .option('-r, --rule <id>', 'run only this rule (repeat for several)', commaList)
    .option('-s, --min-severity <severity>', `leave out what is less grave than this: ${severities.join(', ')}`, 'hint')
    .option('--fix', 'apply the safe fixes to the files')
    .option('--unsafe-fixes', 'with --fix: apply the unsafe ones too, which may change results or resources')
    .option(
      '--feedback <log>',
      'what a compiler said of the build (nvc -Minfo=accel, gcc -fopt-info-omp, *.opt-record.json.gz), to go by instead of what is usual (repeat for several)',
      repeated,
    )
    .action(async (paths: string[], flags: CheckFlags) => {
      terminal.exitCode = await check(paths, flags, terminal);
    });
}

async function check(paths: readonly string[], flags: CheckFlags, terminal: Terminal): Promise<number> {
  if (!['text', 'json', 'sarif'].includes(flags.format))
    throw new BadUse(`There is no format "${flags.format}"; use text, json or sarif.`);
  const least = flags.minSeverity;
  if (!isSeverity(least)) throw new BadUse(`There is no severity "${least}"; use ${severities.join(', ')}.`);
  const ids = registry.map((rule) => rule.meta.id);
  for (const id of flags.rule ?? []) if (!ids.includes(id)) throw new BadUse(unknownRule(id, ids));
  if (flags.unsafeFixes && !flags.fix) throw new BadUse('--unsafe-fixes goes with --fix.');
  const sources = findSources(paths, (sentence) => terminal.note(sentence));
  if (sources.length === 0) terminal.note(`No CUDA or OpenACC sources in ${paths.join(', ')}.`);
  const workspace = await openWorkspace(flags, (sentence) => terminal.note(sentence));
  for (const log of flags.feedback ?? []) {
    if (workspace.takeCompilerLog(log, readCompilerLogFile(log)) === 0)
      terminal.note(
        `${displayPath(log)} says nothing of loops for an accelerator; build with -Minfo=accel (nvc, nvc++, nvfortran) or -fopt-info-omp (GCC).`,
      );
  }
  const only = flags.rule ? new Set(flags.rule) : undefined;
  const files: CheckedFile[] = [];
  let fixed = 0;
  let unwritten = 0;
  let folder = '';
  const read = new Set<string>();
  for (const { path, text } of sources) {
    const uri = uriOf(path);
    await workspace.ready(uri);
    if (dirname(path) !== folder) {
      // Headers are shared within a folder more than between folders; over a large tree they must not pile up.
      for (const one of read) workspace.forget(one);
      read.clear();
      folder = dirname(path);
    }
    const interrupted = interruptedWrite(path);
    if (interrupted !== undefined) terminal.note(interrupted);
    let version = 0;
    const findingsIn = (current: string): readonly ResolvedFinding[] => {
      const analysed = workspace.analyse(uri, { text: current, version: ++version })!;
      for (const file of analysed.files) read.add(file.uri);
      if (analysed.excess !== undefined && version === 1) terminal.note(`${displayPath(path)}: ${analysed.excess}`);
      const result = lint(analysed.model, current, { gpu: analysed.gpu, only });
      for (const failure of result.failures)
        terminal.note(
          `${displayPath(path)}: the rule ${failure.rule} failed (${failure.error}); please report this file.`,
        );
      return result.findings.filter((finding) => isAtLeast(finding.severity, least));
    };
    let current = text;
    let findings = findingsIn(text);
    if (flags.fix) {
      const result = fixAll(
        text,
        uri,
        findings,
        findingsIn,
        (fix, finding) =>
          (fix.applicability === 'safe' || flags.unsafeFixes === true) && !finding.rule.startsWith('warplens/'),
      );
      if (result.applied > 0) {
        try {
          writeSource(path, text, result.text);
          fixed += result.applied;
          current = result.text;
          findings = findingsIn(current);
        } catch (error) {
          // The other files can still be mended.
          if (!(error instanceof BadUse)) throw error;
          terminal.note(error.message);
          unwritten++;
        }
      }
    }
    if (findings.length > 0) files.push({ path, uri, text: current, findings });
    workspace.forget(uri);
  }
  const placeOf = placeFinder(new Map(files.map((file) => [file.uri, file.text])));
  const output =
    flags.format === 'json'
      ? cleanJson(jsonOf(files, placeOf))
      : flags.format === 'sarif'
        ? cleanJson(sarifOf(files, placeOf))
        : textOf(files, placeOf, terminal.colour);
  if (output !== '') terminal.print(output);
  if (flags.format === 'text') terminal.note(summary(files, sources.length, fixed));
  if (unwritten > 0) {
    terminal.note(`The fixes of ${unwritten} ${unwritten === 1 ? 'file' : 'files'} were not written.`);
    return 2;
  }
  return files.length > 0 ? 1 : 0;
}

function summary(files: readonly CheckedFile[], checked: number, fixed: number): string {
  const findings = files.flatMap((file) => file.findings);
  const mended = fixed === 0 ? '' : ` ${fixed} ${fixed === 1 ? 'fix' : 'fixes'} applied.`;
  if (findings.length === 0) return `Nothing found in ${checked} ${checked === 1 ? 'file' : 'files'}.${mended}`;
  const counts = [...severities]
    .reverse()
    .map((severity) => [severity, findings.filter((finding) => finding.severity === severity).length] as const)
    .filter(([, count]) => count > 0);
  const safe = findings.filter((finding) => finding.fixes.some((fix) => fix.applicability === 'safe')).length;
  return `${findings.length} ${findings.length === 1 ? 'finding' : 'findings'} in ${files.length} of ${checked} ${checked === 1 ? 'file' : 'files'} (${counts.map(([severity, count]) => `${severity} ${count}`).join(', ')}).${mended}${safe > 0 ? ` ${safe} can be mended with --fix.` : ''}`;
}

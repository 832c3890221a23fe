// `warplens profile --sanitize`: errors that compute-sanitizer sees in a run, and which findings they confirm.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ProfileOptions, ProfileRequest } from '../../profiler/src/session/profileSession';
import {
  toolNamedIn,
  verdictOfRuns,
  type SanitizerVerdict,
  type SuspectLines,
} from '../../profiler/src/sanitizer/confirmed';
import { sanitize, type SanitizerRun } from '../../profiler/src/sanitizer/sanitize';
import { sanitizerTools, type SanitizerRecord, type SanitizerTool } from '../../profiler/src/sanitizer/sanitizerOutput';
import type { ResolvedFinding } from '../../server/src/lint/finding';
import { pathOf, placeFinder, readAnalysisFlags } from './analysis';
import { createChecker } from './checking';
import { commaList } from './options';
import type { ReportIo } from './reportIo';
import { BadUse, displayPath, readSource, type Place } from './source';
import { cleanJson, cleanName } from './terminalText';

/** A finding whose rule names a tool. */
interface Suspicion {
  readonly finding: ResolvedFinding;
  readonly tool: SanitizerTool;
  readonly at: Place;
  /** Its lines and those of the other places of its cause. */
  readonly suspects: readonly SuspectLines[];
}

/** The tools of the flag, without repetition; undefined where one is unknown. */
export function readTools(flag: string | true | undefined): readonly SanitizerTool[] | undefined {
  const names = typeof flag === 'string' ? commaList(flag) : [];
  const tools = sanitizerTools.filter((tool) => names.includes(tool));
  return names.every((name) => (sanitizerTools as readonly string[]).includes(name)) ? tools : undefined;
}

/** Exit codes: 0 nothing reported, 1 errors reported, 2 the report is cut off. Rejects with a ProfileProblem. */
export async function runSanitizer(
  request: ProfileRequest,
  asked: readonly SanitizerTool[],
  sources: readonly string[],
  options: ProfileOptions,
  format: string,
  io: Pick<ReportIo, 'stdout' | 'stderr'>,
): Promise<number> {
  const named = [...new Set(sources.map((file) => resolve(file)))];
  const suspicions = await suspicionsIn(named);
  const wanted = sanitizerTools.filter((tool) => suspicions.some((suspicion) => suspicion.tool === tool));
  const tools = asked.length > 0 ? asked : wanted.length > 0 ? wanted : (['memcheck'] as const);
  const runs = await sanitize(request, tools, options);
  const places = runs.flatMap(({ records }) => records.flatMap((record) => record.places));
  const others = new Set(places.flatMap(({ file }) => (file !== undefined && existsSync(file) ? [resolve(file)] : [])));
  suspicions.push(...(await suspicionsIn([...others].filter((file) => !named.includes(file)))));
  const judged = suspicions
    .filter(({ tool }) => tools.includes(tool))
    .map(({ finding, tool, at, suspects }) => {
      const { rule, message, severity, text } = finding;
      const file = pathOf(finding.at.uri);
      const verdict = verdictOfRuns(tool, suspects, runs);
      return { file, line: at.line, column: at.column, rule, message, severity, text, tool, verdict };
    });
  if (format === 'json') io.stdout(`${cleanJson(JSON.stringify({ runs, findings: judged }))}\n`);
  else {
    const verdicts = judged.map(
      ({ file, line, column, rule, tool, verdict }) =>
        `${cleanName(displayPath(file))}:${line}:${column}: ${rule}: ${verdictText(verdict)} (${tool})`,
    );
    io.stdout([...runs.flatMap(runText), ...verdicts, ''].join('\n'));
  }
  for (const note of runs.flatMap(({ notes }) => notes)) io.stderr(`note: ${cleanName(note)}\n`);
  const errors = runs.flatMap(({ records }) => records).filter(({ severity }) => severity === 'error');
  if (errors.length > 0) return 1;
  return runs.every(({ isComplete }) => isComplete) ? 0 : 2;
}

/** Findings of `check` in the files. */
async function suspicionsIn(paths: readonly string[]): Promise<Suspicion[]> {
  const checker = await createChecker({ analysis: readAnalysisFlags({}), quiet: { below: [] }, feedback: [] });
  const placeOf = placeFinder(new Map());
  const found: Suspicion[] = [];
  for (const path of paths) {
    const text = readSource(path);
    if (typeof text !== 'string') throw new BadUse(`${displayPath(path)} ${text.problem}.`);
    for (const finding of (await checker.check({ path, text })).findings) {
      const tool = toolNamedIn(finding.confirm);
      const at = placeOf(finding.at);
      if (tool === undefined || !at || finding.markOf) continue;
      const spans = [finding.at, finding.calleeAt, ...(finding.places ?? []).map((place) => place.at)];
      const suspects = spans.flatMap((span) => {
        const place = span && placeOf(span);
        return place ? [{ file: pathOf(span.uri), from: place.line, to: place.endLine }] : [];
      });
      found.push({ finding, tool, at, suspects });
    }
  }
  return found;
}

function recordText({ tool, severity, sentence, details, places: [first], count }: SanitizerRecord): string {
  const head = first?.file === undefined ? '' : `${displayPath(first.file)}:${first.line}: `;
  const kernel = first?.kernel === undefined ? '' : ` in ${first.kernel}`;
  const often = count === 1 ? '' : `, ${count} times`;
  const example = details.length === 0 ? '' : ` (first: ${details.join(', ')})`;
  return cleanName(`${head}${severity}: ${sentence}${kernel}${often}${example} [${tool}]`);
}

function runText({ tool, records, isComplete }: SanitizerRun): string[] {
  if (records.length > 0) return records.map(recordText);
  return isComplete ? [`${tool}: no errors in this run.`] : [];
}

function verdictText(verdict: SanitizerVerdict): string {
  if (verdict.state === 'confirmed') return `confirmed at line ${verdict.line}`;
  return verdict.state === 'not-found' ? 'not found in this run' : 'undecided';
}

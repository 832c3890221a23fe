// Holds the severity of findings against the hardware counters of the programs in lab/severity/data.
//
// npx tsx lab/severity/compare.ts --corpora FOLDER [--set open|kept] [--truth LINES.jsonl …] [--program TEXT]
//   [--sweep 0.05,0.1,…] [--verbose] [--json] [--jobs N]
//
// The corpora folder holds a checkout of each repository as OWNER+NAME, at the commit that data/programs.jsonl names.
// A line is bad when its accesses take at least 1.5 times the ideal sectors or wavefronts, it has 5 % of its program's
// excess, and 5 % of the program's samples lie within three lines of it. Code that was inlined counts at its own line
// and is found where a finding is there or at a line it was inlined into. A finding is at the lines of its
// statement and two lines around them, at each of its places. Lines of the kept set are never printed, only counted.
// Exit status: 0 whatever the figures, 2 for bad arguments.
import { fork } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { parseArgs } from 'node:util';
import { pathOf, placeFinder, readAnalysisFlags, uriOf } from '../../cli/src/analysis';
import { createChecker } from '../../cli/src/checking';
import { BadUse, findSources } from '../../cli/src/source';
import { defaultSettings } from '../../protocol/src/settings';
import { severityOf } from '../../server/src/cost/grade';
import type { ResolvedFinding } from '../../server/src/lint/finding';
import type { LineCounts } from './counters';
import { folderOf, groupBy, otherPrograms, ownPrograms, type Program } from './programs';

type Severity = ResolvedFinding['severity'];
export type Space = 'global' | 'shared';
type Lines = readonly [file: string, from: number, to: number];

/** What is compared of a finding. Plain data: processes send it. */
export interface Shown {
  readonly rule: string;
  readonly severity: Severity;
  /** Time of its kernel now over its time without the waste, least and most. */
  readonly gain?: { readonly expected: number; readonly range: readonly [number, number] };
  /** Where the finding stands, with two lines around its statement, and its other places. */
  readonly at: Lines;
  readonly places: readonly Lines[];
}
/** The severity that a finding has at a threshold; the sweep tries several. */
export type Grade = (finding: Shown, threshold: number) => Severity;
/** As `cost/grade.ts` grades it. */
export const gradeByGain: Grade = ({ gain, severity }, threshold) => (gain ? severityOf(gain, threshold) : severity);

export const spaces: readonly Space[] = ['global', 'shared'];
const ruleOf: Readonly<Record<Space, string>> = { global: 'cuda/uncoalesced-access', shared: 'cuda/bank-conflict' };
const estimateOf: Readonly<Record<Space, RegExp>> = {
  global: /^UncoalescedGlobalAccess$/,
  shared: /^(SharedMemoryConflicts|UncoalescedSharedAccess)$/,
};
const grades: readonly (Severity | 'silent')[] = ['error', 'warning', 'information', 'hint', 'silent'];
const leastRatio = 1.5;
const leastPart = 0.05;
const leastEstimate = 5;
const samplesWithin = 3;
const around = 2;
const mostStatementLines = 12;

/** Sectors or wavefronts of a line that its own code takes, without what was inlined there. */
export function amounts(line: LineCounts, space: Space): { readonly taken: number; readonly ideal: number } {
  const { inlined } = line;
  return space === 'global'
    ? {
        taken: (line.l2Sectors ?? 0) - (inlined?.l2Sectors ?? 0),
        ideal: (line.l2SectorsIdeal ?? 0) - (inlined?.l2SectorsIdeal ?? 0),
      }
    : {
        taken: (line.wfShared ?? 0) - (inlined?.wfShared ?? 0),
        ideal: (line.wfSharedIdeal ?? 0) - (inlined?.wfSharedIdeal ?? 0),
      };
}
function samplesOf({ samples, inlined }: LineCounts): number {
  return Math.max(0, (samples ?? 0) - (inlined?.samples ?? 0));
}

export interface BadLine {
  readonly line: LineCounts;
  readonly space: Space;
  readonly ratio: number;
  readonly part: number;
}

export function badLines({ lines, kernels }: Program): BadLine[] {
  const samples =
    kernels.reduce((sum, each) => sum + each.samples, 0) || lines.reduce((sum, line) => sum + samplesOf(line), 0);
  return spaces.flatMap((space) => {
    const excessOf = (line: LineCounts): number => {
      const { taken, ideal } = amounts(line, space);
      return Math.max(0, taken - ideal);
    };
    const excess = lines.reduce((sum, line) => sum + excessOf(line), 0);
    return lines.flatMap((line): BadLine[] => {
      const { taken, ideal } = amounts(line, space);
      const ratio = ideal > 0 ? taken / ideal : 0;
      const part = excess > 0 ? excessOf(line) / excess : 0;
      if (ratio < leastRatio || part < leastPart) return [];
      const near = lines
        .filter(({ file, line: other }) => file === line.file && Math.abs(other - line.line) <= samplesWithin)
        .reduce((sum, each) => sum + samplesOf(each), 0);
      return samples > 0 && near >= leastPart * samples ? [{ line, space, ratio, part }] : [];
    });
  });
}

function covers([file, from, to]: Lines, at: string, line: number): boolean {
  return file === at && line >= from && line <= to;
}

/** The gravest severity at which a finding of the space's rule, or of any rule, at the line. */
export function severityAt(
  { line, space }: BadLine,
  findings: readonly Shown[],
  { anyRule, severityOf }: { readonly anyRule: boolean; readonly severityOf: (finding: Shown) => Severity },
): Severity | 'silent' {
  const spots: readonly (readonly [string, number])[] = [[line.file, line.line], ...(line.sites ?? [])];
  const at = findings
    .filter(({ rule }) => anyRule || rule === ruleOf[space])
    .filter(({ at, places }) =>
      [at, ...places].some((lines) => spots.some(([file, number]) => covers(lines, file, number))),
    )
    .map(severityOf);
  return grades.find((grade) => at.includes(grade as Severity)) ?? 'silent';
}

/** What the counters say of a finding; undefined where none of its lines ran in a profiled launch. */
export function verdictOn(
  { rule, at }: Shown,
  { lines, kernels }: Program,
): { readonly excess: boolean; readonly estimate: number | undefined } | undefined {
  const space = spaces.find((each) => ruleOf[each] === rule)!;
  const its = lines.filter(({ file, line }) => covers(at, file, line));
  const counted = its.filter((line) => {
    const sum = space === 'global' ? line.l2Sectors : line.wfShared;
    return (sum ?? 0) > 0;
  });
  if (counted.length === 0) return undefined;
  const excess = counted.some((line) => {
    const own = amounts(line, space);
    const all =
      space === 'global'
        ? { taken: line.l2Sectors ?? 0, ideal: line.l2SectorsIdeal ?? 0 }
        : { taken: line.wfShared ?? 0, ideal: line.wfSharedIdeal ?? 0 };
    return [own, all].some(({ taken, ideal }) => ideal > 0 && taken / ideal >= leastRatio);
  });
  // Counters that were taken without durations have no rules.
  const ran = [...new Set(counted.flatMap((line) => line.kernels))]
    .flatMap((at) => kernels[at] ?? [])
    .filter(({ ns }) => ns > 0);
  const estimates = ran.flatMap(({ rules }) =>
    rules.filter((each) => estimateOf[space].test(each.rule)).map(({ percent }) => percent ?? 0),
  );
  return { excess, estimate: ran.length === 0 ? undefined : Math.max(0, ...estimates) };
}

interface Counts {
  bad: number;
  shown: Record<Severity | 'silent', number>;
  /** By any rule. */
  shownByAny: Record<Severity | 'silent', number>;
  /** Findings by severity: held against counters, of those with the excess, with an estimate, of those with 5 % and more. */
  findings: Record<
    Severity,
    { measured: number; excess: number; estimated: number; worth: number; unmeasured: number }
  >;
}
function emptyCounts(): Counts {
  const none = (): Record<Severity | 'silent', number> => ({
    error: 0,
    warning: 0,
    information: 0,
    hint: 0,
    silent: 0,
  });
  const row = (): Counts['findings'][Severity] => ({ measured: 0, excess: 0, estimated: 0, worth: 0, unmeasured: 0 });
  return {
    bad: 0,
    shown: none(),
    shownByAny: none(),
    findings: { error: row(), warning: row(), information: row(), hint: row() },
  };
}

export function countsOf(
  program: Program,
  findings: readonly Shown[],
  severityOf: (finding: Shown) => Severity = ({ severity }) => severity,
): Counts {
  const counts = emptyCounts();
  for (const bad of badLines(program)) {
    counts.bad++;
    counts.shown[severityAt(bad, findings, { anyRule: false, severityOf })]++;
    counts.shownByAny[severityAt(bad, findings, { anyRule: true, severityOf })]++;
  }
  for (const finding of findings) {
    if (!Object.values(ruleOf).includes(finding.rule)) continue;
    const row = counts.findings[severityOf(finding)];
    const verdict = verdictOn(finding, program);
    if (!verdict) {
      row.unmeasured++;
      continue;
    }
    row.measured++;
    if (verdict.excess) row.excess++;
    if (verdict.estimate === undefined) continue;
    row.estimated++;
    if (verdict.estimate >= leastEstimate) row.worth++;
  }
  return counts;
}

interface Summary {
  readonly programs: number;
  readonly bad: number;
  readonly shown: Counts['shown'];
  readonly shownByAny: Counts['shown'];
  /** Each program with a bad line weighs one. */
  readonly byProgram: { readonly warning: number; readonly information: number; readonly hint: number };
  readonly findings: Counts['findings'];
}

export function summaryOf(all: readonly Counts[]): Summary {
  const sum = emptyCounts();
  for (const counts of all) {
    sum.bad += counts.bad;
    for (const grade of grades) {
      sum.shown[grade] += counts.shown[grade];
      sum.shownByAny[grade] += counts.shownByAny[grade];
      if (grade === 'silent') continue;
      for (const [key, value] of Object.entries(counts.findings[grade]))
        sum.findings[grade][key as keyof Counts['findings'][Severity]] += value;
    }
  }
  const withBad = all.filter(({ bad }) => bad > 0);
  const mean = (least: Severity): number =>
    withBad.reduce((total, { bad, shown }) => total + atLeast(shown, least) / bad, 0) / Math.max(1, withBad.length);
  return {
    programs: all.length,
    bad: sum.bad,
    shown: sum.shown,
    shownByAny: sum.shownByAny,
    byProgram: { warning: mean('warning'), information: mean('information'), hint: mean('hint') },
    findings: sum.findings,
  };
}
function atLeast(shown: Counts['shown'], least: Severity): number {
  return grades.slice(0, grades.indexOf(least) + 1).reduce((sum, grade) => sum + shown[grade], 0);
}

/** The lines of a finding's statement, from the text around its span. */
export function statementLines(text: readonly string[], from: number, to: number): readonly [number, number] {
  const ends = (line: string | undefined): boolean =>
    line === undefined || /^\s*(#.*)?$/.test(line) || /[;{}:]\s*(\/\/.*|\/\*.*\*\/\s*)?$/.test(line);
  let first = from;
  let last = to;
  while (first > 1 && from - first < mostStatementLines && !ends(text[first - 2])) first--;
  while (last < text.length && last - to < mostStatementLines && !ends(text[last - 1])) last++;
  return [first, last];
}

/** What `warplens check` says of a program's folder or file. */
export async function shownOf({ repo, path }: Pick<Program, 'repo' | 'path'>, corpora: string): Promise<Shown[]> {
  const root = folderOf(corpora, repo);
  const whole = join(root, path);
  const isFolder = statSync(whole).isDirectory();
  const sources = findSources([whole], () => {});
  const checker = await createChecker({
    analysis: readAnalysisFlags({}),
    quiet: { paths: defaultSettings.quietPaths, below: [isFolder ? whole : dirname(whole)] },
    feedback: [],
  });
  const texts = new Map(sources.map((source) => [uriOf(source.path), source.text]));
  const placeOf = placeFinder(texts);
  const split = new Map<string, readonly string[]>();
  const linesOf = (span: ResolvedFinding['at']): Lines[] => {
    const place = placeOf(span);
    if (!place) return [];
    const file = pathOf(span.uri);
    let text = split.get(file);
    if (!text) {
      const whole = texts.get(span.uri) ?? (existsSync(file) ? readFileSync(file, 'utf8') : '');
      split.set(file, (text = whole.split('\n')));
    }
    const [from, to] = statementLines(text, place.line, place.endLine);
    return [[relative(root, file).split(sep).join('/'), from - around, to + around]];
  };
  const found: Shown[] = [];
  for (const source of sources) {
    const { findings } = await checker.check(source);
    for (const { rule, severity, gain, expectedGain = 1, at, calleeAt, places, markOf } of findings) {
      // A mark repeats the finding that lists it among its places.
      if (markOf) continue;
      for (const lines of linesOf(calleeAt ?? at))
        found.push({
          rule,
          severity,
          ...(gain !== undefined && { gain: { expected: expectedGain, range: gain } }),
          at: lines,
          places: [...(calleeAt ? linesOf(at) : []), ...(places ?? []).flatMap((place) => linesOf(place.at))],
        });
    }
  }
  // A header is checked with each file that includes it.
  return [...new Map(found.map((finding) => [JSON.stringify(finding), finding])).values()];
}

interface Options {
  readonly corpora: string;
  readonly programs: readonly Program[];
}
type Found = Record<string, Shown[] | { readonly problem: string }>;

async function check({ corpora, programs }: Options, part: number, parts: number): Promise<Found> {
  const found: Found = {};
  for (const [at, program] of programs.entries()) {
    if (at % parts !== part) continue;
    try {
      found[program.id] = await shownOf(program, corpora);
    } catch (error) {
      found[program.id] = { problem: error instanceof Error ? error.message : String(error) };
    }
  }
  return found;
}

async function checkInProcesses(jobs: number): Promise<Found> {
  const parts = Array.from({ length: jobs }, async (_, part) => {
    const child = fork(__filename, [...process.argv.slice(2), '--part', `${part}/${jobs}`]);
    return new Promise<Found>((done, fail) => {
      child.on('message', (found) => done(found as Found));
      child.on('exit', (code) => fail(new Error(`A part of the work ended with status ${code}.`)));
    });
  });
  return Object.assign({}, ...(await Promise.all(parts))) as Found;
}

function percent(part: number, whole: number): string {
  return whole > 0 ? `${part} of ${whole} (${((100 * part) / whole).toFixed(0)} %)` : 'none';
}

function textOf(name: string, { programs, bad, shown, shownByAny, byProgram, findings }: Summary): string {
  const out = [
    `${name}: ${programs} programs, ${bad} bad lines`,
    `  shown as warning ${percent(atLeast(shown, 'warning'), bad)}, information and above ${percent(atLeast(shown, 'information'), bad)}, hint and above ${percent(atLeast(shown, 'hint'), bad)}, silent ${percent(shown.silent, bad)}`,
    `  each program weighing one: warning ${(100 * byProgram.warning).toFixed(0)} %, information and above ${(100 * byProgram.information).toFixed(0)} %, hint and above ${(100 * byProgram.hint).toFixed(0)} %`,
    `  by a finding of any rule: warning ${percent(atLeast(shownByAny, 'warning'), bad)}, information and above ${percent(atLeast(shownByAny, 'information'), bad)}`,
  ];
  for (const severity of ['error', 'warning', 'information', 'hint'] as const) {
    const { measured, excess, estimated, worth, unmeasured } = findings[severity];
    if (measured + unmeasured === 0) continue;
    out.push(
      `  ${severity}s of the two rules: excess at ${percent(excess, measured)}; Nsight Compute estimates 5 % and more at ${percent(worth, estimated)}; ${unmeasured} not profiled`,
    );
  }
  return out.join('\n');
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      corpora: { type: 'string' },
      set: { type: 'string' },
      truth: { type: 'string', multiple: true },
      program: { type: 'string' },
      sweep: { type: 'string' },
      verbose: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      jobs: { type: 'string', default: '1' },
      part: { type: 'string' },
    },
  });
  if (values.corpora === undefined) throw new BadUse('Give --corpora FOLDER, which holds checkouts as OWNER+NAME.');
  if (values.set !== undefined && values.set !== 'open' && values.set !== 'kept')
    throw new BadUse(`Invalid --set ${values.set}: use open or kept.`);
  const thresholds = (values.sweep?.split(',') ?? []).map(Number);
  if (thresholds.some((each) => !(each >= 0)))
    throw new BadUse(`Invalid --sweep ${values.sweep}: give numbers from 0, separated by commas.`);
  const jobs = Number(values.jobs);
  if (!(Number.isInteger(jobs) && jobs > 0))
    throw new BadUse(`Invalid --jobs ${values.jobs}: give a whole number from 1.`);
  const corpora = resolve(values.corpora);
  for (const path of values.truth ?? []) if (!existsSync(path)) throw new BadUse(`There is no file ${path}.`);
  const all = values.truth
    ? values.truth.flatMap(otherPrograms)
    : ownPrograms(values.set === undefined ? ['open', 'kept'] : [values.set]);
  const named = all.filter(({ id }) => values.program === undefined || id.includes(values.program));
  const missing = [...new Set(named.map(({ repo }) => repo))].filter((repo) => !existsSync(folderOf(corpora, repo)));
  if (missing.length > 0)
    console.error(`Not in ${corpora}, and left out: ${missing.map((repo) => repo.replace('/', '+')).join(', ')}.`);
  const programs = named.filter(({ repo }) => !missing.includes(repo));
  if (programs.length === 0) throw new BadUse('No program is left to check; see --corpora and --program.');
  if (values.part !== undefined) {
    const [part, parts] = values.part.split('/').map(Number) as [number, number];
    const found = await check({ corpora, programs }, part, parts);
    await new Promise<void>((done) => process.send!(found, undefined, undefined, () => done()));
    return 0;
  }
  const found = jobs > 1 ? await checkInProcesses(jobs) : await check({ corpora, programs }, 0, 1);
  const checked: { readonly program: Program; readonly findings: readonly Shown[] }[] = [];
  for (const program of programs) {
    const findings = found[program.id];
    if (Array.isArray(findings)) checked.push({ program, findings });
    else console.error(`${program.id} is left out: ${findings?.problem ?? 'it was not checked'}`);
  }
  const bySet = groupBy(checked, ({ program }) => program.set);
  const summaries = Object.fromEntries(
    [...bySet].map(([set, list]) => [set, summaryOf(list.map(({ program, findings }) => countsOf(program, findings)))]),
  );
  const curves = Object.fromEntries(
    [...bySet].map(([set, list]) => [
      set,
      thresholds.map((threshold) => ({
        threshold,
        ...summaryOf(
          list.map(({ program, findings }) =>
            countsOf(program, findings, (finding) => gradeByGain(finding, threshold)),
          ),
        ),
      })),
    ]),
  );
  if (values.json) {
    console.log(JSON.stringify({ sets: summaries, curves }, null, 2));
    return 0;
  }
  for (const [set, summary] of Object.entries(summaries)) console.log(textOf(set, summary));
  for (const [set, curve] of Object.entries(curves))
    for (const { threshold, bad, shown, findings } of curve)
      console.log(
        `${set} at ${threshold}: bad lines with a warning ${percent(atLeast(shown, 'warning'), bad)}, warnings with excess ${percent(findings.warning.excess, findings.warning.measured)}, with 5 % estimated ${percent(findings.warning.worth, findings.warning.estimated)}`,
      );
  if (values.verbose) printOpen(checked);
  return 0;
}

/** Line by line, of all sets but the kept one. */
function printOpen(checked: readonly { readonly program: Program; readonly findings: readonly Shown[] }[]): void {
  for (const { program, findings } of checked) {
    if (program.set === 'kept') continue;
    for (const bad of badLines(program)) {
      const severity = severityAt(bad, findings, { anyRule: false, severityOf: (finding) => finding.severity });
      console.log(
        `${severity}\t${program.repo}/${bad.line.file}:${bad.line.line}\t${bad.space} ${bad.ratio.toFixed(1)}x, ${(100 * bad.part).toFixed(0)} % of the excess`,
      );
    }
    for (const finding of findings) {
      if (!Object.values(ruleOf).includes(finding.rule)) continue;
      const verdict = verdictOn(finding, program);
      if (verdict && (!verdict.excess || (verdict.estimate ?? leastEstimate) < leastEstimate))
        console.log(
          `${finding.severity} ${verdict.excess ? 'estimated below 5 %' : 'without excess'}\t${program.repo}/${finding.at[0]}:${finding.at[1] + around}\t${finding.rule}`,
        );
    }
  }
}

if (require.main === module)
  void main().then(
    (status) => {
      process.exitCode = status;
    },
    (error: unknown) => {
      if (!(error instanceof BadUse)) throw error;
      console.error(error.message);
      process.exitCode = 2;
    },
  );

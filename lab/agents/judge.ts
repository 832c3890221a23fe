// Holds the answers of agents against the counters and against the GPU, and prints the table of both arms.
//
//   npx tsx lab/agents/judge.ts --kits FOLDER --results FOLDER [--results FOLDER …] [--json]
//
// The kits are those of lab/agents/draw.ts with the answers of the agents; the results folder holds what run.sh wrote.
// A fix counts as `warplens measure` recommends it: all kernels together are faster beyond the spread of the runs, and
// the program prints the same. Exit status: 0 whatever the figures, 2 for bad arguments.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { parseArgs } from 'node:util';
import { BadUse } from '../../cli/src/source';
import { judge, type Measured, type VerdictKind } from '../../profiler/src/trial/judge';
import { compareOutput, learnOutput } from '../../profiler/src/trial/outputs';
import { spreadOf } from '../../profiler/src/trial/spread';
import { rows } from '../severity/programs';
import type { Spot, Truth } from './truth';

export const arms = ['text', 'mcp'] as const;
export type Arm = (typeof arms)[number];

/** answer.json of an agent. */
export interface Answer {
  readonly line: string | null;
  readonly why: string;
  readonly changed: boolean;
}

/** A row of times.csv with what the run printed. */
export interface Run {
  readonly program: string;
  readonly form: Arm | 'original';
  /** `build` where the form does not build. */
  readonly status: number | 'build';
  /** All kernels of the run together. */
  readonly ns: number;
  readonly launches: number;
  readonly output: string;
}

/** `bad`: not the worst line, but another one with an excess. `nothing`: no line is named. */
export type Named = 'worst' | 'bad' | 'other' | 'nothing' | 'no answer';

export interface Judgement {
  readonly id: string;
  readonly program: string;
  readonly arm: Arm;
  readonly control: boolean;
  readonly named: Named;
  /** `unchanged`: the agent left the program alone. `not run`: a change without a measurement. */
  readonly kind: VerdictKind | 'unchanged' | 'not run';
  /** Time of all kernels as they were over their time with the change. */
  readonly gain?: number;
  readonly confirmed: boolean;
  /** A change of the number of launches is to be read by a person: it may be a fusion or less work. */
  readonly launches?: readonly [before: number, after: number];
  readonly words: string;
  /** The worst line with a confirmed fix; of a control, nothing made worse. */
  readonly right: boolean;
}

/** The relative difference that printed numbers may have: sums in another order. As lab/gpu/compare.sh. */
const tolerance = 1e-4;

function isAt(spots: readonly Spot[], file: string, line: number): boolean {
  return spots.some((spot) => spot.file === file && spot.from <= line && line <= spot.to);
}

/** Whether the answer's `file:line` is in the statement of a worst line, or of a bad one. */
export function namedBy(answer: Answer | undefined, { worst, bad }: Pick<Truth, 'worst' | 'bad'>): Named {
  if (!answer) return 'no answer';
  if (answer.line === null) return 'nothing';
  const [, path, number] = /^(.*):(\d+)$/.exec(answer.line.trim()) ?? [];
  if (path === undefined) return 'other';
  const [file, line] = [posix.normalize(path), Number(number)];
  if (isAt(worst, file, line)) return 'worst';
  return isAt(bad, file, line) ? 'bad' : 'other';
}

function measuredOf(runs: readonly Run[]): Measured {
  const time = spreadOf(runs.map(({ ns }) => ns).filter((ns) => ns > 0));
  return {
    status: Number(runs.find(({ status }) => status !== 0)?.status ?? 0),
    printed: [],
    kernels: time ? [{ name: 'all', shapes: [], time }] : [],
  };
}

type Measurement = Pick<Judgement, 'kind' | 'gain' | 'confirmed' | 'launches' | 'words'>;

/** What the runs of an arm say of its change. */
export function measurementOf(before: readonly Run[], after: readonly Run[]): Measurement {
  if (before.length === 0 || after.length === 0) return { kind: 'not run', confirmed: false, words: 'Not measured.' };
  if (before.some(({ status }) => status !== 0))
    return { kind: 'not run', confirmed: false, words: 'The unchanged program fails.' };
  if (after.some(({ status }) => status === 'build'))
    return { kind: 'does-not-build', confirmed: false, words: 'It does not build.' };
  const output = compareOutput(
    learnOutput(before.map((run) => run.output)),
    after.map((run) => run.output),
    tolerance,
  );
  const { kind, gain, recommended, words } = judge(measuredOf(before), measuredOf(after), output);
  const launches = [before[0]!.launches, after[0]!.launches] as const;
  return {
    kind,
    ...(gain === undefined ? {} : { gain }),
    confirmed: recommended,
    ...(launches[0] === launches[1] ? {} : { launches }),
    words,
  };
}

/** The judgement on one answer. */
export function judgementOf(truth: Truth, arm: Arm, answer: Answer | undefined, runs: readonly Run[]): Judgement {
  const of = (form: Run['form']): readonly Run[] => runs.filter((run) => run.program === truth.id && run.form === form);
  const measured: Measurement =
    of(arm).length === 0 && answer?.changed !== true
      ? { kind: 'unchanged', confirmed: false, words: 'Nothing was changed.' }
      : measurementOf(of('original'), of(arm));
  const named = namedBy(answer, truth);
  const harmless = measured.kind === 'unchanged' || measured.kind === 'no-gain' || measured.confirmed;
  const right = truth.control ? answer !== undefined && harmless : named === 'worst' && measured.confirmed;
  return { id: truth.id, program: truth.program, arm, control: truth.control, named, ...measured, right };
}

/** A change that is not confirmed is not applied: it counts as 1. */
function meanGain(list: readonly Judgement[]): number {
  const logs = list.map(({ gain, confirmed }) => (confirmed ? Math.log(gain!) : 0));
  return Math.exp(logs.reduce((sum, each) => sum + each, 0) / Math.max(1, list.length));
}

export function tableOf(judgements: readonly Judgement[]): string {
  const cells = ({ named, kind, gain, confirmed, launches, right }: Judgement): string[] => [
    named,
    [
      kind,
      ...(gain === undefined ? [] : [`${gain.toFixed(2)}×`]),
      ...(launches ? [`(launches ${launches.join(' → ')})`] : []),
    ].join(' '),
    confirmed ? 'yes' : 'no',
    right ? 'right' : 'wrong',
  ];
  const out = ['| program | arm | line | GPU time | confirmed | answer |', '|---|---|---|---|---|---|'];
  for (const each of judgements)
    out.push(
      `| ${each.id} ${each.program}${each.control ? ' (control)' : ''} | ${each.arm} | ${cells(each).join(' | ')} |`,
    );
  out.push('', '| | text | mcp |', '|---|---|---|');
  const row = (name: string, count: (list: readonly Judgement[]) => string): void => {
    const of = (arm: Arm): string => count(judgements.filter((each) => each.arm === arm));
    out.push(`| ${name} | ${arms.map(of).join(' | ')} |`);
  };
  const part = (list: readonly Judgement[], holds: (each: Judgement) => boolean): string =>
    `${list.filter(holds).length} of ${list.length}`;
  const wasteful = (list: readonly Judgement[]): Judgement[] => list.filter(({ control }) => !control);
  row('worst line named', (list) => part(wasteful(list), ({ named }) => named === 'worst'));
  row('worst or another bad line named', (list) =>
    part(wasteful(list), ({ named }) => named === 'worst' || named === 'bad'),
  );
  row('fix confirmed', (list) => part(wasteful(list), ({ confirmed }) => confirmed));
  row('worst line named and fix confirmed', (list) => part(wasteful(list), ({ right }) => right));
  row('controls not made worse', (list) =>
    part(
      list.filter(({ control }) => control),
      ({ right }) => right,
    ),
  );
  row('geometric mean of the confirmed gains, others 1', (list) => `${meanGain(list).toFixed(2)}×`);
  return out.join('\n');
}

/** An answer that is missing or does not have the fields is none. */
export function readAnswer(path: string): Answer | undefined {
  if (!existsSync(path)) return undefined;
  try {
    const { line, why, changed } = JSON.parse(readFileSync(path, 'utf8')) as Partial<Answer>;
    if ((line !== null && typeof line !== 'string') || typeof changed !== 'boolean') return undefined;
    return { line, why: String(why ?? ''), changed };
  } catch {
    return undefined;
  }
}

export function readRuns(results: string): Run[] {
  const folder = mkdtempSync(join(tmpdir(), 'agents-'));
  try {
    execFileSync('tar', ['-xzf', join(results, 'outputs.tar.gz'), '-C', folder]);
    const [, ...lines] = readFileSync(join(results, 'times.csv'), 'utf8').trim().split('\n');
    return lines.map((line) => {
      const [program, form, run, status, ns, launches] = line.split(',') as [string, Run['form'], ...string[]];
      const printed = join(folder, 'outputs', `${program}.${form}.${run}.txt`);
      return {
        program,
        form,
        status: status === 'build' ? 'build' : Number(status),
        ns: Number(ns),
        launches: Number(launches),
        output: existsSync(printed) ? readFileSync(printed, 'utf8') : '',
      };
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function main(): void {
  const { values } = parseArgs({
    options: {
      kits: { type: 'string' },
      results: { type: 'string', multiple: true },
      json: { type: 'boolean', default: false },
    },
  });
  const { kits, results } = values;
  if (kits === undefined || results === undefined)
    throw new BadUse('Give --kits FOLDER with truth.jsonl and answers, and --results FOLDER with times.csv.');
  for (const path of [join(kits, 'truth.jsonl'), ...results.map((folder) => join(folder, 'times.csv'))])
    if (!existsSync(path)) throw new BadUse(`There is no file ${path}.`);
  const runs = results.flatMap(readRuns);
  const judgements = rows<Truth>(join(kits, 'truth.jsonl')).flatMap((truth) =>
    arms.map((arm) => judgementOf(truth, arm, readAnswer(join(kits, arm, 'answer', truth.id, 'answer.json')), runs)),
  );
  console.log(values.json ? JSON.stringify(judgements, null, 2) : tableOf(judgements));
}

if (require.main === module)
  try {
    main();
  } catch (error) {
    if (!(error instanceof BadUse)) throw error;
    console.error(error.message);
    process.exitCode = 2;
  }

/** Measures forms of a program against each other: builds each in a scratch copy, runs it, compares what it prints, and times its kernels. */

import { basename, join } from 'node:path';
import { posix } from 'node:path';

import type { KernelMeasurement } from '../../../protocol/src/lineMetrics';
import { BuildFailure, build } from '../build/build';
import type { BuildRequest, BuiltProgram } from '../build/build';
import type { CompilerMessage } from '../build/diagnostics';
import type { KernelResources } from '../build/ptxasReport';
import { collect } from '../collect/collect';
import type { NcuEvent } from '../collect/ncuOutput';
import { preflight } from '../preflight/preflight';
import type { Preflight } from '../preflight/preflight';
import { measureReport, openReport } from '../report';
import { openFileSource } from '../transport/fileByteSource';
import { openHost } from '../transport/host';
import type { Host, HostChoice } from '../transport/host';
import { ProfileProblem } from '../transport/problem';
import type { Stage } from '../transport/problem';
import { withTemporaryFolder } from '../transport/resultFile';
import { judge } from './judge';
import type { Verdict } from './judge';
import { kernelTimes, trialMetrics, trialSections } from './kernelTimes';
import type { KernelTime } from './kernelTimes';
import { compareOutput, learnOutput, printedTimes } from './outputs';
import type { LearntOutput, OutputComparison, PrintedTime } from './outputs';
import { longestOutput, runProgram, sameOnHost, unchangedFails } from './run';
import type { ProgramRun } from './run';
import { spreadOf } from './spread';
import type { Spread } from './spread';
import { copyFoldersOnce, variantHost } from './variantHost';
import type { FileText } from './variantHost';

export type { FileText } from './variantHost';

/** A form of the program: the sources as they are on the disk here, with these texts in place of some files. */
export interface Variant {
  readonly name: string;
  readonly files: readonly FileText[];
}

export interface TrialRequest {
  readonly host: HostChoice;
  /** What is built; always in scratch copies, so `inPlace` is refused. */
  readonly build: BuildRequest;
  /** The first is the unchanged program. */
  readonly variants: readonly [Variant, ...Variant[]];
  readonly run: {
    readonly arguments: readonly string[];
    readonly environment?: Readonly<Record<string, string>> | undefined;
    /** For one run, with or without the profiler. */
    readonly timeLimitSeconds: number;
  };
  /** As ncu takes it; all kernels when absent. */
  readonly kernel?: string | undefined;
  readonly compare?: {
    /** Relative difference that printed numbers may have; 0 by default. */
    readonly tolerance?: number | undefined;
    /**
     * The user's own comparison: a shell command on the host, in the folder in which the changed program ran; `$1` and `$2` are the files with
     * the standard outputs before and after, `$BEFORE` the folder in which the unchanged program ran. Status 0 means the same.
     */
    readonly command?: string | undefined;
  };
  /** Runs under ncu of each form; 3 by default, fewer for long programs. */
  readonly repetitions?: number;
  readonly clocks?: 'base' | 'none';
  readonly nvcc?: string | undefined;
  readonly ncu?: string | undefined;
  /** The driver's parameter file; another one only in tests. */
  readonly driverParameters?: string | undefined;
}

export interface TrialOptions {
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: TrialEvent) => void;
}

/** What a trial tells while it works. `done` of `all` steps are over. */
export type TrialEvent =
  | { readonly what: 'step'; readonly stage: Stage; readonly text: string; readonly done: number; readonly all: number }
  | { readonly what: 'checked'; readonly preflight: Preflight }
  | { readonly what: 'build-output'; readonly variant: string; readonly text: string }
  | { readonly what: 'built'; readonly variant: string; readonly program: BuiltProgram }
  | { readonly what: 'build-failed'; readonly variant: string; readonly message: string }
  | { readonly what: 'program-output'; readonly variant: string; readonly text: string }
  | { readonly what: 'ran'; readonly variant: string; readonly seconds: number; readonly status: number }
  | { readonly what: 'ncu'; readonly variant: string; readonly event: NcuEvent };

export interface VariantResult {
  readonly name: string;
  readonly build:
    | { readonly ok: true; readonly kernels: readonly KernelResources[] }
    | {
        readonly ok: false;
        readonly message: string;
        /** Of the changed text. */
        readonly messages: readonly CompilerMessage[];
        readonly detail: string;
      };
  /** Absent where it did not build. */
  readonly run?: {
    readonly status: number;
    /** Wall time without the profiler, in nanoseconds. */
    readonly program?: Spread;
    readonly printed: readonly PrintedTime[];
    /** Standard output of the first run; absent where it is longer than a megabyte. */
    readonly output?: string;
    readonly outputBytes: number;
    readonly errors: string;
  };
  readonly output?: OutputComparison;
  readonly kernels: readonly KernelTime[];
  /** Of the first variant there is none. */
  readonly verdict?: Verdict;
}

export interface TrialResult {
  readonly host: string;
  readonly device?: string;
  readonly variants: readonly VariantResult[];
  /** What the reader has to know of all of it: what was not measured, and the next step. */
  readonly notes: readonly string[];
}

/** At most so many builds at a time. */
const buildsAtOnce = 4;
/** Launches of each kernel and shape in one run. */
const launchesPerShape = 5;
const mostKernels = 200;
/** Runs of a form beside the first, which also warms the machine up, by the seconds that the first took. */
const moreRuns = (seconds: number): number => (seconds < 2 ? 4 : seconds < 10 ? 3 : 2);
/** Runs under ncu by the seconds that the first took. */
const profiledRuns = (seconds: number, wanted: number): number =>
  seconds < 20 ? wanted : seconds < 60 ? Math.min(wanted, 2) : 1;

/**
 * Rejects with a ProfileProblem when the unchanged form does not build or run, when the host is lost, or when the signal aborts; a changed form
 * that fails is a result. Nothing is left on the host in any ending.
 */
export async function measureVariants(request: TrialRequest, options: TrialOptions = {}): Promise<TrialResult> {
  if (request.build.inPlace !== undefined)
    throw new ProfileProblem(
      'reach',
      'bad-setting',
      'A fix is measured in copies of the sources, not in place.',
      'Name the folder here with --folder; it is copied to the host.',
    );
  if (request.build.built)
    throw new ProfileProblem(
      'reach',
      'bad-setting',
      'A program that is already built cannot be measured with a change in its sources.',
      'Name the build (--build make), or the sources.',
    );
  const { signal, onEvent } = options;
  let done = 0;
  const all = 2 + request.variants.length * 3;
  const step = (stage: Stage, text: string): void =>
    onEvent?.({ what: 'step', stage, text, done: Math.min(done++, all), all });
  step('reach', 'connecting');
  const host = await openHost(request.host, signal);
  try {
    return await withTemporaryFolder((folder) => trialOn(host, folder, request, options, step));
  } finally {
    await host.close();
  }
}

interface Prepared {
  readonly variant: Variant;
  readonly host: Host;
  readonly built: BuiltProgram;
}
interface Ran extends Prepared {
  readonly runs: ProgramRun[];
}

async function trialOn(
  host: Host,
  folder: string,
  request: TrialRequest,
  options: TrialOptions,
  step: (stage: Stage, text: string) => void,
): Promise<TrialResult> {
  const { signal, onEvent } = options;
  const notes: string[] = [];
  step('preflight', 'the checks before the run');
  const checked = await preflight(host, {
    signal,
    nvcc: request.nvcc,
    ncu: request.ncu,
    needsNvcc: request.build.command === undefined,
    locksClocks: request.clocks === 'base',
    driverParameters: request.driverParameters,
  });
  onEvent?.({ what: 'checked', preflight: checked });
  const bad = checked.checks.filter((check) => check.verdict === 'bad');
  const hopeless = bad.find(({ name }) => name !== 'ncu' && name !== 'sections' && name !== 'permission');
  if (hopeless)
    throw new ProfileProblem('preflight', hopeless.kind ?? 'no-gpu', hopeless.text, hopeless.nextStep ?? '');
  // Without ncu the outputs and the program's own times still say something.
  const [noProfiler] = bad;
  if (noProfiler) notes.push(`The kernels were not timed: ${noProfiler.text} ${noProfiler.nextStep ?? ''}`.trimEnd());

  const builds = await buildAll(host, checked, request, options, step);
  const [unchanged] = builds;
  if (unchanged instanceof ProfileProblem) throw unchangedDoesNotBuild(unchanged);

  // In turns, so that a machine that warms up or slows down does so for all.
  const ran = await runAll(
    builds.filter((each): each is Prepared => !(each instanceof ProfileProblem)),
    request,
    options,
    step,
  );
  const learnt = learn(ran[0]!.runs);
  const profiled = noProfiler ? undefined : await profileAll(folder, checked, ran, request, options, step, notes);

  const results: VariantResult[] = [];
  const before = measuredOf(ran[0]!.runs, profiled?.get(ran[0]!.variant) ?? []);
  for (const [at, variant] of request.variants.entries()) {
    const prepared = builds[at]!;
    if (prepared instanceof ProfileProblem) {
      const messages = prepared instanceof BuildFailure ? prepared.messages : [];
      results.push({
        name: variant.name,
        kernels: [],
        build: { ok: false, message: prepared.message, messages, detail: prepared.detail },
        verdict: {
          kind: 'does-not-build',
          recommended: false,
          words: `It does not build. ${firstError(messages) ?? prepared.message}`,
        },
      });
      continue;
    }
    const { runs } = ran.find((each) => each.variant === variant)!;
    const kernels = profiled?.get(variant) ?? [];
    const after = at === 0 ? before : measuredOf(runs, kernels);
    const [first] = runs;
    const status = statusOf(runs);
    const common = {
      name: variant.name,
      build: { ok: true as const, kernels: prepared.built.kernels },
      kernels,
      run: {
        status,
        ...(after.program ? { program: after.program } : {}),
        printed: after.printed,
        ...(first!.output !== undefined ? { output: first!.output } : {}),
        outputBytes: first!.outputBytes,
        errors: first!.errors,
      },
    };
    if (at === 0) {
      results.push(common);
      continue;
    }
    const output =
      status !== before.status
        ? undefined
        : await compareRuns(host, learnt, ran[0]!, { ...prepared, runs }, request, signal);
    results.push({
      ...common,
      ...(output ? { output } : {}),
      verdict: judge(before, after, output ?? { verdict: 'not compared', leftOut: [] }),
    });
  }
  if (learnt.incomparable !== undefined && request.compare?.command === undefined)
    notes.push(`${learnt.incomparable} Name a comparison of your own (--compare) to have more compared.`);
  return {
    host: host.name,
    ...(checked.facts.gpus?.[0] ? { device: checked.facts.gpus[0].name } : {}),
    variants: results,
    notes,
  };
}

/** Each form's program, or the problem that its build ended with. A problem that is not of the form (the host is lost, the disk is full) is thrown. */
async function buildAll(
  host: Host,
  checked: Preflight,
  request: TrialRequest,
  { signal, onEvent }: TrialOptions,
  step: (stage: Stage, text: string) => void,
): Promise<(Prepared | ProfileProblem)[]> {
  const results: (Prepared | ProfileProblem)[] = [];
  const waiting = [...request.variants.entries()];
  const copyFolder = copyFoldersOnce(host);
  let thrown: unknown;
  const buildNext = async (): Promise<void> => {
    for (let next = waiting.shift(); next && thrown === undefined; next = waiting.shift()) {
      const [at, variant] = next;
      const folder = posix.join(host.scratch, `form-${at}`);
      const own = variantHost(host, folder, variant.files, copyFolder);
      step('build', `building: ${variant.name}`);
      try {
        await host.run(['mkdir', '-p', folder], { stage: 'send', signal, launched: false });
        const built = await build(own.host, checked.facts, request.build, {
          signal,
          onText: (text) => onEvent?.({ what: 'build-output', variant: variant.name, text }),
        });
        const [outside] = own.unused();
        if (outside !== undefined)
          throw new ProfileProblem(
            'build',
            'source-missing',
            `${basename(outside)} is no part of what is built, so a change in it cannot be measured.`,
            'Name a build that it is a part of: the sources that include it, or a folder that holds it.',
          );
        results[at] = { variant, host: own.host, built };
        onEvent?.({ what: 'built', variant: variant.name, program: built });
      } catch (error) {
        if (error instanceof ProfileProblem && (error.kind === 'build-failed' || error.kind === 'no-program')) {
          results[at] = error;
          onEvent?.({ what: 'build-failed', variant: variant.name, message: error.message });
        } else thrown ??= error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(buildsAtOnce, request.variants.length) }, buildNext));
  if (thrown !== undefined) throw thrown;
  return results;
}

async function runAll(
  prepared: readonly Prepared[],
  request: TrialRequest,
  { signal, onEvent }: TrialOptions,
  step: (stage: Stage, text: string) => void,
): Promise<Ran[]> {
  const ran: Ran[] = prepared.map((each) => ({ ...each, runs: [] }));
  const runOnce = async ({ variant, host, built, runs }: Ran): Promise<void> => {
    const outputFile = posix.join(host.scratch, `output-${runs.length}`);
    const run = await runProgram(host, built.program, built.directory, outputFile, request.run, signal).catch(
      (error: unknown): ProgramRun => {
        // A change that makes the program hang, or end its own shell, is a finding of its own.
        const ending =
          !(error instanceof ProfileProblem) || ran[0]!.variant === variant
            ? undefined
            : error.kind === 'time-limit'
              ? { status: 124, ending: error.message.replace(/^The program /, '').replace(/\.$/, '') }
              : error.kind === 'program-failed'
                ? { status: 137, ending: 'was killed' }
                : undefined;
        if (ending)
          return {
            ...ending,
            nanoseconds: request.run.timeLimitSeconds * 1e9,
            outputBytes: 0,
            outputFile,
            errors: (error as Error).message,
          };
        throw error;
      },
    );
    runs.push(run);
    if (runs.length === 1 && run.output !== undefined)
      onEvent?.({
        what: 'program-output',
        variant: variant.name,
        text: run.output + (run.errors ? `${run.errors}\n` : ''),
      });
    onEvent?.({ what: 'ran', variant: variant.name, seconds: run.nanoseconds / 1e9, status: run.status });
  };
  for (const each of ran) {
    step('run', `running: ${each.variant.name}`);
    await runOnce(each);
    if (each === ran[0] && each.runs[0]!.status !== 0)
      throw unchangedFails(each.host, each.runs[0]!, each.built.program);
  }
  const more = moreRuns(ran[0]!.runs[0]!.nanoseconds / 1e9);
  for (let turn = 0; turn < more; turn++) {
    for (const each of ran) if (each.runs[0]!.status === 0) await runOnce(each);
  }
  const failed = ran[0]!.runs.find(({ status }) => status !== 0);
  if (failed) throw unchangedFails(ran[0]!.host, failed, ran[0]!.built.program);
  return ran;
}

async function profileAll(
  folder: string,
  checked: Preflight,
  ran: readonly Ran[],
  request: TrialRequest,
  { signal, onEvent }: TrialOptions,
  step: (stage: Stage, text: string) => void,
  notes: string[],
): Promise<Map<Variant, KernelTime[]>> {
  const reports = new Map<Variant, KernelMeasurement[][]>();
  const given = new Set<Variant>();
  const candidates = ran.filter(({ runs }) => statusOf(runs) === 0);
  let turns = request.repetitions ?? 3;
  for (let turn = 0; turn < turns; turn++) {
    for (const { variant, host, built } of candidates) {
      if (given.has(variant)) continue;
      if (turn === 0) step('collect', `timing the kernels: ${variant.name}`);
      try {
        const collected = await collect(host, checked.facts, built.program, built.directory, {
          kernel: request.kernel,
          launchesPerShape,
          mostKernels,
          clocks: request.clocks ?? 'none',
          sections: trialSections,
          metrics: trialMetrics,
          sources: false,
          arguments: request.run.arguments,
          environment: request.run.environment,
          timeLimitSeconds: request.run.timeLimitSeconds,
          signal,
          onEvent: (event) => onEvent?.({ what: 'ncu', variant: variant.name, event }),
        });
        const path = join(folder, 'report.ncu-rep');
        await host.fetch(collected.report, path, 'fetch', signal);
        reports.set(variant, [...(reports.get(variant) ?? []), await kernelsIn(path)]);
        if (turn === 0 && variant === candidates[0]!.variant) turns = profiledRuns(collected.seconds, turns);
      } catch (error) {
        if (
          !(error instanceof ProfileProblem) ||
          error.kind === 'cancelled' ||
          error.kind === 'connection-lost' ||
          error.kind === 'host-disk-full'
        )
          throw error;
        given.add(variant);
        reports.delete(variant);
        notes.push(
          `${variant === candidates[0]!.variant ? 'The kernels were not timed' : `The kernels of "${variant.name}" were not timed`}: ${error.message} ${error.nextStep}`.trimEnd(),
        );
        // With nothing to compare with, the other forms' kernels need no time.
        if (variant === candidates[0]!.variant) return new Map();
      }
    }
  }
  return new Map([...reports].map(([variant, repetitions]) => [variant, kernelTimes(repetitions)]));
}

async function kernelsIn(path: string): Promise<KernelMeasurement[]> {
  const file = await openFileSource(path);
  try {
    return [...(await measureReport(await openReport(file))).kernels];
  } catch (error) {
    throw new ProfileProblem(
      'fetch',
      'report-truncated',
      `The report that ncu wrote is damaged: ${(error as Error).message}`,
      "Start again. If the host's disk is full, name another folder with --scratch.",
    );
  } finally {
    await file.close();
  }
}

function learn(runs: readonly ProgramRun[]): LearntOutput {
  const texts = runs.map(({ output }) => output);
  if (texts.every((text) => text !== undefined)) return learnOutput(texts);
  return {
    lines: [],
    fixed: { lines: 0, numbers: 0 },
    incomparable: `The program prints more than ${longestOutput >> 20} MB; it was compared byte by byte only.`,
  };
}

async function compareRuns(
  host: Host,
  learnt: LearntOutput,
  before: Ran,
  after: Ran,
  request: TrialRequest,
  signal?: AbortSignal,
): Promise<OutputComparison> {
  const [was, is] = [before.runs[0]!, after.runs[0]!];
  const command = request.compare?.command;
  if (command !== undefined) {
    const said = await host.run(['sh', '-c', command, 'compare', was.outputFile, is.outputFile], {
      stage: 'run',
      signal,
      directory: after.built.directory,
      environment: { BEFORE: before.built.directory },
    });
    const remark = `Compared by \`${command}\`.`;
    if (said.status === 0) return { verdict: 'same', leftOut: [], remark };
    if (said.status >= 126)
      throw new ProfileProblem(
        'run',
        'bad-setting',
        `The comparison \`${command}\` could not be run on ${host.name}.`,
        'Check the command there; status 0 means the same, 1 another output.',
        said.errors.trim(),
      );
    return {
      verdict: 'different',
      leftOut: [],
      remark,
      difference: {
        line: 1,
        before: `\`${command}\``,
        after: (said.output + said.errors).trim().split('\n')[0]?.slice(0, 200) || `status ${said.status}`,
      },
    };
  }
  if (was.output === undefined || is.output === undefined) {
    const allSame = async (runs: readonly ProgramRun[]): Promise<boolean> => {
      for (const run of runs) if (!(await sameOnHost(host, was.outputFile, run.outputFile, signal))) return false;
      return true;
    };
    if (!(await allSame(before.runs.slice(1))))
      return {
        verdict: 'not compared',
        leftOut: [],
        remark:
          'The program prints more than a megabyte, and not the same in every run, so its output was not compared.',
      };
    if (await allSame(after.runs)) return { verdict: 'same', leftOut: [], remark: 'Compared byte by byte.' };
    return {
      verdict: 'different',
      leftOut: [],
      difference: { line: 1, before: `${was.outputBytes} bytes`, after: `${is.outputBytes} bytes, not the same` },
    };
  }
  return compareOutput(
    learnt,
    after.runs.map(({ output }) => output ?? ''),
    request.compare?.tolerance ?? 0,
  );
}

function measuredOf(
  runs: readonly ProgramRun[],
  kernels: readonly KernelTime[],
): { status: number; ending?: string; program?: Spread; printed: PrintedTime[]; kernels: readonly KernelTime[] } {
  // The first run finds files and drivers cold.
  const timed = runs.length > 2 ? runs.slice(1) : runs;
  const program = runs.length > 1 ? spreadOf(timed.map(({ nanoseconds }) => nanoseconds)) : undefined;
  const outputs = timed.map(({ output }) => output);
  const ending = runs.find(({ status }) => status !== 0)?.ending;
  return {
    status: statusOf(runs),
    ...(ending !== undefined ? { ending } : {}),
    ...(program ? { program } : {}),
    printed: outputs.every((output) => output !== undefined) ? printedTimes(outputs) : [],
    kernels,
  };
}

/** A program that fails in one of its runs fails. */
function statusOf(runs: readonly ProgramRun[]): number {
  return runs.find(({ status }) => status !== 0)?.status ?? 0;
}

function unchangedDoesNotBuild(problem: ProfileProblem): ProfileProblem {
  const what = `The unchanged program does not build: ${problem.message.replace(/^The build failed: /, '')}`;
  const noMain = /undefined reference to [`'‘]main\b/.test(`${problem.message}\n${problem.detail}`);
  const nextStep = noMain
    ? 'These sources have no main, so they are no program: name the others that belong to it, or its build.'
    : 'Mend the build first, then measure again.';
  return problem instanceof BuildFailure
    ? new BuildFailure(what, nextStep, problem.messages, problem.detail)
    : new ProfileProblem(problem.stage, problem.kind, what, problem.nextStep, problem.detail);
}

function firstError(messages: readonly CompilerMessage[]): string | undefined {
  const error = messages.find(({ severity }) => severity === 'error');
  if (!error) return undefined;
  return error.file === undefined
    ? error.message
    : `${basename(error.file)}${error.line ? `:${error.line}` : ''}: ${error.message}`;
}

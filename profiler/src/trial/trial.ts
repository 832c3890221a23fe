/**
 * Measures forms of a program against each other: builds each in a scratch copy, runs it, compares what it prints, and
 * times its kernels.
 */

import { basename } from 'node:path';

import { BuildFailure } from '../build/build';
import type { CompilerMessage } from '../build/diagnostics';
import { preflight } from '../preflight/preflight';
import { openHost } from '../transport/openHost';
import type { Host } from '../transport/host';
import { ProfileProblem } from '../transport/problem';
import { withTemporaryFolder } from '../transport/resultFile';
import { changedLines } from './changedLines';
import type { ExecutedLines } from './changedLines';
import { compareRuns, learn } from './compareRuns';
import { buildAll } from './forms';
import type { Prepared } from './forms';
import { judge } from './judge';
import type { Measured } from './judge';
import type { KernelTime } from './kernelTimes';
import { printedTimes, racingResults } from './outputs';
import type { PrintedTime } from './outputs';
import type { Step, TrialOptions, TrialRequest, TrialResult, VariantResult } from './request';
import type { ProgramRun } from './run';
import { executedLines, profileAll, runAll, statusOf } from './runForms';
import { spreadOf } from './spread';

export type { FileText } from './variantHost';

export type { TrialEvent, TrialOptions, TrialRequest, TrialResult, Variant, VariantResult } from './request';

/**
 * Rejects with a ProfileProblem when the unchanged form does not build or run, when the host is lost, or when the
 * signal aborts; a changed form that fails is a result. Nothing is left on the host in any ending.
 */
export async function measureVariants(request: TrialRequest, options: TrialOptions = {}): Promise<TrialResult> {
  if (request.build.inPlace !== undefined)
    throw new ProfileProblem(
      'reach',
      'bad-setting',
      'A fix is measured in copies of the sources, not in place.',
      'Give the local folder with --folder; it is copied to the host.',
    );
  if (request.build.built)
    throw new ProfileProblem(
      'reach',
      'bad-setting',
      'A source change cannot be measured with a program that is already built.',
      'Give the build (--build make), or the sources.',
    );
  const { signal, onEvent } = options;
  let done = 0;
  const all = 3 + request.variants.length * 3;
  const step: Step = (stage, text) => onEvent?.({ what: 'step', stage, text, done: Math.min(done++, all), all });
  step('reach', 'connecting');
  const host = await openHost(request.host, signal);
  try {
    return await withTemporaryFolder((folder) => trialOn(host, folder, request, options, step));
  } finally {
    await host.close();
  }
}

async function trialOn(
  host: Host,
  folder: string,
  request: TrialRequest,
  options: TrialOptions,
  step: Step,
): Promise<TrialResult> {
  const { signal, onEvent } = options;
  const notes: string[] = [];
  step('preflight', 'the checks before the run');
  const checked = await preflight(host, {
    signal,
    nvcc: request.nvcc,
    ncu: request.ncu,
    needsNvcc: request.build.command === undefined,
    locksClocks: (request.clocks ?? 'none') !== 'none',
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

  // By turns, so that a machine that warms up or slows down does so for all.
  const ran = await runAll(
    builds.filter((each): each is Prepared => !(each instanceof ProfileProblem)),
    request,
    checked.facts.gpus?.[0],
    options,
    step,
  );
  const learnt = learn(ran[0]!);
  const profiled = noProfiler ? undefined : await profileAll(folder, checked, ran, request, options, step, notes);

  let executed: Promise<ExecutedLines | undefined> | undefined;
  const results: VariantResult[] = [];
  const before = measuredOf(ran[0]!.runs, profiled?.times.get(ran[0]!.variant) ?? [], profiled?.notLaunched);
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
    const kernels = profiled?.times.get(variant) ?? [];
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
    const judged = output ?? { verdict: 'not compared' as const, leftOut: [] };
    let verdict = judge(before, after, judged);
    if (verdict.kind === 'no-gain' && verdict.by === 'kernel') {
      const lines = await (executed ??= executedLines(folder, checked, ran[0]!, request, options, step));
      verdict = judge(before, after, judged, lines && changedLines(lines, variant.files));
    }
    results.push({ ...common, ...(output ? { output } : {}), verdict });
  }
  const racing = racingResults(learnt);
  if (racing !== undefined) notes.push(racing);
  if (learnt.incomparable !== undefined && request.compare?.command === undefined)
    notes.push(`${learnt.incomparable} Use your own comparison (--compare) to compare more.`);
  return {
    host: host.name,
    ...(checked.facts.gpus?.[0] ? { device: checked.facts.gpus[0].name } : {}),
    variants: results,
    notes,
  };
}

function measuredOf(
  runs: readonly ProgramRun[],
  kernels: readonly KernelTime[],
  notLaunched?: string,
): Measured & { readonly printed: PrintedTime[] } {
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
    notLaunched,
  };
}

function unchangedDoesNotBuild(problem: ProfileProblem): ProfileProblem {
  const what = `The unchanged program does not build: ${problem.message.replace(/^The build failed: /, '')}`;
  const noMain = /undefined reference to [`'‘]main\b/.test(`${problem.message}\n${problem.detail}`);
  const nextStep = noMain
    ? 'These sources have no main function: add the other sources of the program, or use its build.'
    : problem.nextStep;
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

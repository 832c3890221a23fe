/** Runs the forms of a program by turns, without a profiler and under it. */

import { join, posix } from 'node:path';

import type { KernelMeasurement, MeasuredDevice } from '../../../protocol/src/lineMetrics';
import { collect } from '../collect/collect';
import type { CollectOptions } from '../collect/collect';
import { recordedSources } from '../lines/sourceMapping';
import type { Preflight } from '../preflight/preflight';
import { measureReport, openReport } from '../report';
import type { Report } from '../report';
import { openFileSource } from '../transport/fileByteSource';
import type { GpuFacts } from '../preflight/probe';
import { ProfileProblem } from '../transport/problem';
import { lineSections } from './changedLines';
import type { ExecutedLines } from './changedLines';
import { underOnePath } from './forms';
import type { Prepared } from './forms';
import { kernelTimes, trialMetrics, trialSections } from './kernelTimes';
import type { KernelTime } from './kernelTimes';
import type { Step, TrialOptions, TrialRequest, Variant } from './request';
import { runProgram, unchangedFails } from './run';
import type { ProgramRun } from './run';

/** A form with its runs so far. */
export interface Ran extends Prepared {
  readonly runs: ProgramRun[];
}

/** Launches of each kernel and shape in one run. */
const launchesPerShape = 5;
const mostKernels = 200;
/** Runs of a form beside the first, which also warms the machine up, by the seconds that the first took. */
const moreRuns = (seconds: number): number => (seconds < 2 ? 4 : seconds < 10 ? 3 : 2);
/** Runs under ncu by the seconds that the first took. */
const profiledRuns = (seconds: number, wanted: number): number =>
  seconds < 20 ? wanted : seconds < 60 ? Math.min(wanted, 2) : 1;

export async function runAll(
  prepared: readonly Prepared[],
  request: TrialRequest,
  gpu: GpuFacts | undefined,
  { signal, onEvent }: TrialOptions,
  step: Step,
): Promise<Ran[]> {
  const ran: Ran[] = prepared.map((each) => ({ ...each, runs: [] }));
  const runOnce = async (form: Ran): Promise<void> => {
    const { variant, runs } = form;
    const name = `output-${runs.length}`;
    // It is read again when all forms are back in their own folders.
    const outputFile = posix.join(form.folder, name);
    const run = await underOnePath(
      form,
      async ({ host, built }) => ({
        ...(await runProgram(
          host,
          built.program,
          built.directory,
          posix.join(host.scratch, name),
          request.run,
          signal,
        )),
        outputFile,
      }),
      signal,
    ).catch((error: unknown): ProgramRun => {
      // A change that makes the program hang, or end its own shell, is a separate result.
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
    });
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
      throw unchangedFails(each.host, gpu, each.runs[0]!, each.built.program);
  }
  const more = moreRuns(ran[0]!.runs[0]!.nanoseconds / 1e9);
  for (let turn = 0; turn < more; turn++) {
    for (const each of ran) if (each.runs[0]!.status === 0) await runOnce(each);
  }
  const failed = ran[0]!.runs.find(({ status }) => status !== 0);
  if (failed) throw unchangedFails(ran[0]!.host, gpu, failed, ran[0]!.built.program);
  return ran;
}

export async function profileAll(
  folder: string,
  checked: Preflight,
  ran: readonly Ran[],
  request: TrialRequest,
  options: TrialOptions,
  step: Step,
  notes: string[],
): Promise<{ readonly times: ReadonlyMap<Variant, KernelTime[]>; readonly notLaunched: string | undefined }> {
  const reports = new Map<Variant, (readonly KernelMeasurement[])[]>();
  const given = new Set<Variant>();
  let devices: readonly MeasuredDevice[] = [];
  let notLaunched: string | undefined;
  const candidates = ran.filter(({ runs }) => statusOf(runs) === 0);
  let turns = request.repetitions ?? 3;
  for (let turn = 0; turn < turns; turn++) {
    for (const form of candidates) {
      const { variant } = form;
      if (given.has(variant)) continue;
      if (turn === 0) step('collect', `timing the kernels: ${variant.name}`);
      try {
        const timing = { sections: trialSections, metrics: trialMetrics, sources: false };
        const { seconds, read: measured } = await profileOnce(
          folder,
          checked,
          form,
          request,
          options,
          timing,
          (report) => measureReport(report),
        );
        devices = measured.devices;
        reports.set(variant, [...(reports.get(variant) ?? []), measured.kernels]);
        if (turn === 0 && variant === candidates[0]!.variant) turns = profiledRuns(seconds, turns);
      } catch (error) {
        if (!isOfForm(error)) throw error;
        given.add(variant);
        reports.delete(variant);
        if (
          error.kind === 'no-kernels' &&
          variant === candidates[0]!.variant &&
          request.kernel === request.changedKernel
        )
          notLaunched = request.changedKernel;
        notes.push(
          (
            `${variant === candidates[0]!.variant ? 'The kernels were not timed' : `The kernels of "${variant.name}" were not timed`}: ` +
            `${error.message} ${error.nextStep}`
          ).trimEnd(),
        );
        // With nothing to compare with, the other forms' kernels need no time.
        if (variant === candidates[0]!.variant) return { times: new Map(), notLaunched };
      }
    }
  }
  const times = new Map([...reports].map(([variant, repetitions]) => [variant, kernelTimes(repetitions, devices)]));
  return { times, notLaunched };
}

/** What a form executed line by line in the launches that are timed; undefined where ncu cannot say it. */
export async function executedLines(
  folder: string,
  checked: Preflight,
  form: Ran,
  request: TrialRequest,
  options: TrialOptions,
  step: Step,
): Promise<ExecutedLines | undefined> {
  step('collect', 'counting what the changed lines execute');
  try {
    const counting = { sections: lineSections, sources: true };
    const { read } = await profileOnce(folder, checked, form, request, options, counting, async (report) => ({
      ...(await measureReport(report)),
      sources: await recordedSources(report),
    }));
    return read;
  } catch (error) {
    if (!isOfForm(error)) throw error;
    return undefined;
  }
}

/** Whether a problem concerns one form only: the others can still be measured. */
function isOfForm(error: unknown): error is ProfileProblem {
  return error instanceof ProfileProblem && !['cancelled', 'connection-lost', 'host-disk-full'].includes(error.kind);
}

/** Runs a form under ncu once. Rejects as `collect` does, and where the report is damaged. */
async function profileOnce<Read>(
  folder: string,
  checked: Preflight,
  form: Ran,
  request: TrialRequest,
  { signal, onEvent }: TrialOptions,
  what: Pick<CollectOptions, 'sections' | 'metrics' | 'sources'>,
  read: (report: Report) => Promise<Read>,
): Promise<{ readonly seconds: number; readonly read: Read }> {
  const path = join(folder, 'report.ncu-rep');
  const { seconds } = await underOnePath(
    form,
    async ({ host, built }) => {
      const collected = await collect(host, checked.facts, built.program, built.directory, {
        ...what,
        kernel: request.kernel,
        launchesPerShape,
        mostKernels,
        clocks: request.clocks ?? 'none',
        arguments: request.run.arguments,
        environment: request.run.environment,
        timeLimitSeconds: request.run.timeLimitSeconds,
        signal,
        onEvent: (event) => onEvent?.({ what: 'ncu', variant: form.variant.name, event }),
      });
      await host.fetch(collected.report, path, 'fetch', signal);
      return collected;
    },
    signal,
  );
  const file = await openFileSource(path);
  try {
    return { seconds, read: await read(await openReport(file)) };
  } catch (error) {
    throw new ProfileProblem(
      'fetch',
      'report-truncated',
      `The report that ncu wrote is damaged: ${(error as Error).message}`,
      'Start again. If the disk of the host is full, use another folder with --scratch.',
    );
  } finally {
    await file.close();
  }
}

/** A program that fails in one of its runs fails. */
export function statusOf(runs: readonly ProgramRun[]): number {
  return runs.find(({ status }) => status !== 0)?.status ?? 0;
}

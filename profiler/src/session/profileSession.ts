/**
 * From a source file and a host to a report in the store: check, build, run, copy back, and leave nothing behind in
 * any ending.
 */

import { randomBytes } from 'node:crypto';
import { basename, join } from 'node:path';

import { build } from '../build/build';
import type { BuildRequest, BuiltProgram } from '../build/build';
import { collect } from '../collect/collect';
import type { CollectOptions, Collected } from '../collect/collect';
import type { NcuEvent } from '../collect/ncuOutput';
import type { SourceText } from '../history/change';
import { addStep, commitOf, folderOf, sourcesOf } from '../history/stepStore';
import { kernelsOf, withRuns } from '../history/steps';
import type { Step, StepKernel } from '../history/steps';
import { preflight, problemOf } from '../preflight/preflight';
import type { Preflight } from '../preflight/preflight';
import type { HostFacts } from '../preflight/probe';
import { measureReport, openReport } from '../report';
import type { MeasuredReport } from '../../../protocol/src/lineMetrics';
import { disassemble } from '../sass/disassemble';
import { disassemblyPath } from '../sass/keptDisassembly';
import { openFileSource } from '../transport/fileByteSource';
import { openHost } from '../transport/openHost';
import type { Host, HostChoice, RunOptions, RunOutcome } from '../transport/host';
import { ProfileProblem, cancelled } from '../transport/problem';
import type { Stage } from '../transport/problem';
import {
  freeReportName,
  giveFreeName,
  removeAbandoned,
  whileLocked,
  withTemporaryFolder,
  writeResultFile,
} from '../transport/resultFile';

export interface ProfileRequest {
  readonly host: HostChoice;
  readonly build: BuildRequest;
  readonly collect: Omit<CollectOptions, 'signal' | 'onEvent'>;
  /** Folder here in which reports and the table of steps are kept; made when it is not there. */
  readonly store: string;
  /** Name of this step; by default `baseline`, `step 1`, … */
  readonly label?: string | undefined;
  /** Steps of one name are compared with each other; by default those of one program. */
  readonly series?: string;
  /**
   * How often the program is run under ncu, for times with their spread; 1 by default. The report is that of the first
   * run.
   */
  readonly runs?: number;
  /** Tools on the host in place of those found there. */
  readonly nvcc?: string | undefined;
  readonly ncu?: string | undefined;
  /** Leave the scratch folder on the host when the profile ends by itself (not when the connection is lost). */
  readonly keep?: boolean | undefined;
  /** The driver's parameter file; another one only in tests. */
  readonly driverParameters?: string;
}

/** What a profile tells while it works. */
export type ProfileEvent =
  | { readonly what: 'stage'; readonly stage: Stage }
  | { readonly what: 'checked'; readonly preflight: Preflight }
  | { readonly what: 'build-output'; readonly text: string }
  | { readonly what: 'built'; readonly program: BuiltProgram }
  | { readonly what: 'ncu'; readonly event: NcuEvent }
  /** The program is run again, the `run`th time of `all`. */
  | { readonly what: 'again'; readonly run: number; readonly all: number }
  | { readonly what: 'fetched'; readonly have: number; readonly all: number }
  | { readonly what: 'kept'; readonly folder: string };

export interface ProfileOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: ((event: ProfileEvent) => void) | undefined;
}

export interface ProfileResult {
  /** The report, absolute, in the store. */
  readonly report: string;
  readonly step: Step;
  readonly measured: MeasuredReport;
  readonly preflight: Preflight;
  readonly built: BuiltProgram;
  readonly collected: Collected;
  readonly notes: readonly string[];
}

/** Only the checks before a run. */
export async function checkHost(
  request: Pick<ProfileRequest, 'host' | 'nvcc' | 'ncu' | 'driverParameters'> & {
    needsNvcc: boolean;
    locksClocks: boolean;
  },
  signal?: AbortSignal,
): Promise<Preflight> {
  const host = await openHost(request.host, signal);
  try {
    return await preflight(host, { ...request, signal });
  } finally {
    await host.close();
  }
}

/** Checks that are about ncu alone. */
const ofCounters: ReadonlySet<string> = new Set(['ncu', 'sections', 'permission']);

interface Needs {
  /** Whether the tool reads counters, as ncu does. */
  readonly counters: boolean;
  /** Sees what the host has before the build. */
  readonly prepare: (host: Host, facts: HostFacts) => void | Promise<void>;
}

/** Rejects with a ProfileProblem; whatever happens, the processes and the folder on the host go. */
export async function withBuiltProgram<Result>(
  request: ProfileRequest,
  { signal, onEvent }: ProfileOptions,
  { counters, prepare }: Needs,
  use: (host: Host, checked: Preflight, built: BuiltProgram) => Promise<Result>,
): Promise<Result> {
  const enter = (stage: Stage) => onEvent?.({ what: 'stage', stage });
  enter('reach');
  const host = await openHost(request.host, signal);
  try {
    enter('preflight');
    const all = await preflight(host, {
      signal,
      nvcc: request.nvcc,
      ncu: request.ncu,
      needsNvcc: request.build.command === undefined && !request.build.built,
      locksClocks: counters && request.collect.clocks !== 'none',
      driverParameters: request.driverParameters,
    });
    const checked = { ...all, checks: all.checks.filter(({ name }) => counters || !ofCounters.has(name)) };
    onEvent?.({ what: 'checked', preflight: checked });
    const hopeless = problemOf(checked.checks);
    if (hopeless) throw hopeless;
    enter('build');
    await prepare(host, checked.facts);
    const built = await build(host, checked.facts, request.build, {
      signal,
      onText: (text) => onEvent?.({ what: 'build-output', text }),
    });
    onEvent?.({ what: 'built', program: built });
    return await use(host, checked, built);
  } finally {
    enter('clean');
    const end = await host.close(request.keep === true && !signal?.aborted);
    if (end === 'kept') onEvent?.({ what: 'kept', folder: host.scratch });
  }
}

/** Runs the words of a tool, then the program with its arguments. Rejects with a ProfileProblem. */
export async function runUnder(
  tool: string,
  words: readonly string[],
  host: Host,
  built: BuiltProgram,
  { arguments: rest, environment, timeLimitSeconds }: ProfileRequest['collect'],
  { signal, onText }: Pick<RunOptions, 'signal' | 'onText'>,
): Promise<RunOutcome> {
  const limit = AbortSignal.timeout(timeLimitSeconds * 1000);
  try {
    return await host.run([...words, built.program, ...rest], {
      stage: 'run',
      directory: built.directory,
      environment,
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
      ...(onText && { onText }),
    });
  } catch (error) {
    if (signal?.aborted) throw cancelled('run');
    if (!limit.aborted) throw error;
    throw new ProfileProblem(
      'run',
      'time-limit',
      `The program did not end within ${timeLimitSeconds} s under ${tool}.`,
      'Use a smaller input, or allow more time with --time-limit.',
    );
  }
}

/** Profiles. Rejects with a ProfileProblem (a BuildFailure when the compiler found errors); earlier results stay. */
export function profile(request: ProfileRequest, options: ProfileOptions = {}): Promise<ProfileResult> {
  let sources: SourceText[] = [];
  const prepare = async (): Promise<void> => {
    sources = await sourcesOf(request.build);
  };
  return withBuiltProgram(request, options, { counters: true, prepare }, (host, checked, built) =>
    profileOn(host, checked, built, sources, request, options),
  );
}

async function profileOn(
  host: Host,
  checked: Preflight,
  built: BuiltProgram,
  sources: readonly SourceText[],
  request: ProfileRequest,
  { signal, onEvent }: ProfileOptions,
): Promise<ProfileResult> {
  const enter = (stage: Stage) => onEvent?.({ what: 'stage', stage });
  enter('collect');
  const collected = await collect(host, checked.facts, built.program, built.directory, {
    ...request.collect,
    signal,
    onEvent: (event) => onEvent?.({ what: 'ncu', event }),
  });

  enter('fetch');
  // Under an unused name until it is here: several profiles may end at once.
  const copy = join(request.store, `.${basename(built.program)}-${randomBytes(6).toString('hex')}.fetched`);
  let measured: MeasuredReport | undefined;
  await host.fetch(
    collected.report,
    copy,
    'fetch',
    signal,
    (have, all) => onEvent?.({ what: 'fetched', have, all }),
    async (path) => {
      measured = await readWhole(path);
    },
  );

  const again: StepKernel[][] = [];
  for (let run = 2; run <= (request.runs ?? 1); run++) {
    onEvent?.({ what: 'again', run, all: request.runs! });
    again.push(await measureAgain(host, checked.facts, built, request, `report-${run}`, signal));
  }
  // While everything can still be given up: from here on the report has its name.
  const disassembled = await disassemble(host, checked.facts, copy, signal);
  enter('store');
  await removeAbandoned(request.store);
  const name = await whileLocked(join(request.store, 'reports'), () =>
    giveFreeName(copy, (taken) => freeReportName(taken, basename(built.program))),
  );
  const report = join(request.store, name);
  if ('packed' in disassembled)
    await writeResultFile(disassemblyPath(report), async (write) => write(disassembled.packed));
  const folder = folderOf(request.build);
  const commit = await commitOf(
    folder,
    sources.map(({ path }) => path),
  );
  const step = await addStep(
    request.store,
    {
      label: request.label,
      time: new Date().toISOString(),
      host: host.name,
      ...(measured!.device && { device: measured!.device.name }),
      report: name,
      program: built.program,
      buildCommand: built.command,
      collectCommand: collected.command,
      arguments: request.collect.arguments,
      folders: built.folders,
      kernels: withRuns(kernelsOf(measured!, built.kernels), again),
      notes: [...collected.notes, ...notesOn(measured!, built), ...('why' in disassembled ? [disassembled.why] : [])],
      ...(request.series !== undefined && { series: request.series }),
      ...(commit && { commit }),
    },
    sources,
    folder,
  );
  return { report, step, measured: measured!, preflight: checked, built, collected, notes: step.notes };
}

/**
 * Times and exact counters of one more run: no sources, no sections for the lines' context, so fewer passes over each
 * kernel.
 */
async function measureAgain(
  host: Host,
  facts: HostFacts,
  built: BuiltProgram,
  request: ProfileRequest,
  reportName: string,
  signal: AbortSignal | undefined,
): Promise<StepKernel[]> {
  const collected = await collect(host, facts, built.program, built.directory, {
    ...request.collect,
    sections: ['SourceCounters'],
    metrics: ['gpu__time_duration.sum'],
    sources: false,
    reportName,
    signal,
  });
  return withTemporaryFolder(async (folder) => {
    const copy = join(folder, 'again.ncu-rep');
    await host.fetch(collected.report, copy, 'fetch', signal);
    return kernelsOf(await readWhole(copy));
  });
}

/** Reads the report that just arrived; one that is cut off or damaged is refused before it takes its place. */
async function readWhole(path: string): Promise<MeasuredReport> {
  const file = await openFileSource(path);
  try {
    return await measureReport(await openReport(file));
  } catch (error) {
    throw new ProfileProblem(
      'fetch',
      'report-truncated',
      `The report that ncu wrote is damaged: ${(error as Error).message}`,
      'Start again; earlier results are untouched. If the disk of the host is full, use another folder with --scratch.',
    );
  } finally {
    await file.close();
  }
}

function notesOn(measured: MeasuredReport, built: BuiltProgram): string[] {
  const notes: string[] = [];
  const without = measured.kernels.filter((kernel) => kernel.withoutLines === 'no line table');
  if (without.length > 0 && (without.length === measured.kernels.length || built.hasLineTable === false)) {
    notes.push(
      `The program has no line table, so ` +
        `${without.length === 1 ? `${without[0]!.shortName} has` : `${without.length} kernels have`} no numbers ` +
        `per line. Build with -lineinfo (nvc: -gpu=lineinfo), and run make clean first: make does not rebuild ` +
        `up-to-date targets.`,
    );
  } else if (without.length > 0) {
    notes.push(
      `No source lines are known for ` +
        `${[...new Set(without.map((kernel) => kernel.shortName))].slice(0, 6).join(', ')}: code of a library, ` +
        `or built without -lineinfo.`,
    );
  }
  if (/(?:^|\s|')(?:-G|--device-debug)(?:'|\s|$)/.test(built.command))
    notes.push('The program is a debug build (-G): its times and stalls do not apply to an optimised build.');
  for (const kernel of built.kernels) {
    const spilled = (kernel.spillStoreBytes ?? 0) + (kernel.spillLoadBytes ?? 0);
    if (spilled > 0)
      notes.push(
        `${kernel.name ?? kernel.symbol} spills registers: ${kernel.spillStoreBytes} bytes stored, ` +
          `${kernel.spillLoadBytes} bytes loaded.`,
      );
  }
  return notes;
}

/**
 * The steps of an optimisation: each measured program with its kernels, a baseline first, kept as one JSON file beside
 * the reports.
 */

import type { KernelMeasurement, MeasuredReport } from '../../../protocol/src/lineMetrics';
import type { KernelResources } from '../build/ptxasReport';
import { nameOf, type PathMap } from '../lines/sourceMapping';

/** A kernel of one step: all launches of one name and shape together. */
export interface StepKernel {
  readonly name: string;
  readonly shortName: string;
  readonly grid: readonly [number, number, number];
  readonly block: readonly [number, number, number];
  /** Launches measured. */
  readonly launches: number;
  /** Mean of the launches, in nanoseconds. */
  readonly durationNs?: number;
  /** Means of the launches' totals by metric name. */
  readonly values: Readonly<Record<string, number>>;
  readonly resources?: KernelResources;
  /** What each of several runs of the program measured, in order; absent where it ran once. */
  readonly runs?: KernelRuns;
}

/** A kernel in repeated runs, one value a run: the mean of its launches. */
export interface KernelRuns {
  readonly durationNs: readonly number[];
  /** By metric name; those that can be counted exactly. */
  readonly counters: Readonly<Record<string, readonly number[]>>;
}

/** Counters of a whole launch that do not depend on timing: runs of a program that does the same work have the same. */
export const countedMetrics = [
  'memory_l2_theoretical_sectors_global',
  'memory_l1_wavefronts_shared',
  'inst_executed',
] as const;

export interface Step {
  /** From 0; 0 is the baseline. */
  readonly number: number;
  readonly label: string;
  /** ISO 8601. */
  readonly time: string;
  readonly host: string;
  readonly device?: string;
  /** Name of the report file in the store's folder. */
  readonly report: string;
  readonly program: string;
  readonly buildCommand: string;
  readonly collectCommand: string;
  /** Sources by path with the SHA-256 of the content that was built. */
  readonly sources: readonly { readonly path: string; readonly sha256: string }[];
  /** Folders in the report's paths and here. */
  readonly folders: readonly PathMap[];
  readonly kernels: readonly StepKernel[];
  readonly notes: readonly string[];
  /** What it is compared with goes by this name; by the program's where it is absent. */
  readonly series?: string;
  /** Arguments of the program. */
  readonly arguments?: readonly string[];
  /** The user's own words of what this step tries. */
  readonly remark?: string;
  readonly commit?:
    | {
        readonly id: string;
        readonly subject: string;
        /** Whether the sources are those of the commit. */
        readonly clean: boolean;
      }
    | undefined;
  readonly change?: StepChange;
}

export interface StepsFile {
  readonly version: 1;
  readonly steps: readonly Step[];
  /** Number of the baseline by series, where it is not the first step. */
  readonly baselines?: Readonly<Record<string, number>>;
}

/** What is known of the difference between a step and the one before it. */
export interface StepChange {
  /** Number of the step before. */
  readonly since: number;
  /** In a line: the first changed line, the commit's subject, or what else differs. */
  readonly title: string;
  readonly files: readonly { readonly path: string; readonly added: number; readonly removed: number }[];
}

/**
 * Reads a steps file. Text that is none gives no steps and says so, since a broken file must not stop a measurement.
 * Versions of Warplens before the history wrote the same file with less in it.
 */
export function readSteps(text: string | undefined): {
  steps: readonly Step[];
  broken: boolean;
  baselines?: Readonly<Record<string, number>>;
} {
  if (text === undefined) return { steps: [], broken: false };
  try {
    const parsed = JSON.parse(text) as Partial<StepsFile> | null;
    if (parsed?.version === 1 && Array.isArray(parsed.steps) && parsed.steps.every(isStep)) {
      const { baselines } = parsed;
      return {
        steps: parsed.steps.map(withoutMalformed),
        broken: false,
        ...(isRecordOfNumbers(baselines) && { baselines }),
      };
    }
  } catch {
    // Falls through: broken either way.
  }
  return { steps: [], broken: true };
}

/** The text of a steps file. */
export function writeSteps(steps: readonly Step[], baselines: Readonly<Record<string, number>> = {}): string {
  const file: StepsFile = { version: 1, steps, ...(Object.keys(baselines).length > 0 && { baselines }) };
  return `${JSON.stringify(file, undefined, 1)}\n`;
}

/** Steps of one series are compared with each other: what the user named so, else the program. */
export function seriesNameOf(step: Pick<Step, 'series' | 'program'>): string {
  return step.series ?? nameOf(step.program);
}

/** `baseline`, `step 1`, `step 2` … */
export function labelOf(number: number): string {
  return number === 0 ? 'baseline' : `step ${number}`;
}

/** The kernels of a report with launches of one name and shape put together, in order of their first launch. */
export function kernelsOf(
  report: Pick<MeasuredReport, 'kernels'>,
  resources: readonly KernelResources[] = [],
): StepKernel[] {
  const groups = new Map<string, KernelMeasurement[]>();
  for (const kernel of report.kernels) {
    const key = shapeKey(kernel);
    const group = groups.get(key);
    if (group) group.push(kernel);
    else groups.set(key, [kernel]);
  }
  return [...groups.values()].map((launches) => {
    const first = launches[0]!;
    const durations = launches.map((launch) => launch.durationNs).filter((duration) => duration !== undefined);
    const found =
      resources.find((one) => one.name === first.name) ??
      onlyOne(resources.filter((one) => one.name !== undefined && shortName(one.name) === first.shortName));
    const values: Record<string, number> = {};
    for (const name of Object.keys(first.values)) {
      const all = launches.map((launch) => launch.values[name]).filter((value) => value !== undefined);
      values[name] = mean(all);
    }
    return {
      name: first.name,
      shortName: first.shortName,
      grid: first.grid,
      block: first.block,
      launches: launches.length,
      ...(durations.length > 0 && { durationNs: mean(durations) }),
      values,
      ...(found && { resources: found }),
    };
  });
}

/**
 * The kernels of a step with what further runs of the program measured of them; a kernel that a run lacks has no
 * `runs`.
 */
export function withRuns(kernels: readonly StepKernel[], runs: readonly (readonly StepKernel[])[]): StepKernel[] {
  if (runs.length === 0) return [...kernels];
  return kernels.map((kernel) => {
    const all = [kernel, ...runs.map((run) => run.find((other) => shapeKey(other) === shapeKey(kernel)))];
    const found = all.filter((one) => one?.durationNs !== undefined) as StepKernel[];
    if (found.length < all.length) return kernel;
    const counters = Object.fromEntries(
      countedMetrics.flatMap((name) => {
        const values = found.map(({ values: of }) => of[name]).filter((value) => value !== undefined);
        return values.length === found.length ? [[name, values]] : [];
      }),
    );
    return { ...kernel, runs: { durationNs: found.map(({ durationNs }) => durationNs!), counters } };
  });
}

/** `1.32 ms`: three digits in the unit that suits. */
export function showDuration(nanoseconds: number): string {
  for (const [unit, size] of [
    ['s', 1e9],
    ['ms', 1e6],
    ['µs', 1e3],
  ] as const) {
    if (nanoseconds >= size) return `${Number((nanoseconds / size).toPrecision(3))} ${unit}`;
  }
  return `${Number(nanoseconds.toPrecision(3))} ns`;
}

function shapeKey(kernel: {
  readonly name: string;
  readonly grid: readonly number[];
  readonly block: readonly number[];
}): string {
  return `${kernel.name}\0${kernel.grid.join()}\0${kernel.block.join()}`;
}

function shortName(name: string): string {
  return name.replace(/^(?:void|[\w:]+) (?=\w)/, '').replace(/[<(].*$/s, '');
}

function onlyOne<T>(list: readonly T[]): T | undefined {
  return list.length === 1 ? list[0] : undefined;
}

function mean(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0) / values.length;
}

function isStep(value: unknown): value is Step {
  const step = value as Partial<Step> | null;
  return (
    typeof step === 'object' &&
    step !== null &&
    Number.isSafeInteger(step.number) &&
    step.number! >= 0 &&
    typeof step.report === 'string' &&
    typeof step.time === 'string' &&
    typeof step.label === 'string' &&
    Array.isArray(step.kernels) &&
    step.kernels.every(
      (kernel: Partial<StepKernel> | null) =>
        typeof kernel?.name === 'string' &&
        typeof kernel.shortName === 'string' &&
        Array.isArray(kernel.grid) &&
        Array.isArray(kernel.block),
    )
  );
}

/**
 * Fields that a later version or a hand wrote wrongly are left out: a row of the table is worth more than its
 * ornaments.
 */
function withoutMalformed(step: Step): Step {
  const { sources, folders, notes, arguments: words, change, commit, series, remark, device, ...rest } = step;
  const isText = (value: unknown): value is string => typeof value === 'string';
  const changeFits =
    typeof change?.since === 'number' &&
    isText(change.title) &&
    Array.isArray(change.files) &&
    change.files.every(
      (file) => isText(file?.path) && typeof file.added === 'number' && typeof file.removed === 'number',
    );
  return {
    ...rest,
    host: isText(step.host) ? step.host : 'unknown host',
    ...(isText(device) && { device }),
    program: isText(step.program) ? step.program : '',
    buildCommand: isText(step.buildCommand) ? step.buildCommand : '',
    collectCommand: isText(step.collectCommand) ? step.collectCommand : '',
    kernels: step.kernels.map(({ durationNs, values, runs, ...kernel }) => ({
      ...kernel,
      ...(isRuns(runs) && { runs }),
      values: isRecordOfNumbers(values) ? values : {},
      ...(Number.isFinite(durationNs) && durationNs! > 0 && { durationNs: durationNs! }),
    })),
    sources: Array.isArray(sources)
      ? sources.filter((source) => isText(source?.path) && /^[0-9a-f]{64}$/.test(source.sha256))
      : [],
    folders: Array.isArray(folders) ? folders.filter((folder) => isText(folder?.from) && isText(folder.to)) : [],
    notes: Array.isArray(notes) ? notes.filter(isText) : [],
    ...(Array.isArray(words) && words.every(isText) && { arguments: words }),
    ...(changeFits && { change }),
    ...(isText(commit?.id) &&
      isText(commit.subject) && { commit: { id: commit.id, subject: commit.subject, clean: commit.clean === true } }),
    ...(isText(series) && { series }),
    ...(isText(remark) && { remark }),
  };
}

function isRuns(value: unknown): value is KernelRuns {
  const isNumbers = (list: unknown): boolean =>
    Array.isArray(list) && list.every((one) => typeof one === 'number' && Number.isFinite(one));
  const { durationNs, counters } = (value ?? {}) as Partial<KernelRuns>;
  return (
    isNumbers(durationNs) &&
    typeof counters === 'object' &&
    counters !== null &&
    Object.values(counters).every((list) => isNumbers(list) && list.length === durationNs!.length)
  );
}

function isRecordOfNumbers(value: unknown): value is Readonly<Record<string, number>> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((number) => typeof number === 'number')
  );
}

/** The steps of an optimisation: each measured program with its kernels, a baseline first, kept as one JSON file beside the reports. */

import type { KernelMeasurement, MeasuredReport } from '../../../protocol/src/lineMetrics';
import type { KernelResources } from '../build/ptxasReport';
import type { PathMap } from '../lines/sourceMapping';

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
}

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
}

export interface StepsFile {
  readonly version: 1;
  readonly steps: readonly Step[];
}

/** Reads a steps file. Text that is none gives no steps and says so, since a broken file must not stop a measurement. */
export function readSteps(text: string | undefined): { steps: readonly Step[]; broken: boolean } {
  if (text === undefined) return { steps: [], broken: false };
  try {
    const parsed = JSON.parse(text) as Partial<StepsFile> | null;
    if (parsed?.version === 1 && Array.isArray(parsed.steps) && parsed.steps.every(isStep)) return { steps: parsed.steps, broken: false };
  } catch {
    // Falls through: broken either way.
  }
  return { steps: [], broken: true };
}

/** The text of a steps file. */
export function writeSteps(steps: readonly Step[]): string {
  return `${JSON.stringify({ version: 1, steps } satisfies StepsFile, undefined, 1)}\n`;
}

/** `baseline`, `step 1`, `step 2` … */
export function labelOf(number: number): string {
  return number === 0 ? 'baseline' : `step ${number}`;
}

/** The kernels of a report with launches of one name and shape put together, in order of their first launch. */
export function kernelsOf(report: Pick<MeasuredReport, 'kernels'>, resources: readonly KernelResources[] = []): StepKernel[] {
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
    const found = resources.find((one) => one.name === first.name) ?? onlyOne(resources.filter((one) => one.name !== undefined && shortName(one.name) === first.shortName));
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

/** The table of steps for a terminal: a row for each step, a column for each kernel name, times and what they are of the baseline. */
export function showSteps(steps: readonly Step[]): string {
  if (steps.length === 0) return 'No steps yet.\n';
  const names = [...new Set(steps.flatMap((step) => step.kernels.map((kernel) => kernel.shortName)))];
  const timeOf = (step: Step, name: string) => {
    const kernels = step.kernels.filter((kernel) => kernel.shortName === name && kernel.durationNs !== undefined);
    return kernels.length === 0 ? undefined : kernels.reduce((total, kernel) => total + kernel.durationNs!, 0);
  };
  const header = ['step', 'when', ...names, 'all kernels'];
  const first = new Map(names.map((name) => [name, steps.map((step) => timeOf(step, name)).find((time) => time !== undefined)]));
  const total = (step: Step) => step.kernels.reduce((all, kernel) => all + (kernel.durationNs ?? 0), 0);
  const rows = steps.map((step) => [
    step.label,
    step.time.slice(0, 16).replace('T', ' '),
    ...names.map((name) => showTime(timeOf(step, name), first.get(name))),
    showTime(total(step) || undefined, total(steps[0]!) || undefined),
  ]);
  const widths = header.map((_title, column) => Math.max(...[header, ...rows].map((row) => row[column]!.length)));
  return [header, ...rows].map((row) => row.map((cell, column) => (column < 2 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!))).join('  ').trimEnd()).join('\n') + '\n';
}

/** Nanoseconds in the unit that suits, and how many times faster than the first. */
function showTime(nanoseconds: number | undefined, first: number | undefined): string {
  if (nanoseconds === undefined) return '-';
  const times = first !== undefined && first !== nanoseconds ? ` (${(first / nanoseconds).toPrecision(3)}x)` : '';
  return `${showDuration(nanoseconds)}${times}`;
}

/** `1.32 ms`: three digits in the unit that suits. */
export function showDuration(nanoseconds: number): string {
  for (const [unit, size] of [['s', 1e9], ['ms', 1e6], ['us', 1e3]] as const) {
    if (nanoseconds >= size) return `${Number((nanoseconds / size).toPrecision(3))} ${unit}`;
  }
  return `${Number(nanoseconds.toPrecision(3))} ns`;
}

function shapeKey(kernel: { readonly name: string; readonly grid: readonly number[]; readonly block: readonly number[] }): string {
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
  return typeof step === 'object' && step !== null && typeof step.number === 'number' && typeof step.report === 'string' && typeof step.time === 'string' && typeof step.label === 'string' && Array.isArray(step.kernels)
    && step.kernels.every((kernel: Partial<StepKernel> | null) => typeof kernel?.name === 'string' && typeof kernel.shortName === 'string' && Array.isArray(kernel.grid) && Array.isArray(kernel.block));
}

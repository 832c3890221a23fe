// The kernels of a report with their launches added up by name, holding of each line only what the overlay shows.
import type { KernelMeasurement, LineMetrics, RuleFinding } from '../../../protocol/src/lineMetrics';
import { isKernelFigure, kernelFigures, type KernelFigures } from '../lines/kernelFigures';
import { stallReason } from '../lines/sourceMetrics';
import { measureLaunches, readRuleFindings, type LineOptions, type Report } from '../report';
import { attributesOf } from '../report/report';

/** Names of the counters, as Nsight Compute writes them. */
export const counters = {
  samples: 'smsp__pcsamp_sample_count',
  sectors: 'memory_l2_theoretical_sectors_global',
  idealSectors: 'memory_l2_theoretical_sectors_global_ideal',
  localSectors: 'memory_l2_theoretical_sectors_local',
  wavefronts: 'memory_l1_wavefronts_shared',
  idealWavefronts: 'memory_l1_wavefronts_shared_ideal',
  divergent: 'smsp__branch_targets_threads_divergent',
  instructions: 'inst_executed',
  threads: 'thread_inst_executed_true',
  threadsExecuted: 'thread_inst_executed',
} as const;

export interface ProfiledKernel {
  /** With parameter types. */
  readonly name: string;
  readonly shortName: string;
  /** The symbol in the machine code; absent for graphs and ranges. */
  readonly mangledName?: string;
  /** How many launches are added up. */
  readonly launches: number;
  /** The launch that took longest: its shape and its rates stand for the others. */
  readonly longest: KernelMeasurement;
  /** Of all its launches together; 0 where the report has no times. */
  readonly durationNs: number;
  /** Sums over the launches, the denominators of shares. */
  readonly totals: Readonly<Record<string, number>>;
  readonly lines: readonly ProfiledLine[];
  /** `Report.notIssued`: its samples compare only with their like. */
  readonly notIssued?: boolean | undefined;
  /** The totals apart by the number of threads in a block. */
  readonly blocks: readonly {
    readonly threads: number;
    readonly durationNs: number;
    readonly totals: Readonly<Record<string, number>>;
  }[];
  /** What NVIDIA's rules say of the longest launch. */
  readonly advice: readonly RuleFinding[];
  /** What the longest launch reached against its limits; absent for all but the longest kernels. */
  readonly figures?: KernelFigures;
}

/** The sums of a line over the launches; its code is that of the first. */
export interface ProfiledLine extends Omit<LineMetrics, 'kernel' | 'launch' | 'functions' | 'shares' | 'callers'> {
  /** Samples, all and by stall reason, without those of code inlined here, which count on that code's line. */
  readonly own?: Readonly<Record<string, number>>;
}

const kept = new Set<string>(Object.values(counters));

/** Rules are read for this many kernels, those with the longest launches first. */
const mostAdvised = 40;

/**
 * Measures every launch and adds up those of the same kernel (by name and symbol), in order of their first launch.
 * `went` hears of each launch; when it answers false the reading stops and the result is undefined. Throws ReportError
 * on a damaged report.
 */
export async function gatherKernels(
  report: Report,
  went: (done: number, all: number) => boolean,
  options: LineOptions = {},
): Promise<ProfiledKernel[] | undefined> {
  interface Sums {
    name: string;
    shortName: string;
    mangledName?: string;
    launches: number;
    longest: KernelMeasurement;
    durationNs: number;
    totals: Record<string, number>;
    lines: Map<string, ProfiledLine & { values: Record<string, number>; own: Record<string, number> }>;
    blocks: Map<number, { threads: number; durationNs: number; totals: Record<string, number> }>;
  }
  const kernels = new Map<string, Sums>();
  let done = 0;
  for await (const { kernel, lines } of measureLaunches(report, undefined, options)) {
    if (!went(++done, report.launches.length)) return undefined;
    // Kernels of two files can have one name and one signature, but not one symbol.
    const key = `${kernel.name}\n${kernel.mangledName ?? ''}`;
    let sums = kernels.get(key);
    if (!sums)
      kernels.set(
        key,
        (sums = {
          name: kernel.name,
          shortName: kernel.shortName,
          ...(kernel.mangledName !== undefined ? { mangledName: kernel.mangledName } : {}),
          launches: 0,
          longest: kernel,
          durationNs: 0,
          totals: {},
          lines: new Map(),
          blocks: new Map(),
        }),
      );
    sums.launches++;
    sums.durationNs += kernel.durationNs ?? 0;
    if ((kernel.durationNs ?? 0) > (sums.longest.durationNs ?? 0)) sums.longest = kernel;
    add(sums.totals, kernel.values);
    const threads = kernel.block[0] * kernel.block[1] * kernel.block[2];
    let block = sums.blocks.get(threads);
    if (!block) sums.blocks.set(threads, (block = { threads, durationNs: 0, totals: {} }));
    block.durationNs += kernel.durationNs ?? 0;
    add(block.totals, kernel.values);
    for (const { file, line, values, shares, inlined, kinds, instructions, registers } of lines) {
      const place = `${line}\n${file}`;
      let into = sums.lines.get(place);
      if (!into)
        sums.lines.set(
          place,
          (into = {
            ...{ file, line, values: {}, own: {} },
            ...(inlined && { inlined }),
            ...(kinds && { kinds }),
            ...(instructions && { instructions }),
            ...(registers !== undefined && { registers }),
          }),
        );
      for (const [name, share] of Object.entries(shares))
        if (isSampled(name)) into.own[name] = (into.own[name] ?? 0) + share * kernel.values[name]!;
      add(into.values, values);
    }
  }
  const advised = new Set([...kernels.values()].sort((a, b) => b.durationNs - a.durationNs).slice(0, mostAdvised));
  const result: ProfiledKernel[] = [];
  for (const sums of kernels.values()) {
    const launch = advised.has(sums) ? report.launches.find(({ index }) => index === sums.longest.launch) : undefined;
    result.push({
      ...sums,
      notIssued: report.notIssued,
      lines: [...sums.lines.values()],
      blocks: [...sums.blocks.values()],
      advice: launch ? await readRuleFindings(report, launch) : [],
      ...(launch
        ? {
            figures: kernelFigures(
              await report.metrics(launch, isKernelFigure),
              attributesOf(report, sums.longest.device),
            ),
          }
        : {}),
    });
    if (!went(done, report.launches.length)) return undefined;
  }
  return result;
}

function isSampled(name: string): boolean {
  return name === counters.samples || stallReason(name) !== undefined;
}

/** The kernels with each sample on one line: that of the inlined code, not its calling lines. */
export function countedOnce(kernels: readonly ProfiledKernel[]): ProfiledKernel[] {
  return kernels.map((kernel) => ({
    ...kernel,
    lines: kernel.lines.map(({ values, own, ...line }) => ({
      ...line,
      values: { ...Object.fromEntries(Object.entries(values).filter(([name]) => !isSampled(name))), ...own },
    })),
  }));
}

function add(into: Record<string, number>, values: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(values)) {
    if (kept.has(name) || isSampled(name)) into[name] = (into[name] ?? 0) + value;
  }
}

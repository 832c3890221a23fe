/** Times of kernels out of several reports of one program, a report for each repetition. */

import type { KernelMeasurement, MeasuredDevice } from '../../../protocol/src/lineMetrics';
import { peakBandwidth } from '../../../hardware/src/constants';
import { spreadOf } from './spread';
import type { Spread } from './spread';

/** A kernel by its name, all launch shapes together. */
export interface KernelTime {
  readonly name: string;
  /** Launch shapes that were measured, as `grid × block` in ncu's order, with how many launches of each. */
  readonly shapes: readonly {
    readonly grid: readonly [number, number, number];
    readonly block: readonly [number, number, number];
    readonly launches: number;
  }[];
  /**
   * Nanoseconds, one value a repetition: the median of the launches of a shape, added up over the shapes. Of a single
   * repetition, the launches.
   */
  readonly time: Spread;
  /**
   * What DRAM takes at its peak for the bytes that the launches of `time` moved, in nanoseconds: no launch is shorter.
   * Absent where ncu counted no bytes or does not name the memory's clock and bus.
   */
  readonly floor?: { readonly nanoseconds: number; readonly bytes: number };
  readonly registers?: number;
  /** Bytes of a block. */
  readonly sharedBytes?: number;
  /** Achieved and theoretical occupancy in per cent, of the shape that takes longest. */
  readonly occupancy?: { readonly achieved?: number; readonly theoretical?: number };
}

/** The sections and metrics that the times, the launch facts and the bytes of DRAM need: a few passes over a kernel. */
export const trialSections = ['LaunchStats', 'Occupancy', 'MemoryWorkloadAnalysis'] as const;
const dramRate = 'dram__bytes.sum.per_second';
export const trialMetrics = ['gpu__time_duration.sum'] as const;

/** One element for each kernel name that every repetition measured, longest first. */
export function kernelTimes(
  repetitions: readonly (readonly KernelMeasurement[])[],
  devices: readonly MeasuredDevice[] = [],
): KernelTime[] {
  const names = [...new Set(repetitions[0]?.map(({ shortName }) => shortName))];
  const times: KernelTime[] = [];
  for (const name of names) {
    const values: number[] = [];
    let longest: KernelMeasurement | undefined;
    let shapes = new Map<string, KernelMeasurement[]>();
    for (const kernels of repetitions) {
      shapes = new Map();
      for (const kernel of kernels) {
        if (kernel.shortName !== name || kernel.durationNs === undefined) continue;
        const key = `${kernel.name} ${kernel.grid.join()} ${kernel.block.join()}`;
        const known = shapes.get(key);
        if (known) known.push(kernel);
        else shapes.set(key, [kernel]);
        if (longest === undefined || kernel.durationNs > longest.durationNs!) longest = kernel;
      }
      if (shapes.size === 0) break;
      values.push(
        [...shapes.values()].reduce(
          (sum, launches) => sum + spreadOf(launches.map(({ durationNs }) => durationNs!))!.median,
          0,
        ),
      );
    }
    if (values.length < repetitions.length || !longest) continue;
    const of = (metric: string): number | undefined => longest!.values[metric];
    const shared = (of('launch__shared_mem_per_block_static') ?? 0) + (of('launch__shared_mem_per_block_dynamic') ?? 0);
    const achieved = of('sm__warps_active.avg.pct_of_peak_sustained_active');
    const theoretical = of('sm__maximum_warps_per_active_cycle_pct');
    times.push({
      name,
      shapes: [...shapes.values()].map((launches) => ({
        grid: launches[0]!.grid,
        block: launches[0]!.block,
        launches: launches.length,
      })),
      // A single run still has several launches to tell the noise by.
      time:
        repetitions.length === 1 && shapes.size === 1
          ? spreadOf([...shapes.values()][0]!.map(({ durationNs }) => durationNs!))!
          : spreadOf(values)!,
      ...floorOf([...shapes.values()], devices),
      ...(of('launch__registers_per_thread') !== undefined ? { registers: of('launch__registers_per_thread')! } : {}),
      ...(of('launch__shared_mem_per_block_static') !== undefined ? { sharedBytes: shared } : {}),
      ...(achieved !== undefined || theoretical !== undefined
        ? {
            occupancy: {
              ...(achieved !== undefined ? { achieved } : {}),
              ...(theoretical !== undefined ? { theoretical } : {}),
            },
          }
        : {}),
    });
  }
  return times.sort((a, b) => b.time.median - a.time.median);
}

function floorOf(
  shapes: readonly (readonly KernelMeasurement[])[],
  devices: readonly MeasuredDevice[],
): Pick<KernelTime, 'floor'> {
  const floor = { nanoseconds: 0, bytes: 0 };
  for (const launches of shapes) {
    const moved = launches.map(({ values, durationNs }) => (values[dramRate] ?? NaN) * durationNs! * 1e-9);
    const attributes = devices.find(({ id }) => id === launches[0]!.device)?.attributes ?? {};
    const peak = peakBandwidth(
      Number(attributes['device__attribute_memory_clock_rate']),
      Number(attributes['device__attribute_global_memory_bus_width']),
    );
    const bytes = spreadOf(moved)!.median;
    if (!(bytes >= 0 && peak > 0)) return {};
    floor.bytes += bytes;
    floor.nanoseconds += (1e9 * bytes) / peak;
  }
  return { floor };
}

/** The sum over the kernels, repetition by repetition; undefined without kernels. */
export function totalTime(kernels: readonly KernelTime[]): Spread | undefined {
  if (kernels.length <= 1) return kernels[0]?.time;
  if (kernels.some(({ time }) => time.values.length !== kernels[0]!.time.values.length))
    return spreadOf([kernels.reduce((sum, { time }) => sum + time.median, 0)]);
  return spreadOf(
    kernels[0]!.time.values.map((_value, at) => kernels.reduce((sum, kernel) => sum + kernel.time.values[at]!, 0)),
  );
}

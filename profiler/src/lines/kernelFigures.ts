// What a launch reached against what its GPU can do: speed of light, roofline, occupancy and its limiter, from the
// metrics of a report.
import type { Metric } from '../report/report';

export interface KernelFigures {
  /** Per cent of the peak, by unit, as far as collected: SM, memory, L1, L2, DRAM. */
  readonly speedOfLight: readonly { readonly unit: string; readonly percent: number }[];
  /** DRAM traffic in bytes a second, reached and possible. */
  readonly dram?: { readonly achieved: number; readonly peak: number };
  /** One for each precision that the launch computed in. */
  readonly rooflines: readonly Roofline[];
  readonly occupancy?: Occupancy;
}

export interface Roofline {
  readonly precision: 'single' | 'double';
  /** Floating-point operations a second; a fused multiply-add counts as two. */
  readonly achieved: number;
  readonly peak: number;
  /** Floating-point operations for each byte of DRAM traffic. */
  readonly intensity: number;
  /** Bytes a second. */
  readonly bandwidth: number;
}

export interface Occupancy {
  /** Warps on a multiprocessor: on average while active, by the limits, and at most. */
  readonly achieved?: number;
  readonly theoretical: number;
  readonly most: number;
  /** Blocks on a multiprocessor that each resource allows, fewest first. */
  readonly limits: readonly { readonly by: string; readonly blocks: number }[];
  /** The resources that allow fewest; empty where the warps fill the multiprocessor. */
  readonly limiters: readonly string[];
  /** Warps on a multiprocessor as one quantity varies and all else stays, as Nsight Compute computed them. */
  readonly curves: readonly OccupancyCurve[];
}

export interface OccupancyCurve {
  readonly of: 'registers per thread' | 'threads per block' | 'bytes of shared memory per block';
  /** What the launch has. */
  readonly at: number;
  readonly points: readonly (readonly [value: number, warps: number])[];
}

const units = {
  SM: 'sm__throughput.avg.pct_of_peak_sustained_elapsed',
  Memory: 'gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed',
  L1: 'l1tex__throughput.avg.pct_of_peak_sustained_active',
  L2: 'lts__throughput.avg.pct_of_peak_sustained_elapsed',
  DRAM: 'gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed',
} as const;

const limits = {
  registers: 'launch__occupancy_limit_registers',
  'shared memory': 'launch__occupancy_limit_shared_mem',
  warps: 'launch__occupancy_limit_warps',
  blocks: 'launch__occupancy_limit_blocks',
  barriers: 'launch__occupancy_limit_barriers',
} as const;

const curves: readonly (readonly [OccupancyCurve['of'], at: string, points: string])[] = [
  ['registers per thread', 'launch__registers_per_thread', 'launch__occupancy_per_register_count'],
  ['threads per block', 'launch__block_size', 'launch__occupancy_per_block_size'],
  ['bytes of shared memory per block', 'launch__shared_mem_per_block', 'launch__occupancy_per_shared_mem_size'],
];

/** ncu gives some hundreds. */
const mostPoints = 20_000;

const precisions = { single: 'f', double: 'd' } as const;

const others = [
  'dram__bytes.sum.per_second',
  'dram__bytes.sum.peak_sustained',
  'dram__cycles_elapsed.avg.per_second',
  'sm__cycles_elapsed.avg.per_second',
  'smsp__cycles_elapsed.avg.per_second',
  'sm__warps_active.avg.per_cycle_active',
  'sm__warps_active.avg.pct_of_peak_sustained_active',
  'sm__maximum_warps_avg_per_active_cycle',
  'sm__maximum_warps_per_active_cycle_pct',
  'device__attribute_max_warps_per_multiprocessor',
];

const wanted = new Set<string>([
  ...Object.values(units),
  ...Object.values(limits),
  ...curves.flatMap(([, at, points]) => [at, points]),
  ...others,
  ...Object.values(precisions).flatMap((letter) => [
    `sm__sass_thread_inst_executed_op_${letter}fma_pred_on.sum.peak_sustained`,
    ...['add', 'mul', 'fma'].map((operation) => executed(letter, operation)),
  ]),
]);

/** Whether `kernelFigures` looks at a metric of this name. */
export function isKernelFigure(name: string): boolean {
  return wanted.has(name);
}

/**
 * The figures of one launch; what its report does not hold is absent. The roofline is that of Nsight Compute's section
 * SpeedOfLight_RooflineChart:
 * operations = (add + mul + 2 fma) per cycle × cycles a second, peak = 2 fma of all units × cycles a second, traffic =
 * bytes of DRAM a second.
 * @param attributes of the launch's device, under ncu's names
 */
export function kernelFigures(
  metrics: readonly Metric[],
  attributes: Readonly<Record<string, number | string>> = {},
): KernelFigures {
  const byName = new Map(metrics.map((metric) => [metric.name, metric]));
  const value = (name: string): number | undefined => {
    const found = byName.get(name)?.value;
    return typeof found === 'number' && Number.isFinite(found) ? found : undefined;
  };
  const speedOfLight = Object.entries(units).flatMap(([unit, name]) => {
    const percent = value(name);
    return percent === undefined ? [] : [{ unit, percent }];
  });
  const bytes = value('dram__bytes.sum.per_second');
  const bandwidth = product(value('dram__bytes.sum.peak_sustained'), value('dram__cycles_elapsed.avg.per_second'));
  const rooflines = (Object.keys(precisions) as Roofline['precision'][]).flatMap(
    (precision) => rooflineOf(precision, value, bytes, bandwidth) ?? [],
  );
  const occupancy = occupancyOf(byName, value, Number(attributes['device__attribute_max_warps_per_multiprocessor']));
  return {
    speedOfLight,
    rooflines,
    ...(bytes !== undefined && bandwidth !== undefined ? { dram: { achieved: bytes, peak: bandwidth } } : {}),
    ...(occupancy ? { occupancy } : {}),
  };
}

function executed(letter: string, operation: string): string {
  return `smsp__sass_thread_inst_executed_op_${letter}${operation}_pred_on.sum.per_cycle_elapsed`;
}

function rooflineOf(
  precision: Roofline['precision'],
  value: (name: string) => number | undefined,
  bytes: number | undefined,
  bandwidth: number | undefined,
): Roofline | undefined {
  const letter = precisions[precision];
  const [add, mul, fma] = ['add', 'mul', 'fma'].map((operation) => value(executed(letter, operation)));
  const peak = product(
    2,
    value(`sm__sass_thread_inst_executed_op_${letter}fma_pred_on.sum.peak_sustained`),
    value('sm__cycles_elapsed.avg.per_second'),
  );
  if (add === undefined || mul === undefined || fma === undefined || peak === undefined || !bytes || !bandwidth)
    return undefined;
  const achieved = product(
    add + mul + 2 * fma,
    value('smsp__cycles_elapsed.avg.per_second') ?? value('sm__cycles_elapsed.avg.per_second'),
  );
  if (!achieved) return undefined;
  const intensity = achieved / bytes;
  return [achieved, peak, intensity, bandwidth].every(isDrawable)
    ? { precision, achieved, peak, intensity, bandwidth }
    : undefined;
}

/** What a logarithmic axis can show of a machine: a damaged report must not ask for an axis without end. */
function isDrawable(value: number): boolean {
  return value > 1e-12 && value < 1e24;
}

function occupancyOf(
  byName: ReadonlyMap<string, Metric>,
  value: (name: string) => number | undefined,
  attribute: number,
): Occupancy | undefined {
  const theoretical = value('sm__maximum_warps_avg_per_active_cycle');
  const share = value('sm__maximum_warps_per_active_cycle_pct');
  const most =
    attribute > 0
      ? attribute
      : theoretical !== undefined && share
        ? Math.round((theoretical * 100) / share)
        : undefined;
  if (most === undefined || (theoretical === undefined && share === undefined)) return undefined;
  const warps = theoretical ?? (most * share!) / 100;
  const percent = value('sm__warps_active.avg.pct_of_peak_sustained_active');
  const achieved =
    value('sm__warps_active.avg.per_cycle_active') ?? (percent === undefined ? undefined : (most * percent) / 100);
  const allowed = Object.entries(limits)
    .flatMap(([by, name]) => {
      const blocks = value(name);
      return blocks === undefined ? [] : [{ by, blocks }];
    })
    .sort((a, b) => a.blocks - b.blocks);
  const fewest = allowed[0]?.blocks;
  return {
    ...(achieved === undefined ? {} : { achieved }),
    theoretical: warps,
    most,
    limits: allowed,
    limiters: warps >= most ? [] : allowed.filter(({ blocks }) => blocks === fewest).map(({ by }) => by),
    curves: curves.flatMap(([of, atName, pointsName]) => {
      const at = value(atName);
      const points = (byName.get(pointsName)?.instances ?? [])
        .flatMap(({ id, value: at }) =>
          typeof id === 'number' && typeof at === 'number' && id >= 0 && id < 1e9 && at >= 0 && at <= most
            ? [[id, at] as const]
            : [],
        )
        .sort(([a], [b]) => a - b);
      return at === undefined || points.length < 2 || points.length > mostPoints || points.at(-1)![0] <= 0
        ? []
        : [{ of, at, points }];
    }),
  };
}

function product(...factors: readonly (number | undefined)[]): number | undefined {
  return factors.reduce<number | undefined>(
    (result, factor) => (result === undefined || factor === undefined ? undefined : result * factor),
    1,
  );
}

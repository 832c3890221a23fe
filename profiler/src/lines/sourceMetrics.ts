// Which metrics of Nsight Compute have a value per instruction, and how its source page names and prints them.

/**
 * Whether a metric of this name can have values per instruction. Chosen by name, since ids of curves and time stamps
 * also look like addresses.
 */
export function isInstructionMetric(name: string): boolean {
  return (
    name === 'inst_executed' ||
    name.startsWith('thread_inst_executed') ||
    name.startsWith('smsp__pcsamp_') ||
    name.startsWith('memory_') ||
    name.startsWith('derived__memory_') ||
    name.startsWith('derived__avg_thread_') ||
    name.startsWith('derived__derivative_') ||
    name.startsWith('smsp__branch_targets_') ||
    name.startsWith('smsp__sass_')
  );
}

/**
 * Metrics whose values are kinds to be counted, not amounts to be added, with the names that ncu prints; a value
 * without a known name stays a number.
 */
export const kindMetrics: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  memory_type: { 4: 'Global', 8: 'Local', 16: 'Shared' },
  memory_access_type: { 2: 'Load', 4: 'Store', 8: 'Atomic' },
  memory_access_size_type: {},
  smsp__sass_inst_executed_memdesc_explicit_evict_type: {},
};

/** Counters of the whole launch that a reader wants beside the lines. */
export const launchMetrics = [
  'gpu__time_duration.sum',
  'dram__bytes.sum.per_second',
  'sm__throughput.avg.pct_of_peak_sustained_elapsed',
  'gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed',
  'sm__warps_active.avg.pct_of_peak_sustained_active',
  'sm__maximum_warps_per_active_cycle_pct',
  'launch__registers_per_thread',
  'launch__shared_mem_per_block_static',
  'launch__shared_mem_per_block_dynamic',
  'launch__waves_per_multiprocessor',
  'launch__device_id',
] as const;

const stallPrefix = 'smsp__pcsamp_warps_issue_stalled_';

/**
 * Name of a stall reason from a metric, such as `long scoreboard`; undefined for other metrics and for the `not issued`
 * ones.
 */
export function stallReason(metric: string): string | undefined {
  if (!metric.startsWith(stallPrefix) || metric.endsWith('_not_issued')) return undefined;
  return metric.slice(stallPrefix.length).replaceAll('_', ' ');
}

/** The metric of a stall reason by its name from `stallReason`. */
export function stallMetric(reason: string): string {
  return stallPrefix + reason.replaceAll(' ', '_');
}

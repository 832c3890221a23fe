// Which line fills the queue that another one waits for: a warp stalls where it wants to issue, not where the traffic
// comes from.
import { counters, type ProfiledKernel, type ProfiledLine } from './kernels';
import { stallsOf } from './marks';

/** The line that most of a queue's traffic comes from. */
export interface Filler {
  readonly line: ProfiledLine;
  readonly what: 'wavefronts' | 'sectors';
  /** Of the kernel's traffic of that kind, 0 to 1. */
  readonly share: number;
  /** Against the ideal of its accesses. */
  readonly ratio: number;
}

const shared = { what: 'wavefronts', actual: counters.wavefronts, ideal: counters.idealWavefronts } as const;
const global = { what: 'sectors', actual: counters.sectors, ideal: counters.idealSectors } as const;
/**
 * Stall reasons that name a full queue, and what it is full of (Nsight Compute's Profiling Guide, Warp Stall Reasons):
 * the MIO queue takes accesses to shared memory, the LG queue those to global and local memory.
 */
const queues: ReadonlyMap<string, typeof shared | typeof global> = new Map<string, typeof shared | typeof global>([
  ['mio throttle', shared],
  ['short scoreboard', shared],
  ['lg throttle', global],
]);
/** A line with less of the traffic does not fill a queue alone. */
const leastOfTraffic = 0.3;

/**
 * The other line of the kernel that fills the queue which a line waits for most; undefined where it waits for none, or
 * fills it itself.
 */
export function fillerOf(kernel: ProfiledKernel, line: ProfiledLine): Filler | undefined {
  const [reason] = stallsOf(line.values);
  const queue = reason && queues.get(reason.name);
  if (!queue) return undefined;
  const total = kernel.lines.reduce((sum, { values }) => sum + (values[queue.actual] ?? 0), 0);
  if (total <= 0) return undefined;
  const most = kernel.lines.reduce((first, other) =>
    (other.values[queue.actual] ?? 0) > (first.values[queue.actual] ?? 0) ? other : first,
  );
  const traffic = most.values[queue.actual] ?? 0;
  // A line with half as much as the first is a separate cause.
  if (most === line || traffic < leastOfTraffic * total || 2 * (line.values[queue.actual] ?? 0) >= traffic)
    return undefined;
  return {
    line: most,
    what: queue.what,
    share: traffic / total,
    ratio: traffic / (most.values[queue.ideal] || traffic),
  };
}

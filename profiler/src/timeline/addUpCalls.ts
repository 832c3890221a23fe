// Adds up the calls of a timeline by the place that makes them, and says during which of them the GPU was idle.
import { shortNameOf } from '../report/functionNames';
import type { TimelineCall } from './timeline';

/** What the GPU did for one call. */
export interface Activity {
  readonly start: number;
  readonly end: number;
  readonly kernel?: string;
  readonly bytes: number;
  readonly pageableBytes: number;
}

export interface HostCall {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly correlation: number;
  readonly thread: number;
  readonly kernel?: string;
  readonly range?: string;
  /** The call chain, innermost first; empty where there is none. */
  readonly frames: readonly { readonly symbol: string; readonly address: number }[];
}

/** Idle times shorter than this occur between two items in the GPU's queue. */
const shortestGap = 2_000;
const mostCallers = 8;

type Sums = { -readonly [Key in keyof TimelineCall]: TimelineCall[Key] };

/**
 * @param calls by start
 * @param activities by correlation
 * @param busy every activity, by start
 */
export function addUpCalls(
  calls: Iterable<HostCall>,
  activities: ReadonlyMap<number, readonly Activity[]>,
  busy: readonly { readonly start: number; readonly end: number }[],
): {
  readonly calls: TimelineCall[];
  /** Each call as it was made. */
  readonly made: readonly { readonly call: TimelineCall; readonly from: HostCall }[];
  readonly from: number;
  readonly idleElsewhereNs: number;
  readonly spanNs: number;
  readonly busyNs: number;
} {
  const { from, to, busyNs, gaps } = idleTimes(busy);
  const sites = new Map<string, Sums>();
  /** Of each idle time, what calls take of it. */
  const covered = new Float64Array(gaps.length);
  const made: { readonly call: TimelineCall; readonly from: HostCall }[] = [];
  for (const call of calls) {
    const site = siteOf(sites, call, from);
    made.push({ call: site, from: call });
    site.count++;
    site.totalNs += Math.max(0, Math.min(call.end, to) - Math.max(call.start, from));
    for (const { start, end, bytes, pageableBytes } of activities.get(call.correlation) ?? []) {
      site.gpuNs += end - start;
      site.bytes += bytes;
      site.pageableBytes += pageableBytes;
    }
    for (let at = firstBehind(gaps, call.start); at < gaps.length && gaps[at]!.start < call.end; at++) {
      const { start, end } = gaps[at]!;
      const common = Math.min(end, call.end) - Math.max(start, call.start);
      site.idleNs += common;
      covered[at]! += common;
    }
  }
  let idleElsewhereNs = 0;
  // Calls of several threads can cover more than there is.
  gaps.forEach(({ start, end }, at) => {
    idleElsewhereNs += Math.max(0, end - start - covered[at]!);
  });
  return {
    calls: [...sites.values()].sort((a, b) => b.idleNs - a.idleNs || b.totalNs - a.totalNs),
    made,
    from,
    idleElsewhereNs,
    spanNs: to - from,
    busyNs,
  };
}

function idleTimes(busy: readonly { readonly start: number; readonly end: number }[]): {
  readonly from: number;
  readonly to: number;
  readonly busyNs: number;
  readonly gaps: readonly { readonly start: number; readonly end: number }[];
} {
  const gaps: { start: number; end: number }[] = [];
  const from = busy[0]?.start ?? 0;
  let to = from;
  let idle = 0;
  for (const { start, end } of busy) {
    if (start > to) {
      idle += start - to;
      if (start - to >= shortestGap) gaps.push({ start: to, end: start });
    }
    to = Math.max(to, end);
  }
  return { from, to, busyNs: to - from - idle, gaps };
}

/** The first idle time that ends behind a moment. */
function firstBehind(gaps: readonly { readonly end: number }[], at: number): number {
  let low = 0;
  let high = gaps.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (gaps[middle]!.end <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

function siteOf(sites: Map<string, Sums>, call: HostCall, from: number): Sums {
  const place = placeOf(call);
  const key = `${call.name}\n${call.kernel ?? ''}\n${place.address ?? ''}\n${place.callers[0] ?? call.range ?? ''}`;
  let site = sites.get(key);
  if (!site)
    sites.set(
      key,
      (site = {
        name: call.name,
        ...(call.kernel === undefined ? {} : { kernel: call.kernel }),
        callers: place.callers,
        ...(place.address === undefined ? {} : { address: place.address }),
        ...(call.range === undefined ? {} : { range: call.range }),
        count: 0,
        firstNs: call.start - from,
        totalNs: 0,
        idleNs: 0,
        gpuNs: 0,
        bytes: 0,
        pageableBytes: 0,
      }),
    );
  else if (site.range !== undefined && site.range !== call.range) delete site.range;
  return site;
}

/** Runtime, stubs of launches and what starts `main` are no part of the program's own chain. */
function placeOf({ name, kernel, frames }: HostCall): {
  readonly callers: readonly string[];
  readonly address?: number;
} {
  let at = frames.findIndex(({ symbol }) => plain(symbol) === name) + 1;
  if (at === 0) return { callers: [] };
  while (at < frames.length && isStub(frames[at]!.symbol, kernel)) at++;
  const own: { readonly symbol: string; readonly address: number }[] = [];
  for (const frame of frames.slice(at, at + mostCallers)) {
    if (frame.symbol === '' || /^(?:0x|_start|__libc_start)/.test(frame.symbol)) break;
    own.push(frame);
  }
  return {
    callers: own.map(({ symbol }) => plain(symbol)),
    ...(own[0] ? { address: own[0].address } : {}),
  };
}

function isStub(symbol: string, kernel: string | undefined): boolean {
  const name = plain(symbol);
  return name.startsWith('__device_stub__') || name === 'cudaLaunchKernel' || (kernel !== undefined && name === kernel);
}

function plain(symbol: string): string {
  return shortNameOf(symbol).replace(/_v\d+$/, '');
}

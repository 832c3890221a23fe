// How a timeline is worded: in a terminal, on a page, at the end of a line.
import { plainName } from '../evidence/kernelIdentity';
import { shape } from '../lines/amounts';
import type { PlacedCall } from './placeCalls';
import { isWait, type Timeline, type TimelineCall } from './timeline';

export function timeText(nanoseconds: number): string {
  if (nanoseconds >= 1e9) return `${(nanoseconds / 1e9).toFixed(2)} s`;
  if (nanoseconds >= 1e6) return `${(nanoseconds / 1e6).toFixed(1)} ms`;
  return `${(nanoseconds / 1e3).toFixed(1)} µs`;
}

export function bytesText(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = bytes < 1024 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${power === 0 ? bytes : (bytes / 1024 ** power).toFixed(1)} ${units[power]}`;
}

export function shareOf(part: number, whole: number): string {
  const percent = whole > 0 ? (100 * part) / whole : 0;
  return `${percent.toFixed(percent >= 9.95 || percent === 0 ? 0 : 1)} %`;
}

/** A name that a file may have chosen, on one line. */
export function clean(text: string): string {
  return [...text].map((letter) => (letter < ' ' || letter === '\u007f' ? ' ' : letter)).join('');
}

export interface Table {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const mostRows = 12;
/** Calls that take less than this of the run, and idle the GPU as little, are left out. */
const leastShare = 0.002;

/** What a kernel took, by its name without types; undefined if it did not run. */
export function kernelWords(name: string, { kernels }: Pick<Timeline, 'kernels'>): string | undefined {
  const own = kernels.filter(({ shortName }) => plainName(shortName) === name);
  const sum = (of: 'launches' | 'totalNs', among = own): number => among.reduce((total, each) => total + each[of], 0);
  const launches = sum('launches');
  if (launches === 0) return undefined;
  return (
    `${timeText(sum('totalNs') / launches)} per launch × ${launches}, ` +
    `${shareOf(sum('totalNs'), sum('totalNs', [...kernels]))} of kernel time (times measured, figures from the model)`
  );
}

/** One line on the whole. */
export function summaryText(timeline: Timeline): string {
  const { device, spanNs, busyNs, product } = timeline;
  return [
    device &&
      `${clean(device.name)}${device.computeCapability ? ` (compute capability ${device.computeCapability})` : ''}`,
    product && clean(product),
    spanNs === 0
      ? 'the GPU was idle'
      : `the GPU was busy for ${timeText(busyNs)} of ${timeText(spanNs)} (${shareOf(busyNs, spanNs)})`,
  ]
    .filter((part) => part)
    .join(', ');
}

/** Hottest kernels, copies, and the host's calls by the time that the GPU idled in them. */
export function timelineTables(timeline: Timeline): Table[] {
  const { kernels, copies, calls, spanNs } = timeline;
  const shown = calls.filter(
    ({ idleNs, totalNs, name }) =>
      idleNs >= leastShare * spanNs || totalNs >= leastShare * spanNs || (isWait(name) && totalNs > 0),
  );
  return [
    {
      title: 'Kernels',
      head: ['kernel', 'launches', 'time', 'of the run', 'shortest', 'longest', 'grid', 'block'],
      rows: kernels
        .slice(0, mostRows)
        .map(({ shortName, launches, totalNs, shortestNs, longestNs, grid, block }) => [
          clean(shortName),
          String(launches),
          timeText(totalNs),
          shareOf(totalNs, spanNs),
          timeText(shortestNs),
          timeText(longestNs),
          shape(grid),
          shape(block),
        ]),
    },
    {
      title: 'Copies',
      head: ['direction', 'host memory', 'copies', 'bytes', 'time', 'throughput'],
      rows: copies.map(({ direction, host, count, bytes, totalNs }) => [
        direction,
        host ?? '',
        String(count),
        bytesText(bytes),
        timeText(totalNs),
        totalNs > 0 ? `${bytesText((bytes / totalNs) * 1e9)}/s` : '',
      ]),
    },
    {
      title: 'Where the GPU idled',
      head: ['host call', 'called by', 'calls', 'time', 'GPU idle', 'of the run'],
      rows: [
        ...shown
          .slice(0, mostRows)
          .map((call) => [
            callText(call),
            clean(call.callers[0] ?? (call.range === undefined ? '' : `range ${call.range}`)),
            String(call.count),
            timeText(call.totalNs),
            timeText(call.idleNs),
            shareOf(call.idleNs, spanNs),
          ]),
        ...(timeline.idleElsewhereNs >= leastShare * spanNs && spanNs > 0
          ? [
              [
                'no CUDA call',
                '',
                '',
                '',
                timeText(timeline.idleElsewhereNs),
                shareOf(timeline.idleElsewhereNs, spanNs),
              ],
            ]
          : []),
      ],
    },
  ].filter(({ rows }) => rows.length > 0);
}

function callText({ name, kernel }: TimelineCall): string {
  return clean(kernel === undefined ? name : `launch of ${kernel}`);
}

/** The text at the end of a host line; undefined if there is none. */
export function lineWords(calls: readonly PlacedCall[], timeline: Timeline): string | undefined {
  const parts = calls.flatMap(({ place, sums, shared, by }) => {
    if (sums.count === 0) return [];
    const costs = [
      sums.idleNs >= leastShare * timeline.spanNs
        ? `GPU idle ${timeText(sums.idleNs)} (${shareOf(sums.idleNs, timeline.spanNs)})`
        : '',
      sums.gpuNs > 0 ? `${timeText(sums.gpuNs)} on the GPU` : '',
      sums.pageableBytes > 0 ? `${bytesText(sums.pageableBytes)} of pageable memory` : '',
      sums.idleNs < leastShare * timeline.spanNs && sums.gpuNs === 0 ? timeText(sums.totalNs) : '',
    ].filter((part) => part);
    const what = place.kernel === undefined ? place.name : `launch of ${place.kernel}`;
    const apart = shared > 1 ? ` (sum of ${shared} calls)` : by === 'name' ? ', by name' : '';
    return [`${clean(what)}: ${sums.count}×, ${costs.join(', ')}${apart}`];
  });
  if (parts.length === 0) return undefined;
  return `${calls.some(({ stale }) => stale) ? 'changed since, profile again; was ' : ''}${parts.join(' · ')}`;
}

/** The tables in columns, for a terminal. */
export function tablesAsText(tables: readonly Table[]): string {
  return tables
    .map(({ title, head, rows }) => {
      const widths = head.map((name, at) => Math.max(name.length, ...rows.map((cells) => cells[at]!.length)));
      const isNumber = (at: number): boolean => at > 0 && rows.some((cells) => /^\d/.test(cells[at]!));
      const lines = [head, ...rows].map((cells) =>
        cells
          .map((cell, at) => (isNumber(at) ? cell.padStart(widths[at]!) : cell.padEnd(widths[at]!)))
          .join('  ')
          .trimEnd(),
      );
      return `${title}\n${lines.map((line) => `  ${line}\n`).join('')}`;
    })
    .join('\n');
}

// The rows along a timeline's axis, and what of them is drawn in a window of time.
import type { HostCall } from './addUpCalls';
import type { TimelineCall, TimelineEvent, TimelineRow } from './timeline';

/** Something that the GPU did. */
export interface GpuEvent {
  readonly start: number;
  readonly end: number;
  readonly what: 'kernel' | 'copy';
  readonly name: string;
  readonly detail?: string | undefined;
  readonly device: number;
  readonly stream: number;
  readonly correlation: number;
}

/** Rows of the GPU before those of the host, by device, stream and thread. */
export function timelineRows(
  events: readonly GpuEvent[],
  made: readonly { readonly call: TimelineCall; readonly from: HostCall }[],
  from: number,
): TimelineRow[] {
  const rows = new Map<string, { title: string; kind: TimelineRow['kind']; events: TimelineEvent[] }>();
  const add = (title: string, kind: TimelineRow['kind'], event: TimelineEvent): void => {
    const row = rows.get(title);
    if (row) row.events.push(event);
    else rows.set(title, { title, kind, events: [event] });
  };
  const callOf = new Map(made.map(({ call, from: { correlation } }) => [correlation, call]));
  const devices = new Set(events.map(({ device }) => device));
  const streams = [...events].sort((a, b) => a.device - b.device || a.stream - b.stream || a.start - b.start);
  for (const { start, end, what, name, detail, device, stream, correlation } of streams) {
    const call = callOf.get(correlation);
    const title = `${devices.size > 1 ? `GPU ${device}, stream` : 'Stream'} ${stream}: `;
    add(title + (what === 'kernel' ? 'kernels' : 'copies'), what, {
      start: start - from,
      end: end - from,
      name,
      ...(detail ? { detail } : {}),
      ...(call ? { call } : {}),
    });
  }
  const threads = [...new Set(made.map(({ from: { thread } }) => thread))];
  for (const { call, from: one } of made)
    add(threads.length > 1 ? `CUDA API, thread ${threads.indexOf(one.thread) + 1}` : 'CUDA API', 'call', {
      start: one.start - from,
      end: one.end - from,
      name: one.kernel === undefined ? one.name : `launch of ${one.kernel}`,
      call,
    });
  return [...rows.values()];
}

/** What one box of a row stands for: one event, or several that are too near to each other to be distinguished. */
export interface TimelineBox {
  readonly start: number;
  readonly end: number;
  /** The time in which any of them ran. */
  readonly busyNs: number;
  readonly count: number;
  /** Index of the longest of them in its row. */
  readonly longest: number;
}

/**
 * The boxes of a row that a window of time shows on some pixels: events nearer than a pixel to each other, each of
 * them shorter than one, are one box. At most two boxes for each pixel, however many events there are.
 */
export function boxesIn({ events }: TimelineRow, from: number, to: number, pixels: number): TimelineBox[] {
  const pixel = (to - from) / Math.max(1, pixels);
  const boxes: { -readonly [Key in keyof TimelineBox]: TimelineBox[Key] }[] = [];
  events.forEach(({ start, end }, index) => {
    if (end < from || start > to) return;
    const last = boxes.at(-1);
    const isSmall = end - start < pixel;
    if (last && start - last.end < pixel && isSmall && (last.count > 1 || last.end - last.start < pixel)) {
      last.busyNs += Math.max(0, end - Math.max(start, last.end));
      last.end = Math.max(last.end, end);
      last.count++;
      const longest = events[last.longest]!;
      if (end - start > longest.end - longest.start) last.longest = index;
    } else boxes.push({ start, end, busyNs: end - start, count: 1, longest: index });
  });
  return boxes;
}

/** The event before or after another one in its row; the nearest to a moment where there is none yet. */
export function stepInRow(
  { events }: TimelineRow,
  at: number | undefined,
  step: number,
  moment: number,
): number | undefined {
  if (events.length === 0) return undefined;
  if (at !== undefined) return Math.min(events.length - 1, Math.max(0, at + step));
  let nearest = 0;
  events.forEach(({ start, end }, index) => {
    const far = ({ start, end }: { readonly start: number; readonly end: number }): number =>
      Math.max(0, start - moment, moment - end);
    if (far({ start, end }) < far(events[nearest]!)) nearest = index;
  });
  return nearest;
}

/** Round times along an axis, at most `most` of them. */
export function axisTimes(from: number, to: number, most: number): number[] {
  const least = (to - from) / Math.max(1, most);
  if (!(least > 0)) return [from];
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= least)!;
  const times: number[] = [];
  for (let time = Math.ceil(from / step) * step; time <= to; time += step) times.push(time);
  return times;
}

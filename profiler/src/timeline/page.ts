// What the page of a timeline shows: its rows in a window of time, one selected event, its tables.
import { axisTimes, boxesIn, stepInRow } from './rows';
import type { Timeline } from './timeline';
import { clean, summaryText, timelineTables, timeText, type Table } from './words';

export interface TimelinePageModel {
  readonly name: string;
  readonly summary: string;
  /** What to do for more. */
  readonly hint: string | undefined;
  readonly spanNs: number;
  readonly rows: readonly { readonly title: string; readonly kind: string; readonly count: number }[];
  readonly tables: readonly Table[];
}

export interface TimelineWindow {
  readonly from: number;
  readonly to: number;
  readonly axis: readonly { readonly at: number; readonly text: string }[];
  readonly rows: readonly (readonly {
    readonly start: number;
    readonly end: number;
    /** Part of the box that something ran in, 0 to 1. */
    readonly full: number;
    readonly index: number;
    readonly text: string;
    readonly tip: string;
  }[])[];
}

export interface TimelineSelection {
  readonly row: number;
  readonly index: number;
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** Whether a call of the host belongs to it. */
  readonly hasCall: boolean;
}

/** Streams and threads beyond these have next to nothing in them. */
const mostRows = 40;

export function timelinePage(name: string, timeline: Timeline): TimelinePageModel {
  return {
    name: clean(name),
    summary: `${summaryText(timeline)}.`,
    hint: timeline.hasCallChains
      ? undefined
      : 'Calls are grouped by name; profile with nsys profile --cudabacktrace=all to see their callers.',
    spanNs: timeline.spanNs,
    rows: timeline.rows.slice(0, mostRows).map(({ title, kind, events }) => ({ title, kind, count: events.length })),
    tables: timelineTables(timeline),
  };
}

/** The window is moved into the span. */
export function timelineWindow(timeline: Timeline, from: number, to: number, pixels: number): TimelineWindow {
  const width = Math.min(Math.max(to - from, 100), Math.max(timeline.spanNs, 100));
  const start = Math.min(Math.max(0, from), Math.max(0, timeline.spanNs - width));
  const end = start + width;
  return {
    from: start,
    to: end,
    axis: axisTimes(start, end, pixels / 110).map((at) => ({ at, text: at === 0 ? '0' : axisText(at, end - start) })),
    rows: timeline.rows.slice(0, mostRows).map((row) =>
      boxesIn(row, start, end, pixels).map((box) => {
        const longest = row.events[box.longest]!;
        const text = clean(longest.name);
        const busy = box.end > box.start ? box.busyNs / (box.end - box.start) : 1;
        return {
          start: box.start,
          end: box.end,
          full: Math.min(1, busy),
          index: box.longest,
          text: box.count === 1 ? text : '',
          tip:
            box.count === 1
              ? `${text}, ${timeText(box.end - box.start)}`
              : `${box.count} events in ${timeText(box.end - box.start)}, the longest is ${text}`,
        };
      }),
    ),
  };
}

/** The event `step` places from a selected one, or the one nearest to a moment; undefined in an empty row. */
export function timelineSelection(
  timeline: Timeline,
  row: number,
  index: number | undefined,
  step = 0,
  moment = 0,
): TimelineSelection | undefined {
  const of = timeline.rows.slice(0, mostRows)[row];
  const found = of && stepInRow(of, index, step, moment);
  const event = found === undefined ? undefined : of!.events[found];
  if (!event) return undefined;
  const { start, end, name, detail, call } = event;
  const caller = call?.callers[0];
  return {
    row,
    index: found!,
    start,
    end,
    text: [
      `${clean(name)}: ${timeText(end - start)}, from ${timeText(Math.max(0, start))}`,
      detail,
      caller === undefined ? '' : `called by ${clean(caller)}`,
      call && call.count > 1 ? `one of ${call.count} there, GPU idle in them ${timeText(call.idleNs)}` : '',
    ]
      .filter((part) => part)
      .join(' · '),
    hasCall: call !== undefined,
  };
}

/** Times of one axis differ in their last digits: as many as the window needs. */
function axisText(at: number, width: number): string {
  const [unit, name] = at >= 1e9 ? [1e9, 's'] : at >= 1e6 ? [1e6, 'ms'] : at >= 1e3 ? [1e3, 'µs'] : [1, 'ns'];
  const digits = Math.max(0, Math.ceil(-Math.log10(width / 10 / Number(unit))));
  return `${(at / Number(unit)).toFixed(Math.min(6, digits))} ${name}`;
}

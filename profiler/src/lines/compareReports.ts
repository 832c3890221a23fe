// Sets two measured reports side by side: kernels matched by name and shape, lines by where they are now.
import type { KernelMeasurement, LineMetrics, MeasuredReport } from '../../../protocol/src/lineMetrics';
import { nameOf } from './sourceMapping';

/** A launch before and after; one of them is missing where the other has no match. */
export interface KernelComparison {
  readonly kernel: string;
  readonly before?: KernelMeasurement | undefined;
  readonly after?: KernelMeasurement;
  /** Matched by name alone: grid or block differ. */
  readonly shapeChanged: boolean;
  /** Duration before divided by duration after: above 1 is faster. */
  readonly speedup?: number | undefined;
}

/** A line of a matched kernel before and after. */
export interface LineComparison {
  readonly file: string;
  /** In the sources of the later report; undefined where the line is gone. */
  readonly line?: number | undefined;
  /** In the sources of the earlier report; undefined where the line is new. */
  readonly lineBefore?: number | undefined;
  readonly kernel: string;
  readonly launchBefore: number;
  readonly launchAfter: number;
  readonly before?: Readonly<Record<string, number>>;
  readonly after?: Readonly<Record<string, number>> | undefined;
}

export interface ReportComparison {
  readonly kernels: readonly KernelComparison[];
  readonly lines: readonly LineComparison[];
}

/**
 * @param lineNow where a line of a file of `before` is in the sources of `after`; undefined where it was changed
 */
export function compareReports(
  before: MeasuredReport,
  after: MeasuredReport,
  lineNow: (file: string, line: number) => number | undefined = (_file, line) => line,
): ReportComparison {
  const kernels = matchKernels(before.kernels, after.kernels);
  const linesBefore = byLaunch(before.lines);
  const linesAfter = byLaunch(after.lines);
  const fileNow = filesIn(after);
  const lines = kernels.flatMap(({ kernel, before: from, after: to }) => {
    if (!from || !to) return [];
    const unmatched = new Map((linesAfter.get(to.launch) ?? []).map((line) => [`${line.line}:${line.file}`, line]));
    const place = { kernel, launchBefore: from.launch, launchAfter: to.launch };
    const compared: LineComparison[] = (linesBefore.get(from.launch) ?? []).map((line) => {
      const now = lineNow(line.file, line.line);
      const key = now === undefined ? '' : `${now}:${fileNow(line.file)}`;
      const match = unmatched.get(key);
      unmatched.delete(key);
      return {
        ...place,
        file: match?.file ?? line.file,
        line: match?.line ?? now,
        lineBefore: line.line,
        before: line.values,
        after: match?.values,
      };
    });
    for (const line of unmatched.values())
      compared.push({ ...place, file: line.file, line: line.line, after: line.values });
    return compared;
  });
  return { kernels, lines };
}

/**
 * Finds the path of a file in a report: its own, or else the only one with the same name (a copy in another folder).
 */
export function filesIn(report: MeasuredReport): (file: string) => string {
  const files = new Set(report.lines.map((line) => line.file));
  const byName = new Map<string, string[]>();
  for (const file of files) byName.set(nameOf(file), [...(byName.get(nameOf(file)) ?? []), file]);
  return (file) => {
    const same = files.has(file) ? undefined : byName.get(nameOf(file));
    return same?.length === 1 ? same[0]! : file;
  };
}

function byLaunch(lines: readonly LineMetrics[]): Map<number, LineMetrics[]> {
  const groups = new Map<number, LineMetrics[]>();
  for (const line of lines) {
    const group = groups.get(line.launch);
    if (group) group.push(line);
    else groups.set(line.launch, [line]);
  }
  return groups;
}

/** Pairs launches of equal name and shape in their order; what is left is paired by name alone. */
function matchKernels(before: readonly KernelMeasurement[], after: readonly KernelMeasurement[]): KernelComparison[] {
  const exact = pairs(before, after, ({ name, grid, block }) => `${name} ${grid.join('x')} ${block.join('x')}`);
  const usedBefore = new Set(exact.values());
  const loose = pairs(
    before.filter((kernel) => !usedBefore.has(kernel)),
    after.filter((kernel) => !exact.has(kernel)),
    ({ shortName }) => shortName,
  );
  const matched = after.map((kernel): KernelComparison => {
    const from = exact.get(kernel) ?? loose.get(kernel);
    const speedup =
      from?.durationNs !== undefined && kernel.durationNs ? from.durationNs / kernel.durationNs : undefined;
    return {
      kernel: kernel.name,
      before: from,
      after: kernel,
      shapeChanged: from !== undefined && !exact.has(kernel),
      speedup,
    };
  });
  const used = new Set([...exact.values(), ...loose.values()]);
  const gone = before
    .filter((kernel) => !used.has(kernel))
    .map((kernel): KernelComparison => ({ kernel: kernel.name, before: kernel, shapeChanged: false }));
  return [...matched, ...gone];
}

/** For each later launch its earlier one: the n-th of a key to the n-th. */
function pairs(
  before: readonly KernelMeasurement[],
  after: readonly KernelMeasurement[],
  keyOf: (kernel: KernelMeasurement) => string,
): Map<KernelMeasurement, KernelMeasurement> {
  const waiting = new Map<string, KernelMeasurement[]>();
  for (const kernel of before) {
    const queue = waiting.get(keyOf(kernel));
    if (queue) queue.push(kernel);
    else waiting.set(keyOf(kernel), [kernel]);
  }
  const found = new Map<KernelMeasurement, KernelMeasurement>();
  const taken = new Map<string, number>();
  for (const kernel of after) {
    const key = keyOf(kernel);
    const position = taken.get(key) ?? 0;
    const match = waiting.get(key)?.[position];
    if (!match) continue;
    taken.set(key, position + 1);
    found.set(kernel, match);
  }
  return found;
}

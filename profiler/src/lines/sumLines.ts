// Adds up measured lines and launches: over launches of a kernel, or over all kernels that share a line.
import type { KernelMeasurement, LineMetrics } from '../../../protocol/src/lineMetrics';

/** A line with the counters of several launches added up. */
export interface SummedLine {
  readonly file: string;
  readonly line: number;
  /** Names of the kernels, each once. */
  readonly kernels: readonly string[];
  readonly launches: readonly number[];
  readonly values: Readonly<Record<string, number>>;
  /** Values as fractions of the added totals of the launches in which the line was measured. */
  readonly shares: Readonly<Record<string, number>>;
}

/**
 * Adds lines up by file and line, apart by `keyOf` (the kernel's name, say; nothing by default). Totals come from the
 * launches themselves, since lines of a launch can add up to more than the launch.
 */
export function sumLines(
  lines: readonly LineMetrics[],
  kernels: readonly KernelMeasurement[],
  keyOf: (line: LineMetrics) => string = () => '',
): SummedLine[] {
  const totals = new Map(kernels.map((kernel) => [kernel.launch, kernel.values]));
  const groups = new Map<string, LineMetrics[]>();
  for (const line of lines) {
    const key = `${keyOf(line)}\n${line.line}\n${line.file}`;
    const group = groups.get(key);
    if (group) group.push(line);
    else groups.set(key, [line]);
  }
  return [...groups.values()].map((group) => {
    const values: Record<string, number> = {};
    for (const line of group)
      for (const [name, value] of Object.entries(line.values)) values[name] = (values[name] ?? 0) + value;
    const launches = [...new Set(group.map(({ launch }) => launch))];
    const shares: Record<string, number> = {};
    for (const [name, value] of Object.entries(values)) {
      const total = launches.reduce((sum, launch) => sum + (totals.get(launch)?.[name] ?? 0), 0);
      if (value !== 0 && total > 0) shares[name] = value / total;
    }
    return {
      file: group[0]!.file,
      line: group[0]!.line,
      kernels: [...new Set(group.map(({ kernel }) => kernel))],
      launches,
      values,
      shares,
    };
  });
}

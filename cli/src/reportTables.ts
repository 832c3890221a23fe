// A report as JSON and as CSV, alone or against a baseline.
import { describeDevice, type MeasuredLaunch, type Report } from '../../profiler/src/report';
import type { ReportComparison } from '../../profiler/src/lines/compareReports';
import type { KernelMeasurement } from '../../protocol/src/lineMetrics';
import type { ReportIo } from './reportIo';
import { cleanJson, cleanName } from './terminalText';

/** Prints lines as they are measured, so that a report of thousands of launches needs no more memory than one. */
export async function printJson(
  report: Report,
  launches: AsyncIterable<MeasuredLaunch>,
  by: 'line' | 'kernel',
  io: ReportIo,
): Promise<void> {
  const kernels: KernelMeasurement[] = [];
  const device = describeDevice(report);
  io.stdout(
    `{"version":1,"device":${jsonOf(device ?? null)},"devices":${jsonOf(report.devices.map(({ id, name }) => ({ id, name })))},"lines":[`,
  );
  let first = true;
  for await (const { kernel, lines } of launches) {
    kernels.push(kernel);
    if (by === 'kernel' || lines.length === 0) continue;
    io.stdout(`${first ? '' : ','}${lines.map((line) => jsonOf(line)).join(',')}`);
    first = false;
  }
  io.stdout(`],"kernels":${jsonOf(kernels)}}\n`);
}

/** JSON that is safe for a terminal. */
function jsonOf(value: unknown): string {
  return cleanJson(JSON.stringify(value));
}

/** Reads the report twice: first for the columns. */
export async function printCsv(
  measure: () => AsyncIterable<MeasuredLaunch>,
  by: 'line' | 'kernel',
  io: ReportIo,
): Promise<void> {
  const names = new Set<string>();
  for await (const { kernel, lines } of measure()) {
    const values = by === 'kernel' ? [kernel.values] : lines.slice(0, 1).map((line) => line.values);
    for (const name of values.flatMap((object) => Object.keys(object))) names.add(name);
  }
  const columns = [...names].sort();
  const head =
    by === 'line'
      ? ['file', 'line', 'kernel', 'launch']
      : ['launch', 'kernel', 'grid', 'block', 'device', 'duration_ns'];
  io.stdout(csvRow([...head, ...columns]));
  for await (const { kernel, lines } of measure()) {
    const rows =
      by === 'line'
        ? lines.map(({ file, line, kernel: name, launch, values }) => ({ cells: [file, line, name, launch], values }))
        : [
            {
              cells: [
                kernel.launch,
                kernel.name,
                kernel.grid.join('x'),
                kernel.block.join('x'),
                kernel.device,
                kernel.durationNs,
              ],
              values: kernel.values,
            },
          ];
    io.stdout(rows.map(({ cells, values }) => csvRow([...cells, ...columns.map((name) => values[name])])).join(''));
  }
}

/** A row of RFC 4180; an absent value is an empty cell. */
function csvRow(cells: readonly (string | number | undefined)[]): string {
  return `${cells.map((cell) => (typeof cell === 'string' ? csvCell(cleanName(cell)) : (cell ?? ''))).join(',')}\n`;
}

function csvCell(text: string): string {
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function printComparisonCsv({ kernels, lines }: ReportComparison, by: 'line' | 'kernel', io: ReportIo): void {
  if (by === 'kernel') {
    const rows = kernels.map(({ kernel, before, after, speedup }) => [
      kernel,
      before?.grid.join('x'),
      before?.block.join('x'),
      after?.grid.join('x'),
      after?.block.join('x'),
      before?.durationNs,
      after?.durationNs,
      speedup,
    ]);
    io.stdout('kernel,grid_before,block_before,grid_after,block_after,duration_before_ns,duration_after_ns,speedup\n');
    io.stdout(rows.map(csvRow).join(''));
    return;
  }
  const rows = lines.flatMap((line) => {
    const names = [...new Set([...Object.keys(line.before ?? {}), ...Object.keys(line.after ?? {})])].filter(
      (name) => line.before?.[name] || line.after?.[name],
    );
    return names.map((name) => [
      line.kernel,
      line.launchBefore,
      line.launchAfter,
      line.file,
      line.lineBefore,
      line.line,
      name,
      line.before?.[name],
      line.after?.[name],
    ]);
  });
  io.stdout('kernel,launch_before,launch_after,file,line_before,line,metric,before,after\n');
  io.stdout(rows.map(csvRow).join(''));
}

// Two reports beside each other on the command line: kernels by what they gained or lost, lines by what they cost or
// saved.
import { carryLines } from '../../profiler/src/lines/carryOver';
import { compareReports, filesIn, type ReportComparison } from '../../profiler/src/lines/compareReports';
import { changesBetween, type ReportChanges } from '../../profiler/src/overlay/changes';
import { changeRows } from '../../profiler/src/overlay/changesTable';
import { countedOnce, gatherKernels } from '../../profiler/src/overlay/kernels';
import { movedLines, sourceLines } from '../../profiler/src/overlay/movedLines';
import type { Launch, Report } from '../../profiler/src/report';
import type { KernelMeasurement } from '../../protocol/src/lineMetrics';
import type { ReadReport, ReportIo, SourceReader } from './reportIo';
import { textsOf } from './reportSources';
import { printComparisonCsv } from './reportTables';
import { heading, shapeText, table, timeText } from './reportText';
import { versioned, cleanName } from './terminalText';

export interface ComparisonPrint {
  readonly format: 'text' | 'json' | 'csv';
  readonly by: 'line' | 'kernel';
  readonly accepts: (launch: Launch) => boolean;
  /** Sources of the earlier and of the later report. */
  readonly before: SourceReader;
  readonly now: SourceReader;
}

export async function printComparison(
  baseline: ReadReport,
  current: ReadReport,
  { format, by, accepts, before, now }: ComparisonPrint,
  io: ReportIo,
): Promise<void> {
  const [then, text] = [await textsIn(baseline, before), await textsIn(current, now)];
  const fileNow = filesIn(current.measured);
  const carries = new Map<string, (line: number) => number | undefined>();
  for (const [file, old] of then) {
    const there = text.get(fileNow(file));
    if (there !== undefined) carries.set(file, carryLines(old, there).lineNow);
  }
  const comparison = compareReports(baseline.measured, current.measured, (file, line) => {
    const carry = carries.get(file);
    return carry ? carry(line) : line;
  });
  if (format === 'csv') return printComparisonCsv(comparison, by, io);
  const earlier = await kernelsOf(baseline.report, accepts);
  const later = await kernelsOf(current.report, accepts);
  const changes = changesBetween(earlier, later, movedLines(earlier, then, later, text));
  const [textBefore, textAfter] = [sourceLines(then), sourceLines(text)];
  const rows = changes.kernels.map((kernel) => ({ kernel, rows: changeRows(kernel, textBefore, textAfter) }));
  if (format === 'json') printComparisonJson(baseline, current, comparison, changes, by, io);
  else {
    io.stdout(`${heading(current.report, current.measured.kernels.length)}\n${kernelTable(comparison, changes)}`);
    if (by === 'line') for (const each of rows) io.stdout(lineTable(each));
  }
}

async function textsIn({ measured }: ReadReport, sources: SourceReader): Promise<ReadonlyMap<string, string>> {
  return textsOf(
    measured.lines.map(({ file }) => file),
    sources,
  );
}

async function kernelsOf(report: Report, accepts: (launch: Launch) => boolean) {
  return countedOnce((await gatherKernels({ ...report, launches: report.launches.filter(accepts) }, () => true))!);
}

function kernelTable({ kernels }: ReportComparison, { total }: ReportChanges): string {
  const all =
    total && kernels.length > 1
      ? [
          [
            'all kernels',
            timeText(total.beforeNs),
            timeText(total.afterNs),
            `${(total.beforeNs / total.afterNs).toFixed(2)}x`,
            'a launch of each',
          ],
        ]
      : [];
  return table(
    ['kernel', 'before', 'after', 'speed-up', ''],
    [
      ...kernels.map(({ kernel, before, after, shapeChanged, speedup }) => [
        cleanName(kernel),
        before?.durationNs === undefined ? '-' : timeText(before.durationNs),
        after?.durationNs === undefined ? '-' : timeText(after.durationNs),
        speedup === undefined ? '' : `${speedup.toFixed(2)}x`,
        !before ? 'new' : !after ? 'gone' : shapeChanged ? `was ${launchText(before)}, is ${launchText(after)}` : '',
      ]),
      ...all,
    ],
    [1, 2, 3],
  );
}

/**
 * What each line of a kernel cost or saved; what two runs of the same code differ by is left out, and said where
 * nothing is left.
 */
function lineTable({
  kernel,
  rows,
}: {
  readonly kernel: ReportChanges['kernels'][number];
  readonly rows: ReturnType<typeof changeRows>;
}): string {
  const { registersBefore, registersAfter } = kernel;
  const registers =
    registersBefore !== undefined && registersAfter !== undefined && registersBefore !== registersAfter
      ? `  registers ${registersBefore} -> ${registersAfter}`
      : '';
  const title = `\n${cleanName(kernel.after.name)}${registers}\n`;
  if (kernel.before.lines.length === 0 && kernel.after.lines.length === 0) return '';
  if (rows.length === 0) return `${title}  No line differs beyond run-to-run variation.\n`;
  return (
    title +
    table(
      ['  line', '', 'time', 'samples', 'sectors', 'wavefronts', 'instructions', 'first stall reason', ''],
      rows.map((row) => [
        `  ${cleanName(row.label)}`,
        row.state,
        plain(row.cost || row.verdict),
        plain(row.share),
        plain(row.sectors),
        plain(row.wavefronts),
        plain(row.instructions),
        plain(row.reason),
        cleanName(row.source),
      ]),
      [2, 3, 4, 5, 6],
    )
  );
}

/** Characters that every terminal can show. */
function plain(text: string): string {
  return text
    .replaceAll('→', '->')
    .replaceAll('−', '-')
    .replaceAll('×', 'x')
    .replaceAll('–', '-')
    .replaceAll('µs', 'us');
}

function printComparisonJson(
  baseline: ReadReport,
  current: ReadReport,
  comparison: ReportComparison,
  changes: ReportChanges,
  by: 'line' | 'kernel',
  io: ReportIo,
): void {
  const { device, kernels, lines } = current.measured;
  const earlier = {
    device: baseline.measured.device,
    kernels: baseline.measured.kernels,
    lines: by === 'line' ? baseline.measured.lines : [],
  };
  const comparedKernels = comparison.kernels.map(({ kernel, before, after, shapeChanged, speedup }) => ({
    kernel,
    launchBefore: before?.launch,
    launchAfter: after?.launch,
    durationBeforeNs: before?.durationNs,
    durationAfterNs: after?.durationNs,
    shapeChanged,
    speedup,
  }));
  const changed = changes.kernels.map(({ after, lines: all, ...kernel }) => ({
    kernel: after.name,
    durationBeforeNs: kernel.durationBeforeNs,
    durationAfterNs: kernel.durationAfterNs,
    durationChanged: kernel.durationChanged,
    registersBefore: kernel.registersBefore,
    registersAfter: kernel.registersAfter,
    lines: all.filter(({ verdict }) => verdict !== 'same').map(({ before: _before, after: _after, ...line }) => line),
  }));
  const printed = {
    device,
    kernels,
    lines: by === 'line' ? lines : [],
    baseline: earlier,
    comparison: { kernels: comparedKernels, lines: by === 'line' ? comparison.lines : [] },
    changes: by === 'line' ? changed : [],
  };
  io.stdout(`${versioned(printed)}\n`);
}

function launchText({ grid, block }: KernelMeasurement): string {
  return `<<<${shapeText(grid)}, ${shapeText(block)}>>>`;
}

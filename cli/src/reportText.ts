// A report as marked source: the kernels of a report and their hottest lines.
import { codeWords, localAccesses, mostRegisters } from '../../profiler/src/lines/instructionNames';
import { firstReason } from '../../profiler/src/overlay/marks';
import { fewThreads, hotPart, leastRatio, leastShare } from '../../profiler/src/overlay/thresholds';
import { reasonForNoLines } from '../../profiler/src/overlay/withoutLines';
import { describeDevice, type MeasuredLaunch, type Report } from '../../profiler/src/report';
import type { KernelMeasurement, LineMetrics } from '../../protocol/src/lineMetrics';
import type { ReportIo, SourceReader } from './reportIo';
import { cleanName } from './terminalText';

const samples = 'smsp__pcsamp_sample_count';

const notFound = 'source not found; use --path-map, or profile with --import-source yes';

/** The counter that ranks the lines of a launch: stall samples, else instructions. */
function heatOf(lines: readonly LineMetrics[]): string {
  return lines.some(({ values }) => values[samples]) ? samples : 'inst_executed';
}

export async function printText(
  report: Report,
  count: number,
  launches: AsyncIterable<MeasuredLaunch>,
  by: 'line' | 'kernel',
  sources: SourceReader,
  io: ReportIo,
): Promise<void> {
  io.stdout(`${heading(report, count)}\n`);
  const kernels: KernelMeasurement[] = [];
  for await (const { kernel, lines } of launches) {
    if (by === 'kernel') {
      kernels.push(kernel);
      continue;
    }
    io.stdout(`\n${kernelTitle(kernel)}\n`);
    if (lines.length === 0) {
      io.stdout(`  No lines: ${reasonForNoLines(kernel)}.\n`);
      continue;
    }
    const heat = heatOf(lines);
    const hottest = lines.reduce((all, { shares }) => Math.max(all, shares[heat] ?? 0), 0);
    const most = { share: hottest, registers: mostRegisters(lines) };
    for (const file of new Set(lines.map((line) => line.file))) {
      const text = await sources(file);
      io.stdout(`  ${cleanName(file)}${text ? '' : `  (${notFound})`}\n`);
      io.stdout(
        listing(
          lines.filter((line) => line.file === file),
          text,
          kernel.values,
          heat,
          most,
        ),
      );
    }
  }
  if (by === 'kernel') io.stdout(kernelTable(kernels));
}

export function heading(report: Report, launches: number): string {
  const device = describeDevice(report);
  const versions = Object.assign({}, ...report.sessions.map((session) => session.versions)) as Record<string, string>;
  const ncu = Object.entries(versions)
    .find(([provider]) => provider.startsWith('Nsight Compute'))?.[1]
    ?.split(' ')[0];
  const parts = [
    device && `${device.name}${device.computeCapability ? ` (compute capability ${device.computeCapability})` : ''}`,
    versions['CUDA Version'] && `CUDA ${versions['CUDA Version']}`,
    ncu && `Nsight Compute ${ncu}`,
    `${launches} ${launches === 1 ? 'launch' : 'launches'}`,
  ];
  return cleanName(parts.filter((part) => part).join(', '));
}

function kernelTitle(kernel: KernelMeasurement): string {
  const shape =
    kernel.kind === 'kernel'
      ? `  <<<${shapeText(kernel.grid)}, ${shapeText(kernel.block)}>>>`
      : `  (${cleanName(kernel.kind)})`;
  const count = kernel.values[samples];
  return (
    `[${kernel.launch}] ${cleanName(kernel.name)}${shape}` +
    `${kernel.durationNs === undefined ? '' : `  ${timeText(kernel.durationNs)}`}` +
    `${count === undefined ? '' : `  ${count} samples`}`
  );
}

/** Lines between marked ones are shown too, unless there are many of them. */
const longestGap = 3;

function listing(
  lines: readonly LineMetrics[],
  text: readonly string[] | undefined,
  totals: KernelMeasurement['values'],
  heat: string,
  most: { readonly share: number; readonly registers: number },
): string {
  let output = '';
  let previous: number | undefined;
  const width = String(lines[lines.length - 1]!.line).length;
  for (const line of lines) {
    if (previous !== undefined && line.line - previous - 1 > longestGap) output += `          ${' '.repeat(width)} …\n`;
    else if (previous !== undefined && text)
      for (let between = previous + 1; between < line.line; between++)
        output += row('', ' ', between, width, text[between - 1], '');
    const share = line.shares[heat] ?? 0;
    const inclusive = (line.values[heat] ?? 0) / (totals[heat] || Infinity);
    const mark = share > 0 && share >= most.share * hotPart ? '>' : ' ';
    output += row(
      share >= leastShare ? `${(share * 100).toFixed(1)} %` : '',
      mark,
      line.line,
      width,
      text?.[line.line - 1],
      remarks(line, share, inclusive, most.registers),
    );
    previous = line.line;
  }
  return output;
}

function row(
  share: string,
  mark: string,
  line: number,
  width: number,
  text: string | undefined,
  remark: string,
): string {
  const source = text === undefined ? '' : ` ${cleanName(text.replaceAll('\t', '    '))}`;
  const place = `  ${share.padStart(6)} ${mark} ${String(line).padStart(width)} |`;
  return `${`${place}${source}${remark ? `    // ${remark}` : ''}`.trimEnd()}\n`;
}

/**
 * `45.7 % with inlined __shfl_down_sync`: a share that includes code which is listed on another line. A line that
 * ncu counts twice for one instruction includes itself.
 */
export function withInlined(share: number, inlined: readonly string[] = []): string {
  const names = inlined.map((name) => cleanName(name.split('::').at(-1)!));
  return `${(share * 100).toFixed(1)} % ${names.length > 0 ? `with inlined ${names.join(', ')}` : 'as ncu counts it'}`;
}

/**
 * The remark after a line: what its counters include of inlined code, how far its memory accesses are above ideal,
 * divergence, and stall reasons.
 * @param inclusive its share as ncu counts it, with the code inlined there
 * @param most live registers of any line of the kernel
 */
function remarks(line: LineMetrics, share: number, inclusive: number, most: number): string {
  const { values, inlined } = line;
  const ratio = (actual: string, what: string) => {
    const ideal = values[`${actual}_ideal`];
    const value = values[actual];
    return ideal && value && value / ideal >= leastRatio ? `${(value / ideal).toFixed(1)}x ${what}` : '';
  };
  const threads = values['inst_executed']
    ? (values['thread_inst_executed_true'] ?? NaN) / values['inst_executed']
    : NaN;
  const parts = [
    share < inclusive && inclusive >= leastShare ? withInlined(inclusive, inlined) : '',
    ratio('memory_l2_theoretical_sectors_global', 'sectors'),
    ratio('memory_l1_wavefronts_shared', 'wavefronts'),
    values['smsp__branch_targets_threads_divergent']
      ? `${values['smsp__branch_targets_threads_divergent']} divergent branches`
      : '',
    threads < fewThreads && inclusive >= leastShare ? `${threads.toFixed(0)} of 32 threads` : '',
    inclusive >= leastShare ? (firstReason(values) ?? '') : '',
    values['memory_l2_theoretical_sectors_local'] && !localAccesses(line.instructions) ? 'local memory' : '',
    ...codeWords(line, most),
  ];
  return parts.filter((part) => part !== '').join(', ');
}

function kernelTable(kernels: readonly KernelMeasurement[]): string {
  const rows = kernels.map((kernel) => [
    String(kernel.launch),
    cleanName(kernel.name),
    shapeText(kernel.grid),
    shapeText(kernel.block),
    kernel.durationNs === undefined ? '' : timeText(kernel.durationNs),
    percent(kernel.values['gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed']),
    percent(kernel.values['sm__throughput.avg.pct_of_peak_sustained_elapsed']),
    percent(kernel.values['sm__warps_active.avg.pct_of_peak_sustained_active']),
    firstReason(kernel.values) ?? '',
  ]);
  return table(
    ['', 'kernel', 'grid', 'block', 'duration', 'memory', 'SM', 'occupancy', 'first stall'],
    rows,
    [0, 4, 5, 6, 7],
  );
}

export function table(head: readonly string[], rows: readonly (readonly string[])[], right: readonly number[]): string {
  const widths = head.map((name, column) => Math.max(name.length, ...rows.map((cells) => cells[column]!.length)));
  return [head, ...rows]
    .map(
      (cells) =>
        `${cells
          .map((cell, column) =>
            right.includes(column) ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!),
          )
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

function percent(value: number | undefined): string {
  return value === undefined ? '' : `${value.toFixed(0)}%`;
}

export function shapeText(shape: readonly [number, number, number]): string {
  const [x, y, z] = shape;
  return z > 1 ? `(${x}, ${y}, ${z})` : y > 1 ? `(${x}, ${y})` : String(x);
}

export function timeText(nanoseconds: number): string {
  if (nanoseconds >= 1e9) return `${(nanoseconds / 1e9).toFixed(2)} s`;
  if (nanoseconds >= 1e6) return `${(nanoseconds / 1e6).toFixed(2)} ms`;
  return `${(nanoseconds / 1e3).toFixed(2)} us`;
}

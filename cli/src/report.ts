// `warplens report`: prints what a report of Nsight Compute says of each line, as marked source, JSON or CSV, alone or against a baseline.
import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import {
  describeDevice,
  measureLaunches,
  measureReport,
  openReport,
  ReportError,
  type ByteSource,
  type Launch,
  type MeasuredLaunch,
  type Report,
} from '../../profiler/src/report/index';
import { firstReason } from '../../profiler/src/overlay/marks';
import { fewThreads, hotPart, leastRatio, leastShare } from '../../profiler/src/overlay/thresholds';
import { mapPath, type PathMap } from '../../profiler/src/lines/sourceMapping';
import { openFileSource } from '../../profiler/src/transport/fileByteSource';
import type { KernelMeasurement, LineMetrics, MeasuredReport } from '../../protocol/src/lineMetrics';
import type { LineComparison, ReportComparison } from '../../profiler/src/lines/compareReports';

export interface ReportOptions {
  readonly report: string;
  readonly format?: string;
  /** A part of a kernel's name, or a regular expression between slashes. */
  readonly kernel?: string;
  readonly by?: string;
  readonly baseline?: string;
  /** Each `FROM=TO`. */
  readonly pathMap?: readonly string[];
  /** Also print, in JSON, the call sites of inlined code. */
  readonly callers?: boolean;
}

/** Where the command reads and writes. Tests give their own. */
export interface ReportIo {
  stdout(text: string): void;
  stderr(text: string): void;
  open(path: string): Promise<ByteSource & { close(): Promise<void> }>;
  /** Text of a file; undefined where it cannot be read. */
  readText(path: string): Promise<string | undefined>;
}

export const nodeIo: ReportIo = {
  stdout: (text) => void process.stdout.write(text),
  stderr: (text) => void process.stderr.write(text),
  open: openFileSource,
  readText: (path) => readFile(path, 'utf8').catch(() => undefined),
};

/** Adds the command to the program; the exit code of the process is set when it ends. */
export function registerReport(program: Command): void {
  program
    .command('report')
    .description('show what an Nsight Compute report (.ncu-rep) measured on each line; needs no NVIDIA software')
    .argument('<report>', 'the report, written by ncu --export or warplens profile')
    .option('--format <format>', 'text (source with its hottest lines marked), json or csv', 'text')
    .option('--kernel <name>', 'only kernels whose name contains this, or matches it as /regular expression/')
    .option('--by <unit>', 'line or kernel', 'line')
    .option('--baseline <report>', 'an earlier report to compare with')
    .option(
      '--path-map <from=to>',
      'read sources under the folder "to" instead of "from"; can be repeated',
      (value: string, earlier: string[]) => [...earlier, value],
      [] as string[],
    )
    .option('--callers', 'in JSON, also give the call sites of inlined code')
    .action(async (report: string, options: Omit<ReportOptions, 'report'>) => {
      // A reader that has seen enough (`| head`) is no failure.
      process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
      process.exitCode = await runReport({ ...options, report });
    });
}

/** Exit codes: 0 done, 2 the report cannot be read or the command cannot be carried out as given. */
export async function runReport(options: ReportOptions, io: ReportIo = nodeIo): Promise<number> {
  const { format = 'text', by = 'line' } = options;
  if (format !== 'text' && format !== 'json' && format !== 'csv')
    return fail(io, `There is no format "${format}". Use --format text, json or csv.`);
  if (by !== 'line' && by !== 'kernel') return fail(io, `Cannot report by "${by}". Use --by line or --by kernel.`);
  const maps: PathMap[] = [];
  for (const text of options.pathMap ?? []) {
    const at = text.indexOf('=');
    if (at < 1 || at === text.length - 1)
      return fail(
        io,
        `The path map "${text}" does not say what to put for what. Write --path-map /folder/there=/folder/here.`,
      );
    maps.push({ from: text.slice(0, at), to: text.slice(at + 1) });
  }
  const filter = kernelFilter(options.kernel);
  if (typeof filter === 'string') return fail(io, filter);
  const current = await open(options.report, io);
  if (typeof current === 'number') return current;
  const opened = [current];
  try {
    if (!current.report.launches.some(filter)) return fail(io, noKernels(options.kernel, current.report));
    const measure = () => measureLaunches(current.report, filter, { callers: options.callers });
    const sources = sourceReader(current.report, maps, io);
    if (options.baseline !== undefined) {
      const baseline = await open(options.baseline, io);
      if (typeof baseline === 'number') return baseline;
      opened.push(baseline);
      const before = { report: baseline.report, measured: await gather(baseline.report, filter, options) };
      const after = { report: current.report, measured: await gather(current.report, filter, options) };
      await printComparison(before, after, format, by, maps, sources, io);
    } else if (format === 'json') await printJson(current.report, measure(), by, io);
    else if (format === 'csv') await printCsv(measure, by, io);
    else await printText(current.report, current.report.launches.filter(filter).length, measure(), by, sources, io);
    return 0;
  } catch (error) {
    return readFailure(io, opened[opened.length - 1]!.path, error);
  } finally {
    for (const { close } of opened) await close();
  }
}

interface OpenedReport {
  readonly path: string;
  readonly report: Report;
  close(): Promise<void>;
}

async function open(path: string, io: ReportIo): Promise<OpenedReport | number> {
  let source: Awaited<ReturnType<ReportIo['open']>>;
  try {
    source = await io.open(path);
  } catch (error) {
    const { code } = error as { code?: string };
    const reason =
      code === 'ENOENT'
        ? 'there is no such file'
        : code === 'EACCES'
          ? 'it may not be read'
          : ((error as Error).message ?? String(error));
    io.stderr(`Cannot open ${path}: ${reason}. Give the path of a .ncu-rep file.\n`);
    return 2;
  }
  try {
    return { path, report: await openReport(source), close: () => source.close() };
  } catch (error) {
    await source.close();
    return readFailure(io, path, error);
  }
}

interface ReadReport {
  readonly report: Report;
  readonly measured: MeasuredReport;
}

/** All launches in memory, as a comparison needs them; a report alone is printed launch by launch. */
async function gather(
  report: Report,
  accepts: (launch: Launch) => boolean,
  options: ReportOptions,
): Promise<MeasuredReport> {
  return measureReport(report, { accepts, callers: options.callers });
}

function fail(io: ReportIo, message: string): number {
  io.stderr(`${message}\n`);
  return 2;
}

/** Says in one line why a report cannot be read: what is wrong with it, or with the disk. Other errors are ours and go on. */
function readFailure(io: ReportIo, path: string, error: unknown): number {
  const { code, message } = error as NodeJS.ErrnoException;
  if (error instanceof ReportError) io.stderr(`${path}: ${message}\n`);
  else if (code === 'EISDIR') io.stderr(`${path} is a folder. Give the path of a .ncu-rep file.\n`);
  else if (code !== undefined) io.stderr(`Cannot read ${path}: ${message}.\n`);
  else throw error;
  return 2;
}

/** The filter of --kernel; a string says what is wrong with it. */
export function kernelFilter(
  text: string | undefined,
): ((launch: { readonly name: string; readonly mangledName?: string }) => boolean) | string {
  if (text === undefined || text === '') return () => true;
  const expression = /^\/(.+)\/(i?)$/.exec(text);
  if (!expression) return ({ name, mangledName }) => name.includes(text) || mangledName === text;
  try {
    const pattern = new RegExp(expression[1]!, expression[2]);
    return ({ name }) => pattern.test(name);
  } catch (error) {
    return `The kernel filter ${text} is not a regular expression: ${(error as Error).message}.`;
  }
}

function noKernels(filter: string | undefined, report: Report): string {
  const names = [...new Set(report.launches.map(({ shortName }) => shortName))];
  if (names.length === 0)
    return 'The report holds no kernels: ncu profiled none. Check its kernel filter and that the program launches kernels.';
  const shown = names.slice(0, 12).join(', ');
  return `No kernel matches "${filter}". The report has ${shown}${names.length > 12 ? ` and ${names.length - 12} more` : ''}.`;
}

/** Prints lines as they are measured, so that a report of thousands of launches needs no more memory than one. */
async function printJson(
  report: Report,
  launches: AsyncIterable<MeasuredLaunch>,
  by: 'line' | 'kernel',
  io: ReportIo,
): Promise<void> {
  const kernels: KernelMeasurement[] = [];
  const device = describeDevice(report);
  io.stdout(
    `{"device":${JSON.stringify(device ?? null)},"devices":${JSON.stringify(report.devices.map(({ id, name }) => ({ id, name })))},"lines":[`,
  );
  let first = true;
  for await (const { kernel, lines } of launches) {
    kernels.push(kernel);
    if (by === 'kernel' || lines.length === 0) continue;
    io.stdout(`${first ? '' : ','}${lines.map((line) => JSON.stringify(line)).join(',')}`);
    first = false;
  }
  io.stdout(`],"kernels":${JSON.stringify(kernels)}}\n`);
}

/** Reads the report twice: first for the columns that there are. */
async function printCsv(
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
  return `${cells.map((cell) => (typeof cell === 'string' && /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : (cell ?? ''))).join(',')}\n`;
}

type SourceReader = (file: string) => Promise<string[] | undefined>;

/** Reads sources as they were profiled: from the report, else from the disk. */
function sourceReader(report: Report, maps: readonly PathMap[], io: ReportIo): SourceReader {
  const known = new Map<string, Promise<string[] | undefined>>();
  const load = async (file: string) => {
    const text = (await report.readSource(file)) ?? (await io.readText(mapPath(file, maps) ?? file));
    return text?.split(/\r?\n/);
  };
  return (file) => {
    let lines = known.get(file);
    if (!lines) known.set(file, (lines = load(file)));
    return lines;
  };
}

const samples = 'smsp__pcsamp_sample_count';

/** What the lines of a launch are ranked by: stall samples, or instructions where there are none. */
function heatOf(lines: readonly LineMetrics[]): string {
  return lines.some(({ values }) => values[samples]) ? samples : 'inst_executed';
}

async function printText(
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
      io.stdout(`  ${reasonForNoLines(kernel)}\n`);
      continue;
    }
    const heat = heatOf(lines);
    const hottest = lines.reduce((most, { shares }) => Math.max(most, shares[heat] ?? 0), 0);
    for (const file of new Set(lines.map((line) => line.file))) {
      const text = await sources(file);
      io.stdout(
        `  ${file}${text ? '' : '  (source not found; give --path-map, or profile with --import-source yes)'}\n`,
      );
      io.stdout(
        listing(
          lines.filter((line) => line.file === file),
          text,
          heat,
          hottest,
        ),
      );
    }
  }
  if (by === 'kernel') io.stdout(kernelTable(kernels));
}

function heading(report: Report, launches: number): string {
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
  return parts.filter((part) => part).join(', ');
}

function kernelTitle(kernel: KernelMeasurement): string {
  const shape =
    kernel.kind === 'kernel' ? `  <<<${shapeText(kernel.grid)}, ${shapeText(kernel.block)}>>>` : `  (${kernel.kind})`;
  const count = kernel.values[samples];
  return `[${kernel.launch}] ${kernel.name}${shape}${kernel.durationNs === undefined ? '' : `  ${timeText(kernel.durationNs)}`}${count === undefined ? '' : `  ${count} samples`}`;
}

function reasonForNoLines({ withoutLines }: KernelMeasurement): string {
  switch (withoutLines) {
    case 'no line table':
      return 'No lines: its code has no line table. Compile with nvcc -lineinfo.';
    case 'no per-instruction metrics':
      return 'No lines: the counters of single instructions were not collected. Profile with --set detailed, --set full or --section SourceCounters.';
    case 'no source record':
      return 'No lines: the report does not hold its machine code.';
    default:
      return 'No lines: no instruction of it belongs to a line.';
  }
}

/** Lines between marked ones are shown too, unless there are many of them. */
const longestGap = 3;

function listing(
  lines: readonly LineMetrics[],
  text: readonly string[] | undefined,
  heat: string,
  hottest: number,
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
    const mark = share > 0 && share >= hottest * hotPart ? '>' : ' ';
    output += row(
      share >= leastShare ? `${(share * 100).toFixed(1)}%` : '',
      mark,
      line.line,
      width,
      text?.[line.line - 1],
      remarks(line, share),
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
  const source = text === undefined ? '' : ` ${text.replaceAll('\t', '    ')}`;
  return `${`  ${share.padStart(6)} ${mark} ${String(line).padStart(width)} |${source}${remark ? `    // ${remark}` : ''}`.trimEnd()}\n`;
}

/** What stands behind a line: how far its memory accesses are above ideal, divergence, and why its warps waited. */
function remarks({ values }: LineMetrics, share: number): string {
  const ratio = (actual: string, what: string) => {
    const ideal = values[`${actual}_ideal`];
    const value = values[actual];
    return ideal && value && value / ideal >= leastRatio ? `${(value / ideal).toFixed(1)}x ${what}` : '';
  };
  const threads = values['inst_executed']
    ? (values['thread_inst_executed_true'] ?? NaN) / values['inst_executed']
    : NaN;
  const parts = [
    ratio('memory_l2_theoretical_sectors_global', 'sectors'),
    ratio('memory_l1_wavefronts_shared', 'wavefronts'),
    values['memory_l2_theoretical_sectors_local'] ? 'local memory' : '',
    values['smsp__branch_targets_threads_divergent']
      ? `${values['smsp__branch_targets_threads_divergent']} divergent branches`
      : '',
    threads < fewThreads && share >= leastShare ? `${threads.toFixed(0)} of 32 threads` : '',
    share >= leastShare ? (firstReason(values) ?? '') : '',
  ];
  return parts.filter((part) => part !== '').join(', ');
}

function kernelTable(kernels: readonly KernelMeasurement[]): string {
  const rows = kernels.map((kernel) => [
    String(kernel.launch),
    kernel.name,
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

function table(head: readonly string[], rows: readonly (readonly string[])[], right: readonly number[]): string {
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

function shapeText(shape: readonly [number, number, number]): string {
  const [x, y, z] = shape;
  return z > 1 ? `(${x}, ${y}, ${z})` : y > 1 ? `(${x}, ${y})` : String(x);
}

function timeText(nanoseconds: number): string {
  if (nanoseconds >= 1e9) return `${(nanoseconds / 1e9).toFixed(2)} s`;
  if (nanoseconds >= 1e6) return `${(nanoseconds / 1e6).toFixed(2)} ms`;
  return `${(nanoseconds / 1e3).toFixed(2)} us`;
}

async function printComparison(
  baseline: ReadReport,
  current: ReadReport,
  format: 'text' | 'json' | 'csv',
  by: 'line' | 'kernel',
  maps: readonly PathMap[],
  sources: SourceReader,
  io: ReportIo,
): Promise<void> {
  // Loaded here alone: the diff library is not needed to read one report.
  const { compareReports, filesIn } = await import('../../profiler/src/lines/compareReports');
  const { carryLines } = await import('../../profiler/src/lines/carryOver');
  const before = sourceReader(baseline.report, maps, io);
  const fileNow = filesIn(current.measured);
  const carries = new Map<string, (line: number) => number | undefined>();
  for (const file of new Set(baseline.measured.lines.map((line) => line.file))) {
    const [then, now] = [await before(file), await sources(fileNow(file))];
    if (then && now) carries.set(file, carryLines(then.join('\n'), now.join('\n')).lineNow);
  }
  const comparison = compareReports(baseline.measured, current.measured, (file, line) => {
    const carry = carries.get(file);
    return carry ? carry(line) : line;
  });
  if (format === 'json') {
    const { device, kernels, lines } = current.measured;
    const earlier = {
      device: baseline.measured.device,
      kernels: baseline.measured.kernels,
      lines: by === 'line' ? baseline.measured.lines : [],
    };
    const comparedKernels = comparison.kernels.map(({ kernel, before: from, after: to, shapeChanged, speedup }) => ({
      kernel,
      launchBefore: from?.launch,
      launchAfter: to?.launch,
      durationBeforeNs: from?.durationNs,
      durationAfterNs: to?.durationNs,
      shapeChanged,
      speedup,
    }));
    io.stdout(
      `${JSON.stringify({ device, kernels, lines: by === 'line' ? lines : [], baseline: earlier, comparison: { kernels: comparedKernels, lines: by === 'line' ? comparison.lines : [] } })}\n`,
    );
  } else if (format === 'csv') printComparisonCsv(comparison, by, io);
  else await printComparisonText(comparison, current, by, sources, io);
}

function printComparisonCsv({ kernels, lines }: ReportComparison, by: 'line' | 'kernel', io: ReportIo): void {
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
    io.stdout(
      [
        [
          'kernel',
          'grid_before',
          'block_before',
          'grid_after',
          'block_after',
          'duration_before_ns',
          'duration_after_ns',
          'speedup',
        ],
        ...rows,
      ]
        .map(csvRow)
        .join(''),
    );
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
  io.stdout(
    [['kernel', 'launch_before', 'launch_after', 'file', 'line_before', 'line', 'metric', 'before', 'after'], ...rows]
      .map(csvRow)
      .join(''),
  );
}

async function printComparisonText(
  comparison: ReportComparison,
  current: ReadReport,
  by: 'line' | 'kernel',
  sources: SourceReader,
  io: ReportIo,
): Promise<void> {
  io.stdout(`${heading(current.report, current.measured.kernels.length)}\n`);
  const rows = comparison.kernels.map(({ kernel, before, after, shapeChanged, speedup }) => [
    kernel,
    before?.durationNs === undefined ? '-' : timeText(before.durationNs),
    after?.durationNs === undefined ? '-' : timeText(after.durationNs),
    speedup === undefined ? '' : `${speedup.toFixed(2)}x`,
    !before
      ? 'new'
      : !after
        ? 'gone'
        : shapeChanged
          ? `was <<<${shapeText(before.grid)}, ${shapeText(before.block)}>>>, is <<<${shapeText(after.grid)}, ${shapeText(after.block)}>>>`
          : '',
  ]);
  io.stdout(table(['kernel', 'before', 'after', 'speed-up', ''], rows, [1, 2, 3]));
  if (by === 'kernel') return;
  for (const { kernel, before, after } of comparison.kernels) {
    if (!before || !after) continue;
    const changed = comparison.lines.filter(
      (line) => line.launchAfter === after.launch && isWorthALine(line, before, after),
    );
    if (changed.length === 0) continue;
    io.stdout(`\n[${before.launch} -> ${after.launch}] ${kernel}\n`);
    for (const file of new Set(changed.map((line) => line.file))) {
      const text = await sources(file);
      io.stdout(`  ${file}\n`);
      const own = changed
        .filter((line) => line.file === file)
        .sort((a, b) => (a.line ?? a.lineBefore!) - (b.line ?? b.lineBefore!));
      io.stdout(
        table(
          ['   line', 'samples before', 'after', 'sectors before', 'after', 'wavefronts before', 'after', ''],
          own.map((line) => [
            `   ${line.line ?? `(${line.lineBefore})`}`,
            ...[samples, 'memory_l2_theoretical_sectors_global', 'memory_l1_wavefronts_shared'].flatMap((name) => [
              amount(line.before?.[name]),
              amount(line.after?.[name]),
            ]),
            line.line === undefined ? 'changed since' : (text?.[line.line - 1]?.trim() ?? ''),
          ]),
          [0, 1, 2, 3, 4, 5, 6],
        ),
      );
    }
  }
}

/** Lines with a share of the samples that is worth a mark, on either side. */
function isWorthALine(line: LineComparison, before: KernelMeasurement, after: KernelMeasurement): boolean {
  const share = (values: Readonly<Record<string, number>> | undefined, kernel: KernelMeasurement) =>
    (values?.[samples] ?? 0) / (kernel.values[samples] || Infinity);
  return share(line.before, before) >= leastShare || share(line.after, after) >= leastShare;
}

function amount(value: number | undefined): string {
  return value === undefined ? '-' : String(value);
}

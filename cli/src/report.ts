// `warplens report`: prints what a report of Nsight Compute or a timeline of Nsight Systems says of each line, as
// marked source, JSON or CSV, alone or against a baseline.
import type { Command } from 'commander';
import { addOptions } from './options';
import type { PathMap } from '../../profiler/src/lines/sourceMapping';
import {
  measureLaunches,
  measureReport,
  openReport,
  ReportError,
  type ByteSource,
  type Report,
} from '../../profiler/src/report';
import { comparisonRemarks } from '../../profiler/src/report/dialects';
import { keptBeside, nodeIo, type ReportIo } from './reportIo';
import { sourceReader } from './reportSources';
import { printCsv, printJson } from './reportTables';
import { whyUnreadable } from './source';
import { printText } from './reportText';
import { cleanName } from './terminalText';

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
  /** Print the machine code of each kernel in place of its lines. */
  readonly sass?: boolean;
  /** `FILE:N`: only the instructions of this line. */
  readonly line?: string;
}

/** Adds the command to the program; the exit code of the process is set when it ends. */
export function registerReport(program: Command): void {
  addOptions(program.command('report'), 'report')
    .argument('<report>', 'written by ncu --export, warplens profile, or nsys export --type sqlite')
    .action(async (report: string, options: Omit<ReportOptions, 'report'>) => {
      process.exitCode = await runReport({ ...options, report });
    });
}

/** Exit codes: 0 done, 2 unreadable report or bad use. */
export async function runReport(options: ReportOptions, io: ReportIo = nodeIo): Promise<number> {
  const { format = 'text', by = 'line' } = options;
  if (format !== 'text' && format !== 'json' && format !== 'csv')
    return fail(io, `Unknown format "${format}". Use --format text, json or csv.`);
  if (by !== 'line' && by !== 'kernel') return fail(io, `Invalid --by "${by}": use line or kernel.`);
  const maps: PathMap[] = [];
  for (const text of options.pathMap ?? []) {
    const at = text.indexOf('=');
    if (at < 1 || at === text.length - 1)
      return fail(io, `Invalid --path-map "${text}": use FROM=TO, such as /folder/there=/folder/here.`);
    maps.push({ from: text.slice(0, at), to: text.slice(at + 1) });
  }
  const place = options.line === undefined ? undefined : /^(.+):(\d+)$/.exec(options.line);
  if (place === null) return fail(io, `Invalid --line "${options.line}": use FILE:LINE, such as kernel.cu:12.`);
  if (place && !options.sass) return fail(io, '--line requires --sass.');
  if (options.sass && format === 'csv')
    return fail(io, '--sass cannot be combined with this format: use text or json.');
  const filter = kernelFilter(options.kernel);
  if (typeof filter === 'string') return fail(io, filter);
  const current = await open(options.report, io, options);
  if (typeof current === 'number') return current;
  const opened = [current];
  try {
    if (!current.report.launches.some(filter)) return fail(io, noKernels(options.kernel, current.report));
    if (options.sass) {
      if (options.baseline !== undefined) {
        const baseline = await open(options.baseline, io);
        if (typeof baseline === 'number') return baseline;
        await baseline.close();
      }
      const { printSass } = await import('./reportSass');
      const line = place ? { file: place[1]!, line: Number(place[2]) } : undefined;
      // The earlier report first, as in the editor.
      const sides = [...(options.baseline === undefined ? [] : [options.baseline]), options.report];
      return await printSass(sides, { format: format === 'json' ? 'json' : 'text', accepts: filter, line }, io);
    }
    for (const remark of current.report.remarks) io.stderr(`note: ${cleanName(remark)}\n`);
    const lineOptions = async (path: string) => ({ callers: options.callers, kept: await keptBeside(path, io) });
    const ofCurrent = await lineOptions(options.report);
    const measure = () => measureLaunches(current.report, filter, ofCurrent);
    const sources = sourceReader(current.report, maps, io);
    if (options.baseline !== undefined) {
      const baseline = await open(options.baseline, io);
      if (typeof baseline === 'number') return baseline;
      opened.push(baseline);
      // All launches in memory, as a comparison needs them; a report alone is printed launch by launch.
      for (const remark of comparisonRemarks(baseline.report, current.report)) io.stderr(`note: ${remark}\n`);
      const gather = async ({ report, path }: OpenedReport) => ({
        report,
        measured: await measureReport(report, { accepts: filter, ...(await lineOptions(path)) }),
      });
      const [before, after] = [await gather(baseline), await gather(current)];
      // Loaded only here: the diff library is not needed to read one report.
      const { printComparison } = await import('./reportComparison');
      await printComparison(
        before,
        after,
        { format, by, accepts: filter, before: sourceReader(baseline.report, maps, io), now: sources },
        io,
      );
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

/** @param asked given for a single report: a timeline is printed at once, and its exit code returned. */
async function open(path: string, io: ReportIo, asked?: ReportOptions): Promise<OpenedReport | number> {
  let source: Awaited<ReturnType<ReportIo['open']>>;
  try {
    source = await io.open(path);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === undefined ? message : `it ${whyUnreadable(error, path)}`;
    io.stderr(`Cannot open ${path}: ${reason}. Give the path of a .ncu-rep or .sqlite file.\n`);
    return 2;
  }
  try {
    if (asked && (await isTimeline(path, source))) {
      const { reportTimeline } = await import('./timelineReport');
      const code = await reportTimeline(source, asked, io);
      await source.close();
      return code;
    }
    return { path, report: await openReport(source), close: () => source.close() };
  } catch (error) {
    await source.close();
    return readFailure(io, path, error);
  }
}

/** By its first bytes; a file with the right extension is read as one too, so that its error is reported. */
async function isTimeline(path: string, source: ByteSource): Promise<boolean> {
  if (/\.sqlite3?$/i.test(path)) return true;
  const head = new Uint8Array(16);
  return (
    (await source.read(0, head)) === head.length && new TextDecoder('latin1').decode(head).startsWith('SQLite format 3')
  );
}

function fail(io: ReportIo, message: string): number {
  io.stderr(`${cleanName(message)}\n`);
  return 2;
}

/**
 * Says in one line why a report cannot be read: what is wrong with it, or with the disk. Other errors are ours and go
 * on.
 */
function readFailure(io: ReportIo, path: string, error: unknown): number {
  const { code, message } = error as NodeJS.ErrnoException;
  if (error instanceof ReportError) io.stderr(`${cleanName(path)}: ${cleanName(message)}\n`);
  else if (code === 'EISDIR') io.stderr(`${path} is a folder. Give the path of a .ncu-rep file.\n`);
  else if (code !== undefined) io.stderr(`Cannot read ${path}: ${message}.\n`);
  else throw error;
  return 2;
}

/** The filter of --kernel, or a string with the error. */
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
    return `Invalid --kernel ${text}: ${(error as Error).message}.`;
  }
}

function noKernels(filter: string | undefined, report: Report): string {
  const names = [...new Set(report.launches.map(({ shortName }) => shortName))];
  if (names.length === 0)
    return (
      'The report contains no kernels: ncu profiled none. Check its kernel filter and that the program ' +
      'launches kernels.'
    );
  const shown = names.slice(0, 12).join(', ');
  return (
    `No kernel matches "${filter}". The report has ` +
    `${shown}${names.length > 12 ? ` and ${names.length - 12} more` : ''}.`
  );
}

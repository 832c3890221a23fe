// An agent's questions on Nsight Compute reports: the hottest lines with their reasons, and two reports compared.
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { openFileSource } from '../../../profiler/src/transport/fileByteSource';
import { countedOnce, counters, gatherKernels, type ProfiledKernel } from '../../../profiler/src/overlay/kernels';
import { excessesOf, reasonsOf, shareOf, stallReasonsOf, threadsOf } from '../../../profiler/src/overlay/marks';
import { leastShare } from '../../../profiler/src/overlay/thresholds';
import { verdictOn } from '../../../profiler/src/overlay/reportPage';
import { reasonForNoLines } from '../../../profiler/src/overlay/withoutLines';
import { changesBetween, type KernelChange } from '../../../profiler/src/overlay/changes';
import { changeRows } from '../../../profiler/src/overlay/changesTable';
import { movedLines, sourceLines } from '../../../profiler/src/overlay/movedLines';
import { openReport, ReportError, type Report } from '../../../profiler/src/report';
import { localAccesses } from '../../../profiler/src/lines/instructionNames';
import { comparisonRemarks, zstdMagic } from '../../../profiler/src/report/dialects';
import { numberText } from '../diff/words';
import { BadUse } from '../source';
import { withInlined } from '../reportText';
import { answerOf, type ToolAnswer } from './answer';
import { pathWithin } from './sources';

/** Known by what it begins with, or by its name where there is none: a report, a packed one or an export to SQLite. */
export function isReport(root: string, given: string): boolean {
  if (/\.(ncu-repz?|nsys-rep|sqlite)$/i.test(given)) return true;
  const path = resolve(root, given);
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false;
  const first = Buffer.alloc(4);
  const file = openSync(path, 'r');
  readSync(file, first, 0, 4, 0);
  closeSync(file);
  return first.readUInt32LE() === zstdMagic || ['NVR\0', 'SQLi'].includes(first.toString('latin1'));
}

async function withReport<T>(root: string, given: string, work: (report: Report) => Promise<T>): Promise<T> {
  const source = await openFileSource(pathWithin(root, given));
  try {
    return await work(await openReport(source));
  } catch (error) {
    if (error instanceof ReportError) throw new BadUse(`${given}: ${error.message}`);
    throw error;
  } finally {
    await source.close();
  }
}

function duration(nanoseconds: number): string {
  return nanoseconds >= 1e6 ? `${numberText(nanoseconds / 1e6)} ms` : `${numberText(nanoseconds / 1e3)} µs`;
}

/** The kernels of a report, the longest first; with a part of a kernel's name its hottest lines. */
export async function reportAnswer(root: string, path: string, wanted?: string): Promise<ToolAnswer> {
  return withReport(root, path, async (report) => {
    const all = (await gatherKernels(report, () => true)) ?? [];
    const kernels = all
      .filter(({ name }) => wanted === undefined || name.includes(wanted))
      .sort((a, b) => b.durationNs - a.durationNs);
    if (kernels.length === 0)
      throw new BadUse(
        all.length === 0
          ? `${path} contains no kernels.`
          : `No kernel of ${path} has "${wanted}" in its name. Its kernels: ` +
              `${all.map(({ shortName }) => shortName).join(', ')}.`,
      );
    const whole = all.reduce((sum, { durationNs }) => sum + durationNs, 0);
    const kernelLine = (kernel: ProfiledKernel): string => {
      const stalls = stallReasonsOf([kernel], kernel.name).slice(0, 3);
      const verdict = verdictOn(kernel.figures);
      return [
        `${kernel.shortName}: ${kernel.launches} launches, ${duration(kernel.durationNs)}`,
        ...(whole > 0 ? [`${numberText((100 * kernel.durationNs) / whole)} % of the time of all kernels`] : []),
        ...(verdict === undefined ? [] : [verdict]),
        ...(stalls.length > 0
          ? [`warps wait for ${stalls.map(({ title, share }) => `${title} (${numberText(100 * share)} %)`).join(', ')}`]
          : []),
      ].join('; ');
    };
    if (wanted === undefined)
      return answerOf({
        head: [`${path}, ${report.devices[0]?.name ?? 'unknown GPU'}. Name a kernel for its lines.`],
        lines: kernels.map(kernelLine),
        narrower: 'Ask for one kernel by name.',
      });
    const [first] = kernels;
    const lines = [...first!.lines].sort((a, b) => weightOf(first!, b) - weightOf(first!, a));
    return answerOf({
      head: [
        kernelLine(first!),
        ...(kernels.length > 1 ? [`${kernels.length - 1} more kernels have "${wanted}" in their names.`] : []),
        ...(lines.length === 0 ? [`No lines: ${reasonForNoLines(first!.longest)}.`] : []),
      ],
      lines: lines.map((line) => hotLine(first!, line)),
      narrower: 'Only the hottest lines are listed.',
    });
  });
}

function weightOf(kernel: ProfiledKernel, line: ProfiledKernel['lines'][number]): number {
  return ownShareOf(kernel, line) + 1e-3 * shareOf(kernel, line, counters.sectors);
}

/** The part of the kernel's samples that no other line has as well. */
function ownShareOf(kernel: ProfiledKernel, { own }: ProfiledKernel['lines'][number]): number {
  return (own?.[counters.samples] ?? 0) / (kernel.totals[counters.samples] || Infinity);
}

function hotLine(kernel: ProfiledKernel, line: ProfiledKernel['lines'][number]): string {
  const reasons = reasonsOf(line.values)
    .slice(0, 3)
    .map(({ name, share }) => `${name} ${numberText(100 * share)} %`);
  const threads = threadsOf(line.values);
  const own = ownShareOf(kernel, line);
  const share = shareOf(kernel, line, counters.samples);
  return [
    `${line.file}:${line.line}: ${numberText(100 * own)} % of the samples`,
    ...(own < share && share >= leastShare ? [`(${withInlined(share, line.inlined)})`] : []),
    ...(reasons.length > 0 ? [`(${reasons.join(', ')})`] : []),
    ...excessesOf(kernel, line).map(
      ({ what, actual, ideal, ratio }) =>
        `; ${numberText(ratio)}× ${what}: ${numberText(actual)} instead of ${numberText(ideal)}`,
    ),
    ...[localAccesses(line.instructions)].flatMap((text) => (text ? [`; ${text}`] : [])),
    ...(threads !== undefined && threads < 31.5 ? [`; ${numberText(threads)} of 32 threads are active`] : []),
  ].join(' ');
}

/**
 * Two reports: kernels by what they gained or lost, then what lines cost or saved, by the same noise as in the editor.
 */
export async function reportsAnswer(root: string, before: string, after: string | undefined): Promise<ToolAnswer> {
  if (after === undefined) throw new BadUse('compare needs two reports: name the second as "head".');
  if (![before, after].every((path) => isReport(root, path)))
    throw new BadUse('compare takes two reports of Nsight Compute, or two versions of the code: not one of each.');
  const one = await profiled(root, before);
  const other = await profiled(root, after);
  const moved = movedLines(one.kernels, one.texts, other.kernels, other.texts);
  const { kernels, gone, come, total } = changesBetween(one.kernels, other.kernels, moved);
  const weight = ({ durationBeforeNs = 0, durationAfterNs = 0, after: kernel }: KernelChange): number =>
    Math.abs(durationAfterNs - durationBeforeNs) * kernel.launches;
  const heaviest = [...kernels].sort((a, b) => weight(b) - weight(a));
  const [textBefore, textAfter] = [sourceLines(one.texts), sourceLines(other.texts)];
  const rows = heaviest.flatMap((kernel) => changeRows(kernel, textBefore, textAfter).map((row) => ({ kernel, row })));
  return answerOf({
    head: [
      `${before} → ${after}; moved lines are matched, and differences within run-to-run variation are omitted.`,
      ...comparisonRemarks(one, other),
      ...heaviest.slice(0, mostKernels).map(changedKernel),
      ...(heaviest.length > mostKernels ? [`and ${heaviest.length - mostKernels} more kernels`] : []),
      ...gone.slice(0, mostKernels).map((kernel) => `${kernel.shortName}: only before${launchTime(kernel)}`),
      ...come.slice(0, mostKernels).map((kernel) => `${kernel.shortName}: only after${launchTime(kernel)}`),
      ...(total && kernels.length + gone.length + come.length > 1
        ? [`all kernels: ${timesText(total.beforeNs, total.afterNs, total.changed)}`]
        : []),
      ...(rows.length === 0 ? ['No line differs beyond run-to-run variation.'] : []),
    ].flat(),
    lines: rows.map(({ kernel, row }) =>
      [
        `${row.label} ${kernel.after.shortName}: ${row.cost || row.verdict}`,
        `samples ${row.share}`,
        ...(isFigure(row.sectors) ? [`sectors ${row.sectors}`] : []),
        ...(isFigure(row.wavefronts) ? [`wavefronts ${row.wavefronts}`] : []),
        ...(row.changed.includes('instructions') ? [`instructions ${row.instructions}`] : []),
        ...(row.reasons === '' ? [] : [row.reasons]),
        ...(row.state === '' ? [] : [row.state]),
      ].join('; '),
    ),
    narrower: 'Only the lines with the largest differences are listed.',
  });
}

/** Lines without such accesses have none, or a dash. */
function isFigure(text: string): boolean {
  return text !== '' && text !== '–';
}

/** Kernels shown of a comparison. */
const mostKernels = 12;

function changedKernel({
  before,
  after,
  durationBeforeNs,
  durationAfterNs,
  durationChanged,
  registersBefore,
  registersAfter,
}: KernelChange): string {
  const times =
    durationBeforeNs === undefined || durationAfterNs === undefined || durationAfterNs === 0
      ? 'no times'
      : timesText(durationBeforeNs, durationAfterNs, durationChanged);
  return [
    `${after.shortName}: ${times}`,
    ...(registersBefore === registersAfter ? [] : [`registers ${registersBefore ?? '?'} → ${registersAfter ?? '?'}`]),
    ...(before.launches === after.launches ? [] : [`${before.launches} → ${after.launches} launches`]),
  ].join('; ');
}

function timesText(beforeNs: number, afterNs: number, changed: boolean): string {
  const gain = `${numberText(beforeNs / afterNs)}×${changed ? '' : ', within run-to-run variation'}`;
  return `${duration(beforeNs)} → ${duration(afterNs)} a launch (${gain})`;
}

function launchTime({ durationNs, launches }: ProfiledKernel): string {
  return durationNs > 0 ? `, ${duration(durationNs / launches)} a launch` : '';
}

/** The kernels of a report with the source texts that it contains. */
async function profiled(root: string, path: string) {
  return withReport(root, path, async (report) => {
    const kernels = countedOnce((await gatherKernels(report, () => true))!);
    const texts = new Map<string, string>();
    for (const file of new Set(kernels.flatMap(({ lines }) => lines.map((line) => line.file)))) {
      const text = await report.readSource(file);
      if (text !== undefined) texts.set(file, text.replaceAll('\r\n', '\n'));
    }
    return { kernels, texts, sessions: report.sessions, notIssued: report.notIssued };
  });
}

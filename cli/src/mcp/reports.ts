// What an agent may ask of reports of Nsight Compute: the hottest lines with why, and two reports side by side.
import { openFileSource } from '../../../profiler/src/transport/fileByteSource';
import { counters, gatherKernels, type ProfiledKernel } from '../../../profiler/src/overlay/kernels';
import { excessesOf, reasonsOf, shareOf, stallReasonsOf, threadsOf } from '../../../profiler/src/overlay/marks';
import { verdictOn } from '../../../profiler/src/overlay/reportPage';
import { compareReports } from '../../../profiler/src/lines/compareReports';
import { measureReport, openReport, ReportError, type Report } from '../../../profiler/src/report/index';
import { numberText } from '../diff/words';
import { BadUse } from '../source';
import { answerText } from './answer';
import { pathWithin } from './sources';

export function isReport(path: string): boolean {
  return path.toLowerCase().endsWith('.ncu-rep');
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
export async function reportAnswer(root: string, path: string, wanted?: string): Promise<string> {
  return withReport(root, path, async (report) => {
    const all = (await gatherKernels(report, () => true)) ?? [];
    const kernels = all
      .filter(({ name }) => wanted === undefined || name.includes(wanted))
      .sort((a, b) => b.durationNs - a.durationNs);
    if (kernels.length === 0)
      throw new BadUse(
        all.length === 0
          ? `${path} holds no kernels.`
          : `No kernel of ${path} has "${wanted}" in its name; there are ` +
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
      return answerText({
        head: [`${path}, ${report.devices[0]?.name ?? 'unknown GPU'}. Name a kernel for its lines.`],
        lines: kernels.map(kernelLine),
        narrower: 'Ask for one kernel by name.',
      });
    const [first] = kernels;
    const lines = [...first!.lines].sort((a, b) => weightOf(first!, b) - weightOf(first!, a));
    return answerText({
      head: [
        kernelLine(first!),
        ...(kernels.length > 1 ? [`${kernels.length - 1} more kernels have "${wanted}" in their names.`] : []),
        ...(lines.length === 0 ? ['The report has no line tables: compile with -lineinfo and profile again.'] : []),
      ],
      lines: lines.map((line) => hotLine(first!, line)),
      narrower: 'The hottest lines are told.',
    });
  });
}

function weightOf(kernel: ProfiledKernel, line: ProfiledKernel['lines'][number]): number {
  return shareOf(kernel, line, counters.samples) + 1e-3 * shareOf(kernel, line, counters.sectors);
}

function hotLine(kernel: ProfiledKernel, line: ProfiledKernel['lines'][number]): string {
  const reasons = reasonsOf(line.values)
    .slice(0, 3)
    .map(({ name, share }) => `${name} ${numberText(100 * share)} %`);
  const threads = threadsOf(line.values);
  return [
    `${line.file}:${line.line}: ${numberText(100 * shareOf(kernel, line, counters.samples))} % of the samples`,
    ...(reasons.length > 0 ? [`(${reasons.join(', ')})`] : []),
    ...excessesOf(kernel, line).map(
      ({ what, actual, ideal, ratio }) =>
        `; ${numberText(ratio)}× ${what}: ${numberText(actual)} where ${numberText(ideal)} would do`,
    ),
    ...(threads !== undefined && threads < 31.5 ? [`; ${numberText(threads)} of 32 threads take part`] : []),
  ].join(' ');
}

/** Two reports: kernels by what they gained or lost, then the lines whose samples differ most. */
export async function reportsAnswer(root: string, before: string, after: string): Promise<string> {
  const one = await withReport(root, before, (report) => measureReport(report));
  const other = await withReport(root, after, (report) => measureReport(report));
  const { kernels, lines } = compareReports(one, other);
  const samples = (values: Readonly<Record<string, number>> | undefined): number => values?.[counters.samples] ?? 0;
  const difference = (line: (typeof lines)[number]): number => samples(line.after) - samples(line.before);
  return answerText({
    head: [
      `${before} → ${after}; lines are matched by their numbers.`,
      ...kernels
        .slice(0, 12)
        .map(({ kernel, before: from, after: to, speedup, shapeChanged }) =>
          from && to
            ? `${kernel}: ${duration(from.durationNs ?? 0)} → ${duration(to.durationNs ?? 0)}` +
              (speedup === undefined ? '' : ` (${numberText(speedup)}×)`) +
              (shapeChanged ? ', another grid or block' : '')
            : `${kernel}: only ${from ? 'before' : 'after'}`,
        ),
      ...(kernels.length > 12 ? [`and ${kernels.length - 12} more launches`] : []),
    ],
    lines: lines
      .filter((line) => difference(line) !== 0)
      .sort((a, b) => Math.abs(difference(b)) - Math.abs(difference(a)))
      .map(
        (line) =>
          `${line.file}:${line.line ?? line.lineBefore} ${line.kernel}: ` +
          `${samples(line.before)} → ${samples(line.after)} samples`,
      ),
    narrower: 'The lines that differ most are told.',
  });
}

// The reader of Nsight Compute reports as one API: open a report, list its launches, measure their lines. Runs in Node
// and in a browser.
import type { LineMetrics, MeasuredReport, RuleFinding } from '../../../protocol/src/lineMetrics';
import { measureLaunches, type LineOptions } from '../lines/measureLines';
import { linesAt } from './cubin';
import type { Launch, Report } from './report';

export { blobSource, bytesSource, type ByteSource } from './byteSource';
export { openReport } from './openReport';
export type { EmbeddedSource, Launch, Metric, Report } from './report';
export { ReportError } from './reportError';
export { measureLaunch, measureLaunches, type LineOptions, type MeasuredLaunch } from '../lines/measureLines';

/** Which launches to measure: `kernel` matches a part of the name or a regular expression between slashes. */
export interface MeasureOptions extends LineOptions {
  readonly accepts?: (launch: Launch) => boolean;
}

/** All launches with their lines. Use `measureLaunches` where a report has thousands. */
export async function measureReport(report: Report, options: MeasureOptions = {}): Promise<MeasuredReport> {
  const kernels = [];
  const lines: LineMetrics[] = [];
  for await (const measured of measureLaunches(report, options.accepts, options)) {
    kernels.push(measured.kernel);
    for (const line of measured.lines) lines.push(line);
  }
  return { device: describeDevice(report), devices: report.devices, kernels, lines };
}

/** Name and compute capability of the first device of the report. */
export function describeDevice(report: Report): MeasuredReport['device'] {
  const device = report.devices[0];
  if (!device) return undefined;
  const major = device.attributes['device__attribute_compute_capability_major'];
  const minor = device.attributes['device__attribute_compute_capability_minor'];
  return {
    name: device.name,
    ...(major !== undefined && minor !== undefined && { computeCapability: `${major}.${minor}` }),
  };
}

/**
 * What ncu's rules say of a launch. Marked instructions are put on their lines by the line table, since the lines that
 * ncu writes can be wrong.
 */
export async function readRuleFindings(report: Report, launch: Launch): Promise<RuleFinding[]> {
  const cubins = await Promise.all(launch.cubins.map((reference) => report.cubin(reference, launch.process)));
  const rules = await report.rules(launch);
  return rules.map(({ markers, ...rule }) => ({
    ...rule,
    markers: markers.map(({ file, line, address, ...marker }) => {
      if (address !== undefined) {
        const at = cubins.flatMap((cubin) => (cubin ? linesAt(cubin, address) : []));
        return { ...marker, address, at: at.map((entry) => ({ file: entry.file.path, line: entry.line })) };
      }
      return { ...marker, at: file !== undefined && line !== undefined ? [{ file, line }] : [] };
    }),
  }));
}

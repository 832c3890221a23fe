// `warplens report` of a timeline of Nsight Systems (SQLite export): hottest kernels, copies, and where the GPU idled.
import type { ByteSource } from '../../profiler/src/report';
import { openTimeline } from '../../profiler/src/timeline/openTimeline';
import { summaryText, tablesAsText, timelineTables } from '../../profiler/src/timeline/words';
import type { ReportIo } from './reportIo';
import { versioned, cleanName } from './terminalText';

/** Options of `report` that a timeline may not support. */
export interface TimelineRequest {
  readonly format?: string;
  readonly kernel?: string;
  readonly baseline?: string;
}

/** Exit codes of the command; throws ReportError if the timeline cannot be read. */
export async function reportTimeline(source: ByteSource, options: TimelineRequest, io: ReportIo): Promise<number> {
  const { format = 'text' } = options;
  const refused =
    options.baseline !== undefined
      ? '--baseline compares reports of Nsight Compute (.ncu-rep); a timeline has none.'
      : options.kernel
        ? '--kernel chooses among the kernels of an Nsight Compute report (.ncu-rep); a timeline is shown in full.'
        : format === 'csv'
          ? 'A timeline has no table of lines: use --format text or json.'
          : undefined;
  if (refused !== undefined) {
    io.stderr(`${refused}\n`);
    return 2;
  }
  const timeline = await openTimeline(source);
  if (format === 'json') io.stdout(`${versioned(timeline)}\n`);
  else {
    io.stdout(`${cleanName(summaryText(timeline))}\n\n${tablesAsText(timelineTables(timeline))}`);
    if (!timeline.hasCallChains)
      io.stdout('\nCalls are grouped by name: nsys profile --cudabacktrace=all records their call sites.\n');
  }
  return 0;
}

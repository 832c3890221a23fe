// Reads the sources that a report names as they were profiled: from the report, else from the disk.
import { mapPath, type PathMap } from '../../profiler/src/lines/sourceMapping';
import type { Report } from '../../profiler/src/report';
import type { ReportIo, SourceReader } from './reportIo';

/** Each file is read once; undefined if it is not available. */
export function sourceReader(report: Report, maps: readonly PathMap[], io: ReportIo): SourceReader {
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

/** The texts of all files that lines of a report name, as far as they are available. */
export async function textsOf(files: Iterable<string>, sources: SourceReader): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for (const file of new Set(files)) {
    const lines = await sources(file);
    if (lines) texts.set(file, lines.join('\n'));
  }
  return texts;
}

// Compares findings with what a run under compute-sanitizer reported, line by line.
import type { SanitizerRecord, SanitizerTool } from './sanitizerOutput';
import { sanitizerTools } from './sanitizerOutput';
import type { SanitizerRun } from './sanitize';

/** Lines of a finding, from 1, in a file of this machine. */
export interface SuspectLines {
  readonly file: string;
  readonly from: number;
  readonly to: number;
}

/** A run shows that something happens, never that it cannot: what another input does is open. */
export type SanitizerVerdict =
  | { readonly state: 'confirmed'; readonly line: number; readonly record: SanitizerRecord }
  | { readonly state: 'not-found' }
  /** The report has no lines, is cut off, or is of another tool. */
  | { readonly state: 'undecided' };

/** The tool that the sentence of a rule names: `compute-sanitizer --tool racecheck`. */
export function toolNamedIn(sentence: string | undefined): SanitizerTool | undefined {
  const name = /\bcompute-sanitizer --tool (\w+)/.exec(sentence ?? '')?.[1];
  return sanitizerTools.find((tool) => tool === name);
}

export function verdictOfRuns(
  tool: SanitizerTool,
  suspects: readonly SuspectLines[],
  runs: readonly SanitizerRun[],
): SanitizerVerdict {
  const run = runs.find((each) => each.tool === tool);
  if (!run) return { state: 'undecided' };
  for (const record of run.records)
    for (const { file, line } of record.places)
      if (
        line !== undefined &&
        suspects.some((lines) => isSame(lines.file, file!) && lines.from <= line && line <= lines.to)
      )
        return { state: 'confirmed', line, record };
  return run.isWhole ? { state: 'not-found' } : { state: 'undecided' };
}

/** Paths of files, or the end of one where the tool prints less of it. */
export function isSame(path: string, printed: string): boolean {
  const end = printed.replaceAll('\\', '/').replace(/^(?:\.{1,2}\/)+/, '');
  const whole = path.replaceAll('\\', '/');
  return whole === end || whole.endsWith(`/${end}`);
}

/** Builds a program, runs it under tools of compute-sanitizer on a host, and reads what they report. */

import type { BuiltProgram } from '../build/build';
import { mapPath } from '../lines/sourceMapping';
import { runUnder, withBuiltProgram } from '../session/profileSession';
import type { ProfileOptions, ProfileRequest } from '../session/profileSession';
import type { HostFacts } from '../preflight/probe';
import type { Host } from '../transport/host';
import { ProfileProblem, lastLines } from '../transport/problem';
import { readSanitizerOutput } from './sanitizerOutput';
import type { SanitizerRecord, SanitizerTool } from './sanitizerOutput';

/** What one tool reported of one run. */
export interface SanitizerRun {
  readonly tool: SanitizerTool;
  /** Files are of this machine where they were copied from it. */
  readonly records: readonly SanitizerRecord[];
  /** Whether the tool printed its summary. */
  readonly isComplete: boolean;
  /** Whether the records are all, each with its line: what is not among them did not happen in this run. */
  readonly isWhole: boolean;
  readonly notes: readonly string[];
}

/**
 * One thread in error is one error, and the default limit of 100 is reached on the first line of a kernel: as many as
 * fit into a few megabytes.
 */
const printLimit = 10_000;

/** Runs the program once for each tool. Rejects with a ProfileProblem; leaves nothing on the host. */
export function sanitize(
  request: ProfileRequest,
  tools: readonly SanitizerTool[],
  options: ProfileOptions = {},
): Promise<SanitizerRun[]> {
  const prepare = ({ name }: Host, { sanitizer }: HostFacts): void => {
    if (sanitizer === undefined)
      throw new ProfileProblem(
        'preflight',
        'tool-missing',
        `compute-sanitizer was not found on ${name}.`,
        'Install it there (part of the CUDA Toolkit), or give the nvcc of a toolkit that has it with --nvcc.',
      );
  };
  return withBuiltProgram(request, options, { counters: false, prepare }, async (host, { facts }, built) => {
    options.onEvent?.({ what: 'stage', stage: 'run' });
    const runs: SanitizerRun[] = [];
    for (const tool of tools) runs.push(await runTool(tool, host, facts.sanitizer!, built, request, options));
    return runs;
  });
}

async function runTool(
  tool: SanitizerTool,
  host: Host,
  sanitizer: string,
  built: BuiltProgram,
  { collect }: ProfileRequest,
  { signal, onEvent }: ProfileOptions,
): Promise<SanitizerRun> {
  const help = await host.run([sanitizer, '--help'], { stage: 'run', signal });
  const command = [sanitizer, '--tool', tool, '--print-limit', String(printLimit)];
  // Without it recent versions print names of files, of which a program may have several alike.
  if (help.output.includes('--strip-paths')) command.push('--strip-paths', 'no');
  if (help.output.includes('--target-processes')) command.push('--target-processes', 'all');
  const reader = readSanitizerOutput(tool);
  const ended = await runUnder('compute-sanitizer', command, host, built, collect, {
    signal,
    onText(stream, text) {
      if (stream === 'output') reader.feed(text);
      onEvent?.({ what: 'ncu', event: { what: 'program', text: text.replace(/^={8,9}(?: .*)?(?:\n|$)/gm, '') } });
    },
  });
  const { records, remarks, isComplete, omitted } = reader.end();
  const detail = remarks.slice(-4).join('\n') || lastLines(ended.errors, 4);
  if (remarks.some((remark) => /before first instrumented API call/.test(remark)))
    throw new ProfileProblem(
      'run',
      'no-kernels',
      'The program ended without a call of CUDA that compute-sanitizer can follow.',
      'Check its arguments, and that compute-sanitizer is as new as the driver.',
      detail,
    );
  if (!isComplete && records.length === 0)
    throw new ProfileProblem(
      'run',
      'program-failed',
      `compute-sanitizer printed no summary on ${host.name} (exit status ${ended.status}).`,
      'Run it by hand there until it prints one.',
      detail,
    );
  const hasLines = records.every(({ places }) => places.every(({ line }) => line !== undefined));
  const notes = remarks.map((remark) => `compute-sanitizer: ${remark}.`);
  if (!isComplete) notes.push(`${tool} printed no summary: its report may be cut off.`);
  if (omitted > 0) notes.push(`${tool} reports ${omitted} more errors, which are not shown.`);
  if (!hasLines)
    notes.push(`Some code of the program has no line table: build it with -lineinfo (nvc: -gpu=lineinfo).`);
  const fileHere = (file: string): string => mapPath(file, built.folders) ?? file;
  const placed = records.map((record) => ({
    ...record,
    places: record.places.map(({ file, ...rest }) => (file === undefined ? rest : { ...rest, file: fileHere(file) })),
  }));
  return { tool, records: placed, isComplete, isWhole: isComplete && omitted === 0 && hasLines, notes };
}

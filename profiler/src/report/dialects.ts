// What reports of other versions of Nsight Compute call or lay down otherwise: older names of metrics, functions
// without addresses, and what is newer than this reader.
import { readRange } from './streamReader';
import { bytesSource, type ByteSource } from './byteSource';
import type { Report } from './report';
import { ReportError } from './reportError';

/** The version of the file's layout that this reader was made for; reports of ncu 2019 to 2025 have it. */
export const knownFileVersion = 7;

/**
 * Metrics by the names that ncu 2019 and 2020 gave them, with those of today. The counters are the same: on reports of
 * 2020.3, sectors by line add up to what
 * `l1tex__t_sectors_pipe_lsu_mem_global_op_ld` and `_st` count, and transactions to the wavefronts of
 * `l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld` and `_st`.
 */
const earlierNames: Readonly<Record<string, string>> = {
  gpu__time_duration: 'gpu__time_duration.sum',
  memory_l1_sectors_global: 'memory_l1_tag_requests_global',
  memory_l1_sectors_shared: 'memory_l1_wavefronts_shared',
  memory_l1_sectors_shared_ideal: 'memory_l1_wavefronts_shared_ideal',
  memory_l2_sectors_global: 'memory_l2_theoretical_sectors_global',
  memory_l2_sectors_global_ideal: 'memory_l2_theoretical_sectors_global_ideal',
  memory_l2_sectors_local: 'memory_l2_theoretical_sectors_local',
};

/**
 * The names of a report's metrics as today's ncu writes them; a name that the report has in its new form, too, is left
 * alone.
 */
export function namesOfToday(names: readonly string[]): readonly string[] {
  const there = new Set(names);
  const notIssued = hasNotIssuedOnly(names);
  return names.map((name) => {
    if (notIssued && isStall(name)) return name.slice(0, -notIssuedEnding.length);
    const today = Object.hasOwn(earlierNames, name) ? earlierNames[name]! : name;
    return there.has(today) ? name : today;
  });
}

const notIssuedEnding = '_not_issued';
const isStall = (name: string): boolean => name.startsWith('smsp__pcsamp_warps_issue_stalled_');

/**
 * Whether the stall reasons are only of samples at which the scheduler issued nothing, on which ncu focuses by default
 * from 2025.4 on. Their names here are those of all samples.
 */
export function hasNotIssuedOnly(names: readonly string[]): boolean {
  const stalls = names.filter(isStall);
  return stalls.length > 0 && stalls.every((name) => name.endsWith(notIssuedEnding));
}

/** Whether a version of ncu is the named one or newer; an unknown one is not. */
export function isFrom(version = '', year: number, minor: number): boolean {
  const [ofYear = 0, ofMinor = 0] = version.split('.').map(Number);
  return ofYear > year || (ofYear === year && ofMinor >= minor);
}

/** Who set the clocks, by ncu's command line. Unless asked otherwise ncu locks them, from 2026.1 on to boost. */
function clocksOf({ sessions: [session] }: Circumstances): string | undefined {
  if (session?.profilerCommandLine === undefined) return undefined;
  const [, asked] = /\s--clock-control[=\s]+(\w+)/.exec(session.profilerCommandLine) ?? [];
  return asked ?? (isFrom(session.versions['Nsight Compute Target'], 2026, 1) ? 'boost' : 'base');
}

export type Circumstances = Pick<Report, 'sessions' | 'notIssued'>;

/** Why figures of two reports do not compare; empty where both were measured alike, as far as is known. */
export function comparisonRemarks(...reports: readonly [Circumstances, Circumstances]): string[] {
  const [before, after] = reports.map(clocksOf);
  const [samplesBefore, samplesAfter] = reports.map(({ notIssued }) => (notIssued ? 'not issued' : 'all'));
  return [
    ...(before === undefined || after === undefined || before === after
      ? []
      : [`The clocks differ (${before} before, ${after} after), and times with them: use the same --clocks for both.`]),
    ...(samplesBefore === samplesAfter
      ? []
      : [`The samples differ (${samplesBefore} before, ${samplesAfter} after): lines are compared without them.`]),
  ];
}

/** Bytes that a compressed report may unfold to. */
const mostUnpacked = 1024 * 1024 * 1024;
export const zstdMagic = 0xfd2fb528;

/** A report as it is, or what a compressed one (`.ncu-repz`, from ncu 2025.4 on) holds, unpacked in memory. */
export async function unpacked(source: ByteSource): Promise<ByteSource> {
  if (source.size < 8) return source;
  const magic = await readRange(source, 0, 4);
  if (new DataView(magic.buffer, magic.byteOffset, 4).getUint32(0, true) !== zstdMagic) return source;
  // Loaded here alone: a report that is not compressed needs no decompressor.
  const { Decompress } = await import('fzstd');
  const chunks: Uint8Array[] = [];
  let size = 0;
  const stream = new Decompress((chunk) => {
    size += chunk.length;
    if (size > mostUnpacked)
      throw new ReportError(
        `The compressed report expands to more than ${mostUnpacked >> 20} MB, the limit of Warplens. ` +
          'Profile fewer kernels at a time.',
      );
    chunks.push(chunk);
  });
  try {
    const step = 1 << 20;
    for (let at = 0; at < source.size; at += step) {
      const length = Math.min(step, source.size - at);
      stream.push(await readRange(source, at, length), at + length >= source.size);
    }
  } catch (error) {
    if (error instanceof ReportError) throw error;
    throw new ReportError(
      'The compressed report is truncated or damaged. ' + 'Copy it again, or write it with ncu --export NAME.ncu-rep.',
    );
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytesSource(bytes);
}

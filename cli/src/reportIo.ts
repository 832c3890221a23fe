// Inputs and outputs of `warplens report`.
import { existsSync } from 'node:fs';
import { extname, isAbsolute, relative, resolve } from 'node:path';
import type { ByteSource, Report } from '../../profiler/src/report';
import { disassemblyPath, readKeptDisassembly, type KeptDisassembly } from '../../profiler/src/sass/keptDisassembly';
import { openFileSource } from '../../profiler/src/transport/fileByteSource';
import type { MeasuredReport } from '../../protocol/src/lineMetrics';
import { decodeText, largestFile } from '../../server/src/workspace/fileSystem';
import { sourceEndings } from '../../server/src/workspace/includes';
import { readPlainFile } from '../../server/src/workspace/nodeFileSystem';
import { cleanOutput } from './terminalText';

/** Where the command reads and writes. Tests give their own. */
export interface ReportIo {
  stdout(text: string): void;
  stderr(text: string): void;
  open(path: string): Promise<ByteSource & { close(): Promise<void> }>;
  /** Text of a file; undefined where it cannot be read. */
  readText(path: string): Promise<string | undefined>;
  /** The bytes of a file beside a report; undefined if there is none. */
  readBeside(path: string): Promise<Uint8Array | undefined>;
}

export const nodeIo: ReportIo = {
  stdout: (text) => void process.stdout.write(cleanOutput(text)),
  stderr: (text) => void process.stderr.write(cleanOutput(text)),
  open: openFileSource,
  readText: readNamedSource,
  readBeside: async (path) => {
    if (!existsSync(path)) return undefined;
    const found = readPlainFile(path, largestBeside);
    return 'problem' in found ? undefined : found.bytes;
  },
};

/** More than any compressed disassembly. */
const largestBeside = 64 * 1024 * 1024;

/**
 * The text of a source that a report names. A report may come from anybody and name anything: only a plain file of
 * bounded size is read, and outside of the working directory only one that is named like a source.
 */
async function readNamedSource(path: string): Promise<string | undefined> {
  const below = relative(process.cwd(), resolve(path));
  if (!sourceEndings.test(extname(path)) && (below.startsWith('..') || isAbsolute(below))) return undefined;
  try {
    const found = readPlainFile(path, largestFile);
    return 'problem' in found ? undefined : decodeText(found.bytes);
  } catch {
    return undefined;
  }
}

/** The disassembly beside a report; undefined where there is none of this version of Warplens. */
export async function keptBeside(report: string, io: ReportIo): Promise<KeptDisassembly | undefined> {
  const bytes = await io.readBeside(disassemblyPath(report));
  try {
    return bytes && (await readKeptDisassembly(bytes));
  } catch (error) {
    // The report still contains the names of the instructions.
    io.stderr(`note: ${(error as Error).message}\n`);
    return undefined;
  }
}

export interface ReadReport {
  readonly report: Report;
  readonly measured: MeasuredReport;
}

/** The lines of a source as it was profiled; undefined if it is not available. */
export type SourceReader = (file: string) => Promise<string[] | undefined>;

// Files and folders named on the command line, and the positions in them.
import { type Dirent, readdirSync, statSync } from 'node:fs';
import { extname, join, relative, resolve, sep } from 'node:path';
import { decodeText, encodeLike, largestFile } from '../../server/src/workspace/fileSystem';
import { readPlainFile } from '../../server/src/workspace/nodeFileSystem';
import { lineTable } from '../../server/src/syntax/lines';
import { isFortran } from '../../server/src/workspace/fortran';
import { replaceFile, savedCopies } from './replaceFile';

/** Ends the program with exit code 2 and one sentence. */
export class BadUse extends Error {}

/** Extensions that always hold device code, and those that may. */
const deviceExtensions = new Set(['.cu', '.cuh']);
const mixedExtensions = new Set(['.h', '.hpp', '.hxx', '.hh', '.inl', '.c', '.cpp', '.cc', '.cxx']);
const skippedFolders = new Set([
  'node_modules',
  '.git',
  '.hg',
  '.svn',
  'build',
  'dist',
  'out',
  'CMakeFiles',
  '.cache',
  '.vscode',
  '.vscode-test',
  '__pycache__',
]);
/** Host code counts too where it drives the GPU: allocations and synchronisations in loops are found there. */
const deviceCode = /__global__|__device__|__shared__|<<<|\bcuda[A-Z]\w*\s*\(|#\s*pragma\s+acc\b/;
const fortranDirective = /^[ \t]*[!cC*]\$acc/im;

export interface Source {
  readonly path: string;
  readonly text: string;
}

/**
 * The sources below the given paths, each once, in order. A file that is named is read whatever its extension; in folders `.cu` and `.cuh` count, and the extensions of C, C++ and Fortran where they hold device code or directives.
 * Throws BadUse for a named path that is absent, unreadable, binary or too large; inside folders such files are told to `skip`.
 */
export function findSources(paths: readonly string[], skip: (sentence: string) => void): readonly Source[] {
  const found = new Map<string, Source>();
  for (const given of paths) {
    const path = resolve(given);
    let folder: boolean;
    try {
      folder = statSync(path).isDirectory();
    } catch {
      throw new BadUse(`There is no file or folder "${given}".`);
    }
    if (folder) walk(path, found, skip);
    else {
      const text = readSource(path);
      if (typeof text !== 'string') throw new BadUse(`${given} ${text.problem}.`);
      found.set(path, { path, text });
    }
  }
  return [...found.values()];
}

function walk(folder: string, found: Map<string, Source>, skip: (sentence: string) => void): void {
  let entries: Dirent[];
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch {
    skip(`${folder} cannot be read.`);
    return;
  }
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!skippedFolders.has(entry.name) && !entry.name.startsWith('cmake-build-')) walk(path, found, skip);
      continue;
    }
    const extension = extname(entry.name).toLowerCase();
    const fortran = isFortran(entry.name);
    if (
      !entry.isFile() ||
      found.has(path) ||
      (!deviceExtensions.has(extension) && !mixedExtensions.has(extension) && !fortran)
    )
      continue;
    const text = readSource(path);
    if (typeof text !== 'string') {
      if (deviceExtensions.has(extension)) skip(`${displayPath(path)} ${text.problem}: left out.`);
      continue;
    }
    if (mayHoldDeviceCode(path, text)) found.set(path, { path, text });
  }
}

/** CUDA sources, and sources of C, C++ and Fortran that hold device code, calls of CUDA or directives. */
export function mayHoldDeviceCode(path: string, text: string): boolean {
  return (
    deviceExtensions.has(extname(path).toLowerCase()) || (isFortran(path) ? fortranDirective : deviceCode).test(text)
  );
}

/** The text of a file, or what is wrong with it as the end of a sentence. */
export function readSource(path: string): string | { readonly problem: string } {
  try {
    const found = readPlainFile(path, largestFile);
    if (!('problem' in found)) return decodeText(found.bytes) ?? { problem: 'is a binary file, no source text' };
    return {
      problem:
        found.problem === 'not-plain'
          ? 'is a folder, a device or a pipe, no plain file'
          : `is ${Math.round(found.size / 1024 / 1024)} MB long; Warplens reads files up to ${largestFile / 1024 / 1024} MB`,
    };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    return {
      problem:
        code === 'ENOENT'
          ? 'does not exist'
          : code === 'EACCES'
            ? 'may not be read (permission denied)'
            : `cannot be read (${code ?? 'unknown reason'})`,
    };
  }
}

/**
 * Writes `text` to a file that held `before`, in the encoding that it has; no moment at which it is half written (`replaceFile`).
 * Throws BadUse where it cannot, or where the file is another by now.
 */
export function writeSource(path: string, before: string, text: string): void {
  const name = displayPath(path);
  let bytes: Uint8Array | undefined;
  try {
    const found = readPlainFile(path, largestFile);
    if ('problem' in found || decodeText(found.bytes) !== before)
      throw new BadUse(`${name} changed while it was checked: it is left as it is; run the command again.`);
    const original = found.bytes;
    const again = encodeLike(original, before);
    if (!again || Buffer.compare(again, original) !== 0)
      throw new BadUse(
        `${name} holds bytes that are no UTF-16 text, which writing it would change: it is left as it is; save it as UTF-8 and run the command again.`,
      );
    bytes = encodeLike(original, text);
    if (!bytes)
      throw new BadUse(
        `${name} is Latin-1 text, which lacks a character of the fix: save it as UTF-8 and run the command again.`,
      );
    replaceFile(path, original, bytes);
  } catch (error) {
    if (error instanceof BadUse) throw error;
    throw new BadUse(`${name} cannot be written (${whyNotWritten(error)}): it is left as it is.`);
  }
}

function whyNotWritten(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code;
  return code === 'ENOSPC' || code === 'EDQUOT'
    ? 'the disk is full'
    : code === 'EFBIG'
      ? 'it would be larger than the limit on files'
      : (code ?? 'unknown reason');
}

/** A sentence about a text that a run which was killed while it wrote in place has left behind; undefined when there is none. */
export function interruptedWrite(path: string): string | undefined {
  const [copy] = savedCopies(path);
  return copy === undefined
    ? undefined
    : `${displayPath(path)} was being written when Warplens was ended; its text from before is in ${displayPath(copy)}. Compare the two, and remove the copy.`;
}

/** As people name it: relative to the working directory when it lies below it, with forward slashes. */
export function displayPath(path: string): string {
  const short = relative(process.cwd(), path);
  return (short === '' || short.startsWith('..') ? path : short).split(sep).join('/');
}

export interface Place {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

/** Lines and columns of spans, both from 1, columns in UTF-16 units. A byte order mark takes no column. */
export function placesIn(text: string): (span: { readonly start: number; readonly end: number }) => Place {
  const table = lineTable(text);
  const mark = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  const column = (at: { readonly line: number; readonly character: number }): number =>
    at.character + 1 - (at.line === 0 && at.character > 0 ? mark : 0);
  return (span) => {
    const start = table.positionAt(span.start);
    const end = table.positionAt(span.end);
    return { line: start.line + 1, column: column(start), endLine: end.line + 1, endColumn: column(end) };
  };
}

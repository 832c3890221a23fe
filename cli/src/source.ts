// Files and folders named on the command line, and the positions in them.
import { type Dirent, readdirSync, statSync } from 'node:fs';
import { extname, join, relative, resolve, sep } from 'node:path';
import { createConfigurationFiles, matcherOf } from '../../server/src/workspace/configurationFile';
import { decodeText, encodeLike, largestFile } from '../../server/src/workspace/fileSystem';
import { nodeFileSystem, readPlainFile } from '../../server/src/workspace/nodeFileSystem';
import { lineTable } from '../../server/src/syntax/lines';
import { usersOfDirectives } from '../../server/src/workspace/directiveUsers';
import { isFortran } from '../../server/src/workspace/fortran';
import { unobserved } from '../../server/src/workspace/observedFiles';
import { BadUse } from './badUse';
import { ignoredBelow, type Ignored } from './gitIgnore';
import { replaceFile } from './replaceFile';

export { BadUse };

/** Extensions that always hold device code, and those that may. */
const deviceExtensions = new Set(['.cu', '.cuh']);
const mixedExtensions = new Set(['.h', '.hpp', '.hxx', '.hh', '.inl', '.inc', '.def', '.c', '.cpp', '.cc', '.cxx']);
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
const deviceCode =
  /__global__|__device__|__shared__|<<<|\bcuda[A-Z]\w*\s*\(|#\s*pragma\s+acc\b|\b_Pragma\s*\(\s*"\s*acc\b/;
const fortranDirective = /^[ \t]*[!cC*]\$acc/im;

export interface Source {
  readonly path: string;
  readonly text: string;
}

export interface Selection {
  /** Patterns as in .gitignore, relative to the working directory, beside those of `warplens.json`. */
  readonly exclude?: readonly string[] | undefined;
  /** Gets each unreadable file or folder; the others are still read. A missing named file throws BadUse. */
  readonly unreadable?: (path: string, sentence: string) => void;
  /** Gets each named file that is excluded. */
  readonly excluded?: () => void;
}

/**
 * The sources below the given paths, each once, in order. A file that is named is read whatever its extension; in
 * folders `.cu` and `.cuh` count, and the extensions of C, C++ and Fortran where they hold device code or directives.
 * Files that `exclude` or `warplens.json` excludes are left out, and in folders those that .gitignore files ignore.
 * `skip` hears of files that are left out although they look like sources.
 */
export function findSources(
  paths: readonly string[],
  skip: (sentence: string) => void,
  selection: Selection = {},
): readonly Source[] {
  const found = new Map<string, Source>();
  const configurations = createConfigurationFiles(nodeFileSystem, unobserved);
  const isExcludedHere = excluderOf(selection.exclude ?? [], paths);
  const search: Search = {
    found,
    others: new Map(),
    skip,
    unreadable: selection.unreadable ?? ((_, sentence) => skip(sentence)),
    isExcluded: (path) => isExcludedHere(path) || configurations.of(path)?.isExcluded(path) === true,
  };
  const fail = (path: string, sentence: string): void => {
    if (!selection.unreadable) throw new BadUse(sentence);
    selection.unreadable(path, sentence);
  };
  for (const given of paths) {
    const path = resolve(given);
    let folder: boolean;
    try {
      folder = statSync(path).isDirectory();
    } catch (error) {
      const isAbsent = (error as NodeJS.ErrnoException).code === 'ENOENT' && !isDecodedInPart(path);
      fail(path, isAbsent ? `There is no file or folder "${given}".` : `${given} ${whyUnreadable(error, path)}.`);
      continue;
    }
    if (folder) {
      walk(path, search, ignoredBelow(path));
      addByMacros(search);
      for (const source of usersOfDirectives(found, search.others.keys(), readText)) found.set(source.path, source);
    } else if (search.isExcluded(path)) {
      selection.excluded?.();
      skip(`${displayPath(path)} is excluded by warplens.json or --exclude: not checked.`);
    } else {
      const text = readSource(path);
      if (typeof text === 'string') found.set(path, { path, text });
      else fail(path, `${given} ${text.problem}.`);
    }
  }
  return [...found.values()];
}

/** Patterns count from the working directory, in named folders outside of it from those. */
export function excluderOf(patterns: readonly string[], named: readonly string[]): (path: string) => boolean {
  const here = process.cwd();
  const outside = named.map((path) => resolve(path)).filter((path) => !path.startsWith(here + sep));
  const matchers = [here, ...outside].map((folder) => matcherOf(folder, patterns, false));
  return (path) => matchers.some((matches) => matches(path));
}

interface Search {
  readonly found: Map<string, Source>;
  /** Files without device code, and the text of those that make pragmas of macros. */
  readonly others: Map<string, string | undefined>;
  readonly skip: (sentence: string) => void;
  readonly unreadable: (path: string, sentence: string) => void;
  readonly isExcluded: (path: string) => boolean;
}

function walk(folder: string, search: Search, ignored: Ignored): void {
  const { found } = search;
  let entries: Dirent[];
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    search.unreadable(folder, `${displayPath(folder)} ${whyUnreadable(error, folder)}: its files are not checked.`);
    return;
  }
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (skippedFolders.has(entry.name) || entry.name.startsWith('cmake-build-') || ignored.holds(path, true))
        continue;
      walk(path, search, ignored.below(path));
      continue;
    }
    const extension = extname(entry.name).toLowerCase();
    if (
      !entry.isFile() ||
      found.has(path) ||
      (!deviceExtensions.has(extension) && !mixedExtensions.has(extension) && !isFortran(entry.name)) ||
      ignored.holds(path, false) ||
      search.isExcluded(path)
    )
      continue;
    const text = readSource(path);
    if (typeof text !== 'string') {
      if (text.isUnreadable || deviceExtensions.has(extension))
        search.unreadable(path, `${displayPath(path)} ${text.problem}: not checked.`);
      continue;
    }
    if (mayHoldDeviceCode(path, text)) found.set(path, { path, text });
    else search.others.set(path, text.includes('_Pragma') ? text : undefined);
  }
}

/** Adds the files whose directives are made by macros: `ACC(parallel loop)`, with `ACC` defined in a header. */
function addByMacros({ found, others }: Search): void {
  const makers = [...others.values(), ...[...found.values()].map(({ text }) => text)].filter((text) =>
    text?.includes('_Pragma'),
  ) as string[];
  const definitions = makers.flatMap((text) => [
    ...text.replace(/\\\r?\n/g, ' ').matchAll(/^[ \t]*#[ \t]*define[ \t]+(\w+)(?:\([^)\n]*\))?(.*)$/gm),
  ]);
  const named = (names: ReadonlySet<string>, argument: string): RegExp =>
    new RegExp(`\\b(?:${[...names].join('|')})\\b${argument}`);
  const pragmas = new Set(definitions.filter(([, , body]) => body!.includes('_Pragma')).map(([, name]) => name!));
  if (pragmas.size === 0) return;
  const direct = new RegExp(`${named(pragmas, String.raw`\s*\(\s*acc\b`).source}|_Pragma\\s*\\(\\s*"\\s*acc\\b`);
  const directives = new Set<string>();
  for (let before = -1; before < directives.size; ) {
    before = directives.size;
    for (const [, name, body] of definitions)
      if (direct.test(body!) || (directives.size > 0 && named(directives, '').test(body!))) directives.add(name!);
  }
  const isOne = (text: string): boolean =>
    direct.test(text) || (directives.size > 0 && named(directives, '').test(text));
  for (const [path, known] of others) {
    const text = known ?? readText(path);
    if (text !== undefined && isOne(text)) found.set(path, { path, text });
  }
}

function readText(path: string): string | undefined {
  const text = readSource(path);
  return typeof text === 'string' ? text : undefined;
}

/** CUDA sources, and sources of C, C++ and Fortran that hold device code, calls of CUDA or directives. */
export function mayHoldDeviceCode(path: string, text: string): boolean {
  return (
    deviceExtensions.has(extname(path).toLowerCase()) || (isFortran(path) ? fortranDirective : deviceCode).test(text)
  );
}

/** The reason why a text was not read, as the end of a sentence. */
export interface Unread {
  readonly problem: string;
  /** The system refused it; else the file is not source text. */
  readonly isUnreadable: boolean;
}

/** The text of a file, or its problem. */
export function readSource(path: string): string | Unread {
  const notSource = (problem: string): Unread => ({ problem, isUnreadable: false });
  try {
    const found = readPlainFile(path, largestFile);
    if (!('problem' in found)) return decodeText(found.bytes) ?? notSource('is a binary file, not source text');
    return notSource(
      found.problem === 'not-plain'
        ? 'is a folder, a device or a pipe, not a plain file'
        : `is ${Math.round(found.size / 1024 / 1024)} MB long; Warplens reads files up to ` +
            `${largestFile / 1024 / 1024} MB`,
    );
  } catch (error) {
    return { problem: whyUnreadable(error, path), isUnreadable: true };
  }
}

/** Names come decoded: of bytes that are no UTF-8 nothing leads back to the file. */
const isDecodedInPart = (path: string): boolean => path.includes('\ufffd');

export function whyUnreadable(error: unknown, path: string): string {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'ENOENT') return isDecodedInPart(path) ? 'has a name that is not UTF-8: rename it' : 'does not exist';
  const reasons: Readonly<Record<string, string>> = {
    EACCES: 'permission denied',
    ELOOP: 'a link that leads back to itself',
  };
  return `cannot be read (${reasons[code ?? ''] ?? code ?? 'unknown reason'})`;
}

/**
 * Writes `text` to a file that held `before`, in the encoding that it has; no moment at which it is half written
 * (`replaceFile`). Throws BadUse where it cannot, or where the file is another by now.
 */
export function writeSource(path: string, before: string, text: string): void {
  const name = displayPath(path);
  const found = readSource(path);
  const original = found === before ? readPlainFile(path, largestFile) : undefined;
  if (!original || 'problem' in original)
    throw new BadUse(`${name} changed during the check and was not written. Run the command again.`);
  const again = encodeLike(original.bytes, before);
  if (!again || Buffer.compare(again, original.bytes) !== 0)
    throw new BadUse(
      `${name} has bytes that are not valid UTF-16 and was not written. Save it as UTF-8 and run the command again.`,
    );
  const bytes = encodeLike(original.bytes, text);
  if (!bytes)
    throw new BadUse(
      `${name} is Latin-1, which lacks a character of the fix. Save it as UTF-8 and run the command again.`,
    );
  replaceFile(path, name, Buffer.from(bytes));
}

/** The path for display: relative to the working directory if below it, with forward slashes. */
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

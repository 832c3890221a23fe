// Finds the user's file for a path that the compiler wrote, which may be of another machine, and says how far it is
// still the profiled text.
import type { Cubin } from '../report/cubin';
import { foldPath } from '../report/lineProgram';
import type { Report } from '../report/report';
import { carryLines, type LineCarry } from './carryOver';

/** Puts a folder of this machine in the place of a folder of the machine that compiled. */
export interface PathMap {
  readonly from: string;
  readonly to: string;
}

/** What is known of a source at the time of the build. */
export interface RecordedSource {
  readonly path: string;
  /** The text, where the report has it (`ncu --import-source yes`). */
  readonly text?: string | undefined;
  /** Size in bytes by the line table; 0 where it does not say. */
  readonly bytes: number;
  /** Seconds since 1970 by the line table; 0 where it does not say. */
  readonly modified: number;
}

/** The files of the workspace and of this machine, as the editor or the command line sees them. */
export interface WorkspaceFiles {
  /** The current text of a file, unsaved edits included; undefined where there is none. */
  read(path: string): Promise<string | undefined>;
  /** Paths of files in the workspace with this name (no folders in it). */
  named(name: string): Promise<readonly string[]>;
  /** Whether the path is of a file in the workspace; without it, any path may be. */
  holds?(path: string): boolean;
}

/**
 * Where the numbers of a source can be shown:
 * - `same`: the file at `path` is what was profiled;
 * - `edited`: the file at `path` has changed since; `carry` says which lines are still there;
 * - `unsure`: the file at `path` has changed, and what it was is not known: no line can be trusted;
 * - `embedded`: no file here, but the report has the text;
 * - `missing`: neither.
 */
export type SourceLocation =
  | { readonly state: 'same'; readonly path: string }
  | { readonly state: 'edited'; readonly path: string; readonly carry: LineCarry }
  | { readonly state: 'unsure'; readonly path: string }
  | { readonly state: 'embedded'; readonly text: string }
  | { readonly state: 'missing' };

/** A file of the same name is taken for an edited copy if this much of the profiled text is still in it. */
export const resemblance = 0.5;

/** A file of another name has to hold more of it: nothing else speaks for it. */
export const renamedResemblance = 0.8;

/**
 * Looks for the file: path maps first (the longest that fits), then the path as it stands, then a file of the workspace
 * with the same name and the same content, then the most similar one of the same name. Where the path as it stands is
 * outside of the workspace (another copy of the project was built), the workspace's file of the same content goes
 * first:
 * it is the one that is worked on.
 */
export async function locateSource(
  recorded: RecordedSource,
  maps: readonly PathMap[],
  files: WorkspaceFiles,
): Promise<SourceLocation> {
  for (const path of [mapPath(recorded.path, maps), recorded.path]) {
    const text = path === undefined ? undefined : await files.read(path);
    if (path === undefined || text === undefined) continue;
    const isOutside = path === recorded.path && files.holds?.(path) === false;
    const inside = isOutside ? await resembling(recorded, files) : undefined;
    return inside?.state === 'same' ? inside : compare(recorded, path, text);
  }
  const best = await resembling(recorded, files);
  if (best) return best;
  return recorded.text === undefined ? { state: 'missing' } : { state: 'embedded', text: recorded.text };
}

/** The file of the workspace with the same name and content, else the one that is most alike. */
async function resembling(
  recorded: RecordedSource,
  files: WorkspaceFiles,
): Promise<Extract<SourceLocation, { state: 'same' | 'edited' }> | undefined> {
  const name = nameOf(recorded.path);
  const hash = recorded.text === undefined ? undefined : await contentHash(recorded.text);
  let best: Extract<SourceLocation, { state: 'edited' }> | undefined;
  for (const path of await files.named(name)) {
    const text = await files.read(path);
    if (text === undefined) continue;
    if (
      hash !== undefined
        ? (await contentHash(text)) === hash
        : recorded.bytes > 0 && byteLength(text) === recorded.bytes
    )
      return { state: 'same', path };
    if (recorded.text === undefined) continue;
    const carry = carryLines(recorded.text, text);
    if (carry.kept >= resemblance && (!best || carry.kept > best.carry.kept)) best = { state: 'edited', path, carry };
  }
  return best;
}

/**
 * Whether a text under another name is the profiled one: the same, or edited with most of it still there. Undefined
 * where the report does not hold its text, or where too little is alike.
 */
export function resemblingSource(recorded: RecordedSource, path: string, text: string): SourceLocation | undefined {
  if (recorded.text === undefined) return undefined;
  const carry = carryLines(recorded.text, text);
  if (carry.unchanged) return { state: 'same', path };
  return carry.kept >= renamedResemblance ? { state: 'edited', path, carry } : undefined;
}

function compare(recorded: RecordedSource, path: string, text: string): SourceLocation {
  if (recorded.text !== undefined) {
    const carry = carryLines(recorded.text, text);
    return carry.unchanged ? { state: 'same', path } : { state: 'edited', path, carry };
  }
  // Without the text, its length is all there is to tell a changed file by.
  return recorded.bytes === 0 || byteLength(text) === recorded.bytes
    ? { state: 'same', path }
    : { state: 'unsure', path };
}

/** The current line of a profiled line at a location; undefined where its numbers are stale. */
export function lineAt(location: SourceLocation, line: number): number | undefined {
  switch (location.state) {
    case 'same':
    case 'embedded':
      return line;
    case 'edited':
      return location.carry.lineNow(line);
    default:
      return undefined;
  }
}

/**
 * The path on this machine by the longest map whose folder holds it; undefined where none does. Folders match whole
 * names; `\` and `/` are one.
 */
export function mapPath(path: string, maps: readonly PathMap[]): string | undefined {
  const plain = slashed(path);
  let best: PathMap | undefined;
  for (const map of maps) {
    const from = slashed(map.from).replace(/\/$/, '');
    const holds =
      plain === from ||
      plain.startsWith(`${from}/`) ||
      (/^[A-Za-z]:/.test(from) && plain.toLowerCase().startsWith(`${from.toLowerCase()}/`));
    if (holds && (!best || map.from.length > best.from.length)) best = map;
  }
  if (!best) return undefined;
  const rest = plain.slice(slashed(best.from).replace(/\/$/, '').length);
  return foldPath(best.to.replace(/[\\/]$/, '') + rest);
}

function slashed(path: string): string {
  return path.replaceAll('\\', '/');
}

/** Everything the report knows of its sources: imported texts, and size and time from the line tables of its cubins. */
export async function recordedSources(report: Report): Promise<Map<string, RecordedSource>> {
  const sources = new Map<string, RecordedSource>();
  const seen = new Set<Cubin>();
  for (const { cubins, process } of report.launches) {
    for (const reference of cubins) {
      const cubin = await report.cubin(reference, process);
      if (!cubin || seen.has(cubin)) continue;
      seen.add(cubin);
      for (const [path, { bytes, modified }] of cubin.files) sources.set(path, { path, bytes, modified });
    }
  }
  for (const { path } of report.embeddedSources) {
    const text = await report.readSource(path);
    sources.set(path, { bytes: 0, modified: 0, ...sources.get(path), path, text });
  }
  return sources;
}

/** SHA-256 of a text with its line ends made equal, in hexadecimal. */
export async function contentHash(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text.replaceAll('\r\n', '\n')));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** The last part of a path as a report has it, of whichever system. */
export function nameOf(path: string): string {
  return path.split(/[\\/]/).pop()!;
}

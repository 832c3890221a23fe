// A baseline: known findings that are not reported again, matched by message and source line text, never by
// line numbers.
import { existsSync } from 'node:fs';
import { dirname, relative, resolve, sep } from 'node:path';
import { lineTable } from '../../server/src/syntax/lines';
import type { ResolvedFinding } from '../../server/src/lint/finding';
import type { CheckedFile } from './checkedFile';
import { replaceFile } from './replaceFile';
import { BadUse, displayPath, readSource, writeSource } from './source';

/** A number of findings of one rule on one line text, in one function of one file. */
export interface BaselineEntry {
  readonly rule: string;
  /** Relative to the baseline's folder, with slashes. */
  readonly path: string;
  /** The function, if known. */
  readonly function: string;
  /** The text of the line without blanks and comments. */
  readonly line: string;
  readonly count: number;
}

export type Baseline = ReturnType<typeof openBaseline>;

const version = 1;
const remedy = 'Delete it and re-run with --update-baseline.';

/** The baseline of a file; one that is to be written may be absent. Throws BadUse with one sentence. */
export function openBaseline(path: string, isUpdate: boolean) {
  const isThere = existsSync(path);
  if (!isThere && !isUpdate)
    throw new BadUse(`There is no baseline ${displayPath(path)}. Create it with --update-baseline.`);
  const text = isThere ? readSource(path) : '';
  if (typeof text !== 'string') throw new BadUse(`${displayPath(path)} ${text.problem}.`);
  const entries = isThere ? readBaseline(path, text) : [];
  return {
    /** The files with the findings that the baseline lacks; takes the findings of all files at once. */
    news(files: readonly CheckedFile[]): readonly CheckedFile[] {
      const news = notInBaseline(path, entries, files);
      return files.map((file, at) => ({ ...file, findings: news[at]! }));
    },
    /** Writes the findings of these files, out of all `sources` that were checked; returns a sentence. */
    update(files: readonly CheckedFile[], sources: readonly string[]): string {
      const made = baselineOf(path, files, entries, sources);
      if (isThere) writeSource(path, text, made.text);
      else replaceFile(path, displayPath(path), made.text);
      return `${made.findings} ${made.findings === 1 ? 'finding' : 'findings'} written to ${displayPath(path)}.`;
    },
  };
}

/** The entries of a baseline file's text. Throws BadUse with one sentence otherwise. */
function readBaseline(path: string, text: string): readonly BaselineEntry[] {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    throw new BadUse(`${displayPath(path)} is not JSON. ${remedy}`);
  }
  const { version: written, findings } = (typeof read === 'object' && read !== null ? read : {}) as {
    readonly version?: unknown;
    readonly findings?: unknown;
  };
  if (written !== version || !Array.isArray(findings) || !findings.every(isEntry))
    throw new BadUse(`${displayPath(path)} was written by another version. ${remedy}`);
  return findings;
}

function isEntry(value: unknown): value is BaselineEntry {
  if (typeof value !== 'object' || value === null) return false;
  const entry = value as Record<string, unknown>;
  return (
    ['rule', 'path', 'function', 'line'].every((name) => typeof entry[name] === 'string') &&
    Number.isInteger(entry['count']) &&
    Number(entry['count']) > 0
  );
}

/**
 * The text of a baseline of these files' findings: one entry a line, sorted. Entries of `before` for files that were
 * not checked stay as long as the files are there.
 */
function baselineOf(
  path: string,
  checked: readonly CheckedFile[],
  before: readonly BaselineEntry[],
  sources: readonly string[],
): { readonly text: string; readonly findings: number } {
  const folder = dirname(resolve(path));
  const counts = new Map<string, BaselineEntry>();
  const add = (entry: BaselineEntry): void => {
    const key = keyOf(entry);
    counts.set(key, { ...entry, count: entry.count + (counts.get(key)?.count ?? 0) });
  };
  for (const file of checked) for (const { entry } of describe(file, folder)) add(entry);
  const read = new Set(sources.map((source) => pathFrom(folder, source)));
  for (const entry of before) if (!read.has(entry.path) && existsSync(resolve(folder, entry.path))) add(entry);
  const lines = [...counts.values()]
    .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
    .map(
      ({ path: where, rule, function: within, line, count }) =>
        `    ${JSON.stringify({ path: where, rule, function: within, line, count })}`,
    );
  const list = lines.length > 0 ? `[\n${lines.join(',\n')}\n  ]` : '[]';
  return {
    text: `{\n  "version": ${version},\n  "findings": ${list}\n}\n`,
    findings: [...counts.values()].reduce((sum, { count }) => sum + count, 0),
  };
}

/**
 * The findings of each file that the baseline does not know. Each entry answers for as many findings as it counts:
 * first for those of its file and function, then for code that moved to another file, then for a function that was
 * renamed.
 */
function notInBaseline(
  path: string,
  entries: readonly BaselineEntry[],
  files: readonly CheckedFile[],
): readonly (readonly ResolvedFinding[])[] {
  const folder = dirname(resolve(path));
  const left = entries.map((entry) => ({ ...entry }));
  const known = new Set<ResolvedFinding>();
  const described = files.flatMap((file) => describe(file, folder).map(({ finding, entry }) => ({ finding, entry })));
  for (const parts of [['path', 'function'], ['function'], ['path']] as const) {
    const budget = new Map<string, { count: number }[]>();
    const key = (entry: BaselineEntry): string =>
      [entry.rule, entry.line, ...parts.map((part) => entry[part])].join('\n');
    for (const entry of left) budget.set(key(entry), [...(budget.get(key(entry)) ?? []), entry]);
    for (const { finding, entry } of described) {
      if (known.has(finding)) continue;
      const available = budget.get(key(entry))?.find(({ count }) => count > 0);
      if (!available) continue;
      available.count--;
      known.add(finding);
    }
  }
  return files.map(({ findings }) => findings.filter((finding) => !known.has(finding)));
}

function describe(
  { path, text, findings }: CheckedFile,
  folder: string,
): { readonly finding: ResolvedFinding; readonly entry: BaselineEntry }[] {
  const table = lineTable(text);
  return findings.map((finding) => {
    const { start, end } = table.lineSpan(table.positionAt(finding.at.start).line);
    const entry = {
      rule: finding.rule,
      path: pathFrom(folder, path),
      function: finding.within ?? '',
      line: normalised(text.slice(start, end)),
      count: 1,
    };
    return { finding, entry };
  });
}
/** A line in the form that formatters do not change: without blanks and trailing comments. */
function normalised(line: string): string {
  return line
    .replace(/\/\*.*?\*\//g, '')
    .replace(/\/\/.*$/, '')
    .replace(/\s+/g, '');
}

function pathFrom(folder: string, path: string): string {
  return relative(folder, resolve(path)).split(sep).join('/');
}
function keyOf({ path, rule, function: within, line }: BaselineEntry): string {
  return [path, rule, within, line].join('\n');
}

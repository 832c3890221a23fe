// Edits that move whole statements of host code out of a loop, with their lines and trailing comments.
import type { Edit } from '../model';
import { wholeLines } from '../../syntax/lines';
import type { Fn } from '../language';

/** What takes a wait out of its loop. */
export interface Moves {
  /** In the loop. */
  readonly edits: readonly Edit[];
  /** What comes after the loop instead, and under which condition, if any. */
  readonly behind?: { readonly text: string; readonly guard: string };
  readonly title: string;
  /** Of several of the kind, with their number for `{count}`. */
  readonly titleOfAll: string;
}

/** The edits that make all moves out of one loop; undefined where the text after it is of no form for them. */
export function movedOut(
  all: readonly Moves[],
  loop: Range,
  fn: Fn,
): { readonly edits: readonly Edit[]; readonly title: string } | undefined {
  const texts = new Map<string, Set<string>>();
  for (const { behind } of all)
    if (behind) texts.set(behind.guard, (texts.get(behind.guard) ?? new Set()).add(behind.text));
  const indent = indentOf(fn, loop.start);
  if (indent === undefined) return undefined;
  const unit = fn.indentStep;
  const lines = [...texts].flatMap(([guard, own]) =>
    guard === ''
      ? [...own].map((text) => reindented(text, '', indent))
      : [`if (${guard}) {`, ...[...own].map((text) => unit + reindented(text, '', indent + unit)), '}'],
  );
  const after = lines.length > 0 ? putAfter(fn, loop.end, loop.start, lines) : undefined;
  const edits = all.flatMap((moves) => moves.edits);
  if (lines.length > 0 && (!after || edits.some(({ at }) => after.at.start < at.end))) return undefined;
  const last = all.at(-1)!;
  const title = all.length > 1 ? last.titleOfAll.replace('{count}', String(all.length)) : last.title;
  return { edits: after ? [...edits, after] : edits, title };
}

/** Offsets in a function. */
interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * The white space that a line starts with, up to `offset`; undefined when something else is before it on its line.
 */
export function indentOf(fn: Fn, offset: number): string | undefined {
  const absolute = fn.decl.base + offset;
  const text = fn.file.text;
  const before = text.slice(text.lastIndexOf('\n', absolute - 1) + 1, absolute);
  return /^[ \t]*$/.test(before) ? before : undefined;
}

/**
 * Takes a statement out. A line that holds nothing else goes with it, and with the line its trailing comment, which
 * `text` keeps.
 */
export function takeOut(fn: Fn, range: Range): { readonly edit: Edit; readonly text: string } {
  const source = fn.file.text;
  const { base } = fn.decl;
  const [start, end] = [base + range.start, base + range.end];
  const written = source.slice(start, end);
  const [blanks, comment] = /^[ \t]*(\/\/[^\r\n]*|\/\*[^\n]*?\*\/)?/.exec(source.slice(end))!;
  const { uri } = fn.file;
  const lines = wholeLines(source, { start, end: end + blanks.length });
  if (lines)
    return { edit: { at: { uri, ...lines }, newText: '' }, text: comment ? `${written}  ${comment.trim()}` : written };
  const gap = /^[ \t]*/.exec(blanks)![0].length;
  return { edit: { at: { uri, start, end: end + gap }, newText: '' }, text: written };
}

/** Puts lines before a statement that starts its line. */
export function putBefore(fn: Fn, offset: number, lines: readonly string[]): Edit | undefined {
  const indent = indentOf(fn, offset);
  if (indent === undefined) return undefined;
  const start = fn.decl.base + offset - indent.length;
  const newline = fn.newline;
  return {
    at: { uri: fn.file.uri, start, end: start },
    newText: lines.map((line) => `${indent}${line}${newline}`).join(''),
  };
}

/** Puts lines after a statement, with the indentation of the one that starts at `like`. */
export function putAfter(fn: Fn, end: number, like: number, lines: readonly string[]): Edit | undefined {
  const indent = indentOf(fn, like);
  if (indent === undefined) return undefined;
  const source = fn.file.text;
  const absolute = fn.decl.base + end;
  const newline = fn.newline;
  const rest = /^[ \t]*(\/\/[^\n]*|\/\*[^\n]*?\*\/[ \t]*)?(\r?\n)/.exec(source.slice(absolute));
  if (rest) {
    const at = absolute + rest[0].length;
    return {
      at: { uri: fn.file.uri, start: at, end: at },
      newText: lines.map((line) => `${indent}${line}${newline}`).join(''),
    };
  }
  return {
    at: { uri: fn.file.uri, start: absolute, end: absolute },
    newText: lines.map((line) => `${newline}${indent}${line}`).join(''),
  };
}

/** The text of a statement that moves to another depth: continuation lines keep their distance to the first. */
export function reindented(text: string, from: string, to: string): string {
  return text.replace(/(\r?\n)([^\r\n]+)/g, (_, newline: string, line: string) =>
    line.startsWith(from) ? newline + to + line.slice(from.length) : newline + line,
  );
}

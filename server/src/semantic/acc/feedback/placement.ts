// Which remarks of a log belong to a file, and where they stand once the file was edited.
import { lineTable } from '../../../syntax/lines';
import { append } from '../../language';
import { diffArrays } from 'diff';
import type { CompilerRemark } from './remark';
import type { CompilerLog, LoggedRemark } from './log';

/** A source file as a log is compared with it. */
export interface FeedbackFile {
  /** With `/` or `\`, absolute or not. */
  readonly path: string;
  readonly text: string;
  /** Every function or subprogram of the file with its offsets; directives that stand just above may be left out. */
  readonly functions: readonly { readonly name: string; readonly start: number; readonly end: number }[];
}

/** Lines above a function that its directives (`routine`) may be on. */
const linesAbove = 4;

/**
 * The remarks about one file, by line. Where a log names no file (nvc names only the function), a heading counts when
 * the command before it compiled this file, or when no heading of a command of this file speaks of that function and
 * all of its lines fit: they lie inside the function of that name, and remarks on loops are where a loop can
 * be.
 */
export function remarksFor(log: CompilerLog, file: FeedbackFile): readonly CompilerRemark[] {
  const lines = file.text.split(/\r?\n|\r/);
  const extents = extentsOf(file);
  const headings = new Map<number, LoggedRemark[]>();
  const found: CompilerRemark[] = [];
  for (const logged of log.remarks) {
    if (logged.file !== undefined) {
      if (names(logged.file, file.path) && fits(logged.remark, lines)) found.push(logged.remark);
    } else if (logged.heading !== undefined) {
      append(headings, logged.heading, logged);
    }
  }
  const direct = new Map<string, LoggedRemark[]>();
  const guessed = new Map<string, LoggedRemark[][]>();
  for (const group of headings.values()) {
    const name = functionName(group[0]!.unit!);
    const within = extents.filter((extent) => same(extent.name, name, file.path));
    const inside = group.filter(
      ({ remark }) =>
        within.some((extent) => extent.first <= remark.line && remark.line <= extent.last) && fits(remark, lines),
    );
    if (group[0]!.compiled?.some((source) => names(source, file.path))) {
      // Of a file that was compiled twice the later word counts.
      if (inside.length > 0) direct.set(group[0]!.unit!, inside);
    } else if (inside.length === group.length && inside.some(({ remark }) => loopLike.test(lines[remark.line - 1]!))) {
      guessed.set(group[0]!.unit!, [...(guessed.get(group[0]!.unit!) ?? []), group]);
    }
  }
  for (const group of direct.values()) found.push(...group.map(({ remark }) => remark));
  for (const [unit, groups] of guessed) {
    const different = new Set(groups.map((group) => JSON.stringify(group.map(({ remark }) => remark))));
    if (!direct.has(unit) && different.size === 1) found.push(...groups[0]!.map(({ remark }) => remark));
  }
  return found.sort((a, b) => a.line - b.line);
}

/** Moves remarks from the text that was compiled to the text as it is; those on lines that changed are dropped. */
export function carryOver(
  remarks: readonly CompilerRemark[],
  compiled: string,
  now: string,
): readonly CompilerRemark[] {
  if (compiled === now || remarks.length === 0) return remarks;
  const moved = new Map<number, number>();
  let before = 0;
  let after = 0;
  for (const part of diffArrays(linesOf(compiled), linesOf(now))) {
    if (!part.added && !part.removed)
      for (let each = 0; each < part.value.length; each++) moved.set(before + each + 1, after + each + 1);
    if (!part.added) before += part.value.length;
    if (!part.removed) after += part.value.length;
  }
  return remarks.flatMap((remark) => {
    const line = moved.get(remark.line);
    return line === undefined ? [] : [{ ...remark, line }];
  });
}

/** Another indentation is not a change. */
function linesOf(text: string): string[] {
  return text.split(/\r?\n|\r/).map((line) => line.trim());
}

const loopLike = new RegExp(
  [
    String.raw`\bfor\b|\bdo\b|\bwhile\b|#\s*pragma\b|_Pragma\b|^\s*[!cC*]\$acc\b|\bforall\b|\bfor_each\b`,
    String.raw`^\s*\w+\s*\(.*\)\s*;?\s*\{?\s*$`,
  ].join('|'),
  'i',
);
/** No code that a compiler could speak of: blank, a comment, braces, the end of a block. */
const noCode =
  /^\s*(?:\/\/.*|\*.*|!(?!\$).*|[{}\s;]*|(?:end|enddo|endif|end\s*\w+)\s*|#\s*(?:include|define|endif|else|if\w*).*)$/i;

function fits({ line, kind }: CompilerRemark, lines: readonly string[]): boolean {
  const text = lines[line - 1];
  return text !== undefined && (kind !== 'schedule' || !noCode.test(text));
}

function extentsOf({ text, functions }: FeedbackFile) {
  const table = lineTable(text);
  const lineOf = (offset: number): number => table.positionAt(offset).line + 1;
  return functions.map(({ name, start, end }) => ({ name, first: lineOf(start) - linesAbove, last: lineOf(end) }));
}

/**
 * `spmv` of `void ns::solver<double>::spmv(const sparse &, vec<double> &) const`; of a lambda the function around it.
 */
export function functionName(heading: string): string {
  const name = heading.replace(/::\[lambda.*$|::\{lambda.*$/, '');
  const call = /\boperator\s*(?:\(\)|\[\]|[^\s\w(]+)/.exec(name);
  if (call) return call[0].replace(/\s/g, '');
  let depth = 0;
  let bare = '';
  for (const char of name) {
    if (char === '<') depth++;
    else if (char === '>') depth = Math.max(0, depth - 1);
    else if (depth === 0) {
      if (char === '(') break;
      bare += char;
    }
  }
  return (
    bare
      .trim()
      .split(/[\s:*&]+/)
      .at(-1) ?? ''
  );
}

/**
 * Fortran does not tell capitals apart, and compilers hang an underscore on its names; they call a main program `main`.
 */
function same(name: string, wanted: string, path: string): boolean {
  if (name === wanted) return true;
  return /\.f\w*$/i.test(path) && name.toLowerCase() === wanted.toLowerCase().replace(/_$/, '');
}

/**
 * True when a name out of a log can mean the file: its parts are the end of the path; of a path of another machine (a
 * container's) the last two are.
 */
export function names(written: string, path: string): boolean {
  const parts = (text: string): string[] =>
    text
      .replaceAll('\\', '/')
      .split('/')
      .filter((part) => part !== '' && part !== '.' && part !== '..');
  const [ask, have] = [parts(written), parts(path)];
  if (ask.length === 0) return false;
  const absolute = /^(?:[\\/]|[A-Za-z]:)/.test(written);
  const tail = absolute && ask.length > 2 && have.length >= 2 ? ask.slice(-2) : ask;
  return tail.length <= have.length && tail.every((part, index) => part === have[have.length - tail.length + index]);
}

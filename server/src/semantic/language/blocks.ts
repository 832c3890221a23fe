// Edits that write lines around statements, in braces where the statements have none. Braces are written at the ends of
// headers: `syntax/layout` gives them the place that the file has them at.
import type { Stmt } from '../../syntax/ast';
import type { Edit } from '../span';
import { type FunctionText, indentBeyond } from './functionText';
import type { Locals } from './scope';
import { isStatement } from './statements';

/** What is written around a statement: lines before it, a text directly before it, and lines after it. */
interface Surroundings {
  readonly before: readonly string[];
  readonly prefix?: string;
  readonly after?: readonly string[];
  /** What becomes of the statement itself. */
  readonly instead?: string;
}

/** Where a statement begins, with its pragmas. */
export function startWithPragmas(stmt: Stmt): number {
  return Math.min(stmt.start, ...(stmt.pragmas ?? []).map(({ start }) => start));
}

/** Is a statement a whole body without braces? */
export function isBareBody(stmt: Stmt, locals: Locals): boolean {
  const parent = locals.parent(stmt);
  return parent?.kind !== 'block' && parent?.kind !== 'case';
}

/** The indentation of lines around a statement. */
export function indentAround(fn: FunctionText, stmt: Stmt): string {
  const start = startWithPragmas(stmt);
  const isOnHeader = isBareBody(stmt, fn.locals) && !gapBefore(fn, start).includes('\n');
  return isOnHeader ? fn.indent(fn.parent(stmt)!.start) + fn.indentStep : fn.indent(stmt.start);
}

/** Writes around the statements from one to another of a list, and in braces around one that is a bare body. */
export function writtenAround(
  fn: FunctionText,
  stmt: Stmt,
  { before, prefix = '', after = [], instead }: Surroundings,
  last = stmt,
): Edit[] {
  const start = startWithPragmas(stmt);
  const indent = indentAround(fn, stmt);
  const line = fn.newline + indent;
  // A pragma may be in another column than its statement.
  const own = start === stmt.start ? indent : fn.indent(start);
  const inner = indentBeyond(own, indent) ?? '';
  let [from, opening, closing] = [start, '', ''];
  const edits: Edit[] = [];
  const edit = (at: number, end: number, newText: string): void => {
    if (newText !== '' || at !== end) edits.push({ at: fn.span({ start: at, end }), newText });
  };
  if (isBareBody(stmt, fn.locals)) {
    const gap = gapBefore(fn, start);
    closing = `${fn.newline}${fn.indent(fn.parent(stmt)!.start)}}`;
    // Comments of the header stay behind the brace.
    if (gap.trim() !== '') edit(start - gap.length, start - gap.length, ' {');
    else opening = ' {';
    if (opening !== '' || !gap.includes('\n')) {
      from = start - gap.length + gap.trimEnd().length;
      opening += fn.newline + own;
    }
    if (!gap.includes('\n') && instead === undefined) edits.push(...deepened(fn, { start, end: stmt.end }));
  }
  const ahead = before.map((text) => inner + text + fn.newline + own).join('') + prefix;
  const behind = after.map((text) => line + text).join('') + closing;
  if (instead !== undefined) edit(from, last.end, opening + ahead + instead + behind);
  else {
    // Apart, so that several lines before one statement share its braces.
    if (from < start) edit(from, start, opening);
    edit(start, start, from < start ? ahead : opening + ahead);
    edit(last.end, last.end, behind);
  }
  return edits;
}

/** Puts a statement into a block with its own header, with lines around it in the block. */
export function inBlock(fn: FunctionText, stmt: Stmt, header: string, { before, after = [] }: Surroundings): Edit[] {
  const start = startWithPragmas(stmt);
  const unit = fn.indentStep;
  const lines = [`${header} {`, ...before.map((text) => unit + text)];
  const behind = [...after.map((text) => unit + text), '}'];
  if (takesElse(stmt, fn.locals))
    return [
      ...writtenAround(fn, stmt, { before: lines, prefix: unit, after: behind }),
      ...deepened(fn, { start, end: stmt.end }),
    ];
  const outer = fn.newline + fn.indent(start);
  const at = (offset: number): Edit['at'] => fn.span({ start: offset, end: offset });
  return [
    { at: at(start), newText: lines.join(outer) + outer + unit },
    ...deepened(fn, { start, end: stmt.end }),
    { at: at(stmt.end), newText: behind.map((text) => outer + text).join('') },
  ];
}

/** Would an `if` in the place of a statement take the `else` of another one? */
function takesElse(stmt: Stmt, locals: Locals): boolean {
  const parent = locals.parent(stmt);
  if (!isBareBody(stmt, locals) || !parent || !isStatement(parent)) return false;
  return (parent.kind === 'if' && parent.then === stmt && !!parent.else) || takesElse(parent, locals);
}

/** Moves all lines of a text but the first one level deeper, except directives. */
export function deepened(fn: FunctionText, range: { readonly start: number; readonly end: number }): Edit[] {
  const text = fn.text(range);
  return [...text.matchAll(/\n(?=[ \t]*[^\s#])/g)].map(({ index }) => {
    const start = range.start + index + 1;
    return { at: fn.span({ start, end: start }), newText: fn.indentStep };
  });
}

/** The blanks, comments and directives before a place. */
function gapBefore(fn: FunctionText, offset: number): string {
  return fn.text({ start: headerEnd(fn, offset), end: offset });
}

/** Where the code before a place ends: before the comments and directives that are between. */
function headerEnd(fn: FunctionText, offset: number): number {
  const before = fn.text({ start: 0, end: offset }).trimEnd();
  const comment = fn.decl.comments.find(({ start, end }) => start < before.length && end >= before.length);
  const line = before.lastIndexOf('\n') + 1;
  if (comment) return headerEnd(fn, comment.start);
  return /^[ \t]*#/.test(before.slice(line)) ? headerEnd(fn, line) : before.length;
}

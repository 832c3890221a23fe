// Where a comment of ours goes, and what it says: one that silences a rule on a line, one that marks a kernel.
import { contains, type Edit, type Mark } from '../semantic/model';
import { beforeTemplate } from '../semantic/acc';
import type { ResolvedFinding } from '../lint/finding';
import type { Said } from '../cost/grade';
import { lineTable } from '../syntax';
import { commentsOf, directiveLinesAround, lineSpokenOf } from '../syntax/comments';
import type { Reading } from './readings';

export interface CommentInsertion {
  readonly offset: number;
  readonly before: string;
  readonly placeholder: string;
  readonly after: string;
}

/** A comment above the line that silences a rule on it and gives a reason. */
export function commentAbove(reading: Reading, found: number, rule: string): CommentInsertion | undefined {
  return insertionAbove(reading, found, `warplens-ignore-next-line ${rule}: `, 'reason');
}

/** A kernel or OpenACC construct that a finding is about, with the comment that marks it now. */
export interface Markable {
  readonly what: 'kernel' | 'construct';
  /** Of its definition or directive. */
  readonly start: number;
  readonly mark?: Mark | undefined;
}

/** What a finding is in, or the one kernel that it is about; undefined where there is no such thing in the file. */
export function markableOf(
  { model, uri, text }: Reading,
  { at, kernelsAt = [] }: ResolvedFinding,
): Markable | undefined {
  const around = model.facts.kernel.find((kernel) => contains(kernel.at, at))?.at;
  const kernel = around ?? (kernelsAt.length === 1 ? kernelsAt[0] : undefined);
  const construct = model.facts['acc-loop'].find(
    (loop) => loop.construct !== 'routine' && (contains(loop.at, at) || contains(loop.regionAt, at)),
  )?.regionAt;
  const owner = kernel ?? construct;
  if (!owner || owner.uri !== uri) return undefined;
  const mark = model.marks?.find(({ of }) => of?.uri === uri && of.start === owner.start);
  return kernel
    ? { what: 'kernel', start: beforeTemplate(text, owner.start), mark }
    : { what: 'construct', start: owner.start, mark };
}

/** The edit that makes the mark say `word`. */
export function markEdit(reading: Reading, { start, mark }: Omit<Markable, 'what'>, word: Said): Edit | undefined {
  if (mark) return mark.word === word ? undefined : { at: mark.wordAt, newText: word };
  const { uri, lines } = reading;
  const insertion = insertionAbove(reading, lines.positionAt(start).line, `warplens: ${word}`, '');
  if (!insertion) return undefined;
  const { offset, before, after } = insertion;
  return { at: { uri, start: offset, end: offset }, newText: before + after };
}

/**
 * A separate comment above the line, or above the directive that it is a line of, indented like it. Undefined where
 * none can stand (inside a macro, a raw string) or where it would not be heard.
 */
function insertionAbove(
  { text, lines, model: { fortran } }: Reading,
  found: number,
  comment: string,
  placeholder: string,
): CommentInsertion | undefined {
  const line = directiveLinesAround(text, lines, found, fortran)?.first ?? found;
  const { start, end } = lines.lineSpan(line);
  if (line > 0) {
    const previous = lines.lineSpan(line - 1);
    if (fortran === undefined && /\\[ \t]*$/.test(text.slice(previous.start, previous.end))) return undefined;
    // A comment is allowed between the lines of a statement, but compilers differ on those of a directive.
    if (fortran !== undefined && /^[ \t]*[!cC*]\$.*&[ \t]*$/.test(text.slice(previous.start, previous.end)))
      return undefined;
    if (fortran === 'fixed' && /^(?: {5}|[!cC*]\$\w{3})[^ 0\t]/.test(text.slice(start, end))) return undefined;
  }
  // In column 6 of fixed form even an exclamation mark continues a line.
  const indent = fortran === 'fixed' ? '' : /^[ \t]*/.exec(text.slice(start, end))![0];
  const insertion = {
    offset: start,
    before: `${indent}${fortran === undefined ? '//' : '!'} ${comment}`,
    placeholder,
    after: text.includes('\r\n') ? '\r\n' : '\n',
  };
  const edited = text.slice(0, start) + insertion.before + placeholder + insertion.after + text.slice(start);
  const table = lineTable(edited);
  for (const written of commentsOf(edited, table, fortran))
    if (written.start === start + indent.length)
      return lineSpokenOf(edited, table, written, fortran) === line + 1 ? insertion : undefined;
  return undefined;
}

// Where a comment that silences a rule on a line goes, and what it says.
import { directiveLinesAround, findSuppressions } from '../lint/suppressions';
import type { LineTable } from '../syntax';

export interface CommentInsertion {
  readonly offset: number;
  readonly before: string;
  readonly placeholder: string;
  readonly after: string;
}

const placeholder = 'reason';

/**
 * A separate comment above the line, or above the directive that it is a line of, indented like it. Undefined where
 * none can stand (inside a macro, a raw string) or where it would not be heard.
 */
export function commentAbove(
  text: string,
  lines: LineTable,
  found: number,
  rule: string,
  fortran?: 'free' | 'fixed',
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
    before: `${indent}${fortran === undefined ? '//' : '!'} warplens-ignore-next-line ${rule}: `,
    placeholder,
    after: text.includes('\r\n') ? '\r\n' : '\n',
  };
  return heard(text, insertion, line + 1, rule, fortran) ? insertion : undefined;
}

function heard(
  text: string,
  { offset, before, after }: CommentInsertion,
  line: number,
  rule: string,
  fortran: 'free' | 'fixed' | undefined,
): boolean {
  const edited = text.slice(0, offset) + before + placeholder + after + text.slice(offset);
  return findSuppressions(edited, undefined, fortran).some(
    (one) =>
      one.start >= offset &&
      one.start <= offset + before.length &&
      one.line === line &&
      one.rules.some(({ id }) => id === rule),
  );
}

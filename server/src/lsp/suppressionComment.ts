// Where a comment that silences a rule on a line goes, and what it says.
import { findSuppressions } from '../lint/suppressions';
import type { LineTable } from '../syntax';

export interface CommentInsertion { readonly offset: number; readonly before: string; readonly placeholder: string; readonly after: string }

const placeholder = 'reason';

/** A comment of its own above the line, indented like it. Undefined where none can stand (inside a macro, a raw string) or where it would not be heard. */
export function commentAbove(text: string, lines: LineTable, line: number, rule: string): CommentInsertion | undefined {
  const { start, end } = lines.lineSpan(line);
  if (line > 0) {
    const previous = lines.lineSpan(line - 1);
    if (/\\[ \t]*$/.test(text.slice(previous.start, previous.end))) return undefined;
  }
  const indent = /^[ \t]*/.exec(text.slice(start, end))![0];
  const insertion = { offset: start, before: `${indent}// warplens-ignore-next-line ${rule}: `, placeholder, after: text.includes('\r\n') ? '\r\n' : '\n' };
  return heard(text, insertion, line + 1, rule) ? insertion : undefined;
}

function heard(text: string, { offset, before, after }: CommentInsertion, line: number, rule: string): boolean {
  const edited = text.slice(0, offset) + before + placeholder + after + text.slice(offset);
  return findSuppressions(edited).some((one) => one.start >= offset && one.start <= offset + before.length && one.line === line && one.rules.some(({ id }) => id === rule));
}

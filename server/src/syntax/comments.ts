// Comments by the text alone, for those of ours that speak of a line.
import { fortranDirectivePlaces } from './directives/lines';
import type { LineTable } from './lines';

type Comment = { readonly start: number; readonly end: number };

/** The comments of a text, in order. */
export function commentsOf(text: string, table: LineTable, fortran?: 'free' | 'fixed'): Iterable<Comment> {
  return fortran ? fortranComments(text, table, fortran) : comments(text);
}

/**
 * First and last line of the directive that a line belongs to; undefined where it is not a directive, or one of a
 * single line.
 */
export function directiveLinesAround(
  text: string,
  table: LineTable,
  line: number,
  fortran?: 'free' | 'fixed',
): { readonly first: number; readonly last: number } | undefined {
  let first = line;
  let last = line;
  if (fortran) {
    if (!/^[ \t]*[!cC*]\$acc/i.test(lineText(text, table, line))) return undefined;
    const { start, end } = table.lineSpan(line);
    const place = fortranDirectivePlaces(text, fortran === 'fixed').find((one) => one.start <= end && one.end >= start);
    if (!place) return undefined;
    first = table.positionAt(place.start).line;
    last = table.positionAt(place.end).line;
  } else {
    const goesOn = (each: number): boolean => /\\[ \t]*$/.test(lineText(text, table, each));
    while (first > 0 && goesOn(first - 1)) first--;
    if (!/^[ \t]*#[ \t]*pragma\b/.test(lineText(text, table, first))) return undefined;
    while (last < table.lineCount - 1 && goesOn(last)) last++;
  }
  return last > first ? { first, last } : undefined;
}

/**
 * The first line from `line` on that is neither blank nor only a comment, so that several comments can speak of one
 * line.
 */
export function nextCodeLine(
  text: string,
  table: LineTable,
  line: number,
  fortran: 'free' | 'fixed' | undefined,
): number {
  let next = line;
  const noCode =
    fortran === 'fixed' ? /^(\s*$|(?:[c*d]|\s*!)(?!\$))/i : fortran ? /^\s*($|!(?!\$))/ : /^\s*($|\/\/|\/\*.*\*\/\s*$)/;
  while (next < table.lineCount - 1 && noCode.test(lineText(text, table, next))) next++;
  return next;
}

function lineText(text: string, table: LineTable, line: number): string {
  const { start, end } = table.lineSpan(line);
  return text.slice(start, end);
}

/** The line that a comment speaks of: the next one with code where it stands alone, else its own. */
export function lineSpokenOf(
  text: string,
  table: LineTable,
  { start, end }: Comment,
  fortran?: 'free' | 'fixed',
): number {
  const first = table.positionAt(start);
  const { line } = table.positionAt(end);
  const before = text.slice(table.lineSpan(first.line).start, start);
  const after = text.slice(end, table.lineSpan(line).end);
  return before.trim() === '' && after.trim() === '' ? nextCodeLine(text, table, line + 1, fortran) : line;
}

/**
 * Comments of Fortran, whose strings end with the line unless it ends in `&`. Those of a directive's line begin behind
 * it.
 */
function* fortranComments(text: string, table: LineTable, form: 'free' | 'fixed'): Generator<Comment> {
  let quote = '';
  for (let line = 0; line < table.lineCount; line++) {
    const { start, end } = table.lineSpan(line);
    if (quote === '' && form === 'fixed' && /[cC*]/.test(text[start] ?? '') && text[start + 1] !== '$') {
      yield { start, end };
      continue;
    }
    const directive = quote === '' ? /^[ \t]*[!cC*]\$\w+/.exec(text.slice(start, Math.min(end, start + 200))) : null;
    for (let at = start + (directive?.[0].length ?? 0); at < end; at++) {
      const char = text[at]!;
      if (quote !== '') {
        if (char === quote) quote = '';
        continue;
      }
      if (char === '!') {
        yield { start: at, end };
        break;
      }
      if (char === "'" || char === '"') quote = char;
    }
    if (quote !== '' && (form === 'fixed' || !/&[ \t]*$/.test(text.slice(start, end)))) quote = '';
  }
}

/** Comments outside string and character literals; an unterminated one runs to the end. */
function* comments(text: string): Generator<Comment> {
  for (const { start, end, isComment } of opaquesOf(text)) if (isComment) yield { start, end };
}

/** Comments, strings and characters of a text of the C family, in order: what no token begins in. */
export function* opaquesOf(text: string): Generator<Comment & { readonly isComment: boolean }> {
  const comment = /\/\/(?:[^\\\r\n]|\\\r?\n|\\.)*|\/\*[\s\S]*?(?:\*\/|$)/.source;
  const literal = /R"([^\s()\\]{0,16})\([\s\S]*?(?:\)\1"|$)|"(?:[^"\\\r\n]|\\[\s\S])*"?|'(?:[^'\\\r\n]|\\[\s\S])*'?/
    .source;
  const token = new RegExp(`${comment}|${literal}`, 'g');
  for (let match = token.exec(text); match; match = token.exec(text)) {
    // A quote between digits separates them: 1'000'000.
    if (match[0][0] === "'" && /[0-9a-fA-F]/.test(text[match.index - 1] ?? '')) {
      token.lastIndex = match.index + 1;
      continue;
    }
    const isComment = match[0].startsWith('//') || match[0].startsWith('/*');
    yield { start: match.index, end: match.index + match[0].length, isComment };
  }
}

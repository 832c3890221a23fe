// Comments that silence findings: `// warplens-ignore-line cuda/rule: reason`, `…-next-line`, `…-file`; in Fortran
// `! …`.
import { fortranDirectivePlaces } from '../syntax/directives/lines';
import { lineTable, type LineTable } from '../syntax/lines';

export interface Suppression {
  readonly scope: 'line' | 'next-line' | 'file';
  /** Rules it names, with the place of each id; empty means every rule. */
  readonly rules: readonly { readonly id: string; readonly start: number; readonly end: number }[];
  readonly reason: string;
  /** The whole comment. */
  readonly start: number;
  readonly end: number;
  /** The line it silences (0-based); absent for the whole file. */
  readonly line?: number | undefined;
  /**
   * The lines it silences, both counted, where that line belongs to a directive of several: no comment can stand
   * between those.
   */
  readonly directive?: { readonly first: number; readonly last: number } | undefined;
}

const marker = /warplens-ignore-(line|next-line|file)\b/;

/** The suppression comments of a text, in order. A text without any costs one search. Never throws. */
export function findSuppressions(
  text: string,
  table: LineTable = lineTable(text),
  fortran?: 'free' | 'fixed',
): readonly Suppression[] {
  if (!text.includes('warplens-ignore-')) return [];
  const found: Suppression[] = [];
  for (const comment of fortran ? fortranComments(text, table, fortran) : comments(text)) {
    const body = text.slice(comment.start, comment.end);
    const match = marker.exec(body);
    if (!match) continue;
    const scope = match[1] as Suppression['scope'];
    const line = table.positionAt(comment.end).line;
    const listStart = comment.start + match.index + match[0].length;
    const rest = text
      .slice(listStart, comment.end)
      .replace(/\*\/$/, '')
      .split(/[\r\n]/, 1)[0]!;
    const colon = /:(?!:)/.exec(rest);
    const list = colon ? rest.slice(0, colon.index) : rest;
    const rules = [...list.matchAll(/[^\s,]+/g)].map((word) => ({
      id: word[0],
      start: listStart + word.index,
      end: listStart + word.index + word[0].length,
    }));
    const silenced =
      scope === 'file' ? undefined : scope === 'line' ? line : nextCodeLine(text, table, line + 1, fortran);
    const directive = silenced === undefined ? undefined : directiveLinesAround(text, table, silenced, fortran);
    found.push({
      scope,
      rules,
      start: comment.start,
      end: comment.end,
      reason: colon ? rest.slice(colon.index + 1).trim() : '',
      line: silenced,
      ...(directive ? { directive } : {}),
    });
  }
  return found;
}

/**
 * First and last line of the directive that a line belongs to; undefined where it is not a directive, or one of a single
 * line.
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
 * The first line from `line` on that is neither blank nor only a comment, so that several suppressions can stand above
 * one line.
 */
function nextCodeLine(text: string, table: LineTable, line: number, fortran: 'free' | 'fixed' | undefined): number {
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

/**
 * Comments of Fortran, whose strings end with the line unless it ends in `&`. Those of a directive's line begin behind
 * it.
 */
function* fortranComments(
  text: string,
  table: LineTable,
  form: 'free' | 'fixed',
): Generator<{ readonly start: number; readonly end: number }> {
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
function* comments(text: string): Generator<{ readonly start: number; readonly end: number }> {
  const token =
    /\/\/(?:[^\\\r\n]|\\\r?\n|\\.)*|\/\*[\s\S]*?(?:\*\/|$)|R"([^\s()\\]{0,16})\([\s\S]*?(?:\)\1"|$)|"(?:[^"\\\r\n]|\\[\s\S])*"?|'(?:[^'\\\r\n]|\\[\s\S])*'?/g;
  for (let match = token.exec(text); match; match = token.exec(text)) {
    // A quote between digits separates them: 1'000'000.
    if (match[0][0] === "'" && /[0-9a-fA-F]/.test(text[match.index - 1] ?? '')) {
      token.lastIndex = match.index + 1;
      continue;
    }
    if (match[0].startsWith('//') || match[0].startsWith('/*'))
      yield { start: match.index, end: match.index + match[0].length };
  }
}

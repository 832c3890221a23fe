// Where Fortran's directives are in a text, and a directive's text without what is not part of it; offsets never
// change.
import { withoutComment as withoutFortranComment } from '../fortran/comments';
import type { Place } from '../procedures';

const FREE = /^[ \t]*!\$acc(?![A-Za-z0-9_])/i;
const FREE_MARK = /^[ \t]*!\$acc[ \t]*&/i;
const MARK_ALONE = /^[ \t]*!\$acc[ \t]*&[ \t]*$|^[!cC*]\$acc[^ \t0][ \t]*$/i;
const FIXED = /^[!cC*]\$acc(?=[ \t0]|$)/i;

/**
 * Every OpenACC directive of a Fortran text, continuation lines included, in order: from its sentinel to the end of its
 * last line.
 * In fixed form a continuation line has a mark in column 6; in free form the line before ends with `&`. A continuation
 * line of its mark alone (`!$acc&`) ends the directive, unless the next line has the mark too.
 */
export function fortranDirectivePlaces(text: string, fixedForm: boolean): Place[] {
  const places: Place[] = [];
  if (!/\$acc/i.test(text)) return places;
  let open: { start: number; end: number } | undefined;
  let continued = false;
  let ended = false;
  for (let start = 0; start < text.length; ) {
    let next = text.indexOf('\n', start);
    next = next < 0 ? text.length : next + 1;
    let end = next;
    while (end > start && /[\r\n]/.test(text[end - 1]!)) end--;
    const line = text.slice(start, end);
    const sentinel = FREE.exec(line) ?? (fixedForm ? /^[!cC*]\$acc/i.exec(line) : null);
    if (sentinel) {
      const mark = fixedForm && /^[!cC*]\$acc[^ \t0]/i.test(line);
      const joined: boolean = open !== undefined && (continued || mark || (ended && FREE_MARK.test(line)));
      ended = joined && MARK_ALONE.test(withoutComment(line, sentinel[0].length));
      if (open && joined) open.end = end;
      else if (!fixedForm || FIXED.test(line) || /^[ \t]+!/.test(line)) {
        if (open) places.push(open);
        open = { start: start + line.search(/[!cC*]/), end };
      } else if (open) {
        places.push(open);
        open = undefined;
      }
      continued = open !== undefined && !ended && /&[ \t]*$/.test(withoutComment(line, sentinel[0].length));
    } else if (open && !(/^[ \t]*(?:!.*)?$/.test(line) || /^#/.test(line) || (fixedForm && /^[cC*]/.test(line)))) {
      places.push(open);
      open = undefined;
    }
    start = next;
  }
  if (open) places.push(open);
  return places;
}

/** A Fortran directive's text with the comments behind its lines as blanks. */
export function withoutComments(text: string): string {
  return text.replace(/[^\r\n]+/g, (line) => {
    const sentinel = /^[ \t]*[!cC*]\$acc/i.exec(line);
    return sentinel ? withoutComment(line, sentinel[0].length).padEnd(line.length) : line;
  });
}

/** A line without the comment after it, which is looked for from an offset on. */
function withoutComment(line: string, from: number): string {
  return line.slice(0, from) + withoutFortranComment(line.slice(from));
}

/**
 * A directive's text with comments, line joins and repeated sentinels as blanks, of the same length. `from` is where
 * the words begin.
 */
export function bareText(
  text: string,
  language: 'c' | 'fortran',
  fixedForm: boolean,
): { readonly text: string; readonly from: number } {
  const out = [...Array(text.length)].map((_, at) => text[at]!);
  const blank = (start: number, end: number): void => {
    for (let at = start; at < end && at < out.length; at++) out[at] = ' ';
  };
  if (language === 'c') {
    const from = /^#(?:[ \t]|\\[ \t]*\r?\n)*pragma(?:[ \t]|\\[ \t]*\r?\n)+acc/.exec(text)?.[0].length ?? 0;
    for (const found of text.matchAll(
      /"(?:[^"\\\r\n]|\\.)*"|'(?:[^'\\\r\n]|\\.)*'|\/\/[^\r\n]*|\/\*[\s\S]*?(?:\*\/|$)|\\[ \t]*\r?\n|[\r\n]/g,
    )) {
      if (found[0][0] !== '"' && found[0][0] !== "'") blank(found.index, found.index + found[0].length);
    }
    blank(0, from);
    return { text: out.join(''), from };
  }
  const from = /^[!cC*]\$acc0?/i.exec(text)?.[0].length ?? 0;
  let first = true;
  for (let start = 0; start < text.length; ) {
    let next = text.indexOf('\n', start);
    next = next < 0 ? text.length : next + 1;
    const line = text.slice(start, next).replace(/[\r\n]+$/, '');
    const end = start + line.length;
    blank(end, next);
    const sentinel = /^[ \t]*[!cC*]\$acc/i.exec(line);
    if (!sentinel) blank(start, end);
    else {
      let words = sentinel[0].length;
      if (!first)
        words +=
          (fixedForm && /^[^ \t0]/.test(line.slice(words)) ? 1 : 0) ||
          (/^[ \t]*&/.exec(line.slice(words))?.[0].length ?? 0);
      blank(start, start + words);
      const kept = withoutComment(line, words);
      const stop = kept.replace(/&[ \t]*$/, '').length;
      blank(start + stop, end);
    }
    first = false;
    start = next;
  }
  return { text: out.join(''), from };
}

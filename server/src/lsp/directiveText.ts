// The directive under the pointer, from its own lines alone: nothing has to be parsed, so it works while it
// is typed and in any file.
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { aliases, directives, endDirectives } from '../syntax/directives/table';
import { bareText, fortranDirectivePlaces } from '../syntax/directives/lines';
import { isFixedFormName } from '../syntax/fortran/source';
import { isFortran } from '../workspace/fortran';

export interface DirectiveText {
  readonly language: 'c' | 'fortran';
  /** Offsets into the document. */
  readonly start: number;
  readonly end: number;
  /** The words at the top level with their parentheses, in order, `acc` not among them. */
  readonly words: readonly DirectiveWord[];
  /** Canonical, where the words make one; '' else. */
  readonly name: string;
  /** How many of the words the name takes. */
  readonly nameWords: number;
}
export interface DirectiveWord {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly open?: number;
  /** Behind the closing parenthesis, or the end of the directive. */
  readonly close?: number;
}

/** Lines looked at on each side of the pointer. */
const REACH = 40;

export function languageOf(document: TextDocument): {
  readonly language: 'c' | 'fortran';
  readonly fixedForm: boolean;
} {
  const fortran = isFortran(document.uri, document.languageId);
  return {
    language: fortran ? 'fortran' : 'c',
    fixedForm: fortran && (/fixed/i.test(document.languageId) || isFixedFormName(document.uri)),
  };
}

/** The directive at an offset, cut at `until`: what has been typed so far. */
export function directiveAround(document: TextDocument, offset: number, until?: number): DirectiveText | undefined {
  const { language, fixedForm } = languageOf(document);
  const line = document.positionAt(offset).line;
  const from = document.offsetAt({ line: Math.max(0, line - REACH), character: 0 });
  const to = Math.min(until ?? Infinity, document.offsetAt({ line: line + REACH, character: 0 }));
  const text = document.getText().slice(from, to);
  if (!/acc/i.test(text)) return undefined;
  for (const place of language === 'c' ? pragmaPlaces(text) : fortranDirectivePlaces(text, fixedForm)) {
    if (offset < from + place.start || offset > from + place.end) continue;
    return readWords(text.slice(place.start, place.end), from + place.start, language, fixedForm);
  }
  return undefined;
}

/** `#pragma acc` lines with those that a backslash joins to them. */
function* pragmaPlaces(text: string): Generator<{ start: number; end: number }> {
  for (const found of text.matchAll(/^[ \t]*(#[ \t]*pragma[ \t]+acc(?![\w$])(?:\\[ \t]*\r?\n|[^\r\n])*)/gm)) {
    const start = found.index + found[0].length - found[1]!.length;
    yield { start, end: start + found[1]!.length };
  }
}

function readWords(text: string, base: number, language: 'c' | 'fortran', fixedForm: boolean): DirectiveText {
  const bare = bareText(text, language, fixedForm);
  const words: DirectiveWord[] = [];
  for (let at = bare.from; at < bare.text.length; ) {
    const word = /^[A-Za-z_]\w*/.exec(bare.text.slice(at, at + 80))?.[0];
    if (!word) {
      at++;
      continue;
    }
    const end = at + word.length;
    const blanks = /^[ \t]*/.exec(bare.text.slice(end))![0].length;
    if (bare.text[end + blanks] !== '(') {
      words.push({ text: word, start: base + at, end: base + end });
      at = end;
      continue;
    }
    let depth = 0;
    let close = end + blanks;
    for (; close < bare.text.length; close++) {
      const character = bare.text[close];
      if (character === '(') depth++;
      else if (character === ')' && --depth === 0) {
        close++;
        break;
      }
    }
    words.push({ text: word, start: base + at, end: base + end, open: base + end + blanks, close: base + close });
    at = close;
  }
  return { language, start: base, end: base + text.length, words, ...nameOf(words, language) };
}

function nameOf(words: readonly DirectiveWord[], language: 'c' | 'fortran'): { name: string; nameWords: number } {
  for (let count = Math.min(3, words.length); count > 0; count--) {
    if (words.slice(0, count - 1).some((word) => word.open !== undefined)) continue;
    const name = words
      .slice(0, count)
      .map((word) => word.text.toLowerCase())
      .join(' ');
    if (directives.has(name) || (language === 'fortran' && endDirectives.has(name))) return { name, nameWords: count };
  }
  return { name: '', nameWords: 0 };
}

/** A clause's name as the table has it. */
export function clauseNamed(word: DirectiveWord): string {
  const lower = word.text.toLowerCase();
  return aliases.get(lower) ?? lower;
}

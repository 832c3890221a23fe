// Edits that right a directive: a word replaced, a clause taken out, as far as they fit into its lines.
import type { Directive, DirectiveProblem, Place } from '../procedures';
import type { Part } from './parts';

export interface CheckContext {
  readonly parts: readonly Part[];
  /** Characters between the words that belong to nothing. */
  readonly strays: readonly { readonly start: number; readonly end: number }[];
  readonly nameWords: number;
  readonly placeOf: (start: number, end: number) => Place;
  readonly textOf: (start: number, end: number) => string;
  readonly isMacro: (word: string) => boolean;
  readonly macro: boolean;
}

export type Fix = NonNullable<DirectiveProblem['fix']>;
export type Read = Omit<Directive, 'problems'>;

export function replacement(at: Place, word: string): Fix {
  return { title: `Write \`${word}\``, safe: false, edits: [{ at, newText: word }] };
}
export function removal(at: Place, title: string): Fix {
  return { title, safe: false, edits: [{ at, newText: '' }] };
}

/** A clause with what is between it and the word before, line joins included, unless a comment is there. */
export function wholeOf(part: Part, index: number, { parts, placeOf, textOf }: CheckContext): Place {
  const before = parts[index - 1];
  if (!before) return placeOf(part.start, part.end);
  const between = textOf(before.end, part.start);
  const blank = /^(?:[\s,]|\\[ \t]*\r?\n|&?[ \t]*\r?\n[ \t]*[!cC*]\$acc[^ \t\r\n0]?)*$/i.test(between);
  return placeOf(blank ? before.end : part.start, part.end);
}

/**
 * Whether no line grows behind column 72, where fixed form ends, or near 132, where free form does; how far a directive
 * is indented is not known here.
 */
export function fits({ edits }: Fix, { start, end, fixedForm }: Read, { textOf }: CheckContext): boolean {
  const text = textOf(0, end - start);
  return edits.every(({ at, newText }) => {
    const from = text.lastIndexOf('\n', at.start - start - 1) + 1;
    const next = text.indexOf('\n', at.end - start);
    const line =
      text.slice(from, at.start - start) + newText + text.slice(at.end - start, next < 0 ? text.length : next);
    return newText.length <= at.end - at.start || line.trimEnd().length <= (fixedForm ? 72 : 120);
  });
}

/** The clause before the first `device_type`, where it holds for all devices. */
export function moved(
  directive: Read,
  { parts, nameWords, textOf, placeOf }: CheckContext,
  part: Part,
  whole: Place,
): Fix | undefined {
  const first = parts[nameWords + directive.clauses.findIndex((clause) => clause.name === 'device_type')];
  const text = textOf(part.start, part.end);
  if (!first || /[\r\n]/.test(text)) return undefined;
  return {
    title: `Move \`${shortened(text)}\` before \`${shortened(textOf(first.start, first.end))}\``,
    safe: false,
    edits: [
      { at: placeOf(first.start, first.start), newText: `${text} ` },
      { at: whole, newText: '' },
    ],
  };
}

export function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 40 ? `${line.slice(0, 39)}…` : line;
}

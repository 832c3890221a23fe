// Places in files, and what is said or written there: what every fact is made of.

/** UTF-16 offsets into the file `uri`. */
export interface Span {
  readonly uri: string;
  readonly start: number;
  readonly end: number;
}

/** The place of a node in the file. */
export function spanIn({ uri }: { readonly uri: string }, { start, end }: Pick<Span, 'start' | 'end'>): Span {
  return { uri, start, end };
}

export function contains(outer: Span, inner: Span): boolean {
  return outer.uri === inner.uri && outer.start <= inner.start && inner.end <= outer.end;
}

/** One step of a trail to a cause, shown as related information. */
export interface Reason {
  readonly at: Span;
  readonly text: string;
}

export interface Edit {
  readonly at: Span;
  readonly newText: string;
  /** Changes blanks alone, so that what is beside the other edits keeps its column. */
  readonly layout?: true;
}

/**
 * What an edit takes out: the place with its lines where nothing but white space shares them, the blank lines above
 * where another blank line or the end of a block follows, and those below at either end of a block; else undefined.
 */
export function wholeLines(
  text: string,
  { start, end }: Pick<Span, 'start' | 'end'>,
): { readonly start: number; readonly end: number } | undefined {
  const first = text.lastIndexOf('\n', start - 1) + 1;
  const rest = /^[ \t]*(?:\r?\n|$)/.exec(text.slice(end));
  if (!rest || !/^[ \t]*$/.test(text.slice(first, start))) return undefined;
  const next = end + rest[0].length;
  const above = text.slice(0, first);
  const below = text.slice(next);
  const [blank] = /^[ \t]*(?:\r?\n|\})/.test(below) ? /(?<=\n)(?:[ \t]*\r?\n)*$/.exec(above)! : [''];
  const opens = /\{[ \t]*\r?\n$/.test(above);
  const last = (opens ? /^(?:[ \t]*\r?\n)*/ : /^(?:[ \t]*\r?\n)*(?=[ \t]*\})/).exec(below)?.[0] ?? '';
  return { start: first - blank.length, end: next + last.length };
}

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

export function beginAlike(one: Span | undefined, other: Span | undefined): boolean {
  return one !== undefined && one.uri === other?.uri && one.start === other.start;
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

// Turns offsets into lines and columns and back.

export interface Position {
  readonly line: number;
  readonly character: number;
}

/** Two places of a text, as offsets or as positions. */
type Ends<Place> = { readonly start: Place; readonly end: Place };

export type LineTable = ReturnType<typeof lineTable>;

/** The first of so many indices of which something holds that holds of all after it; `count` where there is none. */
export function firstIndex(count: number, holds: (index: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Reads the line breaks (`\n`, `\r\n`, `\r`) of a text once. */
export function lineTable(text: string) {
  const starts = [0];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 10 || (code === 13 && text.charCodeAt(at + 1) !== 10)) starts.push(at + 1);
  }
  const endOf = (line: number): number => {
    let end = line + 1 < starts.length ? starts[line + 1]! : text.length;
    if (line + 1 < starts.length) {
      if (text.charCodeAt(end - 1) === 10) end--;
      if (text.charCodeAt(end - 1) === 13 && end > starts[line]!) end--;
    }
    return Math.max(end, starts[line]!);
  };
  /** Zero-based line and UTF-16 column of an offset; offsets outside the text are clamped. */
  const positionAt = (offset: number): Position => {
    const at = Math.max(0, Math.min(offset, text.length));
    const line = firstIndex(starts.length, (each) => starts[each]! > at) - 1;
    return { line, character: at - starts[line]! };
  };
  return {
    lineCount: starts.length,
    positionAt,
    rangeOf: ({ start, end }: Ends<number>): Ends<Position> => ({ start: positionAt(start), end: positionAt(end) }),
    /** Offset of a zero-based line and UTF-16 column; columns past the end of a line are its end. */
    offsetAt({ line, character }: Position): number {
      if (line < 0) return 0;
      if (line >= starts.length) return text.length;
      return Math.min(starts[line]! + Math.max(0, character), endOf(line));
    },
    /** Start of a line, and its end without the line break. */
    lineSpan(line: number): Ends<number> {
      const clamped = Math.max(0, Math.min(line, starts.length - 1));
      return { start: starts[clamped]!, end: endOf(clamped) };
    },
  };
}

/**
 * What an edit takes out: the place with its lines where nothing but white space shares them, the blank lines above
 * where another blank line or the end of a block follows, and those below at either end of a block; else undefined.
 */
export function wholeLines(text: string, { start, end }: Ends<number>): Ends<number> | undefined {
  const first = text.lastIndexOf('\n', start - 1) + 1;
  const rest = /^[ \t]*(?:\r?\n|$)/.exec(text.slice(end));
  if (!rest || !/^[ \t]*$/.test(text.slice(first, start))) return undefined;
  const next = end + rest[0].length;
  // The last word before it and the blanks after that: a search from the start of the file would take long.
  const above = text.slice(Math.max(0, text.slice(0, first).trimEnd().length - 1), first);
  const below = text.slice(next);
  const [blank] = /^[ \t]*(?:\r?\n|\})/.test(below) ? /(?<=\n)(?:[ \t]*\r?\n)*$/.exec(above)! : [''];
  const opens = /\{[ \t]*\r?\n$/.test(above);
  const last = (opens ? /^(?:[ \t]*\r?\n)*/ : /^(?:[ \t]*\r?\n)*(?=[ \t]*\})/).exec(below)?.[0] ?? '';
  return { start: first - blank.length, end: next + last.length };
}

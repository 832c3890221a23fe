// Turns offsets into lines and columns and back.

export interface Position {
  readonly line: number;
  readonly character: number;
}

export interface LineTable {
  readonly lineCount: number;
  /** Zero-based line and UTF-16 column of an offset; offsets outside the text are clamped. */
  positionAt(offset: number): Position;
  /** Offset of a zero-based line and UTF-16 column; columns past the end of a line are its end. */
  offsetAt(position: Position): number;
  /** Start of a line, and its end without the line break. */
  lineSpan(line: number): { readonly start: number; readonly end: number };
}

/** Reads the line breaks (`\n`, `\r\n`, `\r`) of a text once. */
export function lineTable(text: string): LineTable {
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
  return {
    lineCount: starts.length,
    positionAt(offset) {
      const at = Math.max(0, Math.min(offset, text.length));
      let low = 0;
      let high = starts.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (starts[middle]! <= at) low = middle;
        else high = middle - 1;
      }
      return { line: low, character: at - starts[low]! };
    },
    offsetAt({ line, character }) {
      if (line < 0) return 0;
      if (line >= starts.length) return text.length;
      return Math.min(starts[line]! + Math.max(0, character), endOf(line));
    },
    lineSpan(line) {
      const clamped = Math.max(0, Math.min(line, starts.length - 1));
      return { start: starts[clamped]!, end: endOf(clamped) };
    },
  };
}

/**
 * What an edit takes out: the place with its lines where nothing but white space shares them, the blank lines above
 * where another blank line or the end of a block follows, and those below at either end of a block; else undefined.
 */
export function wholeLines(
  text: string,
  { start, end }: { readonly start: number; readonly end: number },
): { readonly start: number; readonly end: number } | undefined {
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

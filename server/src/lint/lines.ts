// Offsets to lines and back: UTF-16 offsets, lines counted from 0; `\n`, `\r\n` and a lone `\r` end a line.

export interface LineTable {
  readonly count: number;
  /** Line and column (UTF-16 units) of an offset; an offset beyond the text counts as its end. */
  positionAt(offset: number): { readonly line: number; readonly column: number };
  startOf(line: number): number;
  /** End of the line's text, before its line break. */
  endOf(line: number): number;
  textOf(line: number): string;
}

export function lineTable(text: string): LineTable {
  const starts = [0];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 10 || (code === 13 && text.charCodeAt(i + 1) !== 10)) starts.push(i + 1);
  }
  function lineOf(offset: number): number {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle]! <= offset) low = middle; else high = middle - 1;
    }
    return low;
  }
  function endOf(line: number): number {
    let end = line + 1 < starts.length ? starts[line + 1]! : text.length;
    while (end > starts[line]! && (text.charCodeAt(end - 1) === 10 || text.charCodeAt(end - 1) === 13)) end--;
    return end;
  }
  return {
    count: starts.length,
    positionAt(offset) {
      const at = Math.max(0, Math.min(offset, text.length));
      const line = lineOf(at);
      return { line, column: at - starts[line]! };
    },
    startOf: (line) => starts[Math.max(0, Math.min(line, starts.length - 1))]!,
    endOf: (line) => endOf(Math.max(0, Math.min(line, starts.length - 1))),
    textOf: (line) => line < 0 || line >= starts.length ? '' : text.slice(starts[line]!, endOf(line)),
  };
}

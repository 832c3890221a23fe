// Where comments of Fortran begin.

/** Where a comment begins in a line, or -1, and the quote that is open at its end because the line is continued. */
export function commentIn(line: string, open: string): { readonly comment: number; readonly quote: string } {
  let quote = open;
  for (let at = 0; at < line.length; at++) {
    const char = line[at]!;
    if (quote !== '') {
      if (char === quote) quote = '';
      continue;
    }
    if (char === '!') return { comment: at, quote: '' };
    if (char === '"' || char === "'") quote = char;
  }
  return { comment: -1, quote: quote !== '' && /&[ \t]*$/.test(line) ? quote : '' };
}

export function withoutComment(line: string): string {
  const { comment } = commentIn(line, '');
  return comment < 0 ? line : line.slice(0, comment);
}

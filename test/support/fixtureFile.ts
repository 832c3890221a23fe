// Fixtures of rules: source files with carets under what a rule must find, and the same text without them.

/**
 * A caret comment is on a separate line below the line it speaks of: `//    ^^^^^ message-id` (`!    ^^^^^ message-id` in Fortran), optionally with a severity behind the id.
 * The carets cover the finding exactly; for a finding that runs on to the next line they reach the end of its first line.
 * Several comments below one line all speak of that line. The text that is linted, fixed and compiled has none of them.
 */
export interface Expectation {
  readonly line: number;
  readonly column: number;
  readonly length: number;
  readonly message: string;
  readonly severity?: string | undefined;
}
export interface FixtureFile {
  readonly text: string;
  readonly expected: readonly Expectation[];
  /** `// trades for: cuda/rule message-id` in a bad file: an unsafe fix whose title names a price brings this finding with it. Taken out of the text as carets are. */
  readonly trades: readonly string[];
}

const caretLine = /^(\s*(?:\/\/|!)\s*)(\^+)\s+([a-z][\w-]*)(?:\s+(error|warning|information|hint))?\s*$/;

/** Lines and columns of the expectations count from 0 and are those of the text without carets. */
export function readFixture(source: string): FixtureFile {
  const lines: string[] = [];
  const expected: Expectation[] = [];
  const trades: string[] = [];
  for (const line of source.split('\n')) {
    const trade = /^\s*(?:\/\/|!) trades for: (\S+ \S+)\s*$/.exec(line);
    if (trade) {
      trades.push(trade[1]!);
      continue;
    }
    const match = caretLine.exec(line.replace(/\r$/, ''));
    if (!match) {
      lines.push(line);
      continue;
    }
    expected.push({
      line: lines.length - 1,
      column: match[1]!.length,
      length: match[2]!.length,
      message: match[3]!,
      ...(match[4] ? { severity: match[4] } : {}),
    });
  }
  return { text: lines.join('\n'), expected, trades };
}

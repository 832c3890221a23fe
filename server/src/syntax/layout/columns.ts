// Which tokens of a text are in one column: those of a line behind blanks, and what they are in line with on others.
import { opaquesOf } from '../comments';
import { firstIndex, lineTable } from '../lines';

export type Kind = 'comment' | 'backslash' | 'assignment' | 'operator' | 'open' | 'close' | 'end' | 'word';
export interface Token {
  readonly start: number;
  readonly end: number;
  readonly kind: Kind;
}

/** A token behind blanks. */
export interface Anchor {
  readonly line: number;
  /** Of the blanks. */
  readonly start: number;
  readonly at: number;
  readonly kind: Kind;
  readonly column: number;
  /** Columns of blanks; undefined where they are the line's indentation. */
  readonly gap: number | undefined;
  /** A comment goes on in the next line. */
  readonly isLong: boolean;
}

export type Columns = ReturnType<typeof createColumns>;

const tabWidths = [8, 4, 2];
const pieces = /\w[\w.]*|\\(?=[ \t]*$)|[([{]|[)\]}]|;|[-+*/%&|^!<>=?:]+|\S/gm;

export function createColumns(text: string) {
  const table = lineTable(text);
  const opaques = [...opaquesOf(text)];
  const lineOf = (offset: number): number => table.positionAt(offset).line;
  const known = new Map<number, readonly Token[]>();
  const knownAnchors = new Map<number, readonly Anchor[]>();
  const groups = new Map<number, readonly Anchor[] | undefined>();
  const tabWidth = text.includes('\t') ? guessedWidth() : tabWidths[0]!;
  const columnOf = (offset: number): number => width(text.slice(table.lineSpan(lineOf(offset)).start, offset));
  let least: number | undefined;
  return {
    lineCount: table.lineCount,
    lineOf,
    lineSpan: table.lineSpan,
    tokensOf,
    anchorsOf,
    groupOf,
    columnOf,
    width,
    /** Blanks from a column to another, with tabs where `like` has some. */
    blanks(from: number, to: number, like: string): string {
      let written = '';
      let column = from;
      for (let stop = nextStop(column, tabWidth); like.includes('\t') && stop <= to; stop = nextStop(stop, tabWidth)) {
        written += '\t';
        column = stop;
      }
      return written + ' '.repeat(to - column);
    },
    /** Blanks before a trailing comment that are enough: one where the file has such a comment, else two. */
    get leastBeforeComments(): number {
      return (least ??= trailing().some(({ gap }) => gap === 1) ? 1 : 2);
    },
  };

  function width(line: string, tabs = tabWidth): number {
    if (!line.includes('\t')) return line.length;
    let column = 0;
    for (const char of line) column = char === '\t' ? nextStop(column, tabs) : column + char.length;
    return column;
  }

  function trailing(): Anchor[] {
    const lines = new Set(opaques.flatMap(({ start, isComment }) => (isComment ? [lineOf(start)] : [])));
    return [...lines].flatMap((line) => anchorsOf(line).filter(({ kind, gap }) => kind === 'comment' && gap));
  }

  /** The width with which most comments are in one column with that of the next line. */
  function guessedWidth(): number {
    const starts = new Map(
      opaques.flatMap(({ start, isComment }) => {
        const { line } = table.positionAt(start);
        const before = text.slice(table.lineSpan(line).start, start);
        return isComment && before.trim() !== '' ? [[line, before]] : [];
      }),
    );
    const shared = (tabs: number): number =>
      [...starts].filter(([line, before]) => {
        const next = starts.get(line + 1);
        return next !== undefined && (before + next).includes('\t') && width(before, tabs) === width(next, tabs);
      }).length;
    const counts = tabWidths.map(shared);
    return tabWidths[counts.indexOf(Math.max(...counts))]!;
  }

  function tokensOf(line: number): readonly Token[] {
    const before = known.get(line);
    if (before) return before;
    const { start, end } = table.lineSpan(line);
    const tokens: Token[] = [];
    let at = start;
    const plain = (to: number): void => {
      for (const match of text.slice(at, to).matchAll(pieces))
        tokens.push({ start: at + match.index, end: at + match.index + match[0].length, kind: kindOf(match[0]) });
    };
    for (let index = firstEndingAfter(opaques, start); index < opaques.length; index++) {
      const one = opaques[index]!;
      if (one.start >= end) break;
      plain(one.start);
      const from = Math.max(one.start, start);
      at = Math.min(one.end, end);
      if (at > from) tokens.push({ start: from, end: at, kind: one.isComment ? 'comment' : 'word' });
    }
    plain(end);
    known.set(line, tokens);
    return tokens;
  }

  function anchorsOf(line: number): readonly Anchor[] {
    const before = knownAnchors.get(line);
    if (before) return before;
    const { start } = table.lineSpan(line);
    const tokens = tokensOf(line);
    const anchors = tokens.flatMap((token, index) => {
      const from = index > 0 ? tokens[index - 1]!.end : start;
      if (from === token.start) return [];
      const isLast = tokens.slice(index + 1).every(({ kind }) => kind === 'backslash');
      const column = columnOf(token.start);
      return {
        line,
        start: from,
        at: token.start,
        kind: token.kind === 'comment' && !isLast ? 'word' : token.kind,
        column,
        gap: index > 0 ? column - columnOf(from) : undefined,
        isLong: token.kind === 'comment' && isLast && isContinued(token.end),
      };
    });
    knownAnchors.set(line, anchors);
    return anchors;
  }

  function isContinued(end: number): boolean {
    const index = firstEndingAfter(opaques, end - 1);
    return opaques[index] !== undefined && opaques[index].start < end && opaques[index].end > end;
  }

  /** The token of a line that is in the column. */
  function inLine(line: number, { kind, column }: Anchor): Anchor | undefined {
    return anchorsOf(line).find((other) => other.kind === kind && other.column === column);
  }

  /**
   * What shares its column, itself among it, in order; undefined where nothing does. Code in one column with single
   * blanks everywhere is there by chance.
   */
  function groupOf(anchor: Anchor): readonly Anchor[] | undefined {
    if (!/^(?:comment|backslash|assignment|operator|word)$/.test(anchor.kind)) return undefined;
    if (!groups.has(anchor.at)) {
      const members = inColumn(anchor);
      const isMeant = anchor.kind === 'comment' || members.some(({ gap }) => gap === undefined || gap > 1);
      const isGroup = members.length > 1 && isMeant;
      for (const member of members) groups.set(member.at, isGroup || member.isLong ? members : undefined);
    }
    return groups.get(anchor.at);
  }

  function inColumn(anchor: Anchor): readonly Anchor[] {
    const isComment = anchor.kind === 'comment';
    const members = [anchor];
    for (const step of [-1, 1]) {
      members.sort((a, b) => a.line - b.line);
      // Lines of comments alone belong to the trailing comment above them.
      let pending: Anchor[] = [];
      for (let line = anchor.line + step; line >= 0 && line < table.lineCount; line += step) {
        const found = inLine(line, anchor);
        if (!found) {
          if (!isComment || pending.length > 0 || !isCodeAlone(line)) break;
        } else if (isComment && found.gap === undefined) {
          if (step < 0) pending.push(found);
          else if (members.at(-1)!.line === line - 1) members.push(found);
          else break;
        } else {
          if (!isComment && !isAlike(line, anchor)) break;
          members.push(...pending, found);
          pending = [];
        }
      }
    }
    return members.sort((a, b) => a.line - b.line);
  }

  /** A line of code without a comment behind it. */
  function isCodeAlone(line: number): boolean {
    const tokens = tokensOf(line);
    return tokens.length > 0 && !tokens.some(({ kind }) => kind === 'comment');
  }

  /** Code is in columns where the lines begin in one, backslashes anywhere. */
  function isAlike(line: number, anchor: Anchor): boolean {
    if (anchor.kind === 'backslash') return true;
    return columnOf(tokensOf(line)[0]!.start) === columnOf(tokensOf(anchor.line)[0]!.start);
  }
}

function kindOf(piece: string): Kind {
  if (piece === '\\') return 'backslash';
  if (/^[([{]$/.test(piece)) return 'open';
  if (/^[)\]}]$/.test(piece)) return 'close';
  if (piece === ';') return 'end';
  if (/^(?:[-+*/%&|^]|<<|>>)?=(?!=)/.test(piece)) return 'assignment';
  return /^[-+*/%&|^!<>=?:]/.test(piece) ? 'operator' : 'word';
}

function nextStop(column: number, tabs: number): number {
  return column + tabs - (column % tabs);
}

/** Index of the first span that ends after an offset; spans are in order. */
export function firstEndingAfter(spans: readonly { readonly end: number }[], offset: number): number {
  return firstIndex(spans.length, (index) => spans[index]!.end > offset);
}

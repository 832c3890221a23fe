// The text that one chunk is parsed from, with the way back from its offsets to those of the file.
import { TokenKind, type Token } from './tokens';

export interface Span {
  readonly start: number;
  readonly end: number;
  readonly macro: boolean;
}

/** Marks what a repair knows about a token that the grammar cannot be shown. */
export interface TokenNotes {
  /** `__device__` was between a lambda's capture and its parameters. */
  readonly deviceLambdas: ReadonlySet<Token>;
  /** An `aligned(N)` attribute stood after this token, the last one of a declarator. */
  readonly alignedAfter: ReadonlyMap<Token, Token>;
  /** These braces were written as parentheses: `dim3 grid(a, b)`. */
  readonly parenthesised: ReadonlySet<Token>;
  /** `new T*[n]`: the brackets' `*` were left out, so many. */
  readonly newPointers: ReadonlyMap<Token, number>;
  /** What was in these braces is too much to be parsed. */
  readonly tables?: ReadonlySet<Token>;
}

export interface ParseText {
  readonly text: string;
  readonly tokens: readonly Token[];
  readonly notes: TokenNotes;
  /**
   * Where the tokens of parse text `start`..`end` were written, relative to the file. Of a node with children the ones
   * that are not named are its own tokens: a node is as written when these are and when it cuts no macro invocation in
   * two.
   */
  spanOf(start: number, end: number, ownTokens?: readonly { readonly start: number; readonly named: boolean }[]): Span;
  /** Number of the token at an offset of the parse text. */
  tokenAt(offset: number): number;
  /** Where the character at an offset of the parse text was written. */
  positionOf(offset: number): number;
}

/** Marks the tokens that do not follow their neighbour as written, for `spanOf`. */
export function markBreaks(tokens: readonly Token[]): Set<Token> {
  const broken = new Set<Token>();
  for (let at = 1; at < tokens.length; at++) {
    const token = tokens[at]!;
    if (token.body) continue;
    const before = tokens[at - 1]!;
    if (before.body || token.written !== before.written + 1) broken.add(token);
  }
  return broken;
}

export function makeParseText(
  tokens: readonly Token[],
  broken: ReadonlySet<Token>,
  invocations: readonly { start: number; end: number }[],
  notes: TokenNotes,
): ParseText {
  const count = tokens.length;
  const starts = new Int32Array(count);
  const irregular = new Int32Array(count + 1);
  const pieces: string[] = [];
  let length = 0;
  for (let at = 0; at < count; at++) {
    const token = tokens[at]!;
    if (at > 0 && (token.space || needsSpace(tokens[at - 1]!, token))) {
      pieces.push(' ');
      length++;
    }
    starts[at] = length;
    pieces.push(token.text);
    length += token.text.length;
    irregular[at + 1] = irregular[at]! + (token.body || broken.has(token) ? 1 : 0);
  }
  pieces.push('\n');
  const text = pieces.join('');
  let lastFound = 0;
  let edges: Map<number, { first: number; last: number }> | undefined;

  function tokenAt(offset: number): number {
    if (count === 0) return -1;
    let low = 0;
    let high = count - 1;
    if (starts[lastFound]! <= offset) {
      low = lastFound;
      if (lastFound + 1 >= count || starts[lastFound + 1]! > offset) return lastFound;
      if (lastFound + 2 >= count || starts[lastFound + 2]! > offset) return (lastFound = lastFound + 1);
    } else high = lastFound;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    lastFound = low;
    return low;
  }

  function positionOf(offset: number): number {
    const at = tokenAt(offset);
    if (at < 0) return 0;
    const token = tokens[at]!;
    if (token.body) return token.start;
    return Math.min(token.start + (offset - starts[at]!), token.end);
  }

  function isCut(first: number, last: number): boolean {
    if (edges === undefined) {
      edges = new Map();
      for (let at = 0; at < count; at++) {
        const { invocation } = tokens[at]!;
        if (invocation < 0) continue;
        const edge = edges.get(invocation);
        if (edge) edge.last = at;
        else edges.set(invocation, { first: at, last: at });
      }
    }
    const left = tokens[first]!.invocation;
    const right = tokens[last]!.invocation;
    if (left >= 0 && left === right) return true; // all of it is inside one invocation
    return (left >= 0 && edges.get(left)?.first !== first) || (right >= 0 && edges.get(right)?.last !== last);
  }

  function spanOf(
    start: number,
    end: number,
    ownTokens?: readonly { readonly start: number; readonly named: boolean }[],
  ): Span {
    const first = tokenAt(start);
    if (first < 0) return { start: 0, end: 0, macro: false };
    const one = tokens[first]!;
    if (end <= start) {
      // a missing token: where the one before it ends
      const before = first > 0 && starts[first]! >= start ? tokens[first - 1]! : one;
      const at =
        starts[first]! >= start && first > 0 ? before.end : Math.min(one.end, one.start + (start - starts[first]!));
      return { start: at, end: at, macro: false };
    }
    const last = tokenAt(end - 1);
    const other = tokens[last]!;
    const irregularInside = one.body || irregular[last + 1]! - irregular[first + 1]! > 0;
    const macro =
      irregularInside &&
      (isCut(first, last) || (ownTokens?.some((own) => !own.named && tokens[tokenAt(own.start)]!.body) ?? false));
    if (!macro) {
      return {
        start:
          one.invocation >= 0 && irregularInside
            ? invocations[one.invocation]!.start
            : one.start + Math.min(start - starts[first]!, one.end - one.start),
        end:
          other.invocation >= 0 && irregularInside
            ? invocations[other.invocation]!.end
            : other.text.length === other.end - other.start
              ? Math.min(other.end, other.start + (end - starts[last]!))
              : other.end,
        macro,
      };
    }
    if (one.start === other.start && one.end === other.end) return { start: one.start, end: one.end, macro };
    let from = one.invocation >= 0 ? invocations[one.invocation]!.start : one.start;
    let to = other.invocation >= 0 ? invocations[other.invocation]!.end : other.end;
    if (from > to) [from, to] = [Math.min(one.start, other.start), Math.max(one.end, other.end)];
    return { start: from, end: to, macro };
  }

  return { text, tokens, notes, spanOf, tokenAt, positionOf };
}

function needsSpace(left: Token, right: Token): boolean {
  // Macro bodies and arguments must not run together (`-x` with an x of `-1`), but `>=` is two tokens here.
  if (left.body || right.body)
    return !(left.body && right.body && left.text === '>' && (right.text === '=' || right.text === '>'));
  const leftWord = left.kind === TokenKind.Identifier || left.kind === TokenKind.Number;
  return (
    leftWord &&
    (right.kind === TokenKind.Identifier ||
      right.kind === TokenKind.Number ||
      (right.kind === TokenKind.String && left.kind === TokenKind.Number))
  );
}

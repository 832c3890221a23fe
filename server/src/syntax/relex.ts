// Re-lexes a text where it was changed: a keystroke makes a few tokens, and the others move.
import { readingLimits } from './budget';
import { firstIndex } from './lines';
import { type Comment, lex, lexOn, type LexedText, type Token } from './tokens';

/** What changed more at once is read as a new text. */
const MOST_NEW_TOKENS = 10_000;
/** Longer pieces of a string are views of it in V8. */
const LONGEST_COPIED = 12;
/** So far does the lexer look beyond a token's end at most: delimiters of raw strings are the longest. */
const LOOKAHEAD = 32;

/**
 * What `lex(now)` gives, made of what `lex(old)` gave. `before` is used up: its tokens and their list serve again, with
 * new places, and no one may read them as those of `old` any more.
 */
export function relex(before: LexedText, old: string, now: string): LexedText {
  const tokens = before.tokens as Token[];
  const prefix = sharedStart(old, now);
  const from = lineStartBefore(tokens, prefix - LOOKAHEAD);
  if (before.cut || before.tooLong || from === undefined) return lex(now);
  const delta = now.length - old.length;
  const suffix = now.length - sharedEnd(old, now, prefix);
  const made: Token[] = [];
  const comments: Comment[] = [];
  const { start, space, lineStart } = tokens[from]!;
  let next = from;
  const isKnown = (at: number, hasSpace: boolean, isLineStart: boolean): boolean => {
    if (at < suffix) return false;
    while (next < tokens.length && tokens[next]!.start < at - delta) next++;
    const token = tokens[next];
    return token?.start === at - delta && token.space === hasSpace && token.lineStart === isLineStart;
  };
  const ended = lexOn(now, { at: start, space, lineStart }, from, made, comments, isKnown);
  if (ended === 'end') next = tokens.length;
  const later = from + made.length - next;
  const isTooLong = ended === 'cut' || tokens.length + later > readingLimits.tokens;
  if (isTooLong || made.length > MOST_NEW_TOKENS) return lex(now);
  const known = tokens[next]?.start ?? Infinity;
  const all = [
    ...before.comments.filter((comment) => comment.start < start),
    ...comments,
    ...before.comments.flatMap((comment) =>
      comment.start < known ? [] : [{ start: comment.start + delta, end: comment.end + delta }],
    ),
  ];
  if (delta !== 0 || later !== 0)
    for (let at = next; at < tokens.length; at++) {
      const token = tokens[at]!;
      token.start += delta;
      token.end += delta;
      token.index += later;
    }
  // A piece of a text keeps the whole of it, and a token stays while its text is typed over and over.
  for (const token of made) if (token.text.length > LONGEST_COPIED) token.text = detached(token.text);
  tokens.splice(from, next - from, ...made);
  before.spent = true;
  return { tokens, comments: all };
}

function detached(text: string): string {
  return Array.from(text).join('');
}

export function sharedStart(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let at = 0;
  while (at < most && one.charCodeAt(at) === other.charCodeAt(at)) at++;
  return at;
}

/** Characters that both end with, beyond `after`. */
export function sharedEnd(one: string, other: string, after: number): number {
  const most = Math.min(one.length, other.length) - after;
  let count = 0;
  while (count < most && one.charCodeAt(one.length - 1 - count) === other.charCodeAt(other.length - 1 - count)) count++;
  return count;
}

/** Index of the last token that begins a line at or before a place; undefined where there is none. */
function lineStartBefore(tokens: readonly Token[], place: number): number | undefined {
  let at = firstIndex(tokens.length, (index) => tokens[index]!.start > place) - 1;
  while (at >= 0 && !tokens[at]!.lineStart) at--;
  return at < 0 ? undefined : at;
}

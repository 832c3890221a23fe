// Cuts C++ text into preprocessing tokens, each with the span it was written at.
import { readingLimits } from './budget';

// biome-ignore lint/suspicious/noConstEnum: asked of every character of every file, it has to be a number in the code
export const enum TokenKind {
  Identifier,
  Number,
  String,
  Character,
  Punctuator,
  Pragma,
}

/**
 * One preprocessing token. A token as written is at `start`..`end` of its file; a token that a macro body brought
 * in has `body` set and the span of the invocation. `invocation` numbers the outermost macro invocation that the token
 * passed through, or is -1. `written` counts the tokens that the preprocessor took from the file, in order; neighbours
 * differ by one.
 */
export interface Token {
  readonly kind: TokenKind;
  text: string;
  start: number;
  end: number;
  /** White space or a comment is before it. */
  readonly space: boolean;
  /** The first token of a logical line. */
  readonly lineStart: boolean;
  /** Index in the file's list of tokens, -1 for a token from a macro body. */
  index: number;
  readonly body: boolean;
  invocation: number;
  written: number;
  hidden: HiddenNames | undefined;
}

/** The macros that must not be expanded again in this token (they produced it). */
export interface HiddenNames {
  readonly name: string;
  readonly rest: HiddenNames | undefined;
  /** How many there are. */
  readonly depth: number;
}

export interface Comment {
  readonly start: number;
  readonly end: number;
}

export interface LexedText {
  readonly tokens: readonly Token[];
  /** Every comment, in order. */
  readonly comments: readonly Comment[];
  /** There were more tokens than anybody writes: those after the first million are left out. */
  readonly cut?: boolean;
  /** The text is too long to be hand-written, and was not examined. */
  readonly tooLong?: boolean;
  /** The tokens serve a later text now. */
  spent?: boolean;
}

export function makeToken(
  kind: TokenKind,
  text: string,
  start: number,
  end: number,
  space: boolean,
  lineStart: boolean,
  index: number,
  body: boolean,
): Token {
  return { kind, text, start, end, space, lineStart, index, body, invocation: -1, written: -1, hidden: undefined };
}

const IDENTIFIER = 1;
const DIGIT = 2;
const CLASS = new Uint8Array(128);
for (let code = 0; code < 128; code++) {
  const character = String.fromCharCode(code);
  if (/[A-Za-z_$]/.test(character)) CLASS[code] = IDENTIFIER;
  else if (/[0-9]/.test(character)) CLASS[code] = DIGIT;
}

function continuesIdentifier(code: number): boolean {
  return code < 128 ? CLASS[code] !== 0 : code !== 0xfeff && code !== 0xa0 && code !== 0x2028 && code !== 0x2029;
}

const PUNCTUATORS_BY_FIRST = new Map<number, string[]>();
for (const punctuator of '<<< <<= >>= ... ->* <=> :: -> ++ -- << <= >= == != && || += -= *= /= %= &= |= ^= ## .*'.split(
  ' ',
)) {
  const first = punctuator.charCodeAt(0);
  PUNCTUATORS_BY_FIRST.set(first, [...(PUNCTUATORS_BY_FIRST.get(first) ?? []), punctuator]);
}
const SINGLE = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));

/** Where lexing is between two tokens, and what it knows of what was before. */
export interface Place {
  readonly at: number;
  readonly space: boolean;
  readonly lineStart: boolean;
}

/**
 * Lexes a whole file. Never fails: an unterminated literal ends with its line, an unterminated comment with the file.
 * `>` is always a separate token, so that closing template brackets need no splitting.
 */
export function lex(text: string): LexedText {
  const tokens: Token[] = [];
  const comments: Comment[] = [];
  return lexOn(text, { at: 0, space: false, lineStart: true }, 0, tokens, comments) === 'cut'
    ? { tokens, comments, cut: true }
    : { tokens, comments };
}

/**
 * Lexes from a place on, into `tokens`, whose first has the index `first`, and `comments`, to the end, to as many
 * tokens as are read at all, or to the first place of which `isKnown` says that all that follows is known.
 */
export function lexOn(
  text: string,
  from: Place,
  first: number,
  tokens: Token[],
  comments: Comment[],
  isKnown?: (at: number, space: boolean, lineStart: boolean) => boolean,
): 'end' | 'cut' | 'known' {
  const length = text.length;
  let { at, space, lineStart } = from;
  const push = (kind: TokenKind, end: number, tokenText: string): void => {
    tokens.push(makeToken(kind, tokenText, at, end, space, lineStart, first + tokens.length, false));
    at = end;
    space = false;
    lineStart = false;
  };
  while (at < length) {
    if (isKnown?.(at, space, lineStart)) return 'known';
    if (first + tokens.length >= readingLimits.tokens) return 'cut';
    const code = text.charCodeAt(at);
    if (code === 10 || code === 13) {
      at++;
      space = true;
      lineStart = true;
      continue;
    }
    if (code === 32 || code === 9 || code === 11 || code === 12 || code === 0xfeff || code === 0xa0 || code === 0) {
      at++;
      space = true;
      continue;
    }
    if (code === 92) {
      // a backslash: a line splice, or nothing that C++ knows
      let next = at + 1;
      while (next < length && (text.charCodeAt(next) === 32 || text.charCodeAt(next) === 9)) next++;
      if (text.charCodeAt(next) === 13) next++;
      if (text.charCodeAt(next) === 10) next++;
      at = Math.max(next, at + 1);
      space = true;
      continue;
    }
    if (code === 47) {
      const next = text.charCodeAt(at + 1);
      if (next === 47) {
        let end = at + 2;
        for (;;) {
          const newline = text.indexOf('\n', end);
          if (newline < 0) {
            end = length;
            break;
          }
          let last = newline - 1;
          if (text.charCodeAt(last) === 13) last--;
          if (text.charCodeAt(last) === 92) {
            end = newline + 1;
            continue;
          }
          end = text.charCodeAt(newline - 1) === 13 ? newline - 1 : newline;
          break;
        }
        comments.push({ start: at, end });
        at = end;
        space = true;
        continue;
      }
      if (next === 42) {
        const close = text.indexOf('*/', at + 2);
        const end = close < 0 ? length : close + 2;
        comments.push({ start: at, end });
        at = end;
        space = true;
        continue;
      }
    }
    const kind = code < 128 ? CLASS[code] : continuesIdentifier(code) ? IDENTIFIER : 0;
    if (kind === IDENTIFIER) {
      let end = at + 1;
      while (end < length && continuesIdentifier(text.charCodeAt(end))) end++;
      const quote = text.charCodeAt(end);
      if ((quote === 34 || quote === 39) && end - at <= 3) {
        const prefix = text.slice(at, end);
        if (quote === 34 && /^(?:u8|u|U|L)?R$/.test(prefix)) {
          const stop = rawStringEnd(text, end);
          push(TokenKind.String, stop, text.slice(at, stop));
          continue;
        }
        if (/^(?:u8|u|U|L)$/.test(prefix)) {
          const stop = literalEnd(text, end, quote);
          push(quote === 34 ? TokenKind.String : TokenKind.Character, stop, text.slice(at, stop));
          continue;
        }
      }
      push(TokenKind.Identifier, end, text.slice(at, end));
      continue;
    }
    if (
      kind === DIGIT ||
      (code === 46 && CLASS[text.charCodeAt(at + 1) & 127] === DIGIT && text.charCodeAt(at + 1) < 128)
    ) {
      let end = at + 1;
      for (; end < length; end++) {
        const c = text.charCodeAt(end);
        if (c === 46 || (c < 128 ? CLASS[c] !== 0 : continuesIdentifier(c))) continue;
        if (c === 43 || c === 45) {
          const before = text.charCodeAt(end - 1) | 32;
          const hexadecimal = (text.charCodeAt(at + 1) | 32) === 120;
          if (hexadecimal ? before === 112 : before === 101) continue;
        }
        if (c === 39 && end + 1 < length && text.charCodeAt(end + 1) < 128 && CLASS[text.charCodeAt(end + 1)] !== 0)
          continue;
        break;
      }
      push(TokenKind.Number, end, text.slice(at, end));
      continue;
    }
    if (code === 34 || code === 39) {
      const end = literalEnd(text, at, code);
      push(code === 34 ? TokenKind.String : TokenKind.Character, end, text.slice(at, end));
      continue;
    }
    let punctuator = code < 128 ? SINGLE[code]! : text[at]!;
    const longer = PUNCTUATORS_BY_FIRST.get(code);
    if (longer)
      for (const candidate of longer)
        if (text.startsWith(candidate, at)) {
          punctuator = candidate;
          break;
        }
    if (code === 62) punctuator = '>';
    push(TokenKind.Punctuator, at + punctuator.length, punctuator);
  }
  return 'end';
}

function literalEnd(text: string, quoteAt: number, quote: number): number {
  for (let at = quoteAt + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) return at + 1;
    if (code === 92) {
      at++;
      if (text.charCodeAt(at) === 13 && text.charCodeAt(at + 1) === 10) at++;
    } else if (code === 10 || code === 13) return at;
  }
  return text.length;
}

function rawStringEnd(text: string, quoteAt: number): number {
  const open = text.indexOf('(', quoteAt);
  if (open < 0 || open - quoteAt > 17) return literalEnd(text, quoteAt, 34);
  const close = text.indexOf(`)${text.slice(quoteAt + 1, open)}"`, open);
  return close < 0 ? text.length : close + (open - quoteAt) + 1;
}

// Finds the partners of brackets in a list of tokens, as far as the searches of one chunk may go in all.
import type { Token } from './tokens';

/**
 * Searches start at every bracket, so that brackets within brackets that never close would be walked over again and
 * again. What the searches of one chunk may walk in all is a multiple of its length; beyond it no partner is found.
 */
let left = 0;

/** Begins the searches of a chunk of so many tokens. */
export function startSearching(tokenCount: number): void {
  left = 2_000_000 + 60 * tokenCount;
}

/** One step of a search; false when the searches have gone on for too long. */
export function searching(): boolean {
  return left-- > 0;
}

/** Index of the parenthesis that closes the one at `open`, or the number of tokens; not counted as a search. */
export function endOfParentheses(tokens: readonly Pick<Token, 'text'>[], open: number): number {
  let depth = 0;
  for (let at = open; at < tokens.length; at++) {
    if (tokens[at]!.text === '(') depth++;
    else if (tokens[at]!.text === ')' && --depth === 0) return at;
  }
  return tokens.length;
}

export function openingParenthesis(tokens: readonly Token[], close: number): number {
  let depth = 0;
  for (let at = close; at >= 0 && searching(); at--) {
    if (tokens[at]!.text === ')') depth++;
    else if (tokens[at]!.text === '(' && --depth === 0) return at;
  }
  return 0;
}

export function closingParenthesis(tokens: readonly Token[], open: number): number {
  let depth = 0;
  for (let at = open; at < tokens.length && searching(); at++) {
    const text = tokens[at]!.text;
    if (text === '(' || text === '[' || text === '{') depth++;
    else if (text === ')' || text === ']' || text === '}') {
      if (--depth === 0) return at;
    } else if (text === ';' && depth <= 1) return -1;
  }
  return -1;
}

export function openingBracket(tokens: readonly Token[], close: number): number {
  let depth = 0;
  for (let at = close; at >= 0 && searching(); at--) {
    if (tokens[at]!.text === ']') depth++;
    else if (tokens[at]!.text === '[' && --depth === 0) return at;
  }
  return -1;
}

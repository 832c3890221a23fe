// The arithmetic of `#if`: the value of an expression whose macros were expanded.
import { TokenKind, type Token } from './tokens';

type Operation = (left: bigint, right: bigint) => bigint;
const wrap = (value: bigint): bigint => BigInt.asIntN(64, value);
const truth = (holds: boolean): bigint => (holds ? 1n : 0n);
const or: Operation = (left, right) => truth(left !== 0n || right !== 0n);
const and: Operation = (left, right) => truth(left !== 0n && right !== 0n);

/** Binary operators with their precedence, which is that of C++, and what they compute. */
export const binaryOperators: ReadonlyMap<string, readonly [precedence: number, compute: Operation]> = new Map([
  ['||', [1, or]],
  ['&&', [2, and]],
  ['|', [3, (left, right) => left | right]],
  ['^', [4, (left, right) => left ^ right]],
  ['&', [5, (left, right) => left & right]],
  ['==', [6, (left, right) => truth(left === right)]],
  ['!=', [6, (left, right) => truth(left !== right)]],
  ['<', [7, (left, right) => truth(left < right)]],
  ['>', [7, (left, right) => truth(left > right)]],
  ['<=', [7, (left, right) => truth(left <= right)]],
  ['>=', [7, (left, right) => truth(left >= right)]],
  ['<<', [8, (left, right) => wrap(left << (right & 63n))]],
  ['>>', [8, (left, right) => left >> (right & 63n)]],
  ['+', [9, (left, right) => wrap(left + right)]],
  ['-', [9, (left, right) => wrap(left - right)]],
  ['*', [10, (left, right) => wrap(left * right)]],
  ['/', [10, (left, right) => (right === 0n ? 0n : wrap(left / right))]],
  ['%', [10, (left, right) => (right === 0n ? 0n : left % right)]],
  ['or', [1, or]],
  ['and', [2, and]],
]);

/** The value of an expanded `#if` expression in 64-bit integers; names are 0, and so is what cannot be read. */
export function evaluateCondition(tokens: readonly Token[]): bigint {
  const words: string[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]!;
    if (token.kind === TokenKind.Pragma) continue;
    const follows = (text: string): boolean => tokens[at + 1]?.text === text && !tokens[at + 1]!.space;
    if (token.text === '>' && follows('=')) {
      words.push('>=');
      at++;
    } else if (token.text === '>' && follows('>')) {
      words.push('>>');
      at++;
    } else words.push(token.text);
  }
  return evaluateWords(words);
}

/** The same of its words. */
export function evaluateWords(words: readonly string[]): bigint {
  let at = 0;
  let failed = false;
  let depth = 0;
  function primary(): bigint {
    const word = words[at++];
    if (word === undefined || ++depth > 200) {
      failed = true;
      return 0n;
    }
    try {
      switch (word) {
        case '!':
        case 'not':
          return primary() === 0n ? 1n : 0n;
        case '-':
          return wrap(-primary());
        case '+':
          return primary();
        case '~':
          return wrap(~primary());
        case '(': {
          const value = conditional();
          if (words[at++] !== ')') failed = true;
          return value;
        }
        case 'true':
          return 1n;
      }
      if (/^[0-9]/.test(word)) {
        const digits = word.replace(/[uUlLzZ]+$/, '').replace(/'/g, '');
        if (digits.length > 80) return 0n; // no number of 64 bits, and slow to read
        if (/^0[0-7]+$/.test(digits)) return wrap(BigInt(`0o${digits.slice(1)}`));
        if (/^(0[xX][0-9a-fA-F]+|0[bB][01]+|[0-9]+)$/.test(digits)) return wrap(BigInt(digits));
        const real = Number(digits.replace(/[fF]$/, ''));
        return Number.isFinite(real) ? BigInt(Math.trunc(real)) : 0n;
      }
      if (/^(?:u8|u|U|L)?'/.test(word)) return BigInt(word.charCodeAt(word.indexOf("'") + 1) || 0);
      if (/^[A-Za-z_$]/.test(word)) {
        if (words[at] === '(') {
          // an unknown function-like macro counts as 0
          let open = 0;
          for (; at < words.length; at++) {
            if (words[at] === '(') open++;
            else if (words[at] === ')' && --open === 0) {
              at++;
              break;
            }
          }
        }
        return 0n;
      }
      failed = true;
      return 0n;
    } finally {
      depth--;
    }
  }
  function binary(least: number): bigint {
    let left = primary();
    for (;;) {
      const [precedence, compute] = binaryOperators.get(words[at] ?? '') ?? [];
      if (precedence === undefined || precedence < least) return left;
      at++;
      left = compute!(left, binary(precedence + 1));
    }
  }
  function conditional(): bigint {
    if (++depth > 200) {
      failed = true;
      return 0n;
    }
    const condition = binary(1);
    let value = condition;
    if (words[at] === '?') {
      at++;
      const then = conditional();
      if (words[at++] !== ':') failed = true;
      const otherwise = conditional();
      value = condition !== 0n ? then : otherwise;
    }
    depth--;
    return value;
  }
  if (words.length === 0) return 0n;
  const value = conditional();
  return failed ? 0n : value;
}

// What a run of tokens looks like: a keyword, a macro, a comparison that reads like a template, the body of a class.
import { openingParenthesis, searching } from './brackets';
import { type Token, TokenKind } from './tokens';

export const KEYWORDS = new Set(
  (
    'return else new delete throw goto case operator typename struct class enum union template using namespace ' +
    'typedef const constexpr static volatile unsigned signed long short inline if for while switch do sizeof ' +
    'extern register auto co_return co_yield co_await and or not xor decltype asm __asm__ __asm alignas ' +
    '__launch_bounds__ __device__ __host__ __shared__ public private protected friend explicit virtual mutable ' +
    '__forceinline__ __noinline__ __global__ volatile void int float double bool char __restrict__ restrict ' +
    'requires noexcept override final catch this'
  ).split(' '),
);

export const classWords: ReadonlySet<string> = new Set(['struct', 'class', 'union', 'enum']);

/** Words that read like a macro: all capitals, or between underscores. */
export const MACRO_LIKE = /^(?:_*[A-Z][A-Z0-9_]+|__\w+__|__[a-z]\w*)$/;

export function isKeyword(word: string): boolean {
  return KEYWORDS.has(word);
}

/** A token with other text in the place of a written one. */
export function reword(token: Token, text: string, kind: TokenKind = token.kind): Token {
  return { ...token, text, kind };
}

export const PRIMITIVE_TYPES: ReadonlySet<string> = new Set(
  'int float double char void bool unsigned signed long short size_t const volatile'.split(' '),
);

export function isUnterminated(literal: string): boolean {
  const last = literal[literal.length - 1];
  if (literal.length < 2 || (last !== '"' && last !== "'")) return true;
  if (/^(?:u8|u|U|L)?R"/.test(literal)) return false;
  if (/["']/.exec(literal)?.index === literal.length - 1) return true;
  let slashes = 0;
  for (let at = literal.length - 2; literal[at] === '\\'; at--) slashes++;
  return slashes % 2 === 1;
}

export function closed(literal: string): string {
  if (/^(?:u8|u|U|L)?R"/.test(literal)) return '""';
  const quote = /["']/.exec(literal)?.[0] ?? '"';
  const inner = literal.replace(/\\$/, '').replace(/[\r\n]/g, '');
  return quote === "'" && inner.length < 2 ? "' '" : inner + quote;
}

export function beside(token: Token, text: '(' | ')'): Token {
  const place = text === '(' ? token.start : token.end;
  return {
    ...token,
    kind: TokenKind.Punctuator,
    text,
    start: token.body ? token.start : place,
    end: token.body ? token.end : place,
    space: text === '(' && token.space,
  };
}

/**
 * Whether `<` at `open` and a later `>` before a parenthesis enclose `&&` or `||`: two comparisons, hardly template
 * arguments. In a condition also before a sign: `if (i < n && v[i] > *most)`; in parentheses also where `>=` reads as
 * the end of a template and `=`: `(i < 0 || i >= n) ? a : b`.
 */
export function comparesAsTemplate(tokens: readonly Token[], open: number): boolean {
  let depth = 0;
  let angles = 0;
  let logical = false;
  for (let at = open; at < tokens.length && at - open < 120; at++) {
    const text = tokens[at]!.text;
    if (text === '(' || text === '[') depth++;
    else if (text === ')' || text === ']') {
      if (--depth < 0) return false;
    } else if (text === ';' || text === '{' || text === '}' || text === '<<<') return false;
    else if (depth > 0) continue;
    else if (text === '<') angles++;
    else if (text === '>') {
      const next = tokens[at + 1]?.text ?? '';
      if (--angles === 0)
        return (
          logical &&
          (next === '(' ||
            (next === '=' && isParenthesized(tokens, open - 2)) ||
            (/^[*&+~-]$/.test(next) && beginsCondition(tokens, open - 2)))
        );
    } else if (text === '&&' || text === '||') logical = true;
  }
  return false;
}

/** Is the token the parenthesis of an expression, and not that of a statement? */
function isParenthesized(tokens: readonly Token[], at: number): boolean {
  return tokens[at]?.text === '(' && !/^(if|while|for|switch)$/.test(tokens[at - 1]?.text ?? '');
}

/** Does an operand of a condition begin behind the token? */
function beginsCondition(tokens: readonly Token[], at: number): boolean {
  const text = tokens[at]?.text ?? '';
  return /^(&&|\|\||!|\?|return)$/.test(text) || (text === '(' && /^(if|while)$/.test(tokens[at - 1]?.text ?? ''));
}

/**
 * Whether the parenthesis at `open` follows a type and a name at the start of a statement: `T x(`, `const T& x(`,
 * `a::T<b> x(`.
 */
export function declaresVariable(tokens: readonly Token[], open: number): boolean {
  const name = tokens[open - 1];
  if (name?.kind !== TokenKind.Identifier || isKeyword(name.text)) return false;
  let at = open - 2;
  let reference = false;
  while (at >= 0 && (tokens[at]!.text === '&' || tokens[at]!.text === '*')) {
    at--;
    reference = true;
  }
  if (at < 0) return false;
  if (tokens[at]!.text === '>') {
    at = beforeAngles(tokens, at);
    if (at < 0) return false;
  }
  const type = tokens[at]!;
  if (
    type.kind !== TokenKind.Identifier ||
    (isKeyword(type.text) && !PRIMITIVE_TYPES.has(type.text) && type.text !== 'auto')
  )
    return false;
  for (at--; at >= 0 && searching(); at--) {
    const text = tokens[at]!.text;
    if (
      text === 'const' ||
      text === 'static' ||
      text === 'volatile' ||
      text === 'constexpr' ||
      text === 'typename' ||
      text === 'unsigned' ||
      text === 'struct'
    )
      continue;
    if (text === '::') continue;
    if (tokens[at]!.kind === TokenKind.Identifier && tokens[at + 1]!.text === '::') continue;
    // After a plain `)` a reference would be a product: `if (a) b * c(d);` is not a declaration that anyone writes.
    return (
      text === ';' ||
      text === '{' ||
      text === '}' ||
      (!reference && text === ')') ||
      text === ':' ||
      (text === '(' && tokens[at - 1]?.text === 'for')
    );
  }
  return false;
}

/** Whether the tokens in parentheses are declared parameters: `int x, float* y`. */
export function looksLikeParameters(tokens: readonly Token[], from: number, to: number): boolean {
  let depth = 0;
  for (let at = from; at < to && searching(); at++) {
    const token = tokens[at]!;
    if (token.text === '(' || token.text === '[' || token.text === '{') {
      depth++;
      continue;
    }
    if (token.text === ')' || token.text === ']' || token.text === '}') {
      depth--;
      continue;
    }
    if (depth > 0 || token.kind !== TokenKind.Identifier) continue;
    if (token.text === 'const') return true;
    const next = tokens[at + 1]!;
    if (
      at + 1 < to &&
      next.kind === TokenKind.Identifier &&
      !/^(?:new|sizeof|and|or|not|xor|delete|typename|alignof)$/.test(token.text) &&
      !/^(?:and|or|not|xor|bitand|bitor)$/.test(next.text)
    )
      return true;
    if (
      PRIMITIVE_TYPES.has(token.text) &&
      next.text !== '(' &&
      next.text !== '{' &&
      next.text !== '>' &&
      tokens[at - 1]?.text !== '<'
    )
      return true;
  }
  return false;
}

/** Index before the name whose template arguments close at `close`, pointing at that name; -1 when they do not open. */
function beforeAngles(tokens: readonly Token[], close: number): number {
  let depth = 0;
  for (let at = close; at >= 0 && close - at < 200; at--) {
    const text = tokens[at]!.text;
    if (text === '>') depth++;
    else if (text === '<') {
      if (--depth === 0) return at - 1;
    } else if (text === ';' || text === '{' || text === '}' || text === '&&' || text === '||') return -1;
  }
  return -1;
}

export function afterAngles(tokens: readonly Token[], open: number): number {
  let depth = 0;
  for (let at = open; at < tokens.length && searching(); at++) {
    const text = tokens[at]!.text;
    if (text === '<') depth++;
    else if (text === '>') {
      if (--depth === 0) return at + 1;
    } else if (text === ';' || text === '{' || text === ')') return at;
  }
  return tokens.length;
}

/** Whether the brace opens the body of a class, struct, union or enum. */
export function opensClass(tokens: readonly Token[], open: number): boolean {
  let angles = 0;
  for (let at = open - 1; at >= 0 && searching(); at--) {
    const text = tokens[at]!.text;
    if (text === '>') angles++;
    else if (text === '<') angles--;
    else if (text === ';' || text === '{' || text === '}' || text === '=') return false;
    else if (text === ')' && angles === 0) {
      const before = openingParenthesis(tokens, at);
      if (!/^(?:alignas|__align__|__attribute__|__declspec)$/.test(tokens[before - 1]?.text ?? '')) return false;
      at = before;
    } else if (angles === 0 && classWords.has(text)) return true;
  }
  return false;
}

// Rewrites tokens that the grammar does not know into ones that it does, keeping what they say as notes.
import { closingParenthesis, openingBracket, openingParenthesis, searching } from './brackets';
import type { TokenNotes } from './parseText';
import { TokenKind, type Token } from './tokens';

export interface Repaired {
  readonly tokens: readonly Token[];
  readonly notes: TokenNotes;
}

/** Words without a meaning for the tree: calling conventions and the like. */
const DROPPED = new Set([
  'CUDART_CB',
  'CUDAAPI',
  'CUDARTAPI',
  '__cdecl',
  '__stdcall',
  '__extension__',
  '__builtin_align__',
  '__device_builtin__',
  '__cudart_builtin__',
  '__nv_pure__',
  '__tile_builtin__',
  '__tile_global__',
]);
/** The same with an argument list. */
const DROPPED_CALLS = new Set([
  '__cluster_dims__',
  '__maxnreg__',
  '__block_size__',
  '__declspec',
  '__nv_register_params__',
  '__device_builtin_texture_type__',
]);
const QUALIFIERS = new Set(['__device__', '__host__', '__forceinline__', 'mutable', 'constexpr', 'noexcept']);
const KEYWORDS = new Set([
  'return',
  'else',
  'new',
  'delete',
  'throw',
  'goto',
  'case',
  'operator',
  'typename',
  'struct',
  'class',
  'enum',
  'union',
  'template',
  'using',
  'namespace',
  'typedef',
  'const',
  'constexpr',
  'static',
  'volatile',
  'unsigned',
  'signed',
  'long',
  'short',
  'inline',
  'if',
  'for',
  'while',
  'switch',
  'do',
  'sizeof',
  'extern',
  'register',
  'auto',
  'co_return',
  'co_yield',
  'co_await',
  'and',
  'or',
  'not',
  'xor',
  'decltype',
  'asm',
  '__asm__',
  '__asm',
  'alignas',
  '__launch_bounds__',
  '__device__',
  '__host__',
  '__shared__',
  'public',
  'private',
  'protected',
  'friend',
  'explicit',
  'virtual',
  'mutable',
  '__forceinline__',
  '__noinline__',
  '__global__',
  'volatile',
  'void',
  'int',
  'float',
  'double',
  'bool',
  'char',
  '__restrict__',
  'restrict',
  'requires',
  'noexcept',
  'override',
  'final',
  'catch',
  'this',
]);

/** Words that read like a macro: all capitals, or between underscores. */
export const MACRO_LIKE = /^(?:_*[A-Z][A-Z0-9_]+|__\w+__|__[a-z]\w*)$/;

export function isKeyword(word: string): boolean {
  return KEYWORDS.has(word);
}

/** A token with other text in the place of a written one. */
export function reword(token: Token, text: string, kind: TokenKind = token.kind): Token {
  return { ...token, text, kind };
}

/** What is always rewritten, because the grammar is known not to read it. */
export function repairTokens(tokens: readonly Token[]): Repaired {
  const deviceLambdas = new Set<Token>();
  const alignedAfter = new Map<Token, Token>();
  const parenthesised = new Set<Token>();
  const newPointers = new Map<Token, number>();
  let out: Token[] | undefined;
  const notes: TokenNotes = { deviceLambdas, alignedAfter, parenthesised, newPointers };
  const codeBraces: boolean[] = []; // for each open brace whether it holds statements, not members
  const braces = new Map<number, Token>(); // closing parentheses that become braces
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at];
    const change = (): Token[] => (out ??= tokens.slice(0, at));
    if (token.kind === TokenKind.Punctuator) {
      if (token.text === '{') codeBraces.push(!opensClass(tokens, at));
      else if (token.text === '}') codeBraces.pop();
      else if (token.text === '=' && (tokens[at - 1]?.text === '*' || tokens[at - 1]?.text === '&')) {
        // `f(const void* = 0)`: the grammar wants a name
        change().push(reword(token, 'unnamed_', TokenKind.Identifier), token);
        continue;
      } else if (
        token.text === '=' &&
        (tokens[at + 1]?.text === 'delete' || tokens[at + 1]?.text === 'default') &&
        tokens[at + 2]?.text === ';'
      ) {
        change();
        at++;
        continue;
      }
      const brace = braces.get(at);
      if (brace) {
        change().push(brace);
        continue;
      }
      if (token.text === ']') {
        // `[=] __device__ (int i) { … }`
        let next = at + 1;
        while (next < tokens.length && QUALIFIERS.has(tokens[next].text)) next++;
        if (next > at + 1 && (tokens[next]?.text === '(' || tokens[next]?.text === '{')) {
          const open = openingBracket(tokens, at);
          const device = tokens.slice(at + 1, next).some((each) => each.text === '__device__');
          change().push(token);
          if (device && open >= 0) deviceLambdas.add(tokens[open]);
          at = next - 1;
          continue;
        }
      }
      if (token.text === '(' && codeBraces[codeBraces.length - 1] === true && declaresVariable(tokens, at)) {
        // `dim3 grid(a, b);` reads as a function's declaration; with braces it is what it means.
        const close = closingParenthesis(tokens, at);
        if (
          close > at + 1 &&
          (tokens[close + 1]?.text === ';' || tokens[close + 1]?.text === ',') &&
          !looksLikeParameters(tokens, at + 1, close)
        ) {
          const open = reword(token, '{');
          parenthesised.add(open);
          braces.set(close, reword(tokens[close], '}'));
          change().push(open);
          continue;
        }
      }
      out?.push(token);
      continue;
    }
    if ((token.kind === TokenKind.String || token.kind === TokenKind.Character) && isUnterminated(token.text)) {
      change().push(reword(token, closed(token.text)));
      continue;
    }
    if (
      token.kind === TokenKind.String &&
      tokens[at - 1]?.text !== 'extern' &&
      tokens[at + 1]?.kind === TokenKind.Identifier &&
      (tokens[at + 2]?.kind === TokenKind.String ||
        (tokens[at + 1].space && /^[),;]$/.test(tokens[at + 2]?.text ?? ''))) &&
      !isKeyword(tokens[at + 1].text)
    ) {
      // `"%5" PRIu64 "\n"`: the grammar wants two strings first
      change().push(token, { ...reword(token, '""'), space: true });
      continue;
    }
    if (token.kind !== TokenKind.Identifier) {
      out?.push(token);
      continue;
    }
    const word = token.text;
    if (word === '__restrict') {
      change().push(reword(token, '__restrict__'));
      continue;
    }
    if (DROPPED.has(word)) {
      change();
      continue;
    }
    if (
      MACRO_LIKE.test(word) &&
      (tokens[at - 1]?.text === 'class' || tokens[at - 1]?.text === 'struct') &&
      tokens[at + 1]?.kind === TokenKind.Identifier &&
      tokens[at + 1].text !== 'final' &&
      /^(?:[{:]|final)$/.test(tokens[at + 2]?.text ?? '')
    ) {
      change();
      continue;
    } // `class DLL_EXPORT Name {`
    if (word === '__typeof__' || word === 'typeof' || word === '__typeof') {
      change().push(reword(token, 'decltype'));
      continue;
    }
    if (word === '__const__' || word === '__const') {
      change().push(reword(token, 'const'));
      continue;
    }
    if (word === 'friend' && at > 0 && !/^[;{}:>]$/.test(tokens[at - 1].text)) {
      change();
      continue;
    }
    if (
      tokens[at + 1]?.text === '::' &&
      tokens[at + 2]?.text === '*' &&
      tokens[at + 3]?.kind === TokenKind.Identifier &&
      !isKeyword(word)
    ) {
      // a pointer to a member
      change();
      at++;
      continue;
    }
    if (
      word === 'operator' &&
      (tokens[at - 1]?.text === '->' || tokens[at - 1]?.text === '.') &&
      tokens[at + 1]?.kind === TokenKind.Punctuator
    ) {
      let end = at + 1;
      if (
        (tokens[end].text === '(' && tokens[end + 1]?.text === ')') ||
        (tokens[end].text === '[' && tokens[end + 1]?.text === ']')
      )
        end += 2;
      else while (tokens[end]?.kind === TokenKind.Punctuator && tokens[end].text !== '(') end++;
      change().push(reword(token, 'operator_'));
      at = end - 1;
      continue;
    }
    if (tokens[at + 1]?.text === '(') {
      if (DROPPED_CALLS.has(word)) {
        change();
        at = Math.max(at, closingParenthesis(tokens, at + 1));
        continue;
      }
      if (word === '__align__') {
        change().push(reword(token, 'alignas'));
        continue;
      }
      if (word === '__attribute__' || word === '__attribute') {
        const close = closingParenthesis(tokens, at + 1);
        if (close > 0) {
          const inside = tokens.slice(at + 1, close + 1);
          const where = inside.findIndex((each) => /^(?:__)?aligned(?:__)?$/.test(each.text));
          const value =
            where >= 0 && inside[where + 1]?.text === '(' && inside[where + 3]?.text === ')'
              ? inside[where + 2]
              : undefined;
          const before = tokens[at - 1];
          const afterDeclarator =
            before !== undefined &&
            (before.text === ']' ||
              (before.kind === TokenKind.Identifier &&
                /^[;,=]$/.test(tokens[close + 1]?.text ?? '') &&
                !KEYWORDS.has(before.text)));
          if (value?.kind === TokenKind.Number && (afterDeclarator || before?.text === '}')) {
            change();
            alignedAfter.set(before, value);
            at = close;
            continue;
          }
          if (inside.some((each) => /^(?:__)?(?:noinline|packed)(?:__)?$/.test(each.text)) && !afterDeclarator) {
            out?.push(token);
            continue;
          }
          change();
          if (where >= 0 && inside[where + 1]?.text === '(') {
            const end = closingParenthesis(inside, where + 1);
            if (end > 0) out!.push(reword(token, 'alignas'), ...inside.slice(where + 1, end + 1));
          }
          at = close;
          continue;
        }
      }
      if (word === 'typeid' || word === 'va_arg' || word === 'offsetof' || word === '__builtin_offsetof') {
        // A type among the arguments: any identifier will do in its place.
        const close = closingParenthesis(tokens, at + 1);
        if (
          close > 0 &&
          tokens.slice(at + 2, close).some((each) => PRIMITIVE_TYPES.has(each.text)) &&
          word !== 'offsetof'
        ) {
          const list = change();
          list.push(token);
          let first = true;
          for (let index = at + 1; index < close; index++) {
            const each = tokens[index];
            if (PRIMITIVE_TYPES.has(each.text)) {
              if (first) list.push(reword(each, 'T_'));
              first = false;
              while (
                index + 1 < close &&
                (tokens[index + 1].text === '*' ||
                  tokens[index + 1].text === '&' ||
                  PRIMITIVE_TYPES.has(tokens[index + 1].text) ||
                  tokens[index + 1].text === 'const')
              )
                index++;
            } else list.push(each);
          }
          at = close - 1;
          continue;
        }
      }
    }
    if (word === 'case') {
      // A range of cases: its first value stands for it.
      let dots = at + 1;
      while (dots < tokens.length && dots - at < 40 && !/^(?:\.\.\.|[:;{}?])$/.test(tokens[dots].text)) dots++;
      if (tokens[dots]?.text === '...') {
        let colon = dots;
        while (colon < tokens.length && colon - dots < 40 && !/^[:;{}]$/.test(tokens[colon].text)) colon++;
        change().push(...tokens.slice(at, dots));
        at = colon - 1;
        continue;
      }
    }
    if (
      tokens[at + 1]?.text === '<' &&
      !isKeyword(word) &&
      tokens[at - 1]?.text !== '::' &&
      tokens[at - 1]?.text !== '.' &&
      tokens[at - 1]?.text !== '->' &&
      comparesAsTemplate(tokens, at + 1)
    ) {
      // `i < n || i > (m + 1)` reads as a call of a template; in parentheses a name is no template's.
      change().push(beside(token, '('), token, beside(token, ')'));
      continue;
    }
    if (word === 'new') {
      // `new T*[n]`
      let next = at + 1;
      while (
        next < tokens.length &&
        (tokens[next].kind === TokenKind.Identifier || tokens[next].text === '::' || tokens[next].text === '<')
      )
        next = tokens[next].text === '<' ? afterAngles(tokens, next) : next + 1;
      let stars = next;
      while (tokens[stars]?.text === '*') stars++;
      if (next > at + 1 && stars > next && /^[[;)(,]$/.test(tokens[stars]?.text ?? '')) {
        const type = tokens.slice(at + 1, next).filter((each) => each.text !== 'const' && each.text !== 'volatile');
        change().push(token, ...type);
        if (type.length > 0) newPointers.set(type[type.length - 1], stars - next);
        at = stars - 1;
        continue;
      }
    }
    out?.push(token);
  }
  return { tokens: out ?? tokens, notes };
}

export const PRIMITIVE_TYPES: ReadonlySet<string> = new Set([
  'int',
  'float',
  'double',
  'char',
  'void',
  'bool',
  'unsigned',
  'signed',
  'long',
  'short',
  'size_t',
  'const',
  'volatile',
]);

function isUnterminated(literal: string): boolean {
  const last = literal[literal.length - 1];
  if (literal.length < 2 || (last !== '"' && last !== "'")) return true;
  if (/^(?:u8|u|U|L)?R"/.test(literal)) return false;
  if (/["']/.exec(literal)?.index === literal.length - 1) return true;
  let slashes = 0;
  for (let at = literal.length - 2; literal[at] === '\\'; at--) slashes++;
  return slashes % 2 === 1;
}

function closed(literal: string): string {
  if (/^(?:u8|u|U|L)?R"/.test(literal)) return '""';
  const quote = /["']/.exec(literal)?.[0] ?? '"';
  const inner = literal.replace(/\\$/, '').replace(/[\r\n]/g, '');
  return quote === "'" && inner.length < 2 ? "' '" : inner + quote;
}

function beside(token: Token, text: '(' | ')'): Token {
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

/** Whether `<` at `open` and a later `>` before a parenthesis enclose `&&` or `||`: two comparisons, hardly template arguments. */
function comparesAsTemplate(tokens: readonly Token[], open: number): boolean {
  let depth = 0;
  let angles = 0;
  let logical = false;
  for (let at = open; at < tokens.length && at - open < 120; at++) {
    const text = tokens[at].text;
    if (text === '(' || text === '[') depth++;
    else if (text === ')' || text === ']') {
      if (--depth < 0) return false;
    } else if (text === ';' || text === '{' || text === '}' || text === '<<<') return false;
    else if (depth > 0) continue;
    else if (text === '<') angles++;
    else if (text === '>') {
      if (--angles === 0) return logical && tokens[at + 1]?.text === '(';
    } else if (text === '&&' || text === '||') logical = true;
  }
  return false;
}

/** Whether the parenthesis at `open` follows a type and a name at the start of a statement: `T x(`, `const T& x(`, `a::T<b> x(`. */
function declaresVariable(tokens: readonly Token[], open: number): boolean {
  const name = tokens[open - 1];
  if (name?.kind !== TokenKind.Identifier || isKeyword(name.text)) return false;
  let at = open - 2;
  let reference = false;
  while (at >= 0 && (tokens[at].text === '&' || tokens[at].text === '*')) {
    at--;
    reference = true;
  }
  if (at < 0) return false;
  if (tokens[at].text === '>') {
    at = beforeAngles(tokens, at);
    if (at < 0) return false;
  }
  const type = tokens[at];
  if (
    type.kind !== TokenKind.Identifier ||
    (isKeyword(type.text) && !PRIMITIVE_TYPES.has(type.text) && type.text !== 'auto')
  )
    return false;
  for (at--; at >= 0 && searching(); at--) {
    const text = tokens[at].text;
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
    if (tokens[at].kind === TokenKind.Identifier && tokens[at + 1].text === '::') continue;
    // After a plain `)` a reference would be a product: `if (a) b * c(d);` is no declaration that anyone writes.
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
function looksLikeParameters(tokens: readonly Token[], from: number, to: number): boolean {
  let depth = 0;
  for (let at = from; at < to && searching(); at++) {
    const token = tokens[at];
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
    const next = tokens[at + 1];
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
    const text = tokens[at].text;
    if (text === '>') depth++;
    else if (text === '<') {
      if (--depth === 0) return at - 1;
    } else if (text === ';' || text === '{' || text === '}' || text === '&&' || text === '||') return -1;
  }
  return -1;
}

function afterAngles(tokens: readonly Token[], open: number): number {
  let depth = 0;
  for (let at = open; at < tokens.length && searching(); at++) {
    const text = tokens[at].text;
    if (text === '<') depth++;
    else if (text === '>') {
      if (--depth === 0) return at + 1;
    } else if (text === ';' || text === '{' || text === ')') return at;
  }
  return tokens.length;
}

/** Whether the brace opens the body of a class, struct, union or enum. */
function opensClass(tokens: readonly Token[], open: number): boolean {
  let angles = 0;
  for (let at = open - 1; at >= 0 && searching(); at--) {
    const text = tokens[at].text;
    if (text === '>') angles++;
    else if (text === '<') angles--;
    else if (text === ';' || text === '{' || text === '}' || text === '=') return false;
    else if (text === ')' && angles === 0) {
      const before = openingParenthesis(tokens, at);
      if (!/^(?:alignas|__align__|__attribute__|__declspec)$/.test(tokens[before - 1]?.text ?? '')) return false;
      at = before;
    } else if (angles === 0 && (text === 'struct' || text === 'class' || text === 'union' || text === 'enum'))
      return true;
  }
  return false;
}

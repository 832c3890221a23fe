// Rewrites tokens that the grammar does not know into ones that it does, keeping what they say as notes.
import type { TokenNotes } from './parseText';
import { TokenKind, type Token } from './tokens';

export interface Repaired { readonly tokens: readonly Token[]; readonly notes: TokenNotes }

/** Words without a meaning for the tree: calling conventions and the like. */
const DROPPED = new Set(['CUDART_CB', 'CUDAAPI', 'CUDARTAPI', '__cdecl', '__stdcall', '__extension__', '__builtin_align__', '__device_builtin__', '__cudart_builtin__', '__nv_pure__',
  '__tile_builtin__', '__tile_global__']);
/** The same with an argument list. */
const DROPPED_CALLS = new Set(['__cluster_dims__', '__maxnreg__', '__block_size__', '__declspec', '__nv_register_params__', '__device_builtin_texture_type__']);
const QUALIFIERS = new Set(['__device__', '__host__', '__forceinline__', 'mutable', 'constexpr', 'noexcept']);
const KEYWORDS = new Set(['return', 'else', 'new', 'delete', 'throw', 'goto', 'case', 'operator', 'typename', 'struct', 'class', 'enum', 'union', 'template', 'using', 'namespace', 'typedef',
  'const', 'constexpr', 'static', 'volatile', 'unsigned', 'signed', 'long', 'short', 'inline', 'if', 'for', 'while', 'switch', 'do', 'sizeof', 'extern', 'register', 'auto',
  'co_return', 'co_yield', 'co_await', 'and', 'or', 'not', 'xor', 'decltype', 'asm', '__asm__', '__asm', 'alignas', '__launch_bounds__', '__device__', '__host__', '__shared__', 'public',
  'private', 'protected', 'friend', 'explicit', 'virtual', 'mutable', '__forceinline__', '__noinline__', '__global__', 'volatile', 'void', 'int', 'float', 'double', 'bool', 'char', '__restrict__',
  'restrict', 'requires', 'noexcept', 'override', 'final', 'catch', 'this']);

/** A token with other text in the place of a written one. */
export function reword(token: Token, text: string, kind: TokenKind = token.kind): Token {
  return { ...token, text, kind };
}

export function repairTokens(tokens: readonly Token[], inBody: boolean): Repaired {
  const deviceLambdas = new Set<Token>();
  const alignedAfter = new Map<Token, Token>();
  const parenthesised = new Set<Token>();
  const newPointers = new Map<Token, number>();
  let out: Token[] | undefined;
  const notes: TokenNotes = { deviceLambdas, alignedAfter, parenthesised, newPointers };
  let depth = 0;
  const braces = new Map<number, Token>();                // closing parentheses that become braces
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at];
    const change = (): Token[] => out ??= tokens.slice(0, at);
    if (token.kind === TokenKind.Punctuator) {
      if (token.text === '{') depth++;
      else if (token.text === '}') depth--;
      const brace = braces.get(at);
      if (brace) { change().push(brace); continue; }
      if (token.text === ']') {
        // `[=] __device__ (int i) { … }`
        let next = at + 1;
        while (next < tokens.length && QUALIFIERS.has(tokens[next].text)) next++;
        if (next > at + 1 && (tokens[next]?.text === '(' || tokens[next]?.text === '{')) {
          const open = openingBracket(tokens, at);
          const device = tokens.slice(at + 1, next).some(each => each.text === '__device__');
          change().push(token);
          if (device && open >= 0) deviceLambdas.add(tokens[open]);
          at = next - 1;
          continue;
        }
      }
      if (token.text === '(' && inBody && depth > 0) {
        // `dim3 grid(a, b);` reads as a function's declaration; with braces it is what it means.
        const name = tokens[at - 1];
        const type = tokens[at - 2];
        if (name?.kind === TokenKind.Identifier && type?.kind === TokenKind.Identifier && !KEYWORDS.has(name.text) && !KEYWORDS.has(type.text) && tokens[at + 1]?.text !== ')' && startsStatement(tokens, at - 3)) {
          const close = closingParenthesis(tokens, at);
          if (close > 0 && (tokens[close + 1]?.text === ';' || tokens[close + 1]?.text === ',')) {
            const open = reword(token, '{');
            parenthesised.add(open);
            braces.set(close, reword(tokens[close], '}'));
            change().push(open);
            continue;
          }
        }
      }
      out?.push(token);
      continue;
    }
    if (token.kind !== TokenKind.Identifier) { out?.push(token); continue; }
    const word = token.text;
    if (word === '__restrict') { change().push(reword(token, '__restrict__')); continue; }
    if (DROPPED.has(word)) { change(); continue; }
    if (tokens[at + 1]?.text === '(') {
      if (DROPPED_CALLS.has(word)) {
        change();
        at = Math.max(at, closingParenthesis(tokens, at + 1));
        continue;
      }
      if (word === '__align__') { change().push(reword(token, 'alignas')); continue; }
      if (word === '__attribute__' || word === '__attribute') {
        const close = closingParenthesis(tokens, at + 1);
        if (close > 0) {
          const inside = tokens.slice(at + 1, close + 1);
          const where = inside.findIndex(each => /^(?:__)?aligned(?:__)?$/.test(each.text));
          const value = where >= 0 && inside[where + 1]?.text === '(' && inside[where + 3]?.text === ')' ? inside[where + 2] : undefined;
          const before = tokens[at - 1];
          const afterDeclarator = before !== undefined && (before.text === ']' || (before.kind === TokenKind.Identifier && /^[;,=]$/.test(tokens[close + 1]?.text ?? '') && !KEYWORDS.has(before.text)));
          if (value?.kind === TokenKind.Number && (afterDeclarator || before?.text === '}')) {
            change();
            alignedAfter.set(before, value);
            at = close;
            continue;
          }
          if (inside.some(each => /^(?:__)?(?:noinline|packed)(?:__)?$/.test(each.text)) && !afterDeclarator) { out?.push(token); continue; }
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
        if (close > 0 && tokens.slice(at + 2, close).some(each => PRIMITIVES.has(each.text)) && word !== 'offsetof') {
          const list = change();
          list.push(token);
          let first = true;
          for (let index = at + 1; index < close; index++) {
            const each = tokens[index];
            if (PRIMITIVES.has(each.text)) {
              if (first) list.push(reword(each, 'T_'));
              first = false;
              while (index + 1 < close && (tokens[index + 1].text === '*' || tokens[index + 1].text === '&' || PRIMITIVES.has(tokens[index + 1].text) || tokens[index + 1].text === 'const')) index++;
            } else list.push(each);
          }
          at = close - 1;
          continue;
        }
      }
    }
    if (word === 'new') {
      // `new T*[n]`
      let next = at + 1;
      while (next < tokens.length && (tokens[next].kind === TokenKind.Identifier || tokens[next].text === '::')) next++;
      let stars = next;
      while (tokens[stars]?.text === '*') stars++;
      if (next > at + 1 && stars > next && (tokens[stars]?.text === '[' || tokens[stars]?.text === ';' || tokens[stars]?.text === ')' || tokens[stars]?.text === '(' || tokens[stars]?.text === ',')) {
        change().push(...tokens.slice(at, next));
        newPointers.set(tokens[next - 1], stars - next);
        at = stars - 1;
        continue;
      }
    }
    out?.push(token);
  }
  return { tokens: out ?? tokens, notes };
}

const PRIMITIVES = new Set(['int', 'float', 'double', 'char', 'void', 'bool', 'unsigned', 'signed', 'long', 'short', 'size_t', 'const', 'volatile']);

function startsStatement(tokens: readonly Token[], at: number): boolean {
  for (let index = at; index >= 0; index--) {
    const text = tokens[index].text;
    if (text === 'const' || text === 'static' || text === 'volatile' || text === 'constexpr') continue;
    if (text === '::' || (tokens[index].kind === TokenKind.Identifier && tokens[index + 1].text === '::')) continue;
    return text === ';' || text === '{' || text === '}' || text === ')' || text === 'else' || text === ':' || text === 'do';
  }
  return false;
}

export function closingParenthesis(tokens: readonly Token[], open: number): number {
  let depth = 0;
  for (let at = open; at < tokens.length; at++) {
    const text = tokens[at].text;
    if (text === '(' || text === '[' || text === '{') depth++;
    else if (text === ')' || text === ']' || text === '}') { if (--depth === 0) return at; }
    else if (text === ';' && depth <= 1) return -1;
  }
  return -1;
}

function openingBracket(tokens: readonly Token[], close: number): number {
  let depth = 0;
  for (let at = close; at >= 0; at--) {
    if (tokens[at].text === ']') depth++;
    else if (tokens[at].text === '[' && --depth === 0) return at;
  }
  return -1;
}

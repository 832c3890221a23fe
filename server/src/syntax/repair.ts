// Rewrites tokens that the grammar does not know into ones that it does, keeping what they say as notes.
import { closingParenthesis, openingBracket } from './brackets';
import type { TokenNotes } from './parseText';
import { type Token, TokenKind } from './tokens';
import {
  afterAngles,
  beside,
  closed,
  comparesAsTemplate,
  declaresVariable,
  isKeyword,
  isUnterminated,
  KEYWORDS,
  looksLikeParameters,
  MACRO_LIKE,
  opensClass,
  PRIMITIVE_TYPES,
  reword,
} from './tokenShapes';

export interface Repaired {
  readonly tokens: readonly Token[];
  readonly notes: TokenNotes;
}

/** Words without a meaning for the tree: calling conventions and the like. */
const DROPPED = new Set(
  (
    'CUDART_CB CUDAAPI CUDARTAPI __cdecl __stdcall __extension__ __builtin_align__ __device_builtin__ ' +
    '__cudart_builtin__ __nv_pure__ __tile_builtin__ __tile_global__'
  ).split(' '),
);
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

/** `float *RESTRICT x` of a macro that the build defines: no one gives that name to anything else. */
function isRestrictMacro(tokens: readonly Token[], at: number): boolean {
  const { text } = tokens[at]!;
  if (!/restrict/i.test(text) || !/^(?:restrict|_*[A-Z][A-Z0-9_]*)$/.test(text)) return false;
  const before = tokens[at - 1]?.text;
  const after = tokens[at + 1];
  return (
    (before === '*' || (before === 'const' && tokens[at - 2]?.text === '*')) &&
    (after?.kind === TokenKind.Identifier || after?.text === ',' || after?.text === ')')
  );
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
    const token = tokens[at]!;
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
      if (
        token.text === '=' &&
        codeBraces[codeBraces.length - 1] === true &&
        tokens[at - 1]?.text === ')' &&
        tokens[at + 1]?.text === '0' &&
        tokens[at + 2]?.text === ';'
      ) {
        // `out(i) = 0;` among statements: not a virtual function
        const zero = tokens[at + 1]!;
        change().push(token, beside(zero, '('), zero, beside(zero, ')'));
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
        while (next < tokens.length && QUALIFIERS.has(tokens[next]!.text)) next++;
        if (next > at + 1 && (tokens[next]?.text === '(' || tokens[next]?.text === '{')) {
          const open = openingBracket(tokens, at);
          const device = tokens.slice(at + 1, next).some((each) => each.text === '__device__');
          change().push(token);
          if (device && open >= 0) deviceLambdas.add(tokens[open]!);
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
          braces.set(close, reword(tokens[close]!, '}'));
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
        (tokens[at + 1]!.space && /^[),;]$/.test(tokens[at + 2]?.text ?? ''))) &&
      !isKeyword(tokens[at + 1]!.text)
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
    if (
      DROPPED.has(word) ||
      // `float (&__restrict__ x)[4]`: to the grammar only pointers are restricted
      (/^__restrict(?:__)?$/.test(word) && /^&&?$/.test(tokens[at - 1]?.text ?? '')) ||
      // `class DLL_EXPORT Name {`
      (MACRO_LIKE.test(word) &&
        (tokens[at - 1]?.text === 'class' || tokens[at - 1]?.text === 'struct') &&
        tokens[at + 1]?.kind === TokenKind.Identifier &&
        tokens[at + 1]!.text !== 'final' &&
        /^(?:[{:]|final)$/.test(tokens[at + 2]?.text ?? '')) ||
      (word === 'friend' && at > 0 && !/^[;{}:>]$/.test(tokens[at - 1]!.text))
    ) {
      change();
      continue;
    }
    if (word === '__restrict' || isRestrictMacro(tokens, at)) {
      change().push(reword(token, '__restrict__'));
      continue;
    }
    if (word === '__typeof__' || word === 'typeof' || word === '__typeof') {
      change().push(reword(token, 'decltype'));
      continue;
    }
    if (word === '__const__' || word === '__const') {
      change().push(reword(token, 'const'));
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
        (tokens[end]!.text === '(' && tokens[end + 1]?.text === ')') ||
        (tokens[end]!.text === '[' && tokens[end + 1]?.text === ']')
      )
        end += 2;
      else while (tokens[end]?.kind === TokenKind.Punctuator && tokens[end]!.text !== '(') end++;
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
            const each = tokens[index]!;
            if (PRIMITIVE_TYPES.has(each.text)) {
              if (first) list.push(reword(each, 'T_'));
              first = false;
              while (
                index + 1 < close &&
                (tokens[index + 1]!.text === '*' ||
                  tokens[index + 1]!.text === '&' ||
                  PRIMITIVE_TYPES.has(tokens[index + 1]!.text) ||
                  tokens[index + 1]!.text === 'const')
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
      while (dots < tokens.length && dots - at < 40 && !/^(?:\.\.\.|[:;{}?])$/.test(tokens[dots]!.text)) dots++;
      if (tokens[dots]?.text === '...') {
        let colon = dots;
        while (colon < tokens.length && colon - dots < 40 && !/^[:;{}]$/.test(tokens[colon]!.text)) colon++;
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
      // `i < n || i > (m + 1)` reads as a call of a template; in parentheses a name is not a template's.
      change().push(beside(token, '('), token, beside(token, ')'));
      continue;
    }
    if (word === 'new') {
      // `new T*[n]`
      let next = at + 1;
      while (
        next < tokens.length &&
        (tokens[next]!.kind === TokenKind.Identifier || tokens[next]!.text === '::' || tokens[next]!.text === '<')
      )
        next = tokens[next]!.text === '<' ? afterAngles(tokens, next) : next + 1;
      let stars = next;
      while (tokens[stars]?.text === '*') stars++;
      if (next > at + 1 && stars > next && /^[[;)(,]$/.test(tokens[stars]?.text ?? '')) {
        const type = tokens.slice(at + 1, next).filter((each) => each.text !== 'const' && each.text !== 'volatile');
        change().push(token, ...type);
        if (type.length > 0) newPointers.set(type[type.length - 1]!, stars - next);
        at = stars - 1;
        continue;
      }
    }
    out?.push(token);
  }
  return { tokens: out ?? tokens, notes };
}

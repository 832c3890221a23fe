// Guesses at macros without a definition, tried one after another while a chunk's tree has errors.
import { closingParenthesis, searching } from './brackets';
import { isKeyword, MACRO_LIKE, PRIMITIVE_TYPES, reword } from './tokenShapes';
import { makeToken, TokenKind, type Token } from './tokens';

/** Makes other tokens out of those of the best parse so far; the same list when there is nothing to change. */
export type RepairAttempt = (tokens: readonly Token[]) => readonly Token[];

/** From the surest to the boldest; each is kept only when the tree gets better. */
export const repairAttempts: readonly RepairAttempt[] = [
  endMacroStatements,
  (tokens) => dropUnknownWords(tokens, false),
  (tokens) => dropUnknownWords(tokens, true),
  renameTypeArguments,
  moveExecutionSpaces,
];

const SPECIFIERS = new Set(
  (
    '__device__ __host__ __global__ __forceinline__ __noinline__ inline static constexpr virtual explicit const ' +
    'void template extern class struct typename friend auto typedef using unsigned volatile enum __shared__ ' +
    '__constant__ signed long short operator namespace'
  ).split(' '),
);

function isMacroLike(token: Token): boolean {
  return (
    token.kind === TokenKind.Identifier &&
    MACRO_LIKE.test(token.text) &&
    !isKeyword(token.text) &&
    !SPECIFIERS.has(token.text) &&
    !COMPILER_NAMES.test(token.text)
  );
}
const COMPILER_NAMES =
  /^__(?:syncthreads|syncwarp|threadfence|ldg|shfl|ballot|any|all|brev|clz|popc|ffs|f[a-z]+_|d[a-z]+_|h[a-z0-9]|u?mul|u?hadd|saturatef|float|int|double|half|builtin|asm|attribute|launch_bounds|restrict|VA_)/;

function startsDeclaration(token: Token | undefined): boolean {
  return (
    token !== undefined &&
    token.kind === TokenKind.Identifier &&
    (SPECIFIERS.has(token.text) || PRIMITIVE_TYPES.has(token.text))
  );
}

function isName(token: Token | undefined): boolean {
  return token !== undefined && token.kind === TokenKind.Identifier && !isKeyword(token.text);
}

/**
 * Statement macros without their semicolon get one, `FOR_EACH(i, n) {` becomes a loop, and lone macro calls between
 * declarations go.
 */
function endMacroStatements(tokens: readonly Token[]): readonly Token[] {
  const out: Token[] = [];
  let changed = false;
  let braces = 0;
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]!;
    if (token.text === '{') braces++;
    else if (token.text === '}') braces--;
    const before = at > 0 ? out[out.length - 1]?.text : ';';
    if (
      token.kind === TokenKind.Identifier &&
      tokens[at + 1]?.text === '(' &&
      isName(token) &&
      (before === ';' ||
        before === '{' ||
        before === '}' ||
        before === 'else' ||
        before === undefined ||
        before === ':' ||
        before === ')')
    ) {
      const close = closingParenthesis(tokens, at + 1);
      const after = close > 0 ? tokens[close + 1] : undefined;
      if (close > 0 && braces > 0) {
        if (after?.text === '{' && MACRO_LIKE.test(token.text) && before !== ':') {
          out.push(reword(token, 'while'));
          changed = true;
          continue;
        }
        const ends =
          after !== undefined &&
          (after.text === '}' ||
            after.kind === TokenKind.Identifier ||
            (after.text === '*' && after.lineStart) ||
            (after.text === '(' && after.lineStart));
        if (ends && before !== ')') {
          for (let index = at; index <= close; index++) out.push(tokens[index]!);
          out.push(insertedAfter(tokens[close]!, ';'));
          at = close;
          changed = true;
          continue;
        }
      } else if (close > 0 && braces === 0 && (startsDeclaration(after) || isName(after)) && before !== ')') {
        at = close;
        changed = true;
        continue;
      }
    }
    out.push(token);
  }
  return changed ? out : tokens;
}

/** `DEVICE void f()`, `float* RESTRICT p`, `BOUNDS(256) __global__`; the bolder form takes words before any name. */
function dropUnknownWords(tokens: readonly Token[], bold: boolean): readonly Token[] {
  const out: Token[] = [];
  let changed = false;
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]!;
    if (!isMacroLike(token)) {
      out.push(token);
      continue;
    }
    const before = out[out.length - 1]!;
    const next = tokens[at + 1];
    if (before?.text === '.' || before?.text === '->' || before?.text === '::' || next?.text === '::') {
      out.push(token);
      continue;
    }
    if (next?.text === '(') {
      const close = closingParenthesis(tokens, at + 1);
      const after = close > 0 ? tokens[close + 1] : undefined;
      const declares = before === undefined || /^[;{}>:]$/.test(before.text) || startsDeclaration(before);
      if (declares && after && (startsDeclaration(after) || (bold && isName(after) && !after.lineStart))) {
        at = close;
        changed = true;
        continue;
      }
      if (isName(before) && bold && !isMacroLike(before)) {
        changed = true;
        continue;
      } // `min NO_MACRO (a, b)`
      out.push(token);
      continue;
    }
    const pointed = before?.text === '*' || before?.text === '&' || before?.text === '>';
    const nextIsMacro = next !== undefined && isMacroLike(next) && tokens[at + 2]?.kind === TokenKind.Identifier;
    const beforeType =
      next !== undefined &&
      isName(next) &&
      (tokens[at + 2]?.kind === TokenKind.Identifier ||
        (/^[<*&]$/.test(tokens[at + 2]?.text ?? '') && startsDeclaration(before)));
    const sure =
      startsDeclaration(next) ||
      nextIsMacro ||
      beforeType ||
      (pointed && isName(next) && /^[=;,)[]$/.test(tokens[at + 2]?.text ?? ''));
    const maybe = bold && (isName(next) || next?.text === '~' || next?.text === '[');
    if (sure || maybe) {
      changed = true;
      continue;
    }
    out.push(token);
  }
  return changed ? out : tokens;
}

/** `SWAP(a, b, int)`: a type among a call's arguments. */
function renameTypeArguments(tokens: readonly Token[]): readonly Token[] {
  const out: Token[] = [];
  let changed = false;
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]!;
    const before = out[out.length - 1];
    const starts =
      token.kind === TokenKind.Identifier &&
      (PRIMITIVE_TYPES.has(token.text) || token.text === 'struct' || token.text === 'const' || isName(token)) &&
      (before?.text === '(' || before?.text === ',');
    if (starts) {
      let end = at;
      let primitive = false;
      while (
        end < tokens.length &&
        tokens[end]!.kind === TokenKind.Identifier &&
        (PRIMITIVE_TYPES.has(tokens[end]!.text) ||
          tokens[end]!.text === 'struct' ||
          tokens[end]!.text === 'const' ||
          end === at ||
          tokens[end - 1]!.text === 'struct')
      ) {
        primitive ||= PRIMITIVE_TYPES.has(tokens[end]!.text) || tokens[end]!.text === 'struct';
        end++;
      }
      let stars = end;
      while (tokens[stars]?.text === '*' || tokens[stars]?.text === '&') stars++;
      const closes = tokens[stars]?.text === ',' || tokens[stars]?.text === ')';
      const isCast =
        tokens[stars]?.text === ')' && before?.text === '(' && out[out.length - 2]?.kind !== TokenKind.Identifier;
      if (
        closes &&
        !isCast &&
        (primitive || stars > end) &&
        !(
          before?.text === '(' &&
          tokens[stars]?.text === ')' &&
          /^(?:sizeof|alignof|decltype|typeof|__typeof__)$/.test(out[out.length - 2]?.text ?? '')
        )
      ) {
        out.push(reword(token, 'T_'));
        at = stars - 1;
        changed = true;
        continue;
      }
    }
    out.push(token);
  }
  return changed ? out : tokens;
}

/** `T const & __device__ f()`: the execution spaces move before the declaration. */
function moveExecutionSpaces(tokens: readonly Token[]): readonly Token[] {
  const out: Token[] = [];
  let changed = false;
  for (const token of tokens) {
    if (/^__(?:device|host|global|forceinline)__$/.test(token.text)) {
      let at = out.length;
      while (
        at > 0 &&
        searching() &&
        !/^[;{}]$/.test(out[at - 1]!.text) &&
        out[at - 1]!.text !== 'inline' &&
        out[at - 1]!.text !== 'static' &&
        !(out[at - 1]!.text === '>' && closesTemplate(out, at - 1))
      )
        at--;
      const last = out[out.length - 1]?.text;
      if (
        at < out.length &&
        (last === '&' || last === '*' || last === '>' || /^__(?:device|host)__$/.test(last ?? '')) &&
        out.slice(at).some((each) => each.text === '&' || each.text === '*')
      ) {
        out.splice(at, 0, token);
        changed = true;
        continue;
      }
    }
    out.push(token);
  }
  return changed ? out : tokens;
}

function closesTemplate(tokens: readonly Token[], close: number): boolean {
  let depth = 0;
  for (let at = close; at >= 0 && searching(); at--) {
    if (tokens[at]!.text === '>') depth++;
    else if (tokens[at]!.text === '<' && --depth === 0) return tokens[at - 1]?.text === 'template';
    else if (/^[;{}]$/.test(tokens[at]!.text)) return false;
  }
  return false;
}

function insertedAfter(token: Token, text: string): Token {
  const made = makeToken(TokenKind.Punctuator, text, token.end, token.end, false, false, -1, false);
  made.invocation = token.invocation;
  return made;
}

// Cuts the tokens of a file into top-level items, so that each can be parsed, lowered and kept apart from the others.
import { endOfParentheses } from './brackets';
import { readingLimits } from './budget';
import { classWords } from './tokenShapes';
import { TokenKind, type Token } from './tokens';

/** A top-level declaration or definition: tokens `first` up to `end`, not included, inside the given namespaces. */
export interface Chunk {
  readonly first: number;
  readonly end: number;
  readonly namespaces: readonly string[];
  readonly externC: boolean;
}

interface Scope {
  readonly namespaces: readonly string[];
  readonly externC: boolean;
}

/** Words that start a new item when they are in the first column, wherever the braces say we are. */
const ITEM_WORDS = new Set(
  (
    '__global__ template static extern inline void namespace struct class typedef using __device__ __host__ ' +
    '__constant__ int float double'
  ).split(' '),
);

/** Words before parentheses that are no parameters. */
const WITH_PARENTHESES = new Set(
  (
    '__attribute__ __align__ alignas __launch_bounds__ decltype __declspec __cluster_dims__ __maxnreg__ ' +
    '__block_size__'
  ).split(' '),
);

/**
 * Cuts at the ends of top-level items. When the braces do not balance it cuts again, trusting words in the first
 * column. `tooDeep` hears of namespaces whose names are left out.
 */
export function cutIntoChunks(tokens: readonly Token[], text: string, tooDeep: () => void = () => {}): Chunk[] {
  const first = cut(tokens, text, false, tooDeep);
  return first.balanced ? first.chunks : cut(tokens, text, true, tooDeep).chunks;
}

function cut(
  tokens: readonly Token[],
  text: string,
  resynchronise: boolean,
  tooDeep: () => void,
): { chunks: Chunk[]; balanced: boolean } {
  const chunks: Chunk[] = [];
  const scopes: Scope[] = [{ namespaces: [], externC: false }];
  let balanced = true;
  let at = 0;
  const count = tokens.length;

  const startsItem = (index: number): boolean => {
    const token = tokens[index]!;
    if (token.body || token.kind !== TokenKind.Identifier || !token.lineStart) return false;
    if (token.start > 0 && text.charCodeAt(token.start - 1) !== 10) return false;
    return ITEM_WORDS.has(token.text);
  };

  while (at < count) {
    const token = tokens[at]!;
    if (token.kind === TokenKind.Pragma) {
      // A pragma belongs to the item after it; one that stands last, or before a closing brace, to none.
      let next = at;
      while (next < count && tokens[next]!.kind === TokenKind.Pragma) next++;
      if (next >= count || tokens[next]!.text === '}' || opensScope(tokens, next)) {
        at = next;
        continue;
      }
    }
    if (token.text === ';') {
      at++;
      continue;
    }
    if (token.text === '}') {
      if (scopes.length > 1) scopes.pop();
      else balanced = false;
      at++;
      continue;
    }
    const opened = opensScope(tokens, at);
    const scope = scopes[scopes.length - 1]!;
    if (opened) {
      // Each inner scope holds the names of the outer ones: thousands of them would be millions of names.
      const deep = scope.namespaces.length + opened.namespaces.length > readingLimits.nesting;
      if (deep) tooDeep();
      scopes.push({
        namespaces: opened.namespaces.length && !deep ? [...scope.namespaces, ...opened.namespaces] : scope.namespaces,
        externC: scope.externC || opened.externC,
      });
      at = opened.end;
      continue;
    }
    const end = endOfItem(at);
    chunks.push({ first: at, end, namespaces: scope.namespaces, externC: scope.externC });
    at = end;
  }
  if (scopes.length > 1) balanced = false;
  return { chunks, balanced };

  function endOfItem(from: number): number {
    let depth = 0; // of braces
    let parentheses = 0;
    let classLike = false;
    let definiteClass = false; // its bases were named: parentheses after that are theirs
    let initialiser = false;
    let sawParentheses = false; // a parameter list, most likely
    let constructorList = false;
    let start = from;
    while (start < count && tokens[start]!.kind === TokenKind.Pragma) start++;
    for (let index = start; index < count; index++) {
      const token = tokens[index]!;
      const text = token.text;
      if (resynchronise && index > start && (depth > 0 || parentheses > 0) && startsItem(index)) {
        balanced = false;
        return index;
      }
      if (token.kind === TokenKind.Identifier) {
        if (depth > 0 || parentheses > 0) continue;
        if (text === 'template' && tokens[index + 1]?.text === '<') {
          index = endOfAngles(index + 1);
          continue;
        }
        if (!sawParentheses && classWords.has(text)) classLike = true;
        if (WITH_PARENTHESES.has(text) && tokens[index + 1]?.text === '(') {
          index = endOfArguments(index + 1) - 1;
          continue;
        }
        if (text === 'operator' && !initialiser) {
          // the operator's own symbol is not punctuation
          if (tokens[index + 1]?.text === '(' && tokens[index + 2]?.text === ')') index += 2;
          else
            while (
              index + 1 < count &&
              tokens[index + 1]!.kind === TokenKind.Punctuator &&
              tokens[index + 1]!.text !== '('
            )
              index++;
        }
        continue;
      }
      if (token.kind !== TokenKind.Punctuator) continue;
      switch (text) {
        case '(':
        case '[':
          if (depth === 0) {
            if (parentheses === 0 && text === '(' && !initialiser && tokens[index - 1]?.text !== '=')
              sawParentheses = true;
            parentheses++;
          }
          break;
        case ')':
        case ']':
          if (depth === 0 && parentheses > 0) parentheses--;
          break;
        case ':':
          if (depth === 0 && parentheses === 0) {
            if (sawParentheses && !classLike) constructorList = true;
            else if (classLike && !sawParentheses) definiteClass = true;
          }
          break;
        case '=':
          if (depth === 0 && parentheses === 0) initialiser = true;
          break;
        case ';':
          if (depth === 0 && parentheses === 0) return index + 1;
          // a `;` inside parentheses at the top level is a missing parenthesis
          if (depth === 0 && !isForHeader(start, index)) {
            balanced = false;
            return index + 1;
          }
          break;
        case '{':
          depth++;
          if (
            depth === 1 &&
            parentheses > 0 &&
            !classLike &&
            !initialiser &&
            tokens[index - 1]?.text !== '(' &&
            tokens[index - 1]?.text !== ',' &&
            isBody(index)
          )
            parentheses = 0;
          break;
        case '}': {
          if (depth === 0) {
            // it closes the scope around us: the item is not finished
            balanced = false;
            return index > start ? index : index + 1;
          }
          depth--;
          if (depth > 0 || parentheses > 0) break;
          if (initialiser || definiteClass || (classLike && !sawParentheses)) break;
          if (!sawParentheses) {
            if (tokens[index + 1]?.text === ';' || tokens[index + 1]?.text === ',') break;
            return index + 1;
          }
          // `a{1}` in a constructor's initialisers is followed by `,` or `{`; `catch` goes on after a function try
          // block.
          if (constructorList && (tokens[index + 1]?.text === ',' || tokens[index + 1]?.text === '{')) break;
          if (tokens[index + 1]?.text === 'catch') break;
          return index + 1;
        }
      }
    }
    if (depth > 0 || parentheses > 0) balanced = false;
    return count;
  }

  function isForHeader(start: number, index: number): boolean {
    for (let back = index; back >= start && index - back < 60; back--) if (tokens[back]!.text === 'for') return true;
    return false;
  }

  /** A brace after an unclosed parenthesis: a body (the parenthesis was forgotten) when a statement follows. */
  function isBody(open: number): boolean {
    return tokens[open]!.lineStart && !tokens[open]!.body;
  }

  function endOfArguments(open: number): number {
    let depth = 0;
    for (let index = open; index < count; index++) {
      if (tokens[index]!.text === '(') depth++;
      else if (tokens[index]!.text === ')' && --depth === 0) return index + 1;
      else if (tokens[index]!.text === ';' || tokens[index]!.text === '{') return index;
    }
    return count;
  }

  /** Index of the `>` that closes the template bracket at `open` (or of the last token looked at). */
  function endOfAngles(open: number): number {
    let depth = 0;
    let parentheses = 0;
    for (let index = open; index < count; index++) {
      const text = tokens[index]!.text;
      if (text === '(' || text === '{') parentheses++;
      else if (text === ')' || text === '}') parentheses--;
      else if (parentheses === 0 && text === '<') depth++;
      else if (parentheses === 0 && text === '>' && --depth === 0) return index;
      else if (text === ';' || parentheses < 0) return index - 1;
    }
    return count - 1;
  }
}

/** `namespace a::b {`, `inline namespace a {`, `extern "C" {`. */
function opensScope(
  tokens: readonly Token[],
  at: number,
): { namespaces: string[]; externC: boolean; end: number } | undefined {
  let index = at;
  if (tokens[index]!.text === 'inline' && tokens[index + 1]?.text === 'namespace') index++;
  if (tokens[index]!.text === 'namespace') {
    const namespaces: string[] = [];
    for (index++; index < tokens.length; index++) {
      const token = tokens[index]!;
      if (token.text === '{') return { namespaces, externC: false, end: index + 1 };
      if (token.text === '__attribute__' && tokens[index + 1]?.text === '(') {
        // libstdc++ states the visibility of `std` in each file.
        index = endOfParentheses(tokens, index + 1);
      } else if (token.kind === TokenKind.Identifier && token.text !== 'inline') {
        namespaces.push(token.text);
      } else if (token.text !== '::' && token.text !== 'inline') return undefined;
    }
    return undefined;
  }
  if (
    tokens[index]!.text === 'extern' &&
    tokens[index + 1]?.kind === TokenKind.String &&
    tokens[index + 2]?.text === '{'
  ) {
    return { namespaces: [], externC: tokens[index + 1]!.text === '"C"', end: index + 3 };
  }
  return undefined;
}

// Builds a file's declarations from its preprocessed tokens, chunk by chunk, and keeps what chunks gave for the next
// time.
import type { Declarations, FunctionDecl, MacroDef, Node, Pragma, SourceFile } from './ast';
import { makeReadingBudget, type ReadingBudget } from './budget';
import type { ChunkParser, ChunkSource } from './chunkParser';
import { cutIntoChunks, type Chunk } from './chunks';
import type { CachedChunk } from './chunkStore';
import type { ReadDirective } from './directives/read';
import { attachComments, commentsOutside, withMethods } from './fileComments';
import { rebased } from './lowerFunctions';
import type { LoweredChunk } from './lowering';
import { hashText } from './macros';
import { declaredNames, interfaceOf, type Piece, wordsOf } from './pieces';
import type { Preprocessed } from './preprocess';
import type { Directive } from './procedures';
import { TokenKind, type Comment, type LexedText, type Token } from './tokens';

export interface HeldFile {
  text: string;
  lexed: LexedText;
  /** Chunks of the last parse by their content; each list holds equal chunks in order. */
  chunks: Map<string, CachedChunk[]>;
}

/** What a top-level item takes of the budget beside its text, in characters. */
const PRICE_OF_ITEM = 300;

export function buildFile(
  uri: string,
  text: string,
  version: number,
  lexed: LexedText,
  preprocessed: Preprocessed,
  holder: HeldFile,
  chunkParser: ChunkParser,
  directives: readonly Directive[],
  budget: ReadingBudget,
  isIncluded: boolean,
): SourceFile {
  const { tokens, invocations } = preprocessed;
  const chunks = cutIntoChunks(tokens, text, () => budget.exceed('nesting'));
  const reused = holder.chunks;
  const kept = new Map<string, CachedChunk[]>();
  const cutShort = new Set<string>();
  const pieces: Piece<Declarations>[] = [];
  const uriHash = hashText(uri).toString(36);
  // What is computed later must not hold all tokens of the file.
  const { comments, tooLong } = lexed;
  for (const chunk of chunks) {
    const { first, last } = writtenEdges(tokens, chunk);
    if (first === undefined || last === undefined) continue;
    const base = first.start;
    const end = last.end;
    const content = contentOf(tokens, chunk, text, base, end, preprocessed);
    const list = kept.get(content) ?? [];
    if (list.length === 0) kept.set(content, list);
    let cached = reused.get(content)?.[list.length];
    // Items of one content are parsed once: their places and keys are set below.
    if (cached === undefined && list.length > 0) cached = { ...list[0]!, cost: 0, base: NaN };
    if (!budget.take('parsing', (cached?.cost ?? 0) + PRICE_OF_ITEM)) break;
    if (cached === undefined) {
      const ofChunk = tokens.slice(chunk.first, chunk.end);
      const contentHash = hashText(content);
      const source: ChunkSource = {
        uri,
        tokens: ofChunk,
        invocations,
        namespaces: chunk.namespaces,
        externC: chunk.externC,
        base,
        // A function that is the whole chunk, or a method of one: its own text decides, the chunk's content says
        // what macros made of it.
        keyOf: (name, start, stop) =>
          `${name}#${(contentHash % 2 ** 40).toString(36)}.${(start - base).toString(36)}.${(stop - start).toString(36)}#${uriHash}`,
      };
      const before = budget.taken().parsing;
      // An item that is parsed later takes the same of a budget at any time.
      if (isIncluded && !budget.take('parsing', end - base)) break;
      const lowered = parsed(chunkParser, source, comments, isIncluded ? undefined : budget);
      if (!isIncluded) lowered();
      const cost = budget.taken().parsing - before;
      cached = { lowered, names: declaredNames(ofChunk), ...describedLater(ofChunk), cost, base: NaN, placed: lowered };
      if (budget.exceeded().has('parsing')) cutShort.add(content);
    }
    list.push(cached);
    const ordinal = list.length - 1;
    if (!isIncluded && !budget.take('functions', cached.lowered().functions.filter(({ body }) => body).length)) break;
    if (cached.base !== base) {
      cached.placed = placedLater(cached.lowered, base, ordinal);
      cached.base = base;
    }
    const { placed: declared, names, words, interface: hash } = cached;
    pieces.push({ declared, names, words, interface: hash, content: () => hashText(content).toString(36) });
  }
  // What the end of the budget made of a chunk is not what the chunk is: the next unit may have enough.
  for (const content of cutShort) kept.delete(content);
  holder.chunks = kept;
  const file = {
    uri,
    version,
    text,
    pieces,
    includes: preprocessed.includes,
    macros: preprocessed.macros as readonly MacroDef[],
    inactive: preprocessed.inactive,
    pragmas: preprocessed.pragmas,
    directives,
  };
  for (const kind of kinds) {
    const all = later(() => {
      const listed = pieces.flatMap((piece): readonly Node[] => piece.declared()[kind]);
      return kind === 'errors' && tooLong ? [...listed, { start: 0, end: text.length }] : listed;
    });
    Object.defineProperty(file, kind, { enumerable: true, get: all });
  }
  const outside = later(() => commentsOutside(comments, (file as unknown as Declarations).functions));
  Object.defineProperty(file, 'comments', { enumerable: true, get: outside });
  return file as typeof file & Declarations & Pick<SourceFile, 'comments'>;
}

const kinds = ['functions', 'structs', 'aliases', 'enums', 'instantiations', 'globals', 'errors'] as const;

/** Computes something when it is asked for the first time, and then lets go of what it was computed from. */
function later<T extends object | string>(make: (() => T) | undefined): () => T {
  let made: T | undefined;
  return () => {
    made ??= make!();
    make = undefined;
    return made;
  };
}

// Functions that are made in one scope keep alive what any of them names: the tokens of a chunk have a scope apart.
function parsed(parser: ChunkParser, source: ChunkSource, comments: readonly Comment[], budget?: ReadingBudget) {
  return later(() => attachComments(parser.parse(budget ?? makeReadingBudget(), source), comments, source.base));
}
function placedLater(lowered: () => LoweredChunk, base: number, ordinal: number): () => LoweredChunk {
  return later(() => place(lowered(), base, ordinal));
}
function describedLater(tokens: readonly Token[]): Pick<CachedChunk, 'words' | 'interface'> {
  return { words: later(() => wordsOf(tokens)), interface: later(() => hashText(interfaceOf(tokens)).toString(36)) };
}

/** The OpenACC directives among the pragmas. One of `_Pragma` or of a macro is not in the text in this form. */
export function directivesOf(
  text: string,
  pragmas: readonly Pragma[],
  isMacro: (word: string) => boolean,
  readDirective: ReadDirective,
  budget: ReadingBudget,
): Directive[] {
  const found: Directive[] = [];
  for (const pragma of pragmas) {
    if (!/^acc(?![\w$])/.test(pragma.text)) continue;
    if (!budget.take('parsing', PRICE_OF_ITEM + pragma.text.length)) break;
    const written =
      !pragma.macro &&
      /^#(?:[ \t]|\\[ \t]*\r?\n)*pragma(?:[ \t]|\\[ \t]*\r?\n)+acc(?![\w$])/.test(text.slice(pragma.start, pragma.end));
    found.push(readDirective(text, pragma, { language: 'c', isMacro, ...(!written && { expanded: pragma.text }) }));
  }
  return found;
}

/** First and last token of a chunk, pragmas before it not counted. */
function writtenEdges(tokens: readonly Token[], chunk: Chunk): { first: Token | undefined; last: Token | undefined } {
  let first = chunk.first;
  while (first < chunk.end && tokens[first]!.kind === TokenKind.Pragma) first++;
  let last = chunk.end - 1;
  while (last >= first && tokens[last]!.kind === TokenKind.Pragma) last--;
  return { first: tokens[first], last: last >= first ? tokens[last] : undefined };
}

/**
 * All that decides what a chunk parses to, relative to its start: its text as written and, where macros or conditions
 * had a hand in it, the tokens that came of that and where they stand.
 */
function contentOf(
  tokens: readonly Token[],
  chunk: Chunk,
  text: string,
  base: number,
  end: number,
  preprocessed: Preprocessed,
): string {
  let plain = true;
  const from = tokens[chunk.first]!.start;
  for (let at = chunk.first; at < chunk.end; at++) {
    const token = tokens[at]!;
    if (
      token.body ||
      token.invocation >= 0 ||
      token.index < 0 ||
      token.kind === TokenKind.Pragma ||
      (at > chunk.first && token.index !== tokens[at - 1]!.index + 1)
    ) {
      plain = false;
      break;
    }
  }
  const scope = chunk.namespaces.join('::') + (chunk.externC ? ' C' : '');
  if (plain) return `${scope}\n${text.slice(base, end)}`;
  let low = 0x811c9dc5;
  let high = 0x2545f491;
  const mix = (value: number): void => {
    low = Math.imul(low ^ value, 0x01000193);
    high = Math.imul(high ^ value, 0x85ebca6b);
    high ^= high >>> 15;
  };
  let invocation = -1;
  for (let at = chunk.first; at < chunk.end; at++) {
    const token = tokens[at]!;
    const words = token.text;
    for (let index = 0; index < words.length; index++) mix(words.charCodeAt(index));
    mix(token.start - base);
    mix(token.end - base);
    mix((token.body ? 1 : 0) | (token.space ? 2 : 0) | (token.kind << 2));
    if (token.invocation >= 0 && token.invocation !== invocation) {
      invocation = token.invocation;
      const span = preprocessed.invocations[invocation]!;
      mix(span.start - base);
      mix(span.end - base);
    }
  }
  return `${scope}\n${text.slice(Math.min(base, from), Math.max(base, end))}\n${low >>> 0}.${high >>> 0}.${chunk.end - chunk.first}`;
}

function place(lowered: LoweredChunk, base: number, ordinal: number): LoweredChunk {
  const placed = rebased(lowered, base);
  if (ordinal === 0) return placed;
  const rename = (declared: FunctionDecl): FunctionDecl => ({ ...declared, key: `${declared.key}#${ordinal}` });
  return { ...placed, functions: placed.functions.map(rename), structs: withMethods(placed.structs, rename) };
}

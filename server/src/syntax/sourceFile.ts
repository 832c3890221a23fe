// Builds a file's declarations from its preprocessed tokens, chunk by chunk, and keeps what chunks gave for the next
// time.
import type {
  AliasDecl,
  EnumDecl,
  FunctionDecl,
  Instantiation,
  MacroDef,
  Node,
  Pragma,
  SourceFile,
  StructDecl,
  VarDecl,
} from './ast';
import type { ReadingBudget } from './budget';
import type { ChunkParser } from './chunkParser';
import { cutIntoChunks, type Chunk } from './chunks';
import type { CachedChunk } from './chunkStore';
import type { ReadDirective } from './directives/read';
import { attachComments, commentsOutside } from './fileComments';
import { rebased } from './lowerFunctions';
import type { LoweredChunk } from './lowering';
import { hashText } from './macros';
import type { Preprocessed } from './preprocess';
import type { Directive } from './procedures';
import { TokenKind, type LexedText, type Token } from './tokens';

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
): SourceFile {
  const tokens = preprocessed.tokens;
  const chunks = cutIntoChunks(tokens, text, () => budget.exceed('nesting'));
  const reused = holder.chunks;
  const kept = new Map<string, CachedChunk[]>();
  const cutShort = new Set<string>();
  const functions: FunctionDecl[] = [];
  const structs: StructDecl[] = [];
  const aliases: AliasDecl[] = [];
  const enums: EnumDecl[] = [];
  const instantiations: Instantiation[] = [];
  const globals: (VarDecl & { readonly qualifiedName: string })[] = [];
  const errors: Node[] = [];
  const uriHash = hashText(uri).toString(36);
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
    if (cached === undefined && list.length > 0)
      cached = { lowered: list[0]!.lowered, cost: 0, base: NaN, placed: list[0]!.lowered };
    if (!budget.take('parsing', (cached?.cost ?? 0) + PRICE_OF_ITEM)) break;
    if (cached === undefined) {
      const before = budget.taken().parsing;
      const contentHash = hashText(content);
      const lowered = chunkParser.parse(budget, {
        uri,
        tokens: tokens.slice(chunk.first, chunk.end),
        invocations: preprocessed.invocations,
        namespaces: chunk.namespaces,
        externC: chunk.externC,
        base,
        // A function that is the whole chunk, or a method of one: its own text decides, the chunk's content says what
        // macros made of it.
        keyOf: (name, start, stop) =>
          `${name}#${(contentHash % 2 ** 40).toString(36)}.${(start - base).toString(36)}.${(stop - start).toString(36)}#${uriHash}`,
      });
      const withComments = attachComments(lowered, lexed, base);
      cached = { lowered: withComments, cost: budget.taken().parsing - before, base: NaN, placed: withComments };
      if (budget.exceeded().has('parsing')) cutShort.add(content);
    }
    list.push(cached);
    const ordinal = list.length - 1;
    if (!budget.take('functions', cached.lowered.functions.filter(({ body }) => body).length)) break;
    if (cached.base !== base) {
      cached.placed = place(cached.lowered, base, ordinal);
      cached.base = base;
    }
    functions.push(...cached.placed.functions);
    structs.push(...cached.placed.structs);
    aliases.push(...cached.placed.aliases);
    enums.push(...cached.placed.enums);
    instantiations.push(...cached.placed.instantiations);
    globals.push(...cached.placed.globals);
    errors.push(...cached.placed.errors);
  }
  // What the end of the budget made of a chunk is not what the chunk is: the next unit may have enough.
  for (const content of cutShort) kept.delete(content);
  holder.chunks = kept;
  if (lexed.tooLong) errors.push({ start: 0, end: text.length });
  const file: SourceFile = {
    uri,
    version,
    text,
    functions,
    structs,
    aliases,
    enums,
    instantiations,
    globals,
    includes: preprocessed.includes,
    macros: preprocessed.macros as readonly MacroDef[],
    inactive: preprocessed.inactive,
    comments: commentsOutside(lexed, functions),
    pragmas: preprocessed.pragmas,
    directives,
    errors,
  };
  return file;
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
  return {
    ...placed,
    functions: placed.functions.map(rename),
    structs: placed.structs.map((struct) => renameMethods(struct, rename)),
  };
}

function renameMethods(struct: StructDecl, rename: (declared: FunctionDecl) => FunctionDecl): StructDecl {
  return {
    ...struct,
    methods: struct.methods.map(rename),
    structs: struct.structs.map((each) => renameMethods(each, rename)),
  };
}

// Keeps translation units: preprocesses files and their includes, cuts them into chunks, and parses only chunks it has
// not seen.
import type {
  AliasDecl,
  EnumDecl,
  FunctionDecl,
  MacroDef,
  Node,
  Pragma,
  SourceFile,
  StructDecl,
  TranslationUnit,
  VarDecl,
} from './ast';
import type { ChunkParser } from './chunkParser';
import { createChunkStore, type CachedChunk } from './chunkStore';
import { cutIntoChunks, type Chunk } from './chunks';
import type { ReadDirective } from './directives/read';
import { rebased } from './lowerFunctions';
import type { LoweredChunk } from './lowering';
import { hashText, macroFromText, MacroTable, preprocess, type MacroEffect, type Preprocessed } from './preprocess';
import type { Directive } from './procedures';
import { lex, TokenKind, type LexedText, type Token } from './tokens';

/** Finds included files. Synchronous; the caller caches. */
export interface IncludeHost {
  resolve(path: string, system: boolean, fromUri: string): { uri: string; text: string; version: number } | undefined;
}

export interface ParseSettings {
  readonly defines: Readonly<Record<string, string>>;
  readonly undefines?: readonly string[];
  /** Ten times the compute capability, as in `sm_90`. */
  readonly computeCapability: number;
}

const INCLUDE_DEPTH_LIMIT = 64;
const INCLUDE_COUNT_LIMIT = 2_000;
/** Text longer than this is generated data: it is not read, and said to be one error. */
const TEXT_LIMIT = 3_000_000;

interface HeldFile {
  text: string;
  lexed: LexedText;
  /** Chunks of the last parse by their content; each list holds equal chunks in order. */
  chunks: Map<string, CachedChunk[]>;
}

interface CachedInclude {
  readonly version: number;
  readonly text: string;
  readonly environment: number;
  readonly file: SourceFile;
  /** The files it included, in order, itself not among them. */
  readonly files: readonly SourceFile[];
  readonly effects: readonly MacroEffect[];
  readonly once: readonly string[];
  readonly lookups: readonly Lookup[];
}

/** One question to the host, and what the answer was. */
interface Lookup {
  readonly path: string;
  readonly system: boolean;
  readonly from: string;
  readonly uri: string | undefined;
  readonly version: number;
  readonly text: string | undefined;
}

/** Contexts a header may be held in at once: with other macros it is another file. */
const CACHED_INCLUDES_PER_FILE = 4;
const CACHED_INCLUDE_FILES = 400;

export function makeUnitParser(
  chunkParser: ChunkParser,
  readDirective: ReadDirective,
): {
  parse(uri: string, text: string, version: number, settings: ParseSettings, host: IncludeHost): TranslationUnit;
  forget(uri: string): void;
  retire(uri: string): void;
  stats(): { trees: number; chunks: number };
} {
  const held = new Map<string, HeldFile>();
  const includeCache = new Map<string, CachedInclude[]>();
  const store = createChunkStore();

  function parse(
    uri: string,
    text: string,
    version: number,
    settings: ParseSettings,
    host: IncludeHost,
  ): TranslationUnit {
    const macros = predefined(uri, settings);
    const once = new Set<string>();
    const stack: string[] = [];
    let includeCount = 0;
    const lookupsBelow: Lookup[][] = [];
    /** For each file being read, what it included so far, in order. */
    const includedBelow: Map<string, SourceFile>[] = [];

    function run(
      fileUri: string,
      fileText: string,
      fileVersion: number,
      holder: HeldFile,
    ): { file: SourceFile; effects: readonly MacroEffect[]; files: readonly SourceFile[] } {
      const included = new Map<string, SourceFile>();
      stack.push(fileUri);
      includedBelow.push(included);
      const nested = stack.indexOf(fileUri) !== stack.length - 1;
      try {
        if (holder.text !== fileText || holder.lexed.tokens.length === 0) {
          holder.text = fileText;
          holder.lexed =
            fileText.length > TEXT_LIMIT
              ? { tokens: [], comments: [] }
              : ((nested ? undefined : store.lexedOf(fileUri, fileText)) ?? lex(fileText));
        }
        const lexed = nested ? lex(fileText) : holder.lexed;
        const preprocessed = preprocess(fileUri, fileText, lexed, macros, (path, system, effects) =>
          include(path, system, fileUri, effects),
        );
        if (preprocessed.once) once.add(fileUri);
        included.delete(fileUri);
        const file = buildFile(
          fileUri,
          fileText,
          fileVersion,
          lexed,
          preprocessed,
          holder,
          chunkParser,
          directivesOf(fileText, preprocessed.pragmas, (word) => macros.get(word) !== undefined, readDirective),
        );
        store.keep(fileUri, fileText, holder.lexed, holder.chunks);
        return {
          file,
          effects: preprocessed.effects,
          files: [...included.values()],
        };
      } finally {
        stack.pop();
        includedBelow.pop();
      }
    }

    function include(path: string, system: boolean, from: string, effects: MacroEffect[]): string | undefined {
      if (stack.length >= INCLUDE_DEPTH_LIMIT || ++includeCount > INCLUDE_COUNT_LIMIT) return undefined;
      const found = resolveSafely(host, path, system, from);
      const lookup: Lookup = { path, system, from, uri: found?.uri, version: found?.version ?? 0, text: found?.text };
      for (const list of lookupsBelow) list.push(lookup);
      if (!found) return undefined;
      if (once.has(found.uri)) return found.uri;
      if (stack.filter((each) => each === found.uri).length >= 2) return found.uri;
      const environment = environmentHash(macros, once);
      let entry = includeCache
        .get(found.uri)
        ?.find(
          (each) =>
            each.environment === environment &&
            each.version === found.version &&
            each.text === found.text &&
            each.lookups.every((asked) => sameAnswer(host, asked)),
        );
      if (entry) {
        macros.apply(entry.effects);
        for (const each of entry.once) once.add(each);
        for (const asked of entry.lookups) for (const list of lookupsBelow) list.push(asked);
      } else {
        const onceBefore = new Set(once);
        const lookups: Lookup[] = [];
        lookupsBelow.push(lookups);
        const {
          file,
          effects: made,
          files,
        } = run(found.uri, found.text, found.version, {
          text: '',
          lexed: { tokens: [], comments: [] },
          chunks: store.chunksOf(found.uri),
        });
        lookupsBelow.pop();
        entry = {
          version: found.version,
          text: found.text,
          environment,
          file,
          files,
          effects: made,
          once: [...once].filter((each) => !onceBefore.has(each)),
          lookups,
        };
        remember(found.uri, entry);
      }
      for (const effect of entry.effects) effects.push(effect);
      // In include order, each once: the file, then what it included.
      const included = includedBelow[includedBelow.length - 1]!;
      for (const each of [entry.file, ...entry.files]) if (!included.has(each.uri)) included.set(each.uri, each);
      return found.uri;
    }

    let holder = held.get(uri);
    if (!holder)
      held.set(uri, (holder = { text: '', lexed: { tokens: [], comments: [] }, chunks: store.chunksOf(uri) }));
    const { file, files } = run(uri, text, version, holder);
    return { main: file, files: [file, ...files] };
  }

  function remember(uri: string, entry: CachedInclude): void {
    const list = (includeCache.get(uri) ?? []).filter(
      (each) => each.version === entry.version && each.text === entry.text,
    );
    list.push(entry);
    while (list.length > CACHED_INCLUDES_PER_FILE) list.shift();
    includeCache.delete(uri);
    includeCache.set(uri, list);
    for (const oldest of includeCache.keys()) {
      if (includeCache.size <= CACHED_INCLUDE_FILES) break;
      includeCache.delete(oldest);
    }
  }

  return {
    parse,
    forget(uri) {
      held.delete(uri);
      includeCache.delete(uri);
      store.forget(uri);
    },
    // What is no longer asked for by itself may still be asked for soon: by the next unit that includes it.
    retire: (uri) => void held.delete(uri),
    stats() {
      let chunks = 0;
      for (const each of held.values()) for (const list of each.chunks.values()) chunks += list.length;
      return { trees: chunkParser.liveTrees(), chunks };
    },
  };
}

function resolveSafely(
  host: IncludeHost,
  path: string,
  system: boolean,
  from: string,
): { uri: string; text: string; version: number } | undefined {
  try {
    return host.resolve(path, system, from);
  } catch {
    return undefined; // a file that cannot be read is a file that was not found
  }
}

function sameAnswer(host: IncludeHost, asked: Lookup): boolean {
  const now = resolveSafely(host, asked.path, asked.system, asked.from);
  return now?.uri === asked.uri && (now === undefined || (now.version === asked.version && now.text === asked.text));
}

function environmentHash(macros: MacroTable, once: ReadonlySet<string>): number {
  let hash = macros.hash;
  for (const each of once) hash = (hash + hashText(`once ${each}`)) % 2 ** 52;
  return hash;
}

/**
 * What nvcc defines, and what the settings say. C and C++ sources without CUDA get what an OpenACC compiler defines.
 */
function predefined(uri: string, settings: ParseSettings): MacroTable {
  const macros = new MacroTable();
  const define = (name: string, value: string): void => macros.define(macroFromText(name, value));
  const plainC = /\.c$/i.test(uri);
  const hostOnly = plainC || /\.(?:cc|cpp|cxx|c\+\+)$/i.test(uri);
  for (const [name, value] of COMPILER_MACROS) define(name, value);
  if (!plainC) define('__cplusplus', '201703L');
  else define('__STDC_VERSION__', '201112L');
  if (hostOnly) define('_OPENACC', '201711');
  else {
    for (const [name, value] of CUDA_MACROS) define(name, value);
    define('__CUDA_ARCH__', String(Math.trunc(settings.computeCapability) * 10));
    define('__CUDA_ARCH_LIST__', String(Math.trunc(settings.computeCapability) * 10));
  }
  for (const name of settings.undefines ?? []) macros.undefine(name);
  for (const [name, value] of Object.entries(settings.defines)) define(name, value);
  return macros;
}

const COMPILER_MACROS: readonly (readonly [string, string])[] = [
  ['__STDC__', '1'],
  ['__GNUC__', '13'],
  ['__GNUC_MINOR__', '0'],
  ['__linux__', '1'],
  ['__linux', '1'],
  ['linux', '1'],
  ['__unix__', '1'],
  ['__x86_64__', '1'],
  ['__LP64__', '1'],
  ['_LP64', '1'],
  ['__CHAR_BIT__', '8'],
  ['__SIZEOF_INT__', '4'],
  ['__SIZEOF_LONG__', '8'],
  ['__SIZEOF_POINTER__', '8'],
  ['__BYTE_ORDER__', '1234'],
  ['__ORDER_LITTLE_ENDIAN__', '1234'],
  ['__ORDER_BIG_ENDIAN__', '4321'],
];
const CUDA_MACROS: readonly (readonly [string, string])[] = [
  ['__CUDACC__', '1'],
  ['__NVCC__', '1'],
  ['__CUDACC_VER_MAJOR__', '13'],
  ['__CUDACC_VER_MINOR__', '0'],
  ['__CUDACC_VER_BUILD__', '0'],
  ['CUDART_VERSION', '13000'],
  ['CUDA_VERSION', '13000'],
  ['__CUDACC_EXTENDED_LAMBDA__', '1'],
  ['__CUDACC_RELAXED_CONSTEXPR__', '1'],
];

// ---- one file -------------------------------------------------------------------------------------------------------

function buildFile(
  uri: string,
  text: string,
  version: number,
  lexed: LexedText,
  preprocessed: Preprocessed,
  holder: HeldFile,
  chunkParser: ChunkParser,
  directives: readonly Directive[],
): SourceFile {
  const tokens = preprocessed.tokens;
  const chunks = cutIntoChunks(tokens, text);
  const reused = holder.chunks;
  const kept = new Map<string, CachedChunk[]>();
  const functions: FunctionDecl[] = [];
  const structs: StructDecl[] = [];
  const aliases: AliasDecl[] = [];
  const enums: EnumDecl[] = [];
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
    if (cached === undefined) {
      const contentHash = hashText(content);
      const lowered = chunkParser.parse({
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
      cached = { lowered: withComments, base: NaN, placed: withComments };
    }
    list.push(cached);
    const ordinal = list.length - 1;
    if (cached.base !== base) {
      cached.placed = place(cached.lowered, base, ordinal);
      cached.base = base;
    }
    functions.push(...cached.placed.functions);
    structs.push(...cached.placed.structs);
    aliases.push(...cached.placed.aliases);
    enums.push(...cached.placed.enums);
    globals.push(...cached.placed.globals);
    errors.push(...cached.placed.errors);
  }
  holder.chunks = kept;
  if (text.length > TEXT_LIMIT) errors.push({ start: 0, end: text.length });
  const file: SourceFile = {
    uri,
    version,
    text,
    functions,
    structs,
    aliases,
    enums,
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

/** The OpenACC directives among the pragmas. One of `_Pragma` or of a macro does not stand in the text as it reads. */
function directivesOf(
  text: string,
  pragmas: readonly Pragma[],
  isMacro: (word: string) => boolean,
  readDirective: ReadDirective,
): Directive[] {
  const found: Directive[] = [];
  for (const pragma of pragmas) {
    if (!/^acc(?![\w$])/.test(pragma.text)) continue;
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

// ---- comments -------------------------------------------------------------------------------------------------------

/** Index of the first comment that does not end before `offset`. */
function firstCommentFrom(
  comments: readonly { readonly start: number; readonly end: number }[],
  offset: number,
): number {
  let low = 0;
  let high = comments.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (comments[middle]!.start < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

function attachComments(lowered: LoweredChunk, lexed: LexedText, base: number): LoweredChunk {
  if (lexed.comments.length === 0) return lowered;
  const withComments = new Map<FunctionDecl, FunctionDecl>();
  const functions = lowered.functions.map((declared) => {
    const start = base + declared.base;
    const comments: Node[] = [];
    for (
      let at = firstCommentFrom(lexed.comments, start);
      at < lexed.comments.length && lexed.comments[at]!.start < start + declared.end;
      at++
    ) {
      comments.push({ start: lexed.comments[at]!.start - start, end: lexed.comments[at]!.end - start });
    }
    if (comments.length === 0) return declared;
    const made: FunctionDecl = { ...declared, comments };
    withComments.set(declared, made);
    return made;
  });
  if (withComments.size === 0) return lowered;
  const replace = (struct: StructDecl): StructDecl => ({
    ...struct,
    methods: struct.methods.map((method) => withComments.get(method) ?? method),
    structs: struct.structs.map(replace),
  });
  return { ...lowered, functions, structs: lowered.structs.map(replace) };
}

function commentsOutside(lexed: LexedText, functions: readonly FunctionDecl[]): Node[] {
  const spans = functions
    .filter((each) => each.comments.length > 0)
    .map((each) => ({ start: each.base + each.start, end: each.base + each.end }))
    .sort((a, b) => a.start - b.start);
  const outside: Node[] = [];
  let next = 0;
  let covered = -1;
  for (const comment of lexed.comments) {
    while (next < spans.length && spans[next]!.start <= comment.start) {
      covered = Math.max(covered, spans[next]!.end);
      next++;
    }
    if (comment.start >= covered) outside.push({ start: comment.start, end: comment.end });
  }
  return outside;
}

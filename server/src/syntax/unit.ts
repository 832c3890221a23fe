// Keeps translation units: preprocesses files and their includes, within a budget, and parses only what it has not
// seen.
import type { SourceFile, TranslationUnit } from './ast';
import { limitsOfIncludes, makeReadingBudget, sayExcess, type Reading, type ReadingBudget } from './budget';
import type { ChunkParser } from './chunkParser';
import { createChunkStore } from './chunkStore';
import type { ReadDirective } from './directives/read';
import { libraryTypes } from './libraryTypes';
import { hashText, type MacroEffect } from './macros';
import { predefined, type ParseSettings } from './predefined';
import { preprocess } from './preprocess';
import { buildFile, directivesOf, type HeldFile } from './sourceFile';
import { relex } from './relex';
import { lex } from './tokens';

/** Finds included files. Synchronous; the caller caches. */
export interface IncludeHost {
  resolve(path: string, system: boolean, fromUri: string): { uri: string; text: string; version: number } | undefined;
}

const INCLUDE_DEPTH_LIMIT = 64;
/** Text longer than this is generated data: it is not read, and said to be one error. */
const TEXT_LIMIT = 3_000_000;

interface CachedInclude {
  readonly version: number;
  readonly text: string;
  readonly environment: number;
  readonly file: SourceFile;
  /** The files it included, in order, itself not among them. */
  readonly files: readonly SourceFile[];
  readonly effects: readonly MacroEffect[];
  readonly once: readonly string[];
  readonly lookups: ReadonlyMap<string, Lookup>;
  /** What it did to the budget, done again when it serves again: a budget runs out at the same place always. */
  readonly reading: Reading;
}

/** Where the declarations of well-known types are said to be. */
const libraryUri = 'library:types.cuh';

/** One question to the host, and what the answer was. */
interface Lookup {
  readonly path: string;
  readonly system: boolean;
  readonly from: string;
  readonly uri: string | undefined;
  readonly version: number;
  readonly text: string | undefined;
}

const noSettings: ParseSettings = { defines: {}, computeCapability: 90 };

/** Contexts a header may be held in at once: with other macros it is another file. */
const CACHED_INCLUDES_PER_FILE = 4;
const CACHED_INCLUDE_FILES = limitsOfIncludes.includes;
/**
 * Text of the included files that are kept, each as often as it was read differently, in UTF-16 units: all that one
 * unit may include. Of less the unit itself would drop the first header before the next unit asks for it.
 */
const CACHED_INCLUDE_TEXT = limitsOfIncludes.text;

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
  let heldText = 0;
  const store = createChunkStore();
  let libraryFile: SourceFile | undefined;
  const library = (): SourceFile => {
    if (libraryFile) return libraryFile;
    libraryFile = parse(libraryUri, libraryTypes, 1, noSettings, { resolve: () => undefined }).main;
    held.delete(libraryUri);
    return libraryFile;
  };

  function parse(
    uri: string,
    text: string,
    version: number,
    settings: ParseSettings,
    host: IncludeHost,
  ): TranslationUnit {
    const macros = predefined(uri, settings);
    const own = makeReadingBudget();
    const ofIncludes = makeReadingBudget(limitsOfIncludes);
    const asked = askedOnce(host);
    const once = new Set<string>();
    let onceHash = 0;
    const readOnce = (each: string): void => {
      if (once.has(each)) return;
      once.add(each);
      onceHash = (onceHash + hashText(`once ${each}`)) % 2 ** 52;
    };
    const stack: string[] = [];
    /** For each include being read, what was asked for so far; what an inner one asked for is added when it ends. */
    const lookupsBelow: Map<string, Lookup>[] = [];
    /** For each file being read, what it included so far, in order. */
    const includedBelow: Map<string, SourceFile>[] = [];

    function run(
      fileUri: string,
      fileText: string,
      fileVersion: number,
      holder: HeldFile,
      budget: ReadingBudget,
    ): { file: SourceFile; effects: readonly MacroEffect[]; files: readonly SourceFile[] } {
      const included = new Map<string, SourceFile>();
      stack.push(fileUri);
      includedBelow.push(included);
      try {
        const tooLong = fileText.length > TEXT_LIMIT;
        const nested = stack.indexOf(fileUri) !== stack.length - 1;
        if (holder.text !== fileText || holder.lexed.tokens.length === 0) {
          const { text: before, lexed } = holder;
          holder.text = fileText;
          holder.lexed = tooLong
            ? { tokens: [], comments: [], tooLong }
            : ((nested ? undefined : store.lexedOf(fileUri, fileText)) ??
              (nested || lexed.spent ? lex(fileText) : relex(lexed, before, fileText)));
        }
        const lexed = nested && !tooLong ? lex(fileText) : holder.lexed;
        if (lexed.tooLong || lexed.cut) budget.exceed('tokens');
        const preprocessed = preprocess(
          fileUri,
          fileText,
          lexed,
          macros,
          (path, system, effects) => include(path, system, fileUri, effects),
          budget,
        );
        if (preprocessed.once) readOnce(fileUri);
        included.delete(fileUri);
        const isMacro = (word: string): boolean => macros.get(word) !== undefined;
        const directives = directivesOf(fileText, preprocessed.pragmas, isMacro, readDirective, budget);
        const file = buildFile(
          fileUri,
          fileText,
          fileVersion,
          lexed,
          preprocessed,
          holder,
          chunkParser,
          directives,
          budget,
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
      if (stack.length >= INCLUDE_DEPTH_LIMIT || !ofIncludes.take('includes', 1)) return undefined;
      const found = asked.resolve(path, system, from);
      lookupsBelow[lookupsBelow.length - 1]?.set(lookupKey(path, system, from), {
        path,
        system,
        from,
        uri: found?.uri,
        version: found?.version ?? 0,
        text: found?.text,
      });
      if (!found) return undefined;
      if (once.has(found.uri)) return found.uri;
      if (stack.filter((each) => each === found.uri).length >= 2) return found.uri;
      const environment = (macros.hash + onceHash) % 2 ** 52;
      let entry = includeCache
        .get(found.uri)
        ?.find(
          (each) =>
            each.environment === environment &&
            each.version === found.version &&
            each.text === found.text &&
            everyAnswerHolds(asked, each.lookups) &&
            ofIncludes.takeAgain(each.reading),
        );
      if (entry) {
        macros.apply(entry.effects);
        for (const each of entry.once) readOnce(each);
      } else entry = readInclude(found, environment);
      if (!entry) return undefined;
      if (!ofIncludes.take('macros', entry.effects.length)) return found.uri;
      for (const effect of entry.effects) effects.push(effect);
      const below = lookupsBelow[lookupsBelow.length - 1];
      if (below) for (const [key, each] of entry.lookups) below.set(key, each);
      // In include order, each once: the file, then what it included.
      const included = includedBelow[includedBelow.length - 1]!;
      for (const each of [entry.file, ...entry.files]) if (!included.has(each.uri)) included.set(each.uri, each);
      return found.uri;
    }

    function readInclude(
      found: { uri: string; text: string; version: number },
      environment: number,
    ): CachedInclude | undefined {
      const onceBefore = new Set(once);
      const lookups = new Map<string, Lookup>();
      lookupsBelow.push(lookups);
      const holder = { text: '', lexed: { tokens: [], comments: [] }, chunks: store.chunksOf(found.uri) };
      const { result, reading } = ofIncludes.during(() =>
        ofIncludes.take('text', found.text.length)
          ? run(found.uri, found.text, found.version, holder, ofIncludes)
          : undefined,
      );
      lookupsBelow.pop();
      if (!result) return undefined;
      const { file, effects, files } = result;
      const entry: CachedInclude = {
        version: found.version,
        text: found.text,
        environment,
        file,
        files,
        effects: lastOfEach(effects),
        once: [...once].filter((each) => !onceBefore.has(each)),
        lookups,
        reading,
      };
      remember(found.uri, entry);
      return entry;
    }

    let holder = held.get(uri);
    if (!holder)
      held.set(uri, (holder = { text: '', lexed: { tokens: [], comments: [] }, chunks: store.chunksOf(uri) }));
    const { file, files } = run(uri, text, version, holder, own);
    return {
      main: file,
      files: [file, ...files],
      library,
      excess: sayExcess(own.exceeded(), ofIncludes.exceeded(), 'source'),
      excessOfSource: sayExcess(own.exceeded(), ofIncludes.exceeded(), 'included'),
    };
  }

  function lengthOf(entries: readonly CachedInclude[]): number {
    return entries.reduce((sum, { text }) => sum + text.length, 0);
  }

  function drop(uri: string): void {
    heldText -= lengthOf(includeCache.get(uri) ?? []);
    includeCache.delete(uri);
  }

  function remember(uri: string, entry: CachedInclude): void {
    const list = (includeCache.get(uri) ?? []).filter(
      (each) => each.version === entry.version && each.text === entry.text,
    );
    list.push(entry);
    while (list.length > CACHED_INCLUDES_PER_FILE) list.shift();
    drop(uri);
    heldText += lengthOf(list);
    includeCache.set(uri, list);
    for (const oldest of includeCache.keys()) {
      const isRoom = includeCache.size <= CACHED_INCLUDE_FILES && heldText <= CACHED_INCLUDE_TEXT;
      if (isRoom || oldest === uri) break;
      drop(oldest);
    }
  }

  return {
    parse,
    forget(uri) {
      held.delete(uri);
      drop(uri);
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

function lookupKey(path: string, system: boolean, from: string): string {
  return `${system ? '<' : '"'}${path}\n${from}`;
}

/**
 * The host as one parse sees it: each question is asked once, for a header of headers is asked for thousands of times.
 */
function askedOnce(host: IncludeHost): IncludeHost {
  const answers = new Map<string, ReturnType<IncludeHost['resolve']>>();
  return {
    resolve(path, system, from) {
      const key = lookupKey(path, system, from);
      if (!answers.has(key)) answers.set(key, resolveSafely(host, path, system, from));
      return answers.get(key);
    },
  };
}

function everyAnswerHolds(host: IncludeHost, lookups: ReadonlyMap<string, Lookup>): boolean {
  for (const asked of lookups.values()) {
    const now = host.resolve(asked.path, asked.system, asked.from);
    if (now?.uri !== asked.uri) return false;
    if (now !== undefined && (now.version !== asked.version || now.text !== asked.text)) return false;
  }
  return true;
}

/**
 * Of effects on one name the last decides; files that include each other twice over would double them at each level.
 */
function lastOfEach(effects: readonly MacroEffect[]): readonly MacroEffect[] {
  const last = new Map<string, MacroEffect>();
  for (const effect of effects) last.set(typeof effect === 'string' ? effect : effect.name, effect);
  return last.size === effects.length ? effects : [...last.values()];
}

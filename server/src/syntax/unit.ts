// Keeps translation units: preprocesses files and their includes, within a budget, and parses only what it has not
// seen.
import type { SourceFile, TranslationUnit } from './ast';
import {
  type Amounts,
  limitsOfIncludes,
  makeReadingBudget,
  mapAmounts,
  sayExcess,
  type Reading,
  type ReadingBudget,
} from './budget';
import type { ChunkParser } from './chunkParser';
import { createChunkStore } from './chunkStore';
import type { ReadDirective } from './directives/read';
import { libraryTypes } from './libraryTypes';
import { type Asked, hashText, type Macro, type MacroEffect } from './macros';
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
  /** The macros, and the files that are read only once, on which it depends. */
  readonly asked: Asked;
  readonly file: SourceFile;
  /** The files it included, in order, itself not among them. */
  readonly files: readonly SourceFile[];
  readonly effects: readonly MacroEffect[];
  /** What it asked the host for, and what was read for it, without what that asked for. */
  readonly lookups: readonly Lookup[];
  readonly inner: readonly CachedInclude[];
  /** What it did to the budget, with what it includes and by itself. */
  readonly reading: Reading;
  readonly cost: Amounts;
}

/** An included file that is being read. */
interface Including {
  readonly lookups: Map<string, Lookup>;
  readonly inner: Set<CachedInclude>;
  /** Taken for what it includes. */
  readonly taken: Record<keyof Amounts, number>;
  /** Something that it includes was left out because of the files around it: elsewhere it is another file. */
  cut: boolean;
}

const resources = Object.keys(limitsOfIncludes) as (keyof Amounts)[];

/** Where the declarations of well-known types are said to be. */
const libraryUri = 'library:types.cuh';

/** One question to the host, and what the answer was. */
interface Lookup {
  readonly key: string;
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
/** Text whose tokens are kept for when it is included again in the same unit, in UTF-16 units. */
const REUSED_TEXT = 1_000_000;

export function makeUnitParser(
  chunkParser: ChunkParser,
  readDirective: ReadDirective,
): {
  parse(uri: string, text: string, version: number, settings: ParseSettings, host: IncludeHost): TranslationUnit;
  forget(uri: string): void;
  retire(uri: string): void;
  stats(): { trees: number; chunks: number; parsed: number };
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
    const stack: string[] = [];
    /** Outermost first. */
    const including: Including[] = [];
    /** What the budget was charged for: of what is read several times in one unit with one result, the first time. */
    const charged = new Set<CachedInclude>();
    const holding = new Map<CachedInclude, boolean>();
    /** What was read last, by its place: a file that is included again under other macros has the same tokens. */
    const lexedLast = new Map<string, { readonly holder: HeldFile; readonly text: string }>();
    let lexedText = 0;
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
            : nested || lexed.spent
              ? lex(fileText)
              : relex(lexed, before, fileText);
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
        const effects = [...preprocessed.effects];
        if (preprocessed.once) {
          const mark = onceMark(fileUri);
          macros.define(mark);
          effects.push(mark);
        }
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
          fileUri !== uri,
        );
        store.keep(fileUri, fileText, holder.chunks);
        return {
          file,
          effects,
          files: [...included.values()],
        };
      } finally {
        stack.pop();
        includedBelow.pop();
      }
    }

    function include(path: string, system: boolean, from: string, effects: MacroEffect[]): string | undefined {
      if (stack.length >= INCLUDE_DEPTH_LIMIT || !ofIncludes.take('includes', 1)) return undefined;
      const key = lookupKey(path, system, from);
      const found = asked(path, system, from, key);
      const outer = including.at(-1);
      outer?.lookups.set(key, {
        key,
        path,
        system,
        from,
        uri: found?.uri,
        version: found?.version ?? 0,
        text: found?.text,
      });
      if (!found) return undefined;
      if (macros.has(onceName(found.uri))) return found.uri;
      if (stack.filter((each) => each === found.uri).length >= 2) {
        // The first time contains both times.
        for (const each of including.slice(stack.indexOf(found.uri))) each.cut = true;
        return found.uri;
      }
      const before = ofIncludes.taken();
      const entry = known(found) ?? readInclude(found);
      if (outer) {
        const after = ofIncludes.taken();
        for (const resource of resources) outer.taken[resource] += after[resource] - before[resource];
      }
      if (!entry) return undefined;
      outer?.inner.add(entry);
      if (!ofIncludes.take('macros', entry.effects.length)) return found.uri;
      for (const effect of entry.effects) effects.push(effect);
      // In include order, each once: the file, then what it included.
      const included = includedBelow[includedBelow.length - 1]!;
      for (const each of [entry.file, ...entry.files]) if (!included.has(each.uri)) included.set(each.uri, each);
      return found.uri;
    }

    /** What was read of it under macros that mean the same to it, with its effects on them; charged for. */
    function known(found: { uri: string; text: string; version: number }): CachedInclude | undefined {
      const entries = includeCache.get(found.uri) ?? [];
      const entry = entries.find(
        (each) =>
          each.version === found.version &&
          each.text === found.text &&
          macros.isAsAsked(each.asked) &&
          // Of files that include each other one that is being read already may be left out.
          !each.files.some((file) => stack.includes(file.uri)) &&
          everyAnswerHolds(each) &&
          charge(each),
      );
      if (!entry) return undefined;
      entries.splice(entries.indexOf(entry), 1);
      entries.push(entry);
      macros.askAgain(entry.asked);
      macros.apply(entry.effects);
      return entry;
    }

    function everyAnswerHolds(entry: CachedInclude): boolean {
      let holds = holding.get(entry);
      if (holds === undefined) {
        holds =
          entry.lookups.every((lookup) => {
            const now = asked(lookup.path, lookup.system, lookup.from, lookup.key);
            return now?.uri === lookup.uri && (!now || (now.version === lookup.version && now.text === lookup.text));
          }) && entry.inner.every(everyAnswerHolds);
        holding.set(entry, holds);
      }
      return holds;
    }

    /** Takes from the budget what reading it took, and what it included, as far as nothing was taken for it before. */
    function charge(entry: CachedInclude): boolean {
      if (!entry.reading.whole) return ofIncludes.takeAgain(entry.reading);
      const fresh = new Set<CachedInclude>();
      const collect = (each: CachedInclude): void => {
        if (charged.has(each) || fresh.has(each)) return;
        fresh.add(each);
        each.inner.forEach(collect);
      };
      collect(entry);
      if (fresh.size === 0) return true;
      const cost = { ...mapAmounts(() => 0) };
      for (const each of fresh) for (const resource of resources) cost[resource] += each.cost[resource];
      if (!ofIncludes.takeAgain({ ...entry.reading, cost })) return false;
      for (const each of fresh) charged.add(each);
      return true;
    }

    /** For the text of an included file, its tokens with it when it was read a short time ago and is not being read. */
    function holderOf(found: { uri: string; text: string }): HeldFile {
      const last = lexedLast.get(found.uri);
      const chunks = store.chunksOf(found.uri);
      if (last?.text === found.text && !stack.includes(found.uri)) return { ...last.holder, chunks };
      const fresh = { text: '', lexed: { tokens: [], comments: [] }, chunks };
      lexedText += found.text.length - (last?.text.length ?? 0);
      lexedLast.delete(found.uri);
      lexedLast.set(found.uri, { holder: fresh, text: found.text });
      for (const [uri, { text }] of lexedLast) {
        if (lexedText <= REUSED_TEXT) break;
        lexedLast.delete(uri);
        lexedText -= text.length;
      }
      return fresh;
    }

    function readInclude(found: { uri: string; text: string; version: number }): CachedInclude | undefined {
      const taken = { ...mapAmounts(() => 0) };
      const own: Including = { lookups: new Map(), inner: new Set(), taken, cut: false };
      including.push(own);
      macros.startReading();
      const holder = holderOf(found);
      const { result, reading } = ofIncludes.during(() =>
        ofIncludes.take('text', found.text.length)
          ? run(found.uri, found.text, found.version, holder, ofIncludes)
          : undefined,
      );
      const askedFor = macros.endReading();
      including.pop();
      if (!result) return undefined;
      const { file, effects, files } = result;
      const entry: CachedInclude = {
        version: found.version,
        text: found.text,
        asked: askedFor,
        file,
        files,
        effects: lastOfEach(effects),
        lookups: [...own.lookups.values()],
        inner: [...own.inner],
        reading,
        cost: mapAmounts((resource) => reading.cost[resource] - taken[resource]),
      };
      charged.add(entry);
      if (!own.cut) remember(found.uri, entry);
      return entry;
    }

    let holder = held.get(uri);
    if (!holder)
      held.set(uri, (holder = { text: '', lexed: { tokens: [], comments: [] }, chunks: store.chunksOf(uri) }));
    const { file, files } = run(uri, text, version, holder, own);
    trim();
    return {
      main: file,
      files: [file, ...files],
      library,
      excess: sayExcess(own.exceeded(), ofIncludes.exceeded(), 'source'),
      excessOfSource: sayExcess(own.exceeded(), ofIncludes.exceeded(), 'included'),
    };
  }

  const lengthOf = (all: readonly CachedInclude[]): number => all.reduce((sum, { text }) => sum + text.length, 0);

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
  }

  /** Forgets what was read longest ago; what one unit reads is kept until its end. */
  function trim(): void {
    for (const oldest of includeCache.keys()) {
      if (includeCache.size <= CACHED_INCLUDE_FILES && heldText <= CACHED_INCLUDE_TEXT) break;
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
      return { trees: chunkParser.liveTrees(), chunks, parsed: chunkParser.parsed() };
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

/** The host as one parse sees it: each question is asked once, since headers are asked for very often. */
function askedOnce(
  host: IncludeHost,
): (path: string, system: boolean, from: string, key: string) => ReturnType<IncludeHost['resolve']> {
  const answers = new Map<string, ReturnType<IncludeHost['resolve']>>();
  return (path, system, from, key) => {
    const known = answers.get(key);
    if (known || answers.has(key)) return known;
    const answer = resolveSafely(host, path, system, from);
    answers.set(key, answer);
    return answer;
  };
}

function onceName(uri: string): string {
  return `once ${uri}`;
}

/** A file that is read only once, as a macro that no text can name: whether it was read is asked for as macros are. */
function onceMark(uri: string): Macro {
  const name = onceName(uri);
  return { name, variadic: false, body: [], hash: hashText(name) };
}

/** Of effects on one name the last decides; those of files that include each other would double. */
function lastOfEach(effects: readonly MacroEffect[]): readonly MacroEffect[] {
  const last = new Map<string, MacroEffect>();
  for (const effect of effects) last.set(typeof effect === 'string' ? effect : effect.name, effect);
  return last.size === effects.length ? effects : [...last.values()];
}

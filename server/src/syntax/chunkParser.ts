// Parses and lowers one chunk: repairs its tokens for the grammar, tries harder while the tree has errors, keeps the
// best.
import { Parser, type Language } from 'web-tree-sitter';
import type { Node, Pragma } from './ast';
import { startSearching } from './brackets';
import type { ReadingBudget } from './budget';
import { lowerAlias, lowerEnum, lowerStruct } from './lowerClasses';
import { lowerTopLevel, lowerVariables } from './lowerDeclarations';
import { lowerExpression } from './lowerExpressions';
import { lowerBlock } from './lowerStatements';
import type { LoweredChunk, Lowerers, Lowering } from './lowering';
import { writeOutLoopMacros } from './loopMacros';
import { makeParseText, markBreaks, type ParseText } from './parseText';
import { repairTokens, type Repaired } from './repair';
import { repairAttempts } from './repairAttempts';
import { TokenKind, type Token } from './tokens';
import { parseToRaw, vocabularyOf, type RawNode, type RawTree } from './tree';

export interface ChunkSource {
  readonly uri: string;
  /** Pragmas among them. */
  readonly tokens: readonly Token[];
  readonly invocations: readonly { readonly start: number; readonly end: number }[];
  readonly namespaces: readonly string[];
  readonly externC: boolean;
  /** Offset in the file that the result is relative to. */
  readonly base: number;
  readonly keyOf: (name: string, start: number, end: number) => string;
}

/** A chunk of more tokens than this is data, or hostile: it is not parsed. */
const TOKEN_LIMIT = 400_000;
/** Braces with more tokens than this after `=` are a table. */
const TABLE_LENGTH = 20_000;

/** Chunks longer than this are not worth guessing at. */
const ATTEMPTED_LENGTH = 200_000;

export type ChunkParser = ReturnType<typeof makeChunkParser>;

export function makeChunkParser(language: Language) {
  const parser = new Parser();
  parser.setLanguage(language);
  const vocabulary = vocabularyOf(language);
  let live = 0;
  let parsed = 0;

  function parseRaw(text: string): RawTree | undefined {
    live++;
    try {
      return parseToRaw(parser, vocabulary, text);
    } catch {
      parser.reset();
      return undefined;
    } finally {
      live--;
    }
  }

  return {
    liveTrees: (): number => live,
    /** Chunks that were parsed so far. */
    parsed: (): number => parsed,
    /** Takes the characters that it parses from the budget; what is beyond it is an error of the chunk. */
    parse(budget: ReadingBudget, source: ChunkSource): LoweredChunk {
      parsed++;
      try {
        return parseChunk(budget, source);
      } catch {
        // A chunk that breaks the parser or the lowering gives no facts, and takes no other with it.
        const last = source.tokens[source.tokens.length - 1];
        return nothingBut(last ? [{ start: 0, end: Math.max(0, last.end - source.base) }] : []);
      }
    },
  };

  function parseChunk(budget: ReadingBudget, source: ChunkSource): LoweredChunk {
    const out = nothingBut([]);
    const { kept: tokens, tables } = dropTables(source.tokens.filter((token) => token.kind !== TokenKind.Pragma));
    if (tokens.length === 0) return out;
    if (tokens.length > TOKEN_LIMIT) {
      out.errors.push({ start: tokens[0]!.start - source.base, end: tokens[tokens.length - 1]!.end - source.base });
      return out;
    }
    startSearching(tokens.length);
    const broken = markBreaks(tokens);
    const textOf = (repaired: Repaired): ParseText =>
      makeParseText(repaired.tokens, broken, source.invocations, { ...repaired.notes, tables });
    const plain = repairTokens(writeOutLoopMacros(tokens));
    let best = textOf(plain);
    let tree = budget.take('parsing', best.text.length) ? parseRaw(best.text) : undefined;
    if (tree?.hasError && best.text.length < ATTEMPTED_LENGTH) {
      for (const attempt of repairAttempts) {
        const changed = attempt(best.tokens);
        if (changed === best.tokens) continue;
        const text = textOf({ tokens: changed, notes: plain.notes });
        if (!budget.take('parsing', text.text.length)) break;
        const candidate = parseRaw(text.text);
        if (candidate && errorWeight(candidate) < errorWeight(tree)) {
          tree = candidate;
          best = text;
        }
        if (!tree.hasError) break;
      }
    }
    if (!tree) {
      out.errors.push({ start: tokens[0]!.start - source.base, end: tokens[tokens.length - 1]!.end - source.base });
      return out;
    }
    const lowering: Lowering = {
      lower,
      source: best,
      uri: source.uri,
      base: source.base,
      chunkBase: source.base,
      depth: 0,
      variables: new Set(),
      scopes: [...source.namespaces],
      className: undefined,
      templateParams: [],
      outerTemplateParams: 0,
      classTemplateParams: 0,
      externC: source.externC,
      inFunction: false,
      pragmas: pragmasByToken(source, best.tokens),
      out,
      keyOf: source.keyOf,
    };
    lowerTopLevel(lowering, tree.root);
    if (tree.hasError) out.errors.push(...errorSpans(tree, best, source.base));
    return out;
  }
}

const lower: Lowerers = {
  expression: lowerExpression,
  block: lowerBlock,
  variables: lowerVariables,
  struct: lowerStruct,
  enumeration: lowerEnum,
  alias: lowerAlias,
};

function nothingBut(errors: Node[]): LoweredChunk {
  return { functions: [], structs: [], aliases: [], enums: [], instantiations: [], globals: [], errors };
}

/** Drops what is in braces after `=` when it is very long: a table of numbers, whose values no one needs. */
function dropTables(tokens: readonly Token[]): { kept: readonly Token[]; tables: ReadonlySet<Token> } {
  const tables = new Set<Token>();
  if (tokens.length <= TABLE_LENGTH) return { kept: tokens, tables };
  const kept: Token[] = [];
  for (let at = 0; at < tokens.length; at++) {
    kept.push(tokens[at]!);
    if (tokens[at]!.text !== '{' || tokens[at - 1]?.text !== '=') continue;
    let depth = 0;
    let close = at;
    for (; close < tokens.length; close++) {
      if (tokens[close]!.text === '{') depth++;
      else if (tokens[close]!.text === '}' && --depth === 0) break;
    }
    if (close < tokens.length && close - at > TABLE_LENGTH) {
      tables.add(tokens[at]!);
      at = close - 1;
    }
  }
  return { kept: tables.size > 0 ? kept : tokens, tables };
}

function errorWeight(tree: RawTree): number {
  let weight = 0;
  for (const error of tree.errors) weight += error.missing ? 1 : 1 + Math.min(50, (error.end - error.start) / 8);
  return tree.hasError ? Math.max(weight, 0.5) : 0;
}

function errorSpans(tree: RawTree, text: ParseText, base: number): Node[] {
  const errors = tree.errors.length > 0 ? tree.errors : [tree.root as RawNode];
  const spans: Node[] = [];
  for (const error of errors) {
    const span = text.spanOf(error.start, error.end);
    const last = spans[spans.length - 1];
    const start = span.start - base;
    const end = span.end - base;
    if (last && start >= last.start && end <= last.end) continue; // errors inside an error
    spans.push({ start, end, ...(span.macro && { macro: true }) });
  }
  return spans;
}

/** Each pragma by the number of the parsed token that it is before. */
function pragmasByToken(source: ChunkSource, parsed: readonly Token[]): Map<number, Pragma[]> {
  const result = new Map<number, Pragma[]>();
  if (!source.tokens.some((token) => token.kind === TokenKind.Pragma)) return result;
  const numbers = new Map<Token, number>();
  parsed.forEach((token, number) => numbers.set(token, number));
  let waiting: Pragma[] = [];
  for (const token of source.tokens) {
    if (token.kind === TokenKind.Pragma) {
      waiting.push({ start: token.start, end: token.end, text: token.text, ...(token.body && { macro: true }) });
      continue;
    }
    if (waiting.length === 0) continue;
    const number = numbers.get(token);
    if (number === undefined) continue; // this token was repaired away: the next one stands for it
    result.set(number, waiting);
    waiting = [];
  }
  return result;
}

// Cuts a long text down to what the device functions of some lines need, so that these can be analysed before the rest.
import { cutIntoChunks } from './chunks';
import { lex, TokenKind, type Token } from './tokens';

export interface Excerpt {
  /** As long as the whole, line by line: bodies that are not needed are blank, so every place stays where it is. */
  readonly text: string;
  /** Device functions of the lines asked for, from first to last character. */
  readonly functions: readonly { readonly start: number; readonly end: number }[];
}

/** A function of a text as its tokens show it, macros unexpanded. */
interface Outlined {
  readonly start: number;
  readonly end: number;
  /** From behind the brace to the one that closes it. */
  readonly body: { readonly start: number; readonly end: number };
  readonly device: boolean;
  /** Names that are before a parenthesis in its head: its own, and those of macros. */
  readonly names: readonly string[];
  readonly words: ReadonlySet<string>;
}

/** Host functions of up to so many characters are kept where one that launches mentions them: they compute sizes. */
const SHORT_BODY = 800;
/** An excerpt longer than this part of what the bodies hold saves nothing. */
const MOST_KEPT = 0.6;

/**
 * The text without the bodies that device functions at `from`…`to` have no need of: they keep what they call, and the
 * host functions that name them, directly or not. Undefined where none is there, or where little can be left out.
 */
export function excerptAround(text: string, from: number, to: number): Excerpt | undefined {
  const { tokens, tooLong, cut } = lex(text);
  if (tooLong || cut) return undefined;
  const code = withoutDirectives(tokens);
  const functions = cutIntoChunks(code, text).flatMap(({ first, end }) => outlined(code.slice(first, end)) ?? []);
  const seeds = functions.filter((each) => each.device && each.start < to && each.end > from);
  if (seeds.length === 0) return undefined;
  const kept = new Set(seeds);
  // `kept` grows while it is visited.
  for (const one of kept)
    for (const other of functions) {
      if (kept.has(other)) continue;
      const calls = other.names.some((name) => one.words.has(name));
      const isCalled = !other.device && one.names.some((name) => other.words.has(name));
      const isShort = !other.device && other.body.end - other.body.start < SHORT_BODY;
      if (one.device ? calls || isCalled : isCalled || (calls && isShort)) kept.add(other);
    }
  const left = functions.filter((each) => !kept.has(each) && !hasDirective(text.slice(each.body.start, each.body.end)));
  const length = ({ body }: Outlined): number => body.end - body.start;
  const all = functions.reduce((sum, each) => sum + length(each), 0);
  if (left.reduce((sum, each) => sum + length(each), 0) < (1 - MOST_KEPT) * all) return undefined;
  const pieces: string[] = [];
  let at = 0;
  for (const { body } of left) {
    pieces.push(text.slice(at, body.start), text.slice(body.start, body.end).replace(/[^\r\n]/g, ' '));
    at = body.end;
  }
  return { text: [...pieces, text.slice(at)].join(''), functions: seeds.map(({ start, end }) => ({ start, end })) };
}

export function withoutDirectives(tokens: readonly Token[]): Token[] {
  let isDirective = false;
  return tokens.filter(({ lineStart, text }) => {
    if (lineStart) isDirective = text === '#';
    return !isDirective;
  });
}

/** Conditions, definitions and includes decide what other code is. */
function hasDirective(body: string): boolean {
  return /^[ \t]*#(?![ \t]*pragma\b)/m.test(body);
}

/** Undefined for anything but a function with a body: types, variables, declarations. */
function outlined(tokens: readonly Token[]): Outlined | undefined {
  let parentheses = 0;
  let open = -1;
  const names: string[] = [];
  let device = false;
  for (const [at, { text, kind }] of tokens.entries()) {
    if (text === '(') parentheses++;
    else if (text === ')') parentheses--;
    else if (parentheses > 0) continue;
    else if (text === '{') {
      open = at;
      break;
    } else if (text === '=' || text === 'class' || text === 'struct' || text === 'union' || text === 'enum') {
      // A template's parameters and a result of such a type look alike: those few are kept whole.
      return undefined;
    } else if (kind === TokenKind.Identifier) {
      if (text === '__global__' || text === '__device__') device = true;
      if (tokens[at + 1]?.text === '(') names.push(text);
    }
  }
  const last = tokens.at(-1);
  if (open < 0 || names.length === 0 || last?.text !== '}') return undefined;
  return {
    start: tokens[0]!.start,
    end: last.end,
    body: { start: tokens[open]!.end, end: last.start },
    device,
    names,
    words: new Set(tokens.flatMap(({ kind, text }) => (kind === TokenKind.Identifier ? [text] : []))),
  };
}

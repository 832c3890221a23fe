// Where a file writes the braces of its blocks: behind the header or on the next line; and `else` behind `}` or not.
import { withoutDirectives } from '../excerpt';
import { lex, type Token } from '../tokens';
import { firstEndingAfter } from './columns';

export interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly newText: string;
}

export type Braces = ReturnType<typeof createBraces>;

type Kind = 'block' | 'function' | 'type' | 'else';

/** A brace or an `else`, and whether it begins a line. */
interface Written {
  readonly at: number;
  readonly kind: Kind;
  readonly isOwn: boolean;
}

type Reading = ReturnType<typeof read>;

const endOfLine = /^([ \t]*(?:\/\/[^\r\n]*|\/\*[^\r\n]*?\*\/)?)[ \t]*(?:\r?\n|$)/;

export function createBraces(text: string) {
  let reading: Reading | undefined;
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  return {
    /**
     * An edit in the style of the function around it. It is given with braces at the ends of headers; lines that it has
     * from what it replaces stay.
     */
    styled: (edit: Replacement): Replacement => followedByElse(withBraces(withOpening(edit))),
  };

  function withBraces(edit: Replacement): Replacement {
    const { start, end } = edit;
    if (!/\{[ \t]*(?:\/[/*]|\r?\n|$)/.test(edit.newText)) return edit;
    const { tokens, functions } = known();
    const kept = new Set(text.slice(start, end).split(/\r?\n/).map(trimmed));
    // A header ends at the brace of its function, and one outside of functions at that of the function before.
    const border = Math.max(0, ...functions.flatMap((fn) => [fn.start, fn.end]).filter((at) => at < start));
    const first = text.lastIndexOf('\n', border - 1) + 1;
    const moved =
      (by: number) =>
      (token: Token): Token => ({ ...token, start: token.start + by, end: token.end + by });
    const before = tokens.slice(firstEndingAfter(tokens, first), firstEndingAfter(tokens, start)).map(moved(-first));
    const around = [...before, ...lex(edit.newText).tokens.map(moved(start - first))];
    const lineEnd = text.indexOf('\n', end);
    const whole = text.slice(first, start) + edit.newText + text.slice(end, lineEnd < 0 ? undefined : lineEnd + 1);
    const isInside = functions.some((one) => one.start < start && start < one.end);
    let { newText } = edit;
    for (const { at, kind } of openedIn(around, before.length, isInside).toReversed()) {
      const [header, brace] = [around[at - 1], around[at]!];
      const [, remark] = endOfLine.exec(whole.slice(brace.end)) ?? [];
      if (!kind || !header || remark === undefined || /[\r\n]/.test(whole.slice(header.end, brace.start))) continue;
      if (kept.has(trimmed(lineAt(whole, brace.start))) || !isOwn(kind, start)) continue;
      const indent = indentOf(lineAt(whole, around[headOf(around, at)]!.start));
      const [from, to] = [Math.max(header.end + first, start) - start, brace.end + first - start];
      // A remark that is not of the edit is behind what it inserts.
      const own = to + remark.length <= newText.length ? remark.trimEnd() : '';
      newText =
        newText.slice(0, from) +
        own +
        newline +
        indent +
        newText.slice(brace.start + first - start, to) +
        newText.slice(to + own.length);
    }
    return { ...edit, newText };
  }

  /** With the brace before it, where the edit ends the line of a block that was on one. */
  function withOpening(edit: Replacement): Replacement {
    const { start, end, newText } = edit;
    if (text[start - 1] !== '{' || !/^[ \t]*\r?\n/.test(newText) || endOfLine.test(text.slice(start))) return edit;
    const { tokens } = known();
    const header = tokens[firstEndingAfter(tokens, start - 1) - 1];
    if (!header) return edit;
    const whole = { start: header.end, end, newText: text.slice(header.end, start) + newText };
    return withBraces(whole).newText === whole.newText ? edit : whole;
  }

  /** With `else` where the style has it, behind a brace that the edit ends with. */
  function followedByElse(edit: Replacement): Replacement {
    const { start, end, newText } = edit;
    const [, blanks] = /^(\s*)else\b/.exec(text.slice(end, end + 1000)) ?? [];
    if (blanks === undefined || !newText.endsWith('}')) return edit;
    const line = lineAt(text.slice(0, start) + newText, start + newText.length);
    const between = isOwn('else', start) ? newline + indentOf(line) : ' ';
    return between === blanks ? edit : { start, end: end + blanks.length, newText: newText + between };
  }

  /** By most of the kind in the function, then in the file, then by most of any kind; the nearest of as many. */
  function isOwn(kind: Kind, at: number): boolean {
    const { all, functions } = known();
    const own = functions.find(({ start, end }) => start < at && at < end);
    const inside = own ? all.filter((one) => own.start <= one.at && one.at <= own.end) : [];
    const alike = [inside, all].map((list) => list.filter((one) => one.kind === kind));
    const some = [...alike, inside, all].find((list) => list.length > 0);
    return some !== undefined && most(some, at);
  }

  function known(): Reading {
    return (reading ??= read(text));
  }
}

function most(some: readonly Written[], at: number): boolean {
  const own = some.filter(({ isOwn }) => isOwn).length;
  if (2 * own !== some.length) return 2 * own > some.length;
  const distance = (one: Written): number => Math.abs(one.at - at);
  return some.reduce((nearest, one) => (distance(one) < distance(nearest) ? one : nearest)).isOwn;
}

function read(text: string) {
  const tokens = withoutDirectives(lex(text).tokens);
  const beginsLine = (at: number): boolean => /[\r\n]/.test(text.slice(tokens[at - 1]?.end ?? 0, tokens[at]!.start));
  const all: Written[] = [];
  const functions: { start: number; end: number }[] = [];
  for (const [at, { text: token, start }] of tokens.entries())
    if (token === 'else' && tokens[at - 1]?.text === '}') all.push({ at: start, kind: 'else', isOwn: beginsLine(at) });
  for (const { at, kind, closing } of openedIn(tokens, 0, false)) {
    if (!kind || closing === undefined) continue;
    const [start, end] = [tokens[at]!.start, tokens[closing]!.start];
    if (kind === 'function') functions.push({ start, end });
    // A block on one line has no style.
    if (/[\r\n]/.test(text.slice(start, end))) all.push({ at: start, kind, isOwn: beginsLine(at) });
  }
  return { tokens, all, functions };
}

interface Opened {
  readonly at: number;
  readonly kind: Kind | undefined;
  closing?: number;
}

/** The braces that are opened from a token on, in order. */
function openedIn(tokens: readonly Token[], from: number, isInside: boolean): readonly Opened[] {
  const all: Opened[] = [];
  const open: Opened[] = [];
  for (let at = from; at < tokens.length; at++) {
    const { text } = tokens[at]!;
    if (text === '{') {
      const one: Opened = { at, kind: kindOf(tokens, at, isInside || open.some(({ kind }) => kind === 'function')) };
      all.push(one);
      open.push(one);
    } else if (text === '}') {
      const one = open.pop();
      if (one) one.closing = at;
    }
  }
  return all;
}

/** What a brace opens; undefined for lists of values, lambdas and namespaces. */
function kindOf(tokens: readonly Token[], at: number, isInside: boolean): Kind | undefined {
  const before = tokens[at - 1]?.text ?? '';
  if (/^(?:else|do|try)$/.test(before)) return 'block';
  if (before === ')' && isInside) return tokens[openingOf(tokens, at - 1) - 1]?.text === ']' ? undefined : 'block';
  if (!/^(?:\)|>|\w+)$/.test(before) || before === 'return') return undefined;
  const words = headerOf(tokens, at).map((one) => tokens[one]!.text);
  if (words.includes('=')) return undefined;
  if (words.includes(')')) return isInside ? undefined : 'function';
  return words.some((word) => /^(?:struct|class|union|enum)$/.test(word)) ? 'type' : undefined;
}

/** The first token of what a brace belongs to: of headers one after the other, of the last. */
function headOf(tokens: readonly Token[], brace: number): number {
  const open = tokens[brace - 1]!.text === ')' ? openingOf(tokens, brace - 1) : 0;
  return /^(?:if|for|while|switch|catch|constexpr)$/.test(tokens[open - 1]?.text ?? '')
    ? open - 1
    : headerOf(tokens, brace)[0]!;
}

/** The tokens of the header before a brace, without those in parentheses. */
function headerOf(tokens: readonly Token[], brace: number): readonly number[] {
  const header: number[] = [];
  for (let at = brace - 1; at >= 0; at--) {
    if (header.length > 0 && /^(?:[;{}]|else)$/.test(tokens[at]!.text)) break;
    header.unshift(at);
    if (tokens[at]!.text === ')') at = openingOf(tokens, at);
  }
  return header;
}

function openingOf(tokens: readonly Token[], closing: number): number {
  let depth = 0;
  for (let at = closing; at >= 0; at--) {
    if (tokens[at]!.text === ')') depth++;
    else if (tokens[at]!.text === '(' && --depth === 0) return at;
  }
  return 0;
}

/** The line that a place of a text is on. */
function lineAt(text: string, at: number): string {
  const end = text.indexOf('\n', at);
  return text.slice(text.lastIndexOf('\n', at - 1) + 1, end < 0 ? undefined : end);
}

function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)![0];
}

function trimmed(line: string): string {
  return line.trim();
}

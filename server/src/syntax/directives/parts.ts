// A directive as its parts: its clauses with their arguments, from the tree of the grammar or, where that fails, from
// its text.
import type { RawNode } from '../tree';
import { bareText } from './lines';

/** A word of the directive with its parentheses, before anything is known of it. */
export interface Part {
  readonly word: string;
  readonly start: number;
  /** End of the word. */
  readonly wordEnd: number;
  readonly end: number;
  readonly open?: number;
  /** Offset of the closing parenthesis; absent when it is missing. */
  readonly close?: number;
  readonly arguments?: readonly RawArgument[];
}
/** What is between two commas. `parts` are divided by colons; absent where the grammar could not read it. */
export interface RawArgument {
  readonly start: number;
  readonly end: number;
  readonly parts?: readonly RawNode[];
}

export function balanced(text: string): boolean {
  let depth = 0;
  for (const character of text) depth += character === '(' ? 1 : character === ')' ? -1 : 0;
  return depth === 0;
}

// ---- the words of the directive ------------------------------------------------------------------------------------

export function partsOfTree(
  root: RawNode,
  written: string,
): { parts: Part[]; strays: { start: number; end: number }[] } {
  const parts = root.children.filter((child) => child.type === 'clause').map((node) => partOfNode(node, written));
  return { parts, strays: [] };
}

function partOfNode(node: RawNode, written: string): Part {
  const name = node.children[0]!;
  const word = { word: written.slice(name.start, name.end), start: name.start, wordEnd: name.end };
  const list = node.children.find((child) => child.type === 'arguments');
  if (!list) return { ...word, end: name.end };
  const given: RawArgument[] = [];
  const empty = (at: number): RawArgument => ({ start: at, end: at, parts: [] });
  let waiting = false;
  for (const child of list.children) {
    if (child.type === 'argument') {
      given.push({
        start: child.start,
        end: child.end,
        parts: child.children.filter((each) => each.type === 'part').map((each) => each.children[0] ?? each),
      });
      waiting = false;
    } else if (child.type === ',') {
      if (waiting || given.length === 0) given.push(empty(child.start));
      waiting = true;
    }
  }
  if (waiting) given.push(empty(list.end - 1));
  return { ...word, end: list.end, open: list.start, close: list.end - 1, arguments: given };
}

/**
 * The same of a text that the grammar cannot read as a whole: words and balanced parentheses are recognised by hand,
 * and each word's parentheses are given to the grammar alone, so that one broken clause costs the others nothing.
 */
export function partsOfText(
  parse: Parse,
  written: string,
  language: 'c' | 'fortran',
  fixedForm: boolean,
): { parts: Part[]; strays: { start: number; end: number }[] } {
  const { text, from } = bareText(written, language, fixedForm);
  const parts: Part[] = [];
  const strays: { start: number; end: number }[] = [];
  const space = /[\s,\u00a0\ufeff]*/y;
  const identifier = /[A-Za-z_][A-Za-z0-9_$]*/y;
  const skip = (pattern: RegExp, at: number): number => {
    pattern.lastIndex = at;
    return at + (pattern.exec(text)?.[0].length ?? 0);
  };
  for (let at = skip(space, from); at < text.length; at = skip(space, at)) {
    const wordEnd = skip(identifier, at);
    if (wordEnd === at) {
      const before = strays[strays.length - 1];
      if (before && before.end === at) before.end = at + 1;
      else strays.push({ start: at, end: at + 1 });
      at++;
      continue;
    }
    const open = skip(/[ \t\u00a0\ufeff]*/y, wordEnd);
    if (text[open] !== '(') {
      parts.push({ word: written.slice(at, wordEnd), start: at, wordEnd, end: wordEnd });
      at = wordEnd;
      continue;
    }
    const close = closing(text, open);
    const end = close === undefined ? text.trimEnd().length : close + 1;
    const inner = close ?? end;
    const alone =
      close === undefined
        ? undefined
        : parse(
            `${sentinelOf(language)}${' '.repeat(from - sentinelOf(language).length)}${' '.repeat(Math.max(0, at - from))}${text.slice(at, end)}`,
          );
    const node = alone && !alone.hasError ? alone.root.children.find((child) => child.type === 'clause') : undefined;
    parts.push(
      node
        ? partOfNode(node, written)
        : {
            word: written.slice(at, wordEnd),
            start: at,
            wordEnd,
            end,
            open,
            ...(close !== undefined && { close }),
            arguments: argumentsOfText(text, open + 1, inner),
          },
    );
    at = end;
  }
  return { parts, strays };
}

/** Where the parenthesis at `open` is closed. */
function closing(text: string, open: number): number | undefined {
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    const character = text[at]!;
    if (character === '"' || character === "'") {
      const end = text.indexOf(character, at + 1);
      if (end > 0) at = end;
    } else if (character === '(' || character === '[') depth++;
    else if ((character === ')' || character === ']') && --depth === 0) return character === ')' ? at : undefined;
  }
  return undefined;
}

function argumentsOfText(text: string, start: number, end: number): RawArgument[] {
  const found: RawArgument[] = [];
  let depth = 0;
  let from = start;
  const push = (to: number): void => {
    const piece = text.slice(from, to);
    const lead = piece.length - piece.trimStart().length;
    found.push({ start: from + Math.min(lead, piece.length), end: from + Math.max(lead, piece.trimEnd().length) });
  };
  for (let at = start; at < end; at++) {
    const character = text[at]!;
    if (character === '(' || character === '[') depth++;
    else if (character === ')' || character === ']') depth--;
    else if (character === ',' && depth <= 0) {
      push(at);
      from = at + 1;
    }
  }
  push(end);
  return found;
}

export type Parse = (text: string) => { root: RawNode; hasError: boolean } | undefined;

export function sentinelOf(language: 'c' | 'fortran'): string {
  return language === 'c' ? '#pragma acc' : '!$acc';
}

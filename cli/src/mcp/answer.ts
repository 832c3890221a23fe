// Answers of limited size for an agent: most expensive first, with a sentence on what is omitted and how to get it.
import { cleanName } from '../terminalText';

/**
 * Characters of an answer: 2,000 tokens of source text and figures, of which a tokenizer makes one of 2.6 characters
 * or more (docs/measurements/editor.md).
 */
export const longestAnswer = 5200;
const longestLine = 700;

/** An item of an answer: the line that is shown, and what a program reads of it. */
export interface Item {
  readonly text: string;
  readonly [key: string]: unknown;
}

export interface Answer {
  /** Always given, first: the subject of the answer, and files that were not read. */
  readonly head: readonly string[];
  /** The most expensive first; as many as fit. */
  readonly lines: readonly (string | Item)[];
  /** How to ask for the omitted lines. */
  readonly narrower: string;
  /** Lines are not shortened: code has to be exact. */
  readonly whole?: boolean;
}

/** What a client gets: text for a model, and the same as data of schema `version` for a program. */
export interface ToolAnswer {
  readonly text: string;
  readonly data: {
    readonly version: 1;
    /** The subject of the answer, and what was not read. */
    readonly notes: readonly string[];
    readonly items: readonly Item[];
    /** Items that did not fit. */
    readonly omitted: number;
  };
}

/** A text of at most `longestAnswer` characters. Control characters of the sources are shown, not sent. */
export function answerOf({ head, lines, narrower, whole }: Answer): ToolAnswer {
  const notes = head.map(shortened);
  const items: Item[] = [];
  let length = notes.reduce((sum, line) => sum + line.length + 1, 0);
  // The sentence on omitted lines has to fit as well.
  const room = longestAnswer - 200;
  for (const line of lines) {
    const item = typeof line === 'string' ? { text: line } : line;
    const text = whole ? item.text : shortened(item.text);
    if (length + text.length + 1 > room) break;
    items.push({ ...item, text });
    length += text.length + 1;
  }
  const omitted = lines.length - items.length;
  const cut =
    omitted > 0 ? [`Incomplete: ${omitted} of ${lines.length} did not fit (the least expensive). ${narrower}`] : [];
  const text = [...notes, ...items.map((item) => item.text), ...cut].join('\n').slice(0, longestAnswer);
  return { text, data: { version: 1, notes, items, omitted } };
}

function shortened(line: string): string {
  const clean = line.split('\n').map(cleanName).join('\n');
  return clean.length > longestLine ? `${clean.slice(0, longestLine)}…` : clean;
}

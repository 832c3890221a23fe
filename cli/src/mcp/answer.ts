// Answers of limited size for an agent: most expensive first, with a sentence on what is omitted and how to get it.
import { cleanName } from '../terminalText';

/**
 * Characters of an answer: 2,000 tokens of source text and figures, of which a tokenizer makes one of 2.6 characters
 * or more (docs/measurements/editor.md).
 */
export const longestAnswer = 5200;
const longestLine = 700;

export interface Answer {
  /** Always printed, first: the subject of the answer, and files that were not read. */
  readonly head: readonly string[];
  /** The most expensive first; as many as fit. */
  readonly lines: readonly string[];
  /** How to ask for the omitted lines. */
  readonly narrower: string;
  /** Lines are not shortened: code has to be exact. */
  readonly whole?: boolean;
}

/** One text of at most `longestAnswer` characters. Control characters of the sources are shown, not sent. */
export function answerText({ head, lines, narrower, whole }: Answer): string {
  const shown = head.map(shortened);
  let length = shown.reduce((sum, line) => sum + line.length + 1, 0);
  // The sentence on omitted lines has to fit as well.
  const room = longestAnswer - 200;
  let taken = 0;
  for (const line of whole ? lines : lines.map(shortened)) {
    if (length + line.length + 1 > room) break;
    shown.push(line);
    length += line.length + 1;
    taken++;
  }
  if (taken < lines.length)
    shown.push(`Incomplete: ${lines.length - taken} of ${lines.length} did not fit (the least expensive). ${narrower}`);
  return shown.join('\n').slice(0, longestAnswer);
}

function shortened(line: string): string {
  const clean = line.split('\n').map(cleanName).join('\n');
  return clean.length > longestLine ? `${clean.slice(0, longestLine)}…` : clean;
}

// What the words of OpenACC mean, in a sentence or two each, for hovers and completion.
import words from './directiveWords.json';

export interface Meaning {
  readonly text: string;
  /** How it is written, a snippet's placeholders among it: `vector_length(${1:128})`. The name alone where absent. */
  readonly snippet?: string;
  /** What holds where it is not written. */
  readonly otherwise?: string;
}

export const directiveMeanings: Readonly<Record<string, Meaning>> = words.directiveMeanings;
export const clauseMeanings: Readonly<Record<string, Meaning>> = words.clauseMeanings;

/** Clauses that mean something else on one directive. */
export const clauseMeaningsOn: Readonly<Record<string, Meaning>> = words.clauseMeaningsOn;

/** Words inside parentheses: `default(none)`, `gang(static: *)`. */
export const wordMeanings: Readonly<Record<string, string>> = words.wordMeanings;

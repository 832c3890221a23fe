// What is wrong with a directive by the table: words that do not exist, clauses out of place, arguments that cannot be.
import type { Directive, DirectiveProblem, Place } from '../procedures';
import type { Part } from './read';

export interface CheckContext {
  readonly parts: readonly Part[];
  /** Characters between the words that belong to nothing. */
  readonly strays: readonly { readonly start: number; readonly end: number }[];
  readonly nameWords: number;
  readonly placeOf: (start: number, end: number) => Place;
  readonly textOf: (start: number, end: number) => string;
  readonly isMacro: (word: string) => boolean;
  readonly macro: boolean;
}

/** The problems of a directive in order of their places. */
export function problemsOf(_directive: Omit<Directive, 'problems'>, _context: CheckContext): DirectiveProblem[] {
  return [];
}

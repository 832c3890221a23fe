// What the messages of races say of the two threads, their places and the block.
import type { RaceFact } from '../semantic/model';
import { assuming, excerpt } from './wording';

/** Values for the names in the messages of a race. */
export function raceData({ text, array, threads, other, supposed, size }: RaceFact): Readonly<Record<string, string>> {
  return {
    text: excerpt(text, 40),
    array,
    other: threads[0],
    one: threads[1],
    otherText: excerpt(other.text, 40),
    assuming: assuming([
      ...(supposed ? [{ kind: 'block' as const, block: supposed, origin: 'guessed' as const }] : []),
      ...(size ? [{ kind: 'size' as const, ...size }] : []),
    ]),
  };
}

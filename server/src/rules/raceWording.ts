// What the messages of races say of the two threads, their places and the block.
import type { RaceFact } from '../semantic/model';
import { assuming, excerpt } from './wording';

/** Values for the names in the messages of a race. */
export function raceData(fact: RaceFact): Readonly<Record<string, string>> {
  const { text, array, threads, other, supposed, size, untaken, byData, memory } = fact;
  const when = [
    ...(untaken === undefined ? [] : [`\`${excerpt(untaken, 40)}\` does not hold`]),
    ...(byData && memory === 'shared' ? ['the data have them meet'] : []),
  ];
  const where = when.length > 0 ? ` where ${when.join(' and ')}` : '';
  return {
    text: excerpt(text, 40),
    array,
    other: threads[0],
    one: threads[1],
    otherText: excerpt(other.text, 40),
    assuming: `${where}${assuming([
      ...(supposed ? [{ kind: 'block' as const, block: supposed, origin: 'guessed' as const }] : []),
      ...(size ? [{ kind: 'size' as const, ...size }] : []),
    ])}`,
  };
}

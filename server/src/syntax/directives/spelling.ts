// The word that was probably meant.
import { slips } from '../slips';
import { directives, endDirectives } from './table';

/**
 * The candidate with the fewest slips of typing, two letters changed places counting as one; undefined when none is
 * near.
 */
export function nearestWord(word: string, candidates: Iterable<string>): string | undefined {
  const wanted = word.toLowerCase();
  let best: string | undefined;
  let least = Math.min(3, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - wanted.length) >= least) continue;
    const distance = slips(wanted, candidate);
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

/** The directive that words were probably meant as, and how many of the words belong to it. */
export function nearestDirective(
  words: readonly string[],
  language: 'c' | 'fortran',
): { readonly name: string; readonly words: number } | undefined {
  const names = language === 'fortran' ? [...directives.keys(), ...endDirectives.keys()] : [...directives.keys()];
  for (let count = Math.min(3, words.length); count > 0; count--) {
    const name = nearestWord(
      words.slice(0, count).join(' '),
      names.filter((each) => each.split(' ').length === count),
    );
    if (name) return { name, words: count };
  }
  const first = words[0]?.toLowerCase();
  if (first === undefined) return undefined;
  if (first === 'enter' || first === 'exit') return { name: `${first} data`, words: 1 };
  const joined = names.find((name) => name.replace(/[ _]/g, '') === first.replace(/_/g, ''));
  return joined === undefined ? undefined : { name: joined, words: 1 };
}

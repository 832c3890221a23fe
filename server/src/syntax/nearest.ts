// The word a user probably meant.
import { slips } from './slips';

/**
 * The candidate fewest edits away from `word`, if that is within a third of its length. A word without a family is held
 * against the names alone (`bank-conflic` against `bank-conflict`); the beginning of a candidate is near it.
 */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const wanted = word.toLowerCase();
  let best: string | undefined;
  let least = Math.max(2, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    const lower = candidate.toLowerCase();
    const name = wanted.includes('/') ? lower : lower.slice(lower.lastIndexOf('/') + 1);
    const distance =
      wanted.length > 3 && (lower.startsWith(wanted) || name.startsWith(wanted)) ? 1 : slips(wanted, name);
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

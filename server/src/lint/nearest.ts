// The word a user probably meant.

/** The candidate fewest edits away from `word`, if that is within a third of its length. A word without a family is held against the names alone (`bank-conflic` against `bank-conflict`); the beginning of a candidate is near it. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const wanted = word.toLowerCase();
  let best: string | undefined;
  let least = Math.max(2, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    const lower = candidate.toLowerCase();
    const name = wanted.includes('/') ? lower : lower.slice(lower.lastIndexOf('/') + 1);
    const distance = wanted.length > 3 && (lower.startsWith(wanted) || name.startsWith(wanted)) ? 1 : edits(wanted, name);
    if (distance < least) { least = distance; best = candidate; }
  }
  return best;
}

/** Levenshtein's distance. */
function edits(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
    row = next;
  }
  return row[b.length]!;
}

// Guesses at macros that nobody defined, tried one after another while a chunk's tree has errors.
import type { ParseText } from './parseText';
import type { Repaired } from './repair';
import type { RawTree } from './tree';

/** One more try: given the best tree so far and its text, the tokens to parse instead. */
export type RepairAttempt = (tree: RawTree, text: ParseText) => Repaired;

export function repairAttempts(_plain: Repaired): RepairAttempt[] {
  return [];
}

// What `warplens check` prints of a file, in every format.
import type { ResolvedFinding } from '../../server/src/lint/finding';

/** A checked file: its text as it is now, after fixes, and what was found in that text. */
export interface CheckedFile {
  readonly path: string;
  readonly uri: string;
  readonly text: string;
  readonly findings: readonly ResolvedFinding[];
}

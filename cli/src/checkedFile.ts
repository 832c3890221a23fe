// What `warplens check` prints of a file, in every format.
import type { ResolvedFinding } from '../../server/src/lint/finding';

/** A checked file: its current text, after fixes, and the findings in that text. */
export interface CheckedFile {
  readonly path: string;
  readonly uri: string;
  readonly text: string;
  readonly findings: readonly ResolvedFinding[];
}

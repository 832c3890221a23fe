// What `warplens check` prints of a file, in every format.
import type { ResolvedFinding } from '../../server/src/lint/finding';

/** A checked file: its current text, after fixes, and the findings in that text. */
export interface CheckedFile {
  readonly path: string;
  readonly uri: string;
  readonly text: string;
  readonly findings: readonly ResolvedFinding[];
}

/** The findings of a file without the marks that lead to the finding of another place. */
export function headsOf({ findings }: CheckedFile): readonly ResolvedFinding[] {
  return findings.filter(({ markOf }) => !markOf);
}

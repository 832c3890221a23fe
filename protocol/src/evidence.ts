// What a measurement says of a finding. The same text gives the same findings, with a profile or without: only the
// severity that they are shown with follows the measurement.

/**
 * - `confirmed`: the counters show what the finding says;
 * - `weak`: they show some of it, less than the rule calls bad;
 * - `refuted`: they show none of it;
 * - `not-executed`: no instruction of its lines ran in the launches of the report;
 * - `unmeasured`: the report does not tell; the text says why.
 */
export type EvidenceState = 'confirmed' | 'weak' | 'refuted' | 'not-executed' | 'unmeasured';

export interface FindingEvidence {
  readonly state: EvidenceState;
  /** One line, to stand below the finding's own words. */
  readonly text: string;
  /** Name without types of the kernel that the figures are of: the costliest of those with this verdict. */
  readonly kernel?: string;
  /** The finding's lines as a fraction (0 to 1) of that kernel's stall samples; `old` where that changed since. */
  readonly share?: number;
  readonly old?: true;
  /**
   * Nanoseconds: that share of the kernel's time over all its launches, added up over the kernels with this verdict. 0
   * where nothing is known.
   */
  readonly cost: number;
  /**
   * Parts (0 to 1) of the GPU's time, where known: `lines` what `cost` is of it; `kernel` the kernels that the lines
   * are in, absent where their code has changed since. */
  readonly gpuShares?: { readonly lines: number; readonly kernel?: number };
  /** Value of the rule's metric and of what it is held against. */
  readonly value?: number;
  readonly against?: number;
}

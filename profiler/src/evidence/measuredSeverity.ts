// The severity that a finding is shown with once a measurement is open. The finding itself keeps its predicted one.
import type { FindingEvidence } from '../../../protocol/src/evidence';
import type { FoundFinding, Severity } from '../../../protocol/src/requests';
import { percent } from '../lines/amounts';

/** A confirmed finding is a warning at least if its lines take this part of the GPU's time in the report. */
export const leastShareOfWarning = 0.05;
/** A finding is a hint at most if its kernels take less than this part of the GPU's time in the report. */
export const leastShareOfKernel = 0.01;

export interface MeasuredSeverity {
  readonly severity: Severity;
  /** Why it differs from the predicted one, where the verdict's words do not say it. */
  readonly why?: string;
}

/** Errors stay, and severities that settings chose are not raised. */
export function measuredSeverity(
  { severity, bySetting }: Pick<FoundFinding, 'severity' | 'bySetting'>,
  { state, gpuShares }: Pick<FindingEvidence, 'state' | 'gpuShares'>,
): MeasuredSeverity {
  if (severity === 'error') return { severity };
  if (state === 'refuted') return { severity: 'hint' };
  const kernel = gpuShares?.kernel;
  if (kernel !== undefined && kernel < leastShareOfKernel)
    return severity === 'hint'
      ? { severity }
      : { severity: 'hint', why: `Hint, as measured: the kernel takes ${percent(kernel)} of the GPU's time.` };
  const isCostly = state === 'confirmed' && gpuShares !== undefined && gpuShares.lines >= leastShareOfWarning;
  if (!isCostly || severity === 'warning' || bySetting) return { severity };
  return { severity: 'warning', why: `Warning, as measured: ${percent(gpuShares.lines)} of the GPU's time.` };
}

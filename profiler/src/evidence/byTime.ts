// Compares a finding with the time of its kernel when the counters are not readable: the time that is predicted with
// it, and the time without it.
import type { EvidenceState } from '../../../protocol/src/evidence';

/** What the model predicts of the kernel around a finding, in microseconds. */
export interface PredictedTimes {
  readonly kernel: string;
  readonly microseconds: number;
  readonly without: number;
}

/** Below it the two predictions are nearer to each other than to what is measured. */
const leastDifference = 1.5;
/** So many times as long as predicted, and it is something else that the kernel takes its time for. */
const farOff = 2.5;

/**
 * `confirmed`: the kernel takes about as long as it should with what the finding says; `refuted`: about as long as it
 * should without; `weak` in between; `unmeasured` where time cannot tell.
 */
export function stateByTime({ microseconds, without }: PredictedTimes, measured: number): EvidenceState {
  if (!(measured > 0) || microseconds / without < leastDifference) return 'unmeasured';
  if (measured > microseconds * farOff || measured < without / farOff) return 'unmeasured';
  const middle = Math.sqrt(microseconds * without);
  if (measured >= middle) return 'confirmed';
  return measured <= Math.max(without * 1.25, Math.sqrt(middle * without)) ? 'refuted' : 'weak';
}

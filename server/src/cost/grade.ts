// Severity as a function of predicted time, and of nothing else.
import type { Interval, Severity } from '../rules/rule';

/** The three numbers that decide (docs/measurements/severity.md says how they were chosen). */
export const thresholds = {
  /** Time now over time without the waste, from which a finding is shown. */
  gain: 1.05,
  /** Fewest and most iterations of a loop, and least extent of data, where the code does not say. */
  shortest: 16,
  longest: 1000,
} as const;

/** Of a finding that costs time: a warning for every value of what is unknown, an information for some, else a hint. */
export function severityOf([least, most]: Interval, shownFrom: number = thresholds.gain): Severity {
  if (least >= shownFrom) return 'warning';
  return most >= shownFrom ? 'information' : 'hint';
}

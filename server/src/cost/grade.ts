// Severity as a function of predicted time, and of nothing else.
import type { Interval, Severity } from '../rules/rule';

/** What the user says of a kernel's time. */
export type Said = 'hot' | 'cold';

/** The three numbers that decide (docs/measurements/severity.md says how they were chosen). */
export const thresholds = {
  /** Time now over time without the waste from which its expected value makes a warning or an information. */
  warning: 1.1,
  information: 1.05,
  /** Least extent of data, and fewest iterations of a loop, where the code does not say; the most is its square. */
  extent: 32,
} as const;

/** By what is expected of the gain; of a kernel that the user calls hot by the most that it may be. */
export function severityOf(
  gain: { readonly expected: number; readonly range: Interval },
  warning: number = thresholds.warning,
  said?: Said,
): Severity {
  const deciding = said === 'hot' ? gain.range[1] : gain.expected;
  if (deciding >= warning) return 'warning';
  return deciding >= thresholds.information ? 'information' : 'hint';
}

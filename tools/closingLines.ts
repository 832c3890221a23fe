// The last lines of `npm test`: what failed, what was skipped and why, and the sums in the form that CI reads.
import type { SkippedTest } from '../test/support/skipBecause';

export interface Sum {
  readonly passed: number;
  readonly failed: number;
  readonly skipped?: readonly SkippedTest[];
  /** What failed, a line each with the first words of why. */
  readonly failures?: readonly string[];
}

/** The lines of a report that tell of a failure, each with the first line of its reason. */
export function failuresIn(lines: readonly string[]): string[] {
  return lines
    .map((line) => line.trim().split('\n'))
    .filter(([title]) => title!.startsWith('✘ '))
    .map(([title, reason]) => [title!.slice(2), ...(reason ? [reason.trim()] : [])].join(': '));
}

/** `N passed, N failed`, with `, N skipped` where something was. */
export function inWords({ passed, failed, skipped = [] }: Sum): string {
  return `${passed} passed, ${failed} failed${skipped.length > 0 ? `, ${skipped.length} skipped` : ''}`;
}

export function added(sums: readonly Sum[]): Sum {
  return {
    passed: sums.reduce((all, { passed }) => all + passed, 0),
    failed: sums.reduce((all, { failed }) => all + failed, 0),
    skipped: sums.flatMap(({ skipped = [] }) => skipped),
    failures: sums.flatMap(({ failures = [] }) => failures),
  };
}

/** The skipped tests by their reasons, each reason once, what failed, and the sums alone on the last line. */
export function closingLines(sum: Sum): string[] {
  const reasons = new Map<string, string[]>();
  for (const { title, reason } of sum.skipped ?? []) reasons.set(reason, [...(reasons.get(reason) ?? []), title]);
  const lines = reasons.size > 0 ? ['', 'Skipped:'] : [];
  for (const [reason, titles] of reasons) lines.push(`  ${reason}`, ...titles.map((title) => `    - ${title}`));
  const { failures = [] } = sum;
  if (failures.length > 0) lines.push('', 'Failed:', ...failures.map((failure) => `  ✘ ${failure}`));
  return [...lines, '', inWords(sum)];
}

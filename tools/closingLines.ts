// The last lines of `npm test`: what was slow, what failed, what was skipped and why, and the sums in the form that CI
// reads.
import type { SkippedTest } from '../test/support/skipBecause';

export interface TimedTest {
  readonly title: string;
  readonly seconds: number;
}
export interface Sum {
  readonly passed: number;
  readonly failed: number;
  readonly skipped?: readonly SkippedTest[];
  /** What failed, a line each with the first words of why. */
  readonly failures?: readonly string[];
  readonly times?: readonly TimedTest[];
  /** Milliseconds of each file of tests. */
  readonly files?: Readonly<Record<string, number>>;
}

/** How many of the slowest tests are named. */
const SLOWEST = 10;

/** The lines of a report that tell of a failure, each with the first line of its reason. */
export function failuresIn(lines: readonly string[]): string[] {
  return lines
    .map((line) => line.trim().split('\n'))
    .filter(([title]) => title!.startsWith('✘ '))
    .map(([title, reason]) => [title!.slice(2), ...(reason ? [reason.trim()] : [])].join(': '));
}

/** The times in a report of an editor: `✔ title (123 ms)`. */
export function timesIn(lines: readonly string[]): TimedTest[] {
  return lines.flatMap((line) => {
    const found = /^\s*✔ (.*) \((\d+) ms\)$/.exec(line);
    return found ? { title: found[1]!, seconds: Number(found[2]) / 1000 } : [];
  });
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
    times: sums.flatMap(({ times = [] }) => times),
  };
}

/** The slowest tests, the skipped ones by their reasons, what failed, and the sums alone on the last line. */
export function closingLines(sum: Sum): string[] {
  const slowest = [...(sum.times ?? [])].sort((a, b) => b.seconds - a.seconds).slice(0, SLOWEST);
  const lines = slowest.length > 0 ? ['', 'Slowest:'] : [];
  for (const { title, seconds } of slowest) lines.push(`  ${seconds.toFixed(1).padStart(6)} s  ${title}`);
  const reasons = new Map<string, string[]>();
  for (const { title, reason } of sum.skipped ?? []) reasons.set(reason, [...(reasons.get(reason) ?? []), title]);
  if (reasons.size > 0) lines.push('', 'Skipped:');
  for (const [reason, titles] of reasons) lines.push(`  ${reason}`, ...titles.map((title) => `    - ${title}`));
  const { failures = [] } = sum;
  if (failures.length > 0) lines.push('', 'Failed:', ...failures.map((failure) => `  ✘ ${failure}`));
  return [...lines, '', inWords(sum)];
}

// Puts findings in the order of what they cost by prediction, for a list without a measurement.
import type { Severity } from '../../../protocol/src/requests';

/** Where nothing tells what a finding costs, it counts as this part of the costliest one of its severity. */
const usualPart = 0.25;
const grades: Readonly<Record<Severity, number>> = { error: 3, warning: 2, information: 1, hint: 0 };

/** The gravest first, of one severity the costliest first (cycles of a multiprocessor); equal ones keep their order. */
export function predictedOrder<T>(
  items: readonly T[],
  findingOf: (item: T) => { readonly severity: Severity; readonly cost?: number },
): readonly T[] {
  const most = new Map<Severity, number>();
  for (const item of items) {
    const { severity, cost = 0 } = findingOf(item);
    most.set(severity, Math.max(most.get(severity) ?? 0, cost));
  }
  const costOf = (item: T): number => {
    const { severity, cost } = findingOf(item);
    return cost ?? usualPart * (most.get(severity) ?? 0);
  };
  return [...items].sort(
    (a, b) => grades[findingOf(b).severity] - grades[findingOf(a).severity] || costOf(b) - costOf(a),
  );
}

/** What is wrong at any speed, then what costs most time, whatever its severity; equal ones keep their order. */
export function timeOrder<T>(
  items: readonly T[],
  findingOf: (item: T) => { readonly severity: Severity; readonly cost?: number },
): readonly T[] {
  const costOf = (item: T): number => {
    const { severity, cost } = findingOf(item);
    return cost ?? (severity === 'error' ? Infinity : 0);
  };
  return [...items].sort((a, b) => (costOf(a) === costOf(b) ? 0 : costOf(b) - costOf(a)));
}

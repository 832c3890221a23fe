// A gate on predicted figures: conditions on a change, and those that a comparison breaks.
import type { Severity } from '../rules/rule';
import { holds, parseConditions, roundFigure, type Condition } from './gateGrammar';
import { kernelMetrics, type Comparison, type KernelMetric } from './compare';
import { slowdownOf, type KernelPair } from './work';

/** Resources of a kernel as ptxas tells them: registers a thread, bytes a thread, bytes a block. */
export const resourceMetrics = ['registers', 'spills', 'stack', 'shared'] as const;
export type ResourceMetric = (typeof resourceMetrics)[number];
export type Resources = Readonly<Partial<Record<ResourceMetric, number>>>;

const counted = {
  'new-errors': ['error'],
  'new-warnings': ['error', 'warning'],
  'new-findings': ['error', 'warning', 'information', 'hint'],
  // Kernels whose figures changed without a predicted time of both versions.
  uncompared: [],
} as const satisfies Readonly<Record<string, readonly Severity[]>>;
type CountMetric = keyof typeof counted;
export type GateMetric = KernelMetric | 'time' | ResourceMetric | CountMetric;
export const gateMetrics: readonly GateMetric[] = [
  ...kernelMetrics,
  'time',
  ...resourceMetrics,
  ...(Object.keys(counted) as CountMetric[]),
];

/** Of each kernel that both versions have. */
export type GateCondition = Condition<GateMetric>;

/** A condition that does not hold, in a sentence, and the kernel that breaks it. */
export interface Breach {
  readonly condition: GateCondition;
  readonly sentence: string;
  readonly kernel?: KernelPair;
}

/** Conditions parted by commas; a sentence on the first that cannot be read. */
export function parseGate(text: string): readonly GateCondition[] | { readonly problem: string } {
  return parseConditions(text, {
    metrics: gateMetrics,
    isCount: isCountMetric,
    example: 'time <= +5 %, new-warnings == 0',
  });
}

/** True where a condition can only be held against what ptxas says. */
export function needsResources(conditions: readonly GateCondition[]): boolean {
  return conditions.some(({ metric }) => isResource(metric));
}

/** `resourcesOf` gives what ptxas said of a kernel in both versions, where it did. */
export function breachesOf(
  conditions: readonly GateCondition[],
  comparison: Comparison,
  resourcesOf: (pair: KernelPair) => { readonly before: Resources; readonly after: Resources } | undefined = () =>
    undefined,
): readonly Breach[] {
  return conditions.flatMap((condition): readonly Breach[] => {
    const { metric } = condition;
    if (isCountMetric(metric)) {
      const severities: readonly Severity[] = counted[metric];
      const { length: count } =
        metric === 'uncompared'
          ? comparison.changed.filter((pair) => slowdownOf(pair) === undefined)
          : comparison.findings.filter(({ after }) => severities.includes(after.finding.severity));
      return holds(condition, 0, count) ? [] : [{ condition, sentence: `${condition.text}: found ${count}.` }];
    }
    return comparison.pairs.flatMap((pair) => {
      if (metric === 'time' && slowdownOf(pair) === undefined) return [];
      const resources = isResource(metric) ? resourcesOf(pair) : undefined;
      const [before, after] = isResource(metric)
        ? [resources?.before[metric], resources?.after[metric]]
        : // A limit without a sign is that of one block.
          [pair.before[metric], (condition.relative ? pair.after : { ...pair.after, ...pair.block })[metric]];
      if (after === undefined || (before === undefined && condition.relative)) return [];
      if (holds(condition, before ?? 0, after)) return [];
      const was = before === undefined ? '' : `was ${roundFigure(before)}, `;
      const figures = `${metric} of ${pair.after.name} ${was}is ${roundFigure(after)}.`;
      const slower = `${pair.after.name} is predicted to take ${roundFigure(slowdownOf(pair) ?? 1)}× the time.`;
      const sentence = `${condition.text}: ${metric === 'time' ? slower : figures}`;
      return [{ condition, sentence, kernel: pair }];
    });
  });
}

function isCountMetric(metric: GateMetric): metric is CountMetric {
  return metric in counted;
}
function isResource(metric: GateMetric): metric is ResourceMetric {
  return (resourceMetrics as readonly string[]).includes(metric);
}

// A gate: what a change may do to figures, as a user writes it, and what of a comparison does not pass.
import type { Severity } from '../rules/rule';
import { kernelMetrics, type Comparison, type KernelMetric, type KernelPair } from './compare';

/** Resources of a kernel as ptxas tells them: registers a thread, bytes a thread, bytes a block. */
export const resourceMetrics = ['registers', 'spills', 'stack', 'shared'] as const;
export type ResourceMetric = (typeof resourceMetrics)[number];
export type Resources = Readonly<Partial<Record<ResourceMetric, number>>>;

const countMetrics = ['new-errors', 'new-warnings', 'new-findings'] as const;
type CountMetric = (typeof countMetrics)[number];
export type GateMetric = KernelMetric | ResourceMetric | CountMetric;
export const gateMetrics: readonly GateMetric[] = [...kernelMetrics, ...resourceMetrics, ...countMetrics];

/** `sectors <= +5 %`: of each kernel that both versions have, the figure after against the limit. */
export interface GateCondition {
  readonly text: string;
  readonly metric: GateMetric;
  readonly operator: '<=' | '<' | '==';
  readonly limit: number;
  /** The limit counts from the figure before: as so many percent of it, or so many units. */
  readonly relative?: 'percent' | 'units';
}

/** A condition that does not hold, in a sentence, and the kernel that breaks it. */
export interface Breach {
  readonly condition: GateCondition;
  readonly sentence: string;
  readonly kernel?: KernelPair;
}

const shape = /^([a-z-]+)\s*(<=|<|==|=)\s*([+-]?)\s*(\d+(?:\.\d+)?)\s*(%?)$/;

/** Conditions parted by commas; a sentence on the first that cannot be read. */
export function parseGate(text: string): readonly GateCondition[] | { readonly problem: string } {
  const conditions: GateCondition[] = [];
  const parts = text.split(',').map((part) => part.trim());
  for (const part of parts.filter((each) => each !== '')) {
    const match = shape.exec(part.toLowerCase());
    if (!match)
      return {
        problem:
          `The gate's condition "${part}" cannot be read: write a figure, <=, < or ==, and a limit, ` +
          'as in "sectors <= +5 %, new-warnings == 0".',
      };
    const [, name, operator, sign, number, percent] = match;
    const metric = gateMetrics.find((each) => each === name);
    if (metric === undefined)
      return { problem: `The gate knows no figure "${name}"; there are ${gateMetrics.join(', ')}.` };
    if (isCountMetric(metric) && (percent !== '' || sign !== ''))
      return { problem: `The gate's condition "${part}": ${metric} is a number, as in "${metric} == 0".` };
    conditions.push({
      text: part,
      metric,
      operator: operator === '=' ? '==' : (operator as '<=' | '<' | '=='),
      limit: (sign === '-' ? -1 : 1) * Number(number),
      ...(percent !== '' ? { relative: 'percent' as const } : sign !== '' ? { relative: 'units' as const } : {}),
    });
  }
  return conditions.length > 0
    ? conditions
    : { problem: 'The gate is empty: write a condition, as in "new-warnings == 0".' };
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
      const count = countOf(metric, comparison);
      return holds(condition, 0, count) ? [] : [{ condition, sentence: `${condition.text}: there are ${count}.` }];
    }
    return comparison.pairs.flatMap((pair) => {
      const resources = isResource(metric) ? resourcesOf(pair) : undefined;
      const [before, after] = isResource(metric)
        ? [resources?.before[metric], resources?.after[metric]]
        : [pair.before[metric], pair.after[metric]];
      if (after === undefined || (before === undefined && condition.relative)) return [];
      if (holds(condition, before ?? 0, after)) return [];
      const was = before === undefined ? '' : `was ${round(before)}, `;
      const sentence = `${condition.text}: ${metric} of ${pair.after.name} ${was}is ${round(after)}.`;
      return [{ condition, sentence, kernel: pair }];
    });
  });
}

function isCountMetric(metric: GateMetric): metric is CountMetric {
  return (countMetrics as readonly string[]).includes(metric);
}
function isResource(metric: GateMetric): metric is ResourceMetric {
  return (resourceMetrics as readonly string[]).includes(metric);
}

function countOf(metric: CountMetric, { findings }: Comparison): number {
  const severities: Readonly<Record<CountMetric, readonly Severity[]>> = {
    'new-errors': ['error'],
    'new-warnings': ['error', 'warning'],
    'new-findings': ['error', 'warning', 'information', 'hint'],
  };
  return findings.filter(({ after }) => severities[metric].includes(after.finding.severity)).length;
}

function holds({ operator, limit, relative }: GateCondition, before: number, after: number): boolean {
  const bound = relative === 'percent' ? before * (1 + limit / 100) : relative === 'units' ? before + limit : limit;
  const slack = 1e-6 * Math.max(1, Math.abs(bound));
  if (operator === '==') return Math.abs(after - bound) <= slack;
  return operator === '<' ? after < bound - slack : after <= bound + slack;
}

function round(value: number): string {
  return String(Number(value.toPrecision(4)));
}

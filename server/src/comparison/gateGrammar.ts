// The grammar of gates, as in `sectors <= +5 %, spills == 0`, for predicted and for measured figures.

/** `sectors <= +5 %`: the figure after against the limit. */
export interface Condition<Metric extends string> {
  readonly text: string;
  readonly metric: Metric;
  readonly operator: '<=' | '<' | '==' | '>=' | '>';
  /** In nanoseconds, of a metric that is a time. */
  readonly limit: number;
  /** The limit counts from the figure before: as so many percent of it, or so many units. */
  readonly relative?: 'percent' | 'units';
}

/** The figures that a gate can name. */
export interface GateWords<Metric extends string> {
  readonly metrics: readonly Metric[];
  /** Numbers that have no figure before, as of new findings: their limits are absolute. */
  readonly isCount?: (metric: Metric) => boolean;
  /** Figures that are times: their limits may have a unit, and without one are microseconds. */
  readonly isTime?: (metric: Metric) => boolean;
  /** A condition that shows how one is written. */
  readonly example: string;
}

const shape = /^([a-z-]+)\s*(<=|<|==|=|>=|>)\s*([+-]?)\s*(\d+(?:\.\d+)?)\s*(%|ns|us|µs|ms|s)?$/;
const nanoseconds: Readonly<Record<string, number>> = { ns: 1, us: 1e3, µs: 1e3, ms: 1e6, s: 1e9 };

/** Conditions parted by commas; a sentence on the first that cannot be read. */
export function parseConditions<Metric extends string>(
  text: string,
  { metrics, isCount = () => false, isTime = () => false, example }: GateWords<Metric>,
): readonly Condition<Metric>[] | { readonly problem: string } {
  const conditions: Condition<Metric>[] = [];
  const parts = text.split(',').map((part) => part.trim());
  for (const part of parts.filter((each) => each !== '')) {
    const match = shape.exec(part.toLowerCase());
    if (!match)
      return {
        problem: `Invalid gate condition "${part}": use a figure, <=, <, ==, >= or >, and a limit, as in "${example}".`,
      };
    const [, name, operator, sign, number, unit] = match;
    const metric = metrics.find((each) => each === name);
    if (metric === undefined) return { problem: `Unknown gate figure "${name}": use ${metrics.join(', ')}.` };
    if (isCount(metric) && (unit === '%' || sign !== ''))
      return { problem: `Invalid gate condition "${part}": ${metric} is a number, as in "${metric} == 0".` };
    if (unit !== undefined && unit !== '%' && !isTime(metric))
      return { problem: `Invalid gate condition "${part}": ${metric} has no unit.` };
    const scale = unit !== '%' && isTime(metric) ? nanoseconds[unit ?? 'us']! : 1;
    conditions.push({
      text: part,
      metric,
      operator: operator === '=' ? '==' : (operator as Condition<Metric>['operator']),
      limit: (sign === '-' ? -1 : 1) * Number(number) * scale,
      ...(unit === '%' ? { relative: 'percent' as const } : sign !== '' ? { relative: 'units' as const } : {}),
    });
  }
  return conditions.length > 0 ? conditions : { problem: `Empty gate: use a condition, as in "${example}".` };
}

/** What the figure after is held against. */
export function boundOf({ limit, relative }: Condition<string>, before: number): number {
  return relative === 'percent' ? before * (1 + limit / 100) : relative === 'units' ? before + limit : limit;
}

export function holds(condition: Condition<string>, before: number, after: number): boolean {
  const bound = boundOf(condition, before);
  const slack = 1e-6 * Math.max(1, Math.abs(bound));
  const over = condition.operator.startsWith('>') ? bound - after : after - bound;
  if (condition.operator === '==') return Math.abs(over) <= slack;
  return condition.operator.length === 1 ? over < -slack : over <= slack;
}

/** A figure in a sentence: four digits. */
export function roundFigure(value: number): string {
  return String(Number(value.toPrecision(4)));
}

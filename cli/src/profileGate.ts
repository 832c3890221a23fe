// The gate of `warplens profile`: limits of a measured step against a stored one. Repeated runs decide about times,
// exact counters about themselves.
import { showDuration, type Step, type StepKernel } from '../../profiler/src/history/steps';
import { rowLabel, seriesOf, type StepRow } from '../../profiler/src/history/table';
import { compareSpreads, spreadOf } from '../../profiler/src/trial/spread';
import { boundOf, holds, parseConditions, roundFigure, type Condition } from '../../server/src/comparison/gateGrammar';

const counted = {
  sectors: 'memory_l2_theoretical_sectors_global',
  wavefronts: 'memory_l1_wavefronts_shared',
  instructions: 'inst_executed',
} as const;
const resources = ['registers', 'spills', 'stack', 'shared'] as const;
export const measuredMetrics = [
  'duration',
  ...(Object.keys(counted) as (keyof typeof counted)[]),
  ...resources,
] as const;
export type MeasuredMetric = (typeof measuredMetrics)[number];
export type MeasuredCondition = Condition<MeasuredMetric>;

/** Runs for a gate on times if the user gives no number. */
export const usualRuns = 5;
/** Fewer runs on a side say nothing about the noise. */
export const fewestRuns = 3;

export function parseMeasuredGate(text: string): readonly MeasuredCondition[] | { readonly problem: string } {
  return parseConditions(text, {
    metrics: measuredMetrics,
    isTime: (metric) => metric === 'duration',
    example: 'duration <= +5 %, sectors <= +0 %',
  });
}

/** `breaks`: the condition does not hold. `undecided`: it is unknown, and why, and does not pass. */
export interface Judgement {
  readonly condition: MeasuredCondition;
  readonly kernel: string;
  readonly verdict: 'holds' | 'breaks' | 'undecided';
  readonly sentence: string;
  readonly before?: number;
  readonly after?: number;
}

/** Checks each condition on each kernel that both steps have. */
export function judgeStep(conditions: readonly MeasuredCondition[], before: Step, after: Step): readonly Judgement[] {
  const earlier = matching(before.kernels, after.kernels);
  return conditions.flatMap((condition) =>
    after.kernels.flatMap((kernel) => {
      const from = earlier.get(kernel);
      return from ? [judge(condition, from, kernel, nameIn(kernel, after.kernels))] : [];
    }),
  );
}

/** Kernels that only the later step has, and those that only the earlier one has. */
export function unmatched(
  before: Step,
  after: Step,
): { readonly come: readonly string[]; readonly gone: readonly string[] } {
  const earlier = matching(before.kernels, after.kernels);
  const found = new Set(earlier.values());
  return {
    come: after.kernels.filter((kernel) => !earlier.has(kernel)).map((kernel) => nameIn(kernel, after.kernels)),
    gone: before.kernels.filter((kernel) => !found.has(kernel)).map((kernel) => nameIn(kernel, before.kernels)),
  };
}

/**
 * The step that a user names: by its label, by its row's name or position, or `baseline` for the one that the others
 * are compared with.
 */
export function stepNamed(
  name: string,
  steps: readonly Step[],
  baselines: Readonly<Record<string, number>>,
  series?: string,
): { readonly step: Step } | { readonly problem: string } {
  const rows = seriesOf(steps, baselines)
    .filter((each) => series === undefined || each.name === series)
    .flatMap((each) => each.rows);
  const ways: readonly ((row: StepRow) => boolean)[] = [
    ({ isBaseline }) => name === 'baseline' && isBaseline,
    ({ step }) => step.label === name,
    (row) => rowLabel(row) === name,
    ({ position }) => String(position) === name,
  ];
  for (const isIt of ways) {
    // Of several steps with one label, take the newest.
    const found = rows.filter(isIt).at(-1);
    if (found) return { step: found.step };
  }
  return {
    problem:
      rows.length === 0
        ? 'There is no stored step to compare with. Measure the version before first, with --runs 5.'
        : `Unknown step "${name}". Steps: ${rows.map(rowLabel).slice(-12).join(', ')}.`,
  };
}

function judge(condition: MeasuredCondition, before: StepKernel, after: StepKernel, name: string): Judgement {
  const base = { condition, kernel: name };
  if (condition.metric === 'duration') return { ...base, ...judgeTime(condition, before, after, name) };
  const metric = condition.metric in counted ? counted[condition.metric as keyof typeof counted] : undefined;
  const [was, is] = [figureOf(condition.metric, before), figureOf(condition.metric, after)];
  if (is === undefined || (was === undefined && condition.relative))
    return {
      ...base,
      verdict: 'undecided',
      sentence:
        `${condition.text}: ${condition.metric} of ${name} was not measured` +
        `${is === undefined ? '' : ' in the step before'}.`,
    };
  const runs = [before, after].map((kernel) => (metric ? kernel.runs?.counters[metric] : undefined));
  const said = { ...base, ...(was === undefined ? {} : { before: was }), after: is };
  const sentence =
    `${condition.text}: ${condition.metric} of ${name} ` +
    `${was === undefined ? '' : `was ${exactly(was)}, `}is ${exactly(is)}`;
  if (runs.every((values) => values === undefined || isExact(values)))
    return { ...said, verdict: holds(condition, was ?? 0, is) ? 'holds' : 'breaks', sentence: `${sentence}.` };
  // A racy program counts differently between runs: a condition is broken only if all runs break it.
  const [low, high] = [runs[1] ?? [is], runs[0] ?? [was ?? 0]];
  const broken = !holds(condition, Math.max(...high), Math.min(...low));
  return {
    ...said,
    verdict: broken ? 'breaks' : 'holds',
    sentence: `${sentence} (medians; it varies between runs: ${range(high)} before, ${range(low)} now).`,
  };
}

/**
 * A time breaks a limit when the medians of the runs do, and the runs of both sides lie further apart than their
 * spread explains. A limit below the
 * time before asks for a gain: that has to be as certain.
 */
function judgeTime(
  condition: MeasuredCondition,
  before: StepKernel,
  after: StepKernel,
  name: string,
): Pick<Judgement, 'verdict' | 'sentence' | 'before' | 'after'> {
  const [was, is] = [before.runs?.durationNs, after.runs?.durationNs].map((values) => spreadOf(values ?? []));
  const runsOf = (values: readonly number[] | undefined): number => values?.length ?? 1;
  if (!is || is.values.length < fewestRuns || (condition.relative && (!was || was.values.length < fewestRuns))) {
    const side = !is || is.values.length < fewestRuns ? 'now' : 'in the step before';
    const measured = side === 'now' ? after.runs : before.runs;
    return {
      verdict: 'undecided',
      sentence:
        `${condition.text}: ${name} was measured ${timesText(runsOf(measured?.durationNs))} ${side}, ` +
        `and times are compared over at least ${fewestRuns} runs. ` +
        `Measure ${side === 'now' ? 'with --runs 5' : 'that version again with --runs 5'}.`,
    };
  }
  const bound = boundOf(condition, was?.median ?? 0);
  const words =
    `${condition.text}: ${name} ${was && condition.relative ? `took ${spreadText(was)}, ` : ''}` +
    `takes ${spreadText(is)}` +
    ` (median of ${is.values.length} runs, minimum to maximum)`;
  const figures = { ...(was ? { before: was.median } : {}), after: is.median };
  const met = holds(condition, was?.median ?? 0, is.median);
  if (!condition.relative || !was) {
    // Against a number: every run has to be beyond it to break it.
    const broken = !met && !is.values.some((value) => holds(condition, 0, value));
    return { ...figures, verdict: broken ? 'breaks' : 'holds', sentence: `${words}.` };
  }
  const way = compareSpreads(was, is);
  const asksForGain = bound < was.median;
  const holdsTrue = asksForGain ? met && way === 'faster' : met || way !== 'slower';
  const doubt = !met && holdsTrue ? '; the spread of the runs is too large to decide' : '';
  return { ...figures, verdict: holdsTrue ? 'holds' : 'breaks', sentence: `${words}${doubt}.` };
}

function timesText(times: number): string {
  return times === 1 ? 'once' : times === 2 ? 'twice' : `${times} times`;
}

function spreadText({
  median,
  min,
  max,
}: {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}): string {
  const [middle, low, high] = [median, min, max].map(showDuration);
  return `${middle} (${low} to ${high})`.replaceAll('µs', 'us');
}

function figureOf(metric: MeasuredMetric, kernel: StepKernel): number | undefined {
  const { values, runs, resources: built } = kernel;
  switch (metric) {
    case 'duration':
      return kernel.durationNs;
    case 'registers':
      return values['launch__registers_per_thread'] ?? built?.registers;
    case 'spills':
      return built && (built.spillStoreBytes ?? 0) + (built.spillLoadBytes ?? 0);
    case 'stack':
      return built?.stackBytes;
    case 'shared': {
      const fixed = values['launch__shared_mem_per_block_static'];
      return fixed === undefined ? built?.sharedBytes : fixed + (values['launch__shared_mem_per_block_dynamic'] ?? 0);
    }
    default: {
      const name = counted[metric];
      return spreadOf(runs?.counters[name] ?? [])?.median ?? values[name];
    }
  }
}

function isExact(values: readonly number[]): boolean {
  return values.every((value) => value === values[0]);
}

/** Counters to the last digit, since they are compared exactly. */
function exactly(value: number): string {
  return Number.isInteger(value) ? String(value) : roundFigure(value);
}

function range(values: readonly number[]): string {
  return `${roundFigure(Math.min(...values))} to ${roundFigure(Math.max(...values))}`;
}

/** By name and shape, then by name where each side has one shape left: a changed block is still that kernel. */
function matching(before: readonly StepKernel[], after: readonly StepKernel[]): ReadonlyMap<StepKernel, StepKernel> {
  const found = new Map<StepKernel, StepKernel>();
  const left = new Set(before);
  const keys = [
    ({ name, grid, block }: StepKernel) => `${name} ${grid.join()} ${block.join()}`,
    ({ name }: StepKernel) => name,
    ({ shortName }: StepKernel) => shortName,
  ];
  for (const keyOf of keys) {
    for (const kernel of after) {
      if (found.has(kernel)) continue;
      const from = [...left].filter((each) => keyOf(each) === keyOf(kernel));
      const rivals = after.filter((each) => !found.has(each) && keyOf(each) === keyOf(kernel));
      if (from.length !== 1 || rivals.length !== 1) continue;
      found.set(kernel, from[0]!);
      left.delete(from[0]!);
    }
  }
  return found;
}

/** The short name; with the shape where the kernel is launched in several. */
function nameIn(kernel: StepKernel, all: readonly StepKernel[]): string {
  const rivals = all.filter(({ shortName }) => shortName === kernel.shortName);
  return rivals.length > 1
    ? `${kernel.shortName} <<<${kernel.grid.join('x')}, ${kernel.block.join('x')}>>>`
    : kernel.shortName;
}

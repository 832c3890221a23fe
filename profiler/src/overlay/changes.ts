// What changed on each line between two reports of one program: time, stall reasons, sectors, wavefronts and
// instructions, apart from what two runs of the same code differ by too.
import { counters, type ProfiledKernel, type ProfiledLine } from './kernels';
import { reasonsOf } from './marks';
import { stallReasonNamed } from './stallReasons';
import { changeNoise, leastGain } from './thresholds';

/** Counters of a line that are counted, not sampled: two runs of the same code on the same data have the same. */
export const countedMetrics = ['sectors', 'wavefronts', 'instructions'] as const;
export type CountedMetric = (typeof countedMetrics)[number];

export type ChangeVerdict = 'better' | 'worse' | 'changed' | 'same';

/** A counter of a line, a launch on average. */
export interface CountChange {
  readonly metric: CountedMetric;
  readonly before: number;
  readonly after: number;
  /** Against the ideal, where the metric has one. */
  readonly ratioBefore?: number | undefined;
  readonly ratioAfter?: number | undefined;
  readonly changed: boolean;
}

/** A stall reason as a share of the kernel's samples, 0 to 1. */
export interface ReasonChange {
  /** From `stallReason`. */
  readonly name: string;
  readonly title: string;
  readonly before: number;
  readonly after: number;
}

/** A line before and after. */
export interface LineChange {
  /** As the later report names it, the earlier where the line is gone. */
  readonly file: string;
  /** In the sources of the later report; undefined where the line is gone. */
  readonly line?: number;
  /** In the sources of the earlier report; undefined where the line is new. */
  readonly lineBefore?: number;
  /** The text of the line differs: it replaced the earlier one. */
  readonly edited: boolean;
  readonly before?: ProfiledLine;
  readonly after?: ProfiledLine;
  /** Shares of the kernel's samples, 0 to 1; undefined where the reports have no samples. */
  readonly shareBefore?: number;
  readonly shareAfter?: number;
  /**
   * The line's part of a launch's time after less that before, by its share of the samples: above 0 it costs more.
   * Undefined without times.
   */
  readonly costNs?: number;
  /** Whether the time, or without times the share, differs by more than two runs of the same code do. */
  readonly timeChanged: boolean;
  readonly counts: readonly CountChange[];
  /** Those that changed, the greatest first. */
  readonly reasons: readonly ReasonChange[];
  readonly verdict: ChangeVerdict;
}

/** A kernel that both reports have. */
export interface KernelChange {
  readonly before: ProfiledKernel;
  readonly after: ProfiledKernel;
  /** Of a launch, on average; undefined where a report has no times. */
  readonly durationBeforeNs?: number;
  readonly durationAfterNs?: number;
  readonly durationChanged: boolean;
  readonly registersBefore?: number;
  readonly registersAfter?: number;
  /** Every line of either report, that which changed most first. */
  readonly lines: readonly LineChange[];
}

export interface ReportChanges {
  readonly kernels: readonly KernelChange[];
  /** Kernels that only one of the two has. */
  readonly gone: readonly ProfiledKernel[];
  readonly come: readonly ProfiledKernel[];
  /** A launch of each kernel, on average, added up; absent where a kernel of either report has no time. */
  readonly total?: { readonly beforeNs: number; readonly afterNs: number; readonly changed: boolean };
}

/**
 * Where a line of an earlier report is in the later one's sources, or the edited line in its place; undefined where it
 * is gone.
 */
export type LineNow = (
  file: string,
  line: number,
) => { readonly file: string; readonly line: number; readonly edited?: boolean } | undefined;

/** Compares two reports, kernels matched by name and signature, else by the only one of the name without it. */
export function changesBetween(
  before: readonly ProfiledKernel[],
  after: readonly ProfiledKernel[],
  lineNow: LineNow,
): ReportChanges {
  const earlier = matchingKernels(before, after);
  const matched = new Set(earlier.values());
  const [beforeNs, afterNs] = [before, after].map(timeOfAll);
  return {
    kernels: after.flatMap((kernel) => {
      const from = earlier.get(kernel);
      return from ? [kernelChange(from, kernel, lineNow)] : [];
    }),
    gone: before.filter((kernel) => !matched.has(kernel)),
    come: after.filter((kernel) => !earlier.has(kernel)),
    ...(beforeNs !== undefined &&
      afterNs !== undefined && { total: { beforeNs, afterNs, changed: differ(beforeNs, afterNs) } }),
  };
}

function timeOfAll(kernels: readonly ProfiledKernel[]): number | undefined {
  const times = kernels.map(durationOf);
  return times.length > 0 && times.every((time) => time !== undefined)
    ? times.reduce<number>((sum, time) => sum + time!, 0)
    : undefined;
}

/** Whether two times differ by more than two runs of the same code do. */
function differ(beforeNs: number, afterNs: number): boolean {
  return Math.abs(afterNs - beforeNs) > Math.max(changeNoise.clockNs, leastGain * Math.max(beforeNs, afterNs));
}

/** Whether both count all samples, or both those without an issue alone. */
export function haveLikeSamples(before: ProfiledKernel, after: ProfiledKernel): boolean {
  return (before.notIssued ?? false) === (after.notIssued ?? false);
}

/** For each later kernel the earlier one that it is: by name and signature, else the only two that share a name. */
export function matchingKernels(
  before: readonly ProfiledKernel[],
  after: readonly ProfiledKernel[],
): ReadonlyMap<ProfiledKernel, ProfiledKernel> {
  const found = new Map<ProfiledKernel, ProfiledKernel>();
  const left = new Set(before);
  const take = (kernel: ProfiledKernel, from: ProfiledKernel | undefined): void => {
    if (!from) return;
    found.set(kernel, from);
    left.delete(from);
  };
  // Kernels of two files can have one name, but not one symbol.
  for (const same of [
    (a: ProfiledKernel, b: ProfiledKernel) => a.name === b.name && a.mangledName === b.mangledName,
    (a: ProfiledKernel, b: ProfiledKernel) => a.name === b.name,
  ])
    for (const kernel of after)
      if (!found.has(kernel))
        take(
          kernel,
          [...left].find((from) => same(from, kernel)),
        );
  for (const kernel of after) {
    if (found.has(kernel)) continue;
    const from = [...left].filter(({ shortName }) => shortName === kernel.shortName);
    const rivals = after.filter((other) => !found.has(other) && other.shortName === kernel.shortName);
    if (from.length === 1 && rivals.length === 1) take(kernel, from[0]);
  }
  return found;
}

function kernelChange(before: ProfiledKernel, after: ProfiledKernel, lineNow: LineNow): KernelChange {
  const [durationBeforeNs, durationAfterNs] = [durationOf(before), durationOf(after)];
  const unmatched = new Map(after.lines.map((line) => [`${line.line}\n${line.file}`, line]));
  const pairs: LinePair[] = before.lines.map((line) => {
    const now = lineNow(line.file, line.line);
    const key = now && `${now.line}\n${now.file}`;
    const match = key === undefined ? undefined : unmatched.get(key);
    if (match) unmatched.delete(key!);
    // An edited line without code of this kernel is none of its.
    const at = match || !now?.edited ? now : undefined;
    return { before: line, ...(match && { after: match }), ...(at && { now: at.line, edited: at.edited ?? false }) };
  });
  for (const line of unmatched.values()) pairs.push({ after: line });
  const lines = pairs.map((pair) => lineChange(before, after, pair));
  const weight = ({ costNs, shareBefore = 0, shareAfter = 0, verdict }: LineChange): number =>
    verdict === 'same' ? -1 : Math.abs(costNs ?? shareAfter - shareBefore);
  lines.sort((a, b) => weight(b) - weight(a) || (a.line ?? a.lineBefore!) - (b.line ?? b.lineBefore!));
  return {
    before,
    after,
    ...(durationBeforeNs !== undefined && { durationBeforeNs }),
    ...(durationAfterNs !== undefined && { durationAfterNs }),
    durationChanged:
      durationBeforeNs !== undefined && durationAfterNs !== undefined && differ(durationBeforeNs, durationAfterNs),
    ...registersOf('registersBefore', before),
    ...registersOf('registersAfter', after),
    lines,
  };
}

function registersOf<K extends string>(key: K, kernel: ProfiledKernel): { readonly [name in K]?: number } {
  const registers = kernel.longest.values['launch__registers_per_thread'];
  return (registers === undefined ? {} : { [key]: registers }) as { readonly [name in K]?: number };
}

function durationOf({ durationNs, launches }: ProfiledKernel): number | undefined {
  return durationNs > 0 ? durationNs / launches : undefined;
}

interface LinePair {
  readonly before?: ProfiledLine;
  readonly after?: ProfiledLine;
  readonly now?: number;
  readonly edited?: boolean;
}

function lineChange(
  kernelBefore: ProfiledKernel,
  kernelAfter: ProfiledKernel,
  { before, after, now, edited = false }: LinePair,
): LineChange {
  const line = after?.line ?? now;
  const sides = [shareSide(kernelBefore, before), shareSide(kernelAfter, after)] as const;
  const isAlike = haveLikeSamples(kernelBefore, kernelAfter);
  const time = isAlike ? timeDifference(sides[0], sides[1], counters.samples) : undefined;
  const counts = countedMetrics.map((metric) => countChange(metric, sides[0], sides[1]));
  const known = counts.filter((count) => count.before > 0 || count.after > 0);
  return {
    file: (after ?? before)!.file,
    ...(line !== undefined && { line }),
    ...(before && { lineBefore: before.line }),
    edited,
    ...(before && { before }),
    ...(after && { after }),
    ...(time && { shareBefore: time.before, shareAfter: time.after }),
    ...(time?.costNs !== undefined && { costNs: time.costNs }),
    timeChanged: time?.changed ?? false,
    counts: known,
    reasons: isAlike ? reasonChanges(sides[0], sides[1]) : [],
    // Other code counts other things: of an edited line only its time tells better from worse.
    verdict: verdictOf(time, known, before !== undefined && after !== undefined && !edited),
  };
}

/** One report's side of a line: its values, and what they are shares of. */
interface Side {
  readonly kernel: ProfiledKernel;
  readonly values: Readonly<Record<string, number>>;
  readonly samples: number;
  readonly durationNs: number | undefined;
}

function shareSide(kernel: ProfiledKernel, line: ProfiledLine | undefined): Side {
  return {
    kernel,
    values: line?.values ?? {},
    samples: kernel.totals[counters.samples] ?? 0,
    durationNs: durationOf(kernel),
  };
}

interface TimeDifference {
  /** Shares of the kernel's samples. */
  readonly before: number;
  readonly after: number;
  readonly costNs?: number;
  readonly changed: boolean;
  /** Above 0 is worse. */
  readonly sign: number;
}

/**
 * The difference of what one counter of samples stands for, as time where both reports have times, else as a share.
 *
 * Samples are counts, so a share p of n samples has the standard error √(p (1 − p) / n), times what scheduling adds to
 * it from run to run
 * (`changeNoise.spread`); the time of a launch itself differs by `changeNoise.duration`. What exceeds both by
 * `changeNoise.errors`, and
 * `changeNoise.leastShare` of the kernel, changed.
 */
function timeDifference(before: Side, after: Side, counter: string): TimeDifference | undefined {
  if (before.samples <= 0 || after.samples <= 0) return undefined;
  const [from, to] = [part(before, counter), part(after, counter)];
  const timed = before.durationNs !== undefined && after.durationNs !== undefined;
  const [scaleBefore, scaleAfter] = timed ? [before.durationNs!, after.durationNs!] : [1, 1];
  const difference = to * scaleAfter - from * scaleBefore;
  const error = Math.hypot(
    scaleBefore * shareError(from, before.samples),
    scaleAfter * shareError(to, after.samples),
    timed ? changeNoise.duration * Math.max(from * scaleBefore, to * scaleAfter) : 0,
  );
  const changed =
    Math.abs(difference) > changeNoise.errors * error &&
    Math.abs(difference) >= changeNoise.leastShare * Math.max(scaleBefore, scaleAfter);
  return { before: from, after: to, changed, sign: Math.sign(difference), ...(timed && { costNs: difference }) };
}

function part(side: Side, counter: string): number {
  return Math.min(1, (side.values[counter] ?? 0) / side.samples);
}

function shareError(share: number, samples: number): number {
  // A line without a sample may have had one.
  const p = Math.min(Math.max(share, 1 / samples), 1 - 1 / (samples + 1));
  return Math.hypot(
    changeNoise.spread * Math.sqrt((p * (1 - p)) / samples),
    changeNoise.scheduling * Math.sqrt(p * (1 - p)),
  );
}

function countChange(metric: CountedMetric, before: Side, after: Side): CountChange {
  const counter = counters[metric];
  const [from, to] = [before, after].map(({ values, kernel }) => (values[counter] ?? 0) / kernel.launches) as [
    number,
    number,
  ];
  const total = Math.max(
    (before.kernel.totals[counter] ?? 0) / before.kernel.launches,
    (after.kernel.totals[counter] ?? 0) / after.kernel.launches,
  );
  const difference = Math.abs(to - from);
  const ideal =
    metric === 'sectors' ? counters.idealSectors : metric === 'wavefronts' ? counters.idealWavefronts : undefined;
  const ratio = ({ values }: Side): number | undefined =>
    ideal !== undefined && values[ideal]! > 0 ? (values[counter] ?? 0) / values[ideal]! : undefined;
  return {
    metric,
    before: from,
    after: to,
    ratioBefore: ratio(before),
    ratioAfter: ratio(after),
    changed: difference > changeNoise.count * Math.max(from, to) && difference >= changeNoise.leastShare * total,
  };
}

function reasonChanges(before: Side, after: Side): ReasonChange[] {
  const names = new Set([...reasonsOf(before.values), ...reasonsOf(after.values)].map(({ name }) => name));
  return [...names]
    .flatMap((name) => {
      const { ready, title } = stallReasonNamed(name);
      const difference = ready
        ? undefined
        : timeDifference(before, after, `smsp__pcsamp_warps_issue_stalled_${name.replaceAll(' ', '_')}`);
      return difference?.changed ? [{ name, title, before: difference.before, after: difference.after }] : [];
    })
    .sort((a, b) => Math.abs(b.after - b.before) - Math.abs(a.after - a.before));
}

/**
 * By the time where it changed, else by the counters that did; `changed` where they disagree, or the line is not the
 * same code in both.
 */
function verdictOf(time: TimeDifference | undefined, counts: readonly CountChange[], sameCode: boolean): ChangeVerdict {
  if (time?.changed) return time.sign > 0 ? 'worse' : 'better';
  if (!sameCode) return counts.some(({ changed }) => changed) ? 'changed' : 'same';
  const signs = new Set(counts.filter(({ changed }) => changed).map(({ before, after }) => Math.sign(after - before)));
  return signs.size === 0 ? 'same' : signs.size > 1 ? 'changed' : signs.has(1) ? 'worse' : 'better';
}

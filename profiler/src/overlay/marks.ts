// Turns counters of lines into what an editor shows: which lines are marked, how hot, and with which words.
import { amount, percent } from '../lines/amounts';
import { stallMetric, stallReason } from '../lines/sourceMetrics';
import { counters, type ProfiledKernel, type ProfiledLine } from './kernels';
import { stallReasonNamed, type StallReason } from './stallReasons';
import { hotPart, leastDivergence, leastRatio, leastShare } from './thresholds';

export type NamedMetric = 'samples' | 'sectors' | 'wavefronts' | 'divergence' | 'instructions';
/** `stall long scoreboard` is the samples of that one reason. */
export type OverlayMetric = NamedMetric | `stall ${string}`;

export const overlayMetrics: Readonly<Record<NamedMetric, { readonly title: string; readonly detail: string }>> = {
  samples: { title: 'stall samples', detail: 'share of the kernel, first stall reason' },
  sectors: { title: 'excess sectors', detail: 'global memory, compared with the ideal' },
  wavefronts: { title: 'excess wavefronts', detail: 'shared memory, compared with the ideal' },
  divergence: { title: 'divergent branches', detail: 'and active threads' },
  instructions: { title: 'instructions', detail: 'share of the instructions of the kernel' },
};

/** The name of a metric in a sentence. */
export function metricTitle(metric: OverlayMetric): string {
  const reason = reasonOf(metric);
  return reason === undefined
    ? overlayMetrics[metric as NamedMetric].title
    : `${stallReasonNamed(reason).title} stalls`;
}

/** Whether a text names a metric that lines can show. */
export function isOverlayMetric(text: string): text is OverlayMetric {
  return Object.hasOwn(overlayMetrics, text) || /^stall [a-z ]+$/.test(text);
}

function reasonOf(metric: OverlayMetric): string | undefined {
  return metric.startsWith('stall ') ? metric.slice('stall '.length) : undefined;
}

/** A line that is marked, in one kernel. */
export interface Mark {
  readonly kernel: ProfiledKernel;
  readonly line: ProfiledLine;
  /** 0 to 1, from cool to the hottest. */
  readonly heat: number;
  /** At most three characters for the gutter. */
  readonly cell: string;
  /** First words at the line's end: the figure. */
  readonly figure: string;
  /** The rest, the most important first. */
  readonly words: readonly string[];
  /** `flagged`: its memory accesses take more than their ideal. The last three are of a comparison. */
  readonly level: 'quiet' | 'hot' | 'flagged' | 'better' | 'worse' | 'changed';
  /** What it costs beside lines of other kernels; comparable within one metric. */
  readonly weight: number;
}

/** The marked lines of a kernel, heaviest first. */
export function marksOf(kernel: ProfiledKernel, metric: OverlayMetric): Mark[] {
  const marks = kernel.lines.flatMap((line) => markOf(kernel, line, metric) ?? []);
  const hottest = marks.reduce((most, { heat }) => Math.max(most, heat), 0);
  const relative = metric !== 'sectors' && metric !== 'wavefronts';
  return marks
    .map((mark) => {
      const heat = relative && hottest > 0 ? mark.heat / hottest : Math.min(1, mark.heat);
      return {
        ...mark,
        heat,
        level: mark.level === 'flagged' ? mark.level : heat >= hotPart ? ('hot' as const) : ('quiet' as const),
      };
    })
    .sort((a, b) => b.weight - a.weight || a.line.line - b.line.line);
}

/** The marked lines of all kernels, or of the one named, heaviest first. */
export function marksOfAll(kernels: readonly ProfiledKernel[], metric: OverlayMetric, named?: string): Mark[] {
  return kernels
    .filter(({ name }) => named === undefined || name === named)
    .flatMap((kernel) => marksOf(kernel, metric))
    .sort((a, b) => b.weight - a.weight);
}

/** The mark of a line; undefined where it costs too little for words. */
export function markOf(kernel: ProfiledKernel, line: ProfiledLine, metric: OverlayMetric): Mark | undefined {
  // Without times all kernels count alike.
  const time = kernel.durationNs || 1;
  const mark = (
    heat: number,
    cell: string,
    figure: string,
    words: readonly (string | undefined)[],
    weight: number,
    flagged = false,
  ): Mark => ({
    kernel,
    line,
    heat,
    cell,
    figure,
    words: words.filter((each) => each !== undefined),
    level: flagged ? 'flagged' : 'quiet',
    weight,
  });
  const reason = reasonOf(metric);
  if (reason !== undefined) {
    const waiting = line.values[stallMetric(reason)] ?? 0;
    const total = kernel.totals[counters.samples] ?? 0;
    const share = total > 0 ? waiting / total : 0;
    if (share < leastShare) return undefined;
    return mark(
      share,
      wholePercent(share),
      percent(share),
      [
        stallReasonNamed(reason).title,
        `${((100 * waiting) / (line.values[counters.samples] || waiting)).toFixed(0)} % of the line's samples`,
      ],
      share * time,
    );
  }
  switch (metric as NamedMetric) {
    case 'samples': {
      const share = shareOf(kernel, line, counters.samples);
      if (share < leastShare) return undefined;
      const excesses = excessesOf(kernel, line).map(({ ratio, what }) => `${ratioText(ratio)} ${what}`);
      return mark(
        share,
        wholePercent(share),
        percent(share),
        [...excesses, firstReason(line.values)],
        share * time,
        excesses.length > 0,
      );
    }
    case 'instructions': {
      const share = shareOf(kernel, line, counters.instructions);
      if (share < leastShare) return undefined;
      return mark(
        share,
        wholePercent(share),
        percent(share),
        [`${amount(line.values[counters.instructions]!)} instructions`, threadsText(line.values)],
        share * time,
      );
    }
    case 'divergence': {
      const share = shareOf(kernel, line, counters.divergent);
      if (share < leastShare) return undefined;
      const threads = activeThreadsOf(line.values);
      const branches = line.values[counters.divergent]!;
      // A single warp that parts once is a share of all that parted, and no cost.
      if (branches < leastDivergence * (line.values[counters.instructions] ?? 0)) return undefined;
      return mark(
        share,
        threads === undefined ? '' : threads.toFixed(0),
        amount(branches),
        [branches === 1 ? 'divergent branch' : 'divergent branches', threadsText(line.values)],
        branches,
      );
    }
    case 'sectors':
    case 'wavefronts': {
      const excess = excessesOf(kernel, line).find(({ what }) => what === metric);
      if (!excess) return undefined;
      const { ratio, actual, ideal } = excess;
      return mark(
        (ratio - 1) / 7,
        ratio < 9.95 ? ratio.toFixed(1).replace(/\.0$/, '') : String(Math.min(999, Math.round(ratio))),
        ratioText(ratio),
        [metric, `${amount(actual)}, ideal ${amount(ideal)}`],
        actual - ideal,
        true,
      );
    }
  }
}

export interface Excess {
  readonly what: 'sectors' | 'wavefronts';
  readonly actual: number;
  readonly ideal: number;
  readonly ratio: number;
}

/** Where a line's accesses take more than their ideal, by an amount that its kernel feels. */
export function excessesOf(kernel: ProfiledKernel, { values }: ProfiledLine): Excess[] {
  const of = (what: Excess['what'], name: string, idealName: string): Excess[] => {
    const actual = values[name] ?? 0;
    const ideal = values[idealName] ?? 0;
    if (ideal <= 0 || actual / ideal < leastRatio || actual - ideal < leastShare * (kernel.totals[name] ?? 0))
      return [];
    return [{ what, actual, ideal, ratio: actual / ideal }];
  };
  return [
    ...of('sectors', counters.sectors, counters.idealSectors),
    ...of('wavefronts', counters.wavefronts, counters.idealWavefronts),
  ];
}

/**
 * Share of a line of its kernel's total, 0 to 1. The total is the kernel's own: lines can add up to more, since
 * inlined code counts twice.
 */
export function shareOf(kernel: ProfiledKernel, line: ProfiledLine, counter: string): number {
  const total = kernel.totals[counter] ?? 0;
  return total > 0 ? Math.min(1, (line.values[counter] ?? 0) / total) : 0;
}

export interface ReasonShare {
  /** From `stallReason`. */
  readonly name: string;
  readonly samples: number;
  /** Of the samples with a reason, 0 to 1. */
  readonly share: number;
}

/** Reasons of the samples, most frequent first. */
export function reasonsOf(values: Readonly<Record<string, number>>): ReasonShare[] {
  const found = Object.entries(values).flatMap(([metric, samples]) => {
    const name = stallReason(metric);
    return name !== undefined && samples > 0 ? [{ name, samples }] : [];
  });
  const sum = found.reduce((total, { samples }) => total + samples, 0);
  return found.sort((a, b) => b.samples - a.samples).map((reason) => ({ ...reason, share: reason.samples / sum }));
}

/** Those for which warps could not issue; shares are of all samples. */
export function stallsOf(values: Readonly<Record<string, number>>): (ReasonShare & StallReason)[] {
  return reasonsOf(values)
    .map((reason) => ({ ...reason, ...stallReasonNamed(reason.name) }))
    .filter(({ ready }) => !ready);
}

/** Those of whole kernels. */
export function stallReasonsOf(kernels: readonly ProfiledKernel[], named?: string): ReturnType<typeof stallsOf> {
  const sums: Record<string, number> = {};
  for (const { name, lines } of kernels) {
    if (named !== undefined && name !== named) continue;
    // Totals of single reasons are not in every report; lines are.
    for (const { values } of lines)
      for (const { name: reason, samples } of reasonsOf(values))
        sums[stallMetric(reason)] = (sums[stallMetric(reason)] ?? 0) + samples;
  }
  return stallsOf(sums);
}

/** The most frequent reason among warps that could not issue. */
export function firstReason(values: Readonly<Record<string, number>>): string | undefined {
  return stallsOf(values)[0]?.title;
}

/** Threads that took part in an instruction on average, of 32; those that it was predicated off for do not count. */
export function threadsOf(values: Readonly<Record<string, number>>): number | undefined {
  return perInstruction(values, counters.threads);
}

/** Threads that had not left an instruction's way, of 32: fewer than all where branches diverged. */
export function activeThreadsOf(values: Readonly<Record<string, number>>): number | undefined {
  return perInstruction(values, counters.threadsExecuted) ?? threadsOf(values);
}

function perInstruction(values: Readonly<Record<string, number>>, counter: string): number | undefined {
  const instructions = values[counters.instructions] ?? 0;
  const threads = values[counter];
  return instructions > 0 && threads !== undefined ? threads / instructions : undefined;
}

function threadsText(values: Readonly<Record<string, number>>): string | undefined {
  const threads = activeThreadsOf(values);
  return threads === undefined ? undefined : `${threads.toFixed(0)} of 32 threads active`;
}

/** `32.0 of 32 threads each, 29.3 predicated on` */
export function threadsInWords(values: Readonly<Record<string, number>>): string {
  const active = activeThreadsOf(values)?.toFixed(1);
  const on = threadsOf(values)?.toFixed(1);
  return active === undefined
    ? ''
    : `, ${active} of 32 threads each${on === undefined || on === active ? '' : `, ${on} predicated on`}`;
}

function wholePercent(share: number): string {
  return (share * 100).toFixed(0);
}

export function ratioText(ratio: number): string {
  return `${ratio.toFixed(1)}×`;
}

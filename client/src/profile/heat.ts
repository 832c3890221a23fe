// Turns counters of lines into what the editor shows: which lines are marked, how hot, and with which words. Knows
// nothing of VS Code.
import { amount, duration, percent } from '../../../profiler/src/lines/amounts';
import { stallMetric, stallReason } from '../../../profiler/src/lines/sourceMetrics';
import { plainText } from './adviceText';
import { counters, type ProfiledKernel, type ProfiledLine } from './kernels';
import { stallReasonNamed } from './stallReasons';

export { amount, duration, percent };

export type NamedMetric = 'samples' | 'sectors' | 'wavefronts' | 'divergence' | 'instructions';
/** `stall long scoreboard` is the samples of that one reason. */
export type OverlayMetric = NamedMetric | `stall ${string}`;

export const overlayMetrics: Readonly<Record<NamedMetric, { readonly title: string; readonly detail: string }>> = {
  samples: { title: 'stall samples', detail: 'share of the kernel, first stall reason' },
  sectors: { title: 'excess sectors', detail: 'global memory against ideal' },
  wavefronts: { title: 'excess wavefronts', detail: 'shared memory against ideal' },
  divergence: { title: 'divergent branches', detail: 'and the threads that were active' },
  instructions: { title: 'instructions', detail: 'share of those that the kernel executed' },
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
  readonly words: string;
  /** How many of the words' characters say what exceeds its ideal: they come first, in the warning colour. */
  readonly loud: number;
  /** `flagged`: its memory accesses take more than their ideal. */
  readonly level: 'quiet' | 'hot' | 'flagged';
  /** What it costs beside lines of other kernels; comparable within one metric. */
  readonly weight: number;
}

/** Lines below this share of their kernel are not marked: below it sampling is noise, and the editor stays calm. */
export const leastShare = 0.01;
/** From this ratio to the ideal on an access is said to exceed it. */
export const leastRatio = 1.05;
/** Divergent branches for each instruction of the line from which on they are worth a word. */
const leastDivergence = 0.001;
/** Lines from this part of the hottest one's share are drawn warm. */
const hotPart = 0.3;

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

function markOf(kernel: ProfiledKernel, line: ProfiledLine, metric: OverlayMetric): Mark | undefined {
  // Without times all kernels count alike.
  const time = kernel.durationNs || 1;
  const mark = (
    heat: number,
    cell: string,
    figure: string,
    words: readonly (string | undefined)[],
    weight: number,
    loud = 0,
  ): Mark => ({
    kernel,
    line,
    heat,
    cell,
    figure,
    words: words.filter(Boolean).join('  '),
    loud,
    level: loud > 0 ? 'flagged' : 'quiet',
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
        `${((100 * waiting) / (line.values[counters.samples] || waiting)).toFixed(0)}% of the line's samples`,
      ],
      share * time,
    );
  }
  switch (metric as NamedMetric) {
    case 'samples': {
      const share = shareOf(kernel, line, counters.samples);
      if (share < leastShare) return undefined;
      const excesses = excessesOf(kernel, line)
        .map(({ ratio, what }) => `${ratioText(ratio)} ${what}`)
        .join('  ');
      return mark(
        share,
        wholePercent(share),
        percent(share),
        [excesses, firstReason(line.values)],
        share * time,
        excesses.length,
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
        [`${metric}  ${amount(actual)}, ideal ${amount(ideal)}`],
        actual - ideal,
        metric.length,
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
 * Share of a line of its kernel's total, 0 to 1. The total is the kernel's own: lines can add up to more, since inlined
 * code counts twice.
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

/** The reasons of whole kernels for which warps could not issue, most frequent first; shares are of all samples. */
export function stallReasonsOf(
  kernels: readonly ProfiledKernel[],
  named?: string,
): (ReasonShare & { readonly title: string; readonly meaning: string })[] {
  const sums: Record<string, number> = {};
  for (const { name, lines } of kernels) {
    if (named !== undefined && name !== named) continue;
    // Totals of single reasons are not in every report; lines are.
    for (const { values } of lines)
      for (const { name: reason, samples } of reasonsOf(values))
        sums[stallMetric(reason)] = (sums[stallMetric(reason)] ?? 0) + samples;
  }
  return reasonsOf(sums)
    .map((reason) => ({ ...reason, ...stallReasonNamed(reason.name) }))
    .filter(({ ready }) => !ready);
}

/** The most frequent reason among warps that could not issue. */
export function firstReason(values: Readonly<Record<string, number>>): string | undefined {
  const first = reasonsOf(values)
    .map(({ name }) => stallReasonNamed(name))
    .find(({ ready }) => !ready);
  return first?.title;
}

/** Threads that took part in an instruction on average, of 32; those that it was predicated off for do not count. */
export function threadsOf(values: Readonly<Record<string, number>>): number | undefined {
  return perInstruction(values, counters.threads);
}

/** Threads that had not left an instruction's way, of 32: fewer than all where branches diverged. */
function activeThreadsOf(values: Readonly<Record<string, number>>): number | undefined {
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
function threadsInWords(values: Readonly<Record<string, number>>): string {
  const active = activeThreadsOf(values)?.toFixed(1);
  const on = threadsOf(values)?.toFixed(1);
  return active === undefined
    ? ''
    : `, ${active} of 32 threads each${on === undefined || on === active ? '' : `, ${on} predicated on`}`;
}

/** How far right the words of a file stand: behind its longest marked line, unless that is very long. */
export function wordColumn(lengths: readonly number[]): number {
  return (
    Math.min(
      96,
      lengths.reduce((most, length) => (length <= 96 ? Math.max(most, length) : most), 0),
    ) + 3
  );
}

/** Columns that a text takes with its tabs. */
export function visualLength(text: string, tabSize: number): number {
  let column = 0;
  for (const character of text) column += character === '\t' ? tabSize - (column % tabSize) : 1;
  return column;
}

/** Spaces that an editor's decoration does not fold, and figures that stand under each other. */
export function unfolded(text: string): string {
  return text.replaceAll(' ', '\u00a0');
}

/** `55.2%`, padded to the width of `100.0%`. */
export function paddedFigure(figure: string): string {
  return figure.padStart(6, '\u2007');
}

function wholePercent(share: number): string {
  return (share * 100).toFixed(0);
}

function ratioText(ratio: number): string {
  return `${ratio.toFixed(1)}×`;
}

/**
 * A square for the gutter: filled by heat, with its number. `contrast` adds an outline. Editors give icons no theme
 * variables, so colours are fixed.
 */
export function gutterCell(
  label: string,
  heat: number,
  theme: 'dark' | 'light',
  contrast: boolean,
  stale = false,
): string {
  const hue = stale ? '#808080' : theme === 'dark' ? '#d18616' : '#d9730d';
  const ink = stale
    ? theme === 'dark'
      ? '#a0a0a0'
      : '#606060'
    : theme === 'dark'
      ? heat > 0.8
        ? '#1b1206'
        : heat > 0.3
          ? '#f6e6cf'
          : '#d9b78f'
      : heat > 0.3
        ? '#2b1600'
        : '#6b3a05';
  const fill = stale ? 0.13 : Math.min(1, 0.13 + 0.77 * heat + (contrast ? 0.1 : 0));
  const stroke = contrast ? ` stroke='${theme === 'dark' ? '#ffa94d' : '#8a3f00'}'` : '';
  const size = label.length > 2 ? 8.5 : 10.5;
  return (
    `<svg xmlns='http://www.w3.org/2000/svg' width='20' height='19'><rect x='.5' y='2' width='16' ` +
    `height='15' rx='2.5' fill='${hue}' fill-opacity='${fill.toFixed(2)}'${stroke}/>` +
    `<text x='8.5' y='13.3' font-family='sans-serif' font-size='${size}'${heat > 0.8 && !stale ? " font-weight='bold'" : ''} ` +
    `text-anchor='middle' fill='${ink}'>${label}</text></svg>`
  );
}

/** A bar for the tree, as wide as its share. */
export function treeBar(part: number, theme: 'dark' | 'light'): string {
  return (
    `<svg xmlns='http://www.w3.org/2000/svg' width='16' height='16'><rect y='5' width='16' height='6' ` +
    `fill='#808080' fill-opacity='.25'/><rect y='5' width='${Math.max(1, 16 * part).toFixed(1)}' height='6' ` +
    `fill='${theme === 'dark' ? '#d18616' : '#b5651d'}'/></svg>`
  );
}

/** The hover of a line in Markdown, for each kernel that it was measured in, the costliest first. */
export function hoverText(
  measured: readonly { readonly kernel: ProfiledKernel; readonly line: ProfiledLine }[],
  report: string,
  stale: boolean,
  verdicts: readonly { readonly rule: string; readonly text: string }[] = [],
): string {
  const parts = measured
    .filter(({ line }) => (line.values[counters.samples] ?? 0) > 0 || (line.values[counters.instructions] ?? 0) > 0)
    .sort(
      (a, b) =>
        shareOf(b.kernel, b.line, counters.samples) * (b.kernel.durationNs || 1) -
        shareOf(a.kernel, a.line, counters.samples) * (a.kernel.durationNs || 1),
    )
    .slice(0, 3)
    .map(({ kernel, line }, at) => lineText(kernel, line, at === 0));
  if (parts.length === 0) return '';
  const said = [
    ...new Map(
      verdicts.map(({ rule, text }) => [
        rule + text,
        `${escaped(text).replace(/^([^:]+):/, '**$1:**')} *${escaped(rule)}*`,
      ]),
    ).values(),
  ].slice(0, 2);
  return [
    ...said,
    stale ? '*This line has changed since it was profiled.*' : '',
    ...parts,
    `<small>${escaped(report)}</small>`,
  ]
    .filter(Boolean)
    .join('\n\n');
}

const mostReasons = 3;
const mostNames = 5;
const longestMarker = 160;

/** @param advised whether NVIDIA's words on the line are added */
function lineText(kernel: ProfiledKernel, line: ProfiledLine, advised: boolean): string {
  const { values } = line;
  const samples = values[counters.samples] ?? 0;
  const total = kernel.totals[counters.samples] ?? 0;
  const title =
    total > 0
      ? `**${percent(shareOf(kernel, line, counters.samples))}** of ${code(kernel.shortName)}'s stall samples, ` +
        `${amount(samples)} of ${amount(total)}`
      : `In ${code(kernel.shortName)}, which was not sampled`;
  const reasons = reasonsOf(values);
  const stalls = reasons.filter(({ name }) => !stallReasonNamed(name).ready);
  // A table of HTML: one of Markdown wants a head, which is a row and comes out bold.
  const row = (share: number, reason: string, words: string): string =>
    `<tr><td align="right">${(share * 100).toFixed(0)}%&nbsp;</td><td>${reason}&nbsp;</td><td>${words}</td></tr>`;
  const rows = stalls.slice(0, mostReasons).map(({ name, share }, at) => {
    const { title: reason, meaning, helps } = stallReasonNamed(name);
    const title = htmlText(reason).replaceAll(' ', '&nbsp;');
    return row(
      share,
      at === 0 ? `<b>${title}</b>` : title,
      `${htmlText(meaning)}${helps && share >= 0.25 ? `; <i>helps:</i> ${htmlText(helps)}` : ''}`,
    );
  });
  const rest = stalls.slice(mostReasons).reduce((sum, { share }) => sum + share, 0);
  if (rest >= 0.005) rows.push(row(rest, 'others', ''));
  const ready = reasons.filter(({ name }) => stallReasonNamed(name).ready).reduce((sum, { share }) => sum + share, 0);
  if (ready >= 0.005) rows.push(row(ready, 'no&nbsp;stall', 'issued, or was ready while another warp did'));
  const table = rows.length > 0 ? `<table>${rows.join('')}</table>` : '';
  const against = (name: string, idealName: string, what: string): string | undefined => {
    const actual = values[name] ?? 0;
    const ideal = values[idealName] ?? 0;
    if (actual === 0 || ideal === 0) return undefined;
    const ratio = actual / ideal;
    return ratio >= leastRatio
      ? `${what} ${amount(actual)}, **${ratioText(ratio)} ideal** (${amount(ideal)})`
      : `${what} ${amount(actual)}, as few as can be`;
  };
  const facts = [
    against(counters.sectors, counters.idealSectors, 'L2 sectors'),
    against(counters.wavefronts, counters.idealWavefronts, 'shared wavefronts'),
    values[counters.localSectors]
      ? `${amount(values[counters.localSectors]!)} sectors of local memory (spills or indexed arrays)`
      : undefined,
    values[counters.divergent] ? `${amount(values[counters.divergent]!)} divergent branches` : undefined,
    values[counters.instructions]
      ? `${amount(values[counters.instructions]!)} instructions${threadsInWords(values)}`
      : undefined,
    codeText(line),
  ];
  const markers = advised
    ? markersOn(kernel, line)
        .slice(0, 2)
        .map(
          (text) =>
            '*NVIDIA:* ' +
            `${escaped(text.length > longestMarker ? `${text.slice(0, longestMarker).replace(/\s+\S*$/, '')} …` : text)}`,
        )
    : [];
  // The editor cuts hovers off after some ten rows: what is shortest and most telling comes first.
  return [title, facts.filter(Boolean).join(' · '), table, ...markers].filter(Boolean).join('\n\n');
}

/** The line's code: `12 instructions in its code: 8 LDS, 4 FFMA; accesses of 128 bits a thread`. */
function codeText({ kinds, instructions }: ProfiledLine): string | undefined {
  const sizes = Object.keys(kinds?.['memory_access_size_type'] ?? {}).sort((x, y) => Number(x) - Number(y));
  const accesses = sizes.length > 0 ? `accesses of ${sizes.map(escaped).join(' and ')} bits a thread` : '';
  const named = Object.entries(instructions ?? {}).sort(
    ([x, first], [y, second]) => second - first || x.localeCompare(y),
  );
  const spaces = Object.entries(kinds?.['memory_type'] ?? {}).map(
    ([space, count]) => `${count} ${escaped(space.toLowerCase())}`,
  );
  // Without the machine code, what ncu says of its memory instructions.
  if (named.length === 0) return spaces.length > 0 ? `in its code ${spaces.join(' and ')} ${accesses}` : undefined;
  const total = named.reduce((sum, [, count]) => sum + count, 0);
  const shown = named.slice(0, mostNames).map(([name, count]) => `${count} ${name}`);
  return `its code: ${shown.join(', ')}${named.length > mostNames ? `, … (${total} in all)` : ''}${accesses ? `; ${accesses}` : ''}`;
}

/** What NVIDIA's rules say on a line, each once. */
function markersOn({ advice }: ProfiledKernel, { file, line }: ProfiledLine): string[] {
  return [
    ...new Set(
      advice.flatMap(({ markers }) =>
        markers
          .filter(({ at, tooltip }) => tooltip !== '' && at.some((place) => place.file === file && place.line === line))
          .map(({ tooltip }) => plainText(tooltip).replace(/\s+/g, ' ').trim()),
      ),
    ),
  ];
}

function code(text: string): string {
  // A line of its own would end the code, and what is behind it would be read as Markdown.
  return `\`${text.replaceAll('`', '').replace(/\s+/g, ' ').trim() || ' '}\``;
}

function htmlText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

function escaped(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\`*_{}[\]()#+\-.!|<>]/g, '\\$&');
}

// The hover of a measured line in Markdown: what it costs, why its warps waited, and what helps. The other figures are
// on a page behind a link.
import { amount, percent } from '../lines/amounts';
import { nameOf } from '../lines/sourceMapping';
import { counters } from './kernels';
import { code, costliestFirst, escaped, type MeasuredLine } from './lineFigures';
import { fillerOf } from './queues';
import { excessesOf, ratioText, reasonsOf, shareOf } from './marks';
import { verdictOn } from './reportPage';
import { stallReasonNamed } from './stallReasons';
import { leastRatio } from './thresholds';

export interface HoverOptions {
  /** The line, or what it depends on, has changed since. */
  readonly stale?: boolean;
  /** Of the findings on the line that the editor does not show itself. */
  readonly verdicts?: readonly { readonly rule: string; readonly state: string; readonly text: string }[];
  /** Texts that the editor shows in the same hover: no figure of theirs is repeated. */
  readonly shown?: readonly string[];
  readonly lineNow?: (file: string, line: number) => number | undefined;
  /** What changed on the line since another report, a paragraph each. */
  readonly difference?: readonly string[];
  /** Opens the page of all figures. */
  readonly link?: string;
}

/** The hover of a line in Markdown, for each kernel that it was measured in, the costliest first. */
export function hoverText(measured: readonly MeasuredLine[], report: string, options: HoverOptions = {}): string {
  const { stale = false, verdicts = [], difference = [], link } = options;
  const parts = costliestFirst(measured)
    .slice(0, mostKernels)
    .flatMap((one) => lineText(one, options));
  if (parts.length === 0) return '';
  const confirmed = [...new Set(verdicts.flatMap(({ state, rule }) => (state === 'confirmed' ? [rule] : [])))];
  const others = new Set(
    verdicts.flatMap(({ state, rule, text }) =>
      state === 'confirmed' ? [] : [`${escaped(text).replace(/^([^:]+):/, '**$1:**')} *${escaped(rule)}*`],
    ),
  );
  return [
    ...difference.map(escaped),
    ...parts,
    confirmed.length > 0 ? `**Confirmed:** ${confirmed.map((rule) => `*${escaped(rule)}*`).join(', ')}` : '',
    ...[...others].slice(0, 2),
    stale
      ? '*This line, or what it depends on, has changed since it was profiled.* ' +
        '[Profile again](command:warplens.profile.runAgain)'
      : '',
    `${link === undefined ? '' : `[All figures of this line](${link}) · `}${escaped(report)}`,
  ]
    .filter(Boolean)
    .join('\n\n');
}

/** General advice is about CUDA: OpenACC has none of it to write. */
const isCuda = /\.(?:cuh?|h\w*|inl)$/i;
const mostKernels = 3;
const mostReasons = 3;

/** What and how much; why; what to do. */
function lineText({ kernel, line }: MeasuredLine, options: HoverOptions): string[] {
  const { shown = [], verdicts = [], lineNow = (_file, at) => at } = options;
  const sampled = (kernel.totals[counters.samples] ?? 0) > 0;
  const excesses = excessesOf(kernel, line)
    .filter(({ ratio }) => !shown.some((text) => text.includes(ratioText(ratio))))
    .map(
      ({ what, ratio }) =>
        `**${ratioText(ratio)}** the ideal ${what === 'sectors' ? 'L2 sectors' : 'shared wavefronts'}`,
    );
  const title = [
    sampled
      ? `**${percent(shareOf(kernel, line, counters.samples))}** of ${code(kernel.shortName)}'s stall samples`
      : `In ${code(kernel.shortName)}, which was not sampled`,
    ...excesses,
    line.values[counters.localSectors]
      ? `**${amount(line.values[counters.localSectors]!)}** sectors of local memory`
      : '',
  ];
  const stalls = reasonsOf(line.values).filter(({ name }) => !stallReasonNamed(name).ready);
  const [first] = stalls.map(({ name }) => stallReasonNamed(name));
  const shares = stalls.slice(0, mostReasons).map(({ name, share }, at) => {
    const reason = `${escaped(stallReasonNamed(name).title)} ${(share * 100).toFixed(0)} %`;
    return at === 0 ? `**${reason}**` : reason;
  });
  const filler = fillerOf(kernel, line);
  const fillerNow = filler && lineNow(filler.line.file, filler.line.line);
  const why = [
    shares.length === 0 ? '' : `Waits: ${shares.join(', ')}.`,
    first?.meaning
      ? `${escaped(first.title[0]!.toUpperCase() + first.title.slice(1))}: ${escaped(first.meaning)}.`
      : '',
    filler && fillerNow !== undefined
      ? `The queue is filled mainly by **line ${fillerNow}**` +
        `${filler.line.file === line.file ? '' : ` of ${escaped(nameOf(filler.line.file))}`}: ` +
        `${percent(filler.share)} of the ${filler.what}` +
        `${filler.ratio >= leastRatio ? `, ${ratioText(filler.ratio)} ideal` : ''}.`
      : '',
  ];
  // A finding here, the line that causes it, and the roof that is reached say more than general words do.
  const isExplained = shown.length > 0 || verdicts.length > 0 || filler !== undefined;
  const [roof] = /^(?:near the|memory bound|compute bound).*/.exec(verdictOn(kernel.figures) ?? '') ?? [];
  const general = first?.helps && isCuda.test(line.file) ? `**Helps:** ${escaped(first.helps)}.` : '';
  const help = roof ? `**Limit:** ${escaped(roof)}` : general;
  return [title.filter(Boolean).join(' · '), why.filter(Boolean).join(' '), isExplained ? '' : help];
}

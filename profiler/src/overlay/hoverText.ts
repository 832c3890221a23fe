// The hover of a measured line in Markdown: what it costs, why its warps waited, and what helps. The other figures are
// on a page behind a link.
import { amount } from '../lines/amounts';
import { codeWords, mostRegisters } from '../lines/instructionNames';
import { counters } from './kernels';
import { code, costliestFirst, escaped, type MeasuredLine } from './lineFigures';
import { excessesOf, markOf, ratioText } from './marks';
import { asProfiled, changedSince, piecesOf, waitsOf, type AgeOf } from './measurement';
import { verdictOn } from './reportPage';

export interface HoverOptions {
  /** Of the findings on the line that the editor does not show itself. */
  readonly verdicts?: readonly { readonly rule: string; readonly state: string; readonly text: string }[];
  /** Texts that the editor shows in the same hover: no figure of theirs is repeated. */
  readonly shown?: readonly string[];
  readonly ageOf?: AgeOf;
  /** What changed on the line since another report, a paragraph each. */
  readonly difference?: readonly string[];
  /** Opens the page of all figures. */
  readonly link?: string;
}

/** The hover of a line in Markdown, for each kernel that it was measured in, the costliest first. */
export function hoverText(measured: readonly MeasuredLine[], report: string, options: HoverOptions = {}): string {
  const { verdicts = [], difference = [], link } = options;
  const parts = costliestFirst(measured)
    .slice(0, mostKernels)
    .flatMap((one) => lineText(one, options));
  if (parts.length + difference.length === 0) return '';
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
    parts.some((part) => part.endsWith(changedSince)) ? '[Profile again](command:warplens.profile.runAgain)' : '',
    `${link === undefined ? '' : `[All figures of this line](${link}) · `}${escaped(report)}`,
  ]
    .filter(Boolean)
    .join('\n\n');
}

const mostKernels = 3;

/** What and how much; why; what to do. Of what changed since only what it was: the rest is of other code. */
function lineText({ kernel, line }: MeasuredLine, options: HoverOptions): string[] {
  const { shown = [], verdicts = [], ageOf = asProfiled } = options;
  const { stale } = ageOf(kernel, line);
  const mark = markOf(kernel, line, 'samples');
  const sampled = (kernel.totals[counters.samples] ?? 0) > 0;
  // Below the share from which a line is marked its few samples say nothing.
  if (sampled && !mark) return [];
  const [figure, age] = mark ? piecesOf(mark, stale) : [];
  const waits = waitsOf(kernel, line, ageOf);
  const excesses = excessesOf(kernel, line)
    .filter(({ ratio }) => !shown.some((text) => text.includes(ratioText(ratio))))
    .map(({ ratio, what }) => `**${ratioText(ratio)}** ${what}`);
  const title = [
    figure
      ? `**${figure}** of ${code(kernel.shortName)}'s stall samples`
      : `In ${code(kernel.shortName)}, which was not sampled`,
    ...excesses,
    line.values[counters.localSectors]
      ? `**${amount(line.values[counters.localSectors]!)}** sectors of local memory`
      : '',
    ...codeWords(line, mostRegisters(kernel.lines)),
  ];
  if (stale) return [`${title.filter(Boolean).join(' · ')}, ${age ?? changedSince}`];
  // A finding here, the line that causes it, and the roof that is reached say more than general words do.
  const isExplained = shown.length > 0 || verdicts.length > 0 || waits?.filledBy !== undefined;
  const [roof] = /^(?:near the|memory bound|compute bound).*/.exec(verdictOn(kernel.figures) ?? '') ?? [];
  const help = roof ? `**Limit:** ${escaped(roof)}` : waits?.helps ? `**Helps:** ${escaped(waits.helps)}.` : '';
  return [title.filter(Boolean).join(' · '), escaped(waits?.sentences ?? ''), isExplained ? '' : help];
}

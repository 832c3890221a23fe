// The hover of a measured line in Markdown: its share, why its warps waited and what helps, and its memory accesses
// against ideal.
import { amount, percent } from '../lines/amounts';
import { nameOf } from '../lines/sourceMapping';
import { plainText } from './adviceText';
import { counters, type ProfiledKernel, type ProfiledLine } from './kernels';
import { fillerOf } from './queues';
import { ratioText, reasonsOf, shareOf, threadsInWords } from './marks';
import { stallReasonNamed } from './stallReasons';
import { leastRatio } from './thresholds';

/**
 * The hover of a line in Markdown, for each kernel that it was measured in, the costliest first. `difference` is what
 * changed on it since another report, a paragraph each.
 */
export function hoverText(
  measured: readonly { readonly kernel: ProfiledKernel; readonly line: ProfiledLine }[],
  report: string,
  stale: boolean,
  verdicts: readonly { readonly rule: string; readonly text: string }[] = [],
  lineNow: (file: string, line: number) => number | undefined = (_file, line) => line,
  difference: readonly string[] = [],
): string {
  const parts = measured
    .filter(({ line }) => (line.values[counters.samples] ?? 0) > 0 || (line.values[counters.instructions] ?? 0) > 0)
    .sort(
      (a, b) =>
        shareOf(b.kernel, b.line, counters.samples) * (b.kernel.durationNs || 1) -
        shareOf(a.kernel, a.line, counters.samples) * (a.kernel.durationNs || 1),
    )
    .slice(0, 3)
    .map(({ kernel, line }, at) => lineText(kernel, line, at === 0, lineNow));
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
    ...difference.map(escaped),
    ...said,
    stale
      ? '*This line, or what it depends on, has changed since it was profiled.* ' +
        '[Profile again](command:warplens.profile.runAgain)'
      : '',
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
function lineText(
  kernel: ProfiledKernel,
  line: ProfiledLine,
  advised: boolean,
  lineNow: (file: string, line: number) => number | undefined,
): string {
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
    `<tr><td align="right">${(share * 100).toFixed(0)}&nbsp;%&nbsp;</td><td>${reason}&nbsp;</td><td>${words}</td></tr>`;
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
  if (ready >= 0.005) rows.push(row(ready, 'no&nbsp;stall', 'issued, or was ready while another warp issued'));
  const table = rows.length > 0 ? `<table>${rows.join('')}</table>` : '';
  const against = (name: string, idealName: string, what: string): string | undefined => {
    const actual = values[name] ?? 0;
    const ideal = values[idealName] ?? 0;
    if (actual === 0 || ideal === 0) return undefined;
    const ratio = actual / ideal;
    return ratio >= leastRatio
      ? `${what} ${amount(actual)}, **${ratioText(ratio)} ideal** (${amount(ideal)})`
      : `${what} ${amount(actual)}, the ideal`;
  };
  const filler = fillerOf(kernel, line);
  const fillerNow = filler && lineNow(filler.line.file, filler.line.line);
  const facts = [
    filler && fillerNow !== undefined
      ? `the queue is filled mainly by **line ` +
        `${fillerNow}**${filler.line.file === line.file ? '' : ` of ${escaped(nameOf(filler.line.file))}`}: ` +
        `${percent(filler.share)} of the ` +
        `${filler.what}${filler.ratio >= leastRatio ? `, ${ratioText(filler.ratio)} ideal` : ''}`
      : undefined,
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
        .map((text) => `*NVIDIA:* ${escaped(shortened(text))}`)
    : [];
  // The editor cuts hovers off after some ten rows: what is shortest and most telling comes first.
  return [title, facts.filter(Boolean).join(' · '), table, ...markers].filter(Boolean).join('\n\n');
}

/** The line's code: `12 instructions in its code: 8 LDS, 4 FFMA; accesses of 128 bits a thread`. */
function codeText({ kinds, instructions }: ProfiledLine): string | undefined {
  const sizes = Object.keys(kinds?.['memory_access_size_type'] ?? {}).sort((x, y) => Number(x) - Number(y));
  const accesses = sizes.length > 0 ? `accesses of ${sizes.map(escaped).join(' and ')} bits per thread` : '';
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
  return (
    `its code: ${shown.join(', ')}${named.length > mostNames ? `, … (${total} in all)` : ''}` +
    `${accesses ? `; ${accesses}` : ''}`
  );
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
  // A separate line would end the code, and the text after it would be read as Markdown.
  return `\`${text.replaceAll('`', '').replace(/\s+/g, ' ').trim() || ' '}\``;
}

function htmlText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

function escaped(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\`*_{}[\]()#+\-.!|<>]/g, '\\$&');
}

function shortened(text: string): string {
  return text.length > longestMarker ? `${text.slice(0, longestMarker).replace(/\s+\S*$/, '')} …` : text;
}

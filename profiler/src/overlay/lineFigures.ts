// The page of a measured line in Markdown: all reasons for which its warps waited, its accesses against their ideal,
// its code, and what NVIDIA's rules say.
import { amount, percent } from '../lines/amounts';
import { localAccesses } from '../lines/instructionNames';
import { plainText } from './adviceText';
import { counters, type ProfiledKernel, type ProfiledLine } from './kernels';
import { ratioText, reasonsOf, shareOf, threadsInWords } from './marks';
import { asProfiled, helpOf, piecesOf, type AgeOf } from './measurement';
import { stallReasonNamed } from './stallReasons';
import { leastRatio } from './thresholds';

const mostNames = 5;

export interface MeasuredLine {
  readonly kernel: ProfiledKernel;
  readonly line: ProfiledLine;
}

/** Those with samples or instructions. */
export function costliestFirst(measured: readonly MeasuredLine[]): MeasuredLine[] {
  return measured
    .filter(({ line }) => (line.values[counters.samples] ?? 0) > 0 || (line.values[counters.instructions] ?? 0) > 0)
    .sort((a, b) => costOf(b) - costOf(a));
}

const costOf = ({ kernel, line }: MeasuredLine): number =>
  shareOf(kernel, line, counters.samples) * (kernel.durationNs || 1);

/** @param place the line, as the user knows it */
export function lineFigures(
  measured: readonly MeasuredLine[],
  place: string,
  report: string,
  ageOf: AgeOf = asProfiled,
): string {
  return [
    `# ${escaped(place)}`,
    ...costliestFirst(measured).flatMap((one) => figuresIn(one, ageOf)),
    escaped(report),
    '',
  ].join('\n\n');
}

function figuresIn({ kernel, line }: MeasuredLine, ageOf: AgeOf): string[] {
  const { values } = line;
  const share = { figure: percent(shareOf(kernel, line, counters.samples)), words: [] };
  const [figure, ...age] = piecesOf(share, ageOf(kernel, line).stale);
  const rows = reasonsOf(values).map(({ name, share, samples }) => {
    const reason = stallReasonNamed(name);
    const words = [reason.title, reason.meaning, helpOf(reason, line)];
    return `| ${percent(share)} | ${amount(samples)} | ${words.map(escaped).join(' | ')} |`;
  });
  const table = ['| Share | Samples | Reason | Meaning | What helps |', '| --: | --: | :-- | :-- | :-- |', ...rows];
  const against = (name: string, idealName: string, what: string): string | undefined => {
    const actual = values[name] ?? 0;
    const ideal = values[idealName] ?? 0;
    if (actual === 0 || ideal === 0) return undefined;
    const isIdeal = actual / ideal < leastRatio;
    const against = isIdeal ? 'the ideal' : `**${ratioText(actual / ideal)} ideal** (${amount(ideal)})`;
    return `${what} ${amount(actual)}, ${against}`;
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
    ...markersOn(kernel, line).map((text) => `NVIDIA: ${escaped(text)}`),
  ].filter((fact) => fact !== undefined);
  return [
    `## ${code(kernel.shortName)}`,
    `${figure} of its stall samples, ` +
      [`${amount(values[counters.samples] ?? 0)} of ${amount(kernel.totals[counters.samples] ?? 0)}`, ...age].join(
        ', ',
      ),
    facts.map((fact) => `- ${fact}`).join('\n'),
    rows.length > 0 ? table.join('\n') : '',
  ].filter(Boolean);
}

/** The line's code: `12 instructions in its code: 8 LDS, 4 FFMA; accesses of 128 bits a thread`. */
function codeText({ kinds, instructions, registers }: ProfiledLine): string | undefined {
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
  const local = localAccesses(instructions);
  return (
    `its code: ${shown.join(', ')}${named.length > mostNames ? `, … (${total} in all)` : ''}` +
    `${accesses ? `; ${accesses}` : ''}${local ? `; ${local} (spills or indexed arrays)` : ''}` +
    `${registers === undefined ? '' : `; ${registers} live registers at most`}`
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

/** As code of Markdown, in one line. */
export function code(text: string): string {
  // A separate line would end the code, and the text after it would be read as Markdown.
  return `\`${text.replaceAll('`', '').replace(/\s+/g, ' ').trim() || ' '}\``;
}

/** As text of Markdown, in one line. */
export function escaped(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\`*_{}[\]()#+\-.!|<>]/g, '\\$&');
}

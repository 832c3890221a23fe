// Findings as a compiler prints them: place, severity, message, and the line with a caret below it.
import { severities, type ResolvedFinding } from '../../server/src/lint/finding';
import { styleText } from 'node:util';
import { lineTable, type LineTable } from '../../server/src/syntax/lines';
import { witnessOf } from './compilerWitness';
import { type CheckedFile, headsOf } from './checkedFile';
import type { PlacedFinding } from './order';
import { type placeFinder, pathOf } from './analysis';
import { displayPath, type Place } from './source';
import { cleanLine, cleanName } from './terminalText';

const colours = { error: 'red', warning: 'yellow', information: 'cyan', hint: 'gray' } as const;
const longestLine = 160;

export function textOf(
  findings: readonly PlacedFinding[],
  placeOf: ReturnType<typeof placeFinder>,
  colour: boolean,
): string {
  const style = (format: Parameters<typeof styleText>[0], text: string): string =>
    colour ? styleText(format, text, { validateStream: false }) : text;
  const tables = new Map<CheckedFile, LineTable>();
  return findings
    .map(({ file, finding }) => {
      const table = tables.get(file) ?? lineTable(file.text);
      tables.set(file, table);
      const place = placeOf(finding.at)!;
      const verdict = witnessOf(finding);
      const { start, end } = table.lineSpan(place.line - 1);
      const lines = [
        `${style('bold', `${cleanName(displayPath(file.path))}:${place.line}:${place.column}:`)} ` +
          `${style(colours[finding.severity], `${finding.severity}:`)} ${cleanName(finding.text)} ` +
          `${style('gray', `[${finding.rule}]`)}`,
        ...frame(cleanLine(file.text.slice(start, end)), place, (text) => style(colours[finding.severity], text)),
        ...(verdict ? [style('gray', `  ${cleanName(verdict.text)}`)] : []),
        ...placeLines(finding, placeOf).map((line) => style('gray', line)),
        ...relatedLines(finding, placeOf).map((line) => style('gray', line)),
        ...(finding.verdict?.sentences ?? []).map((sentence) => `  ${style('green', cleanName(sentence))}`),
      ];
      return `${lines.join('\n')}\n`;
    })
    .join('\n')
    .replace(/\n$/, '');
}

/** The line and its caret; tabs keep their width because the caret line repeats them. */
function frame(line: string, place: Place, style: (text: string) => string): string[] {
  const gutter = String(place.line).padStart(5);
  if (line.length > longestLine) return [`${gutter} | ${line.slice(0, longestLine)}…`];
  const blank = line.slice(0, place.column - 1).replace(/[^\t]/g, ' ');
  const width = Math.max(
    1,
    (place.endLine === place.line ? place.endColumn : line.trimEnd().length + 1) - place.column,
  );
  return [`${gutter} | ${line}`, `      | ${blank}${style(`^${'~'.repeat(width - 1)}`)}`];
}

const mostPlaces = 12;

/** The lines of the finding's other places, all of one file. */
function placeLines({ places = [] }: ResolvedFinding, placeOf: ReturnType<typeof placeFinder>): string[] {
  const lines = [...new Set(places.flatMap(({ at }) => placeOf(at)?.line ?? []))];
  if (lines.length === 0) return [];
  const more = lines.length > mostPlaces ? `, and ${lines.length - mostPlaces} more` : '';
  return [
    `  note: the same at ${lines.length === 1 ? 'line' : 'lines'} ${lines.slice(0, mostPlaces).join(', ')}${more}`,
  ];
}

function relatedLines(finding: ResolvedFinding, placeOf: ReturnType<typeof placeFinder>): string[] {
  return finding.related.slice(0, 4).map((reason) => {
    const place = placeOf(reason.at);
    return (
      '  note: ' +
      `${cleanName(displayPath(pathOf(reason.at.uri)))}${place ? `:${place.line}:${place.column}` : ''}: ` +
      `${cleanName(reason.text)}`
    );
  });
}

/** How often each rule has findings, the most frequent first, with its gravest severity and how many have a fix. */
export function statisticsOf(files: readonly CheckedFile[], format: string): string {
  const all = files.flatMap(headsOf);
  const rows = [...new Set(all.map(({ rule }) => rule))].map((rule) => {
    const own = all.filter((finding) => finding.rule === rule);
    const severity = severities.findLast((each) => own.some((finding) => finding.severity === each))!;
    return { rule, count: own.length, severity, fixable: own.filter(({ fixes }) => fixes.length > 0).length };
  });
  rows.sort((a, b) => b.count - a.count || (a.rule < b.rule ? -1 : 1));
  if (format === 'json') return JSON.stringify(rows, null, 2);
  return rows
    .map(({ rule, count, severity, fixable }) => {
      const fixes = fixable > 0 ? `  (${fixable} with a fix)` : '';
      return `${String(count).padStart(6)}  ${severity.padEnd(11)}  ${rule}${fixes}`;
    })
    .join('\n');
}

// Findings as a compiler prints them: place, severity, message, and the line with a caret below it.
import { styleText } from 'node:util';
import { lineTable } from '../../server/src/syntax/lines';
import type { ResolvedFinding } from '../../server/src/lint/finding';
import type { CheckedFile } from './checkedFile';
import type { placeFinder } from './analysis';
import { pathOf } from './analysis';
import { displayPath, type Place } from './source';
import { cleanLine, cleanName } from './terminalText';

const colours = { error: 'red', warning: 'yellow', information: 'cyan', hint: 'gray' } as const;
const longestLine = 160;

export function textOf(
  files: readonly CheckedFile[],
  placeOf: ReturnType<typeof placeFinder>,
  colour: boolean,
): string {
  const style = (format: Parameters<typeof styleText>[0], text: string): string =>
    colour ? styleText(format, text, { validateStream: false }) : text;
  return files
    .flatMap((file) => {
      const table = lineTable(file.text);
      return file.findings.map((finding) => {
        const place = placeOf(finding.at)!;
        const { start, end } = table.lineSpan(place.line - 1);
        const lines = [
          `${style('bold', `${cleanName(displayPath(file.path))}:${place.line}:${place.column}:`)} ${style(colours[finding.severity], `${finding.severity}:`)} ${cleanName(finding.text)} ${style('gray', `[${finding.rule}]`)}`,
          ...frame(cleanLine(file.text.slice(start, end)), place, (text) => style(colours[finding.severity], text)),
          ...relatedLines(finding, placeOf).map((line) => style('gray', line)),
          ...finding.fixes.map((fix) => `  ${style('green', `fix (${fix.applicability}):`)} ${cleanName(fix.title)}`),
        ];
        return `${lines.join('\n')}\n`;
      });
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

function relatedLines(finding: ResolvedFinding, placeOf: ReturnType<typeof placeFinder>): string[] {
  return finding.related.slice(0, 4).map((reason) => {
    const place = placeOf(reason.at);
    return `  note: ${cleanName(displayPath(pathOf(reason.at.uri)))}${place ? `:${place.line}:${place.column}` : ''}: ${cleanName(reason.text)}`;
  });
}

// The PTX of a kernel, where a report holds it: code that the driver compiled when the program ran.
import type { SourceLine } from '../../../protocol/src/lineMetrics';
import { foldPath } from '../report/lineProgram';
import type { Launch, Report } from '../report/report';

export interface PtxLine {
  readonly text: string;
  /** By the `.loc` directive in front of it: the inlined line first, then the sites of its calls. */
  readonly lines: readonly SourceLine[];
}

/** More text than a kernel's PTX has. */
const mostLines = 200_000;

/** The body of a launch's kernel; undefined where the report has no PTX of it. */
export async function ptxOfKernel(report: Report, launch: Launch): Promise<PtxLine[] | undefined> {
  for (const reference of launch.cubins) {
    const text = await report.intermediate(reference);
    const found = text === undefined ? undefined : ptxOf(text, launch.mangledName);
    if (found) return found;
  }
  return undefined;
}

/** The lines of one function of a PTX module; undefined where the text is none, or has no such function. */
export function ptxOf(text: string, symbol: string): PtxLine[] | undefined {
  if (symbol === '' || !/^\s*\.version\s/m.test(text.slice(0, 4096))) return undefined;
  const files = new Map(
    [...text.matchAll(/^\s*\.file\s+(\d+)\s+"([^"\n]*)"/gm)].map(([, number, path]) => [number!, foldPath(path!)]),
  );
  const lines = text.split(/\r?\n/);
  const named = new RegExp(
    `\\.(?:entry|func)\\b.*?(?:^|[\\s)])${symbol.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}\\s*(?:\\(|$)`,
  );
  const first = lines.findIndex((line) => named.test(line));
  if (first < 0) return undefined;
  const found: PtxLine[] = [];
  let at: readonly SourceLine[] = [];
  /** By place, the sites that code inlined there has above it. */
  const sites = new Map<string, readonly SourceLine[]>();
  let depth = 0;
  let opened = false;
  for (const line of lines.slice(first, first + mostLines)) {
    const place = /^\s*\.loc\s+((\d+)\s+(\d+)\s+\d+)(?:.*\binlined_at\s+((\d+)\s+(\d+)\s+\d+))?/.exec(line);
    if (place) {
      const lineIn = (file: string | undefined, number: string | undefined): SourceLine[] => {
        const path = file === undefined ? undefined : files.get(file);
        return path !== undefined && number !== '0' ? [{ file: path, line: Number(number) }] : [];
      };
      const above = place[4] === undefined ? [] : [...lineIn(place[5], place[6]), ...(sites.get(place[4]) ?? [])];
      sites.set(place[1]!, above);
      at = [...lineIn(place[2], place[3]), ...above];
      continue;
    }
    if (line.trim() !== '') found.push({ text: line.trimEnd(), lines: opened ? at : [] });
    for (const character of line) {
      if (character === '{') {
        depth++;
        opened = true;
      } else if (character === '}') depth--;
    }
    // A declaration without a body ends with a semicolon.
    if (opened ? depth <= 0 : line.trim().endsWith(';')) return opened ? found : undefined;
  }
  return found;
}

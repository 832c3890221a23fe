// Reads what nvc, nvc++, nvfortran and their PGI forebears print for `-Minfo=accel`, as it came, indented as in a book,
// wrapped, or without its indentation.
import type { CompilerRemark } from './remark';
import { isSource, sourcesCompiled, terminalCodes, type CompilerLog, type LoggedRemark } from './log';
import { beginsSentence, isKnown, readSentence } from './sentences';

/** A sentence with all that its surroundings say of it; `text` grows while wrapped lines are joined. */
interface Gathered {
  readonly line: number;
  text: string;
  joined: number;
  readonly where: Omit<LoggedRemark, 'remark'>;
}

/**
 * Columns from the heading to the comma behind a line number: of a message, and of one inside an included file's block.
 * A nested schedule stands four further right.
 */
const messageColumn = 7;
const includedColumns: ReadonlySet<number> = new Set([12, 16]);
const mostJoined = 8;

/**
 * Remarks of a log, in its order, those about code for the host left out. Schedules of code for the host's cores stay
 * as sentences without `schedule`. Lines that are no such message are passed over; never throws.
 */
export function readMinfo(text: string): CompilerLog {
  const lines = text.split(/\r?\n|\r/).map(plain);
  const sources = new Set<string>();
  const gathered: Gathered[] = [];
  let compiled: readonly string[] | undefined;
  let file: string | undefined;
  let unit: string | undefined;
  let heading = 0;
  let base = 0;
  let included: { readonly file: string; readonly ends: boolean } | undefined;
  let last: Gathered | undefined;

  const begin = (line: number, sentence: string, inFile: string | undefined): void => {
    last = {
      line,
      text: sentence,
      joined: 0,
      where: {
        ...(inFile ? { file: inFile } : {}),
        ...(unit === undefined ? {} : { unit, heading }),
        ...(compiled ? { compiled } : {}),
      },
    };
    gathered.push(last);
  };
  const close = (): void => {
    unit = undefined;
    included = undefined;
    last = undefined;
  };

  lines.forEach((line, index) => {
    if (line.trim() === '') return;
    const command = sourcesCompiled(line);
    if (command) {
      close();
      compiled = command;
      file = undefined;
      for (const source of command) sources.add(source);
      return;
    }
    if (last && last.joined < mostJoined && open(last.text) && !/^\S.*:\s*$/.test(line)) {
      join(last, line.trim());
      return;
    }
    const message = /^(\s*)(\d+),(?:\s+(.*)|\s*)$/.exec(line);
    if (message && message[3] !== undefined && (unit !== undefined || isKnown(message[3]))) {
      const number = Number(message[2]);
      const sentence = message[3].trim();
      const column = message[1]!.length + message[2]!.length - base;
      const include = /^include "(.+)"$/.exec(sentence);
      if (include) {
        included = { file: include[1]!, ends: column === messageColumn };
        last = undefined;
        return;
      }
      if (included?.ends && !includedColumns.has(column)) included = undefined;
      begin(number, sentence, included?.file ?? file);
      return;
    }
    const failed = /^NV\S+-[A-Z]-\d+-(.+) \(([^()]+): (\d+)\)$/.exec(line);
    if (failed && /accelerator/i.test(failed[1]!)) {
      close();
      begin(Number(failed[3]), failed[1]!, failed[2]!);
      last = undefined;
      return;
    }
    if (/^\s*\d+ inform,\s+\d+ warnings/.test(line)) {
      close();
      return;
    }
    const title = headingOf(line, lines, index);
    if (title !== undefined) {
      included = undefined;
      last = undefined;
      base = line.length - line.trimStart().length;
      if (isSource(title)) {
        file = title;
        unit = undefined;
        sources.add(title);
      } else {
        unit = title;
        heading++;
      }
      return;
    }
    const sentence = line.trim();
    if (last && (/^\s/.test(line) || isKnown(sentence))) {
      if (beginsSentence(sentence) || last.joined >= mostJoined) begin(last.line, sentence, last.where.file);
      else join(last, sentence);
      return;
    }
    close();
  });

  return { remarks: finish(gathered), sources: [...sources] };
}

function join(last: Gathered, rest: string): void {
  last.text = `${last.text}${/[([,]$/.test(last.text) ? '' : ' '}${rest}`;
  last.joined++;
}

/** An opening parenthesis waits for its end: the line was wrapped inside a list. */
function open(text: string): boolean {
  return text.split('(').length > text.split(')').length;
}

/** Colours, quote marks of mails and the times that build services put before each line. */
function plain(line: string): string {
  return line
    .replace(terminalCodes, '')
    .replace(/^(?:\d{4}-\d\d-\d\dT[\d:.]+Z |\[\d\d:\d\d:\d\d\] |> )/, '')
    .replace(/\t/g, '        ')
    .trimEnd();
}

/** `name:`, when a message or another heading follows: many other lines of a build log end in a colon. */
function headingOf(line: string, lines: readonly string[], index: number): string | undefined {
  const match = /^\s*(\S.*):$/.exec(line);
  if (!match || /: In (?:function|program|subroutine|member)|^In file included|^\s*(?:from|make)\b/.test(line))
    return undefined;
  for (let next = index + 1; next < Math.min(lines.length, index + 4); next++) {
    if (lines[next]!.trim() === '') continue;
    if (/^\s*\d+,\s/.test(lines[next]!)) return match[1]!;
    return isSource(match[1]!) && /^\s*\S.*:$/.test(lines[next]!) ? match[1]! : undefined;
  }
  return undefined;
}

function finish(gathered: readonly Gathered[]): LoggedRemark[] {
  const remarks: LoggedRemark[] = [];
  let forGpu = true;
  let under: number | undefined;
  const said = new Set<string>();
  for (const { line, text, where } of gathered) {
    const { file, heading } = where;
    if (heading !== under) {
      forGpu = true;
      under = heading;
    }
    const sentence = readSentence(text);
    if (sentence.forGpu !== undefined) forGpu = sentence.forGpu;
    if (sentence.kind === 'host') continue;
    const key = `${heading ?? ''} ${file ?? ''} ${line} ${text}`;
    // One kernel is reported for each architecture it is built for.
    if (said.has(key)) continue;
    said.add(key);
    const remark: CompilerRemark = {
      compiler: 'nvhpc',
      line,
      text: text.replace(/\s+/g, ' ').trim(),
      kind: sentence.kind,
      ...(sentence.schedule && forGpu ? { schedule: sentence.schedule } : {}),
    };
    remarks.push({ remark, ...where });
  }
  return remarks;
}

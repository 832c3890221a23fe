// Carries line numbers of the profiled source over to a text that has been edited since.
import { diffArrays } from 'diff';

/** Where the lines of one text went in another. */
export interface LineCarry {
  /**
   * The line (from 1) that a profiled line is now; undefined where it was changed or removed: its numbers are stale.
   */
  lineNow(line: number): number | undefined;
  /**
   * The line (from 1) that replaced a changed profiled line; undefined if the line is still there or was not replaced.
   */
  insteadOf(line: number): number | undefined;
  /** How many of the profiled lines that say something (no lone brackets, no includes) are still there, from 0 to 1. */
  readonly kept: number;
  /** True where both texts are the same, line by line. */
  readonly unchanged: boolean;
}

/** A comparison that takes longer than this counts everything between equal ends as changed. */
const longestComparisonMs = 500;

/**
 * Matches the lines of the profiled text with those of the current one by a shortest edit script. Indentation and line
 * ends do not count: code that was only moved to the side is the same code.
 */
export function carryLines(profiled: string, current: string): LineCarry {
  const before = linesOf(profiled);
  const after = linesOf(current);
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head++;
  let tail = 0;
  while (
    tail < before.length - head &&
    tail < after.length - head &&
    before[before.length - 1 - tail] === after[after.length - 1 - tail]
  )
    tail++;
  const unchanged = head === before.length && head === after.length;
  const now = new Int32Array(before.length + 1);
  const instead = new Int32Array(before.length + 1);
  for (let line = 1; line <= head; line++) now[line] = line;
  for (let back = 0; back < tail; back++) now[before.length - back] = after.length - back;
  if (!unchanged) {
    const changes = diffArrays(before.slice(head, before.length - tail), after.slice(head, after.length - tail), {
      timeout: longestComparisonMs,
    });
    let from = head;
    let to = head;
    // Lines removed and lines added in one place: the first stands for the first, and so on.
    let gone = head;
    let come = head;
    const pair = (): void => {
      for (let index = 0; gone + index < from && come + index < to; index++)
        instead[gone + index + 1] = come + index + 1;
    };
    for (const { added, removed, count } of changes ?? []) {
      if (!added && !removed) {
        pair();
        for (let index = 0; index < count; index++) now[from + index + 1] = to + index + 1;
      }
      if (!added) from += count;
      if (!removed) to += count;
      if (!added && !removed) {
        gone = from;
        come = to;
      }
    }
    pair();
  }
  let filled = 0;
  let kept = 0;
  before.forEach((text, index) => {
    if (!saysSomething(text)) return;
    filled++;
    if (now[index + 1]! > 0) kept++;
  });
  const known = (lines: Int32Array, line: number): number | undefined =>
    Number.isInteger(line) && line >= 1 && line < lines.length && lines[line]! > 0 ? lines[line] : undefined;
  return {
    unchanged,
    kept: filled === 0 ? 1 : kept / filled,
    lineNow: (line) => known(now, line),
    insteadOf: (line) => known(instead, line),
  };
}

/**
 * Tells of lines `from` to `to` (from 1) of a text whether their code is another than in the profiled one: lines that
 * changed, came or went.
 * Blank lines and comments of a line are no code. `lineOf` gives the profiled line of a current one, as
 * `carryLines(current, profiled)` does.
 */
export function codeChanges(
  current: string,
  profiled: string,
  lineOf: (line: number) => number | undefined,
): (from: number, to: number) => boolean {
  const now = linesOf(current);
  const then = linesOf(profiled);
  const isCode = (text: string | undefined): boolean => text !== undefined && text !== '' && !text.startsWith('//');
  return (from, to) => {
    let last: number | undefined;
    for (let line = from; line <= Math.min(to, now.length); line++) {
      const was = lineOf(line);
      if (was === undefined) {
        if (isCode(now[line - 1])) return true;
        continue;
      }
      for (let gone = (last ?? was - 1) + 1; gone < was; gone++) if (isCode(then[gone - 1])) return true;
      last = was;
    }
    return false;
  };
}

/** Brackets, `else` and includes are in every program: equal ones do not show that two texts are the same. */
function saysSomething(line: string): boolean {
  return /\w\W*\w\W*\w/.test(
    line.replace(/^(?:#\s*include\b.*|\W*(?:else|return(?: 0)?;|#\s*(?:endif|else))\W*)$/, ''),
  );
}

/** Where a profiled line is in another text, worked out when first asked; `stale` if another line replaced it. */
export function linesNow(
  profiled: string,
  current: string,
): (line: number) => { readonly line: number; readonly stale: boolean } | undefined {
  let carry: LineCarry | undefined;
  return (line) => {
    carry ??= carryLines(profiled, current);
    const now = carry.lineNow(line);
    if (now !== undefined) return { line: now, stale: false };
    const instead = carry.insteadOf(line);
    return instead === undefined ? undefined : { line: instead, stale: true };
  };
}

function linesOf(text: string): string[] {
  return text.split('\n').map((line) => line.trim());
}

// Keeps measured lines on their code while the text is edited: moves them with edits, and says which have changed.
import { carryLines } from '../lines/carryOver';
import { dependentLines } from '../lines/dependents';

export interface PlacedLine {
  /** Line of the profiled text, from 1. */
  readonly profiled: number;
  /** Line of the current text, from 1. */
  readonly at: number;
  /** The line is no longer what was profiled. */
  readonly stale: boolean;
}

/** An edit as editors tell it; lines and characters from 0, before the edit. */
export interface TextChange {
  readonly startLine: number;
  readonly startCharacter: number;
  readonly endLine: number;
  readonly text: string;
}

/** A line that shares this part of its words with the profiled one is that line, changed. */
const likeness = 0.4;

/**
 * Finds profiled lines in a text. A line that is not there any more is stale on the line that it became: the one where
 * `before` had it, or one of those that replaced it, the most similar one. If neither is similar (a fix has written
 * something else there), it is omitted.
 */
export function placeLines(
  profiled: string,
  current: string,
  lines: readonly number[],
  before: readonly PlacedLine[] = [],
): PlacedLine[] {
  const { lineNow, insteadOf } = carryLines(profiled, current);
  const then = profiled.split('\n');
  const now = current.split('\n');
  const placed = new Map<number, PlacedLine>();
  const taken = new Set<number>();
  for (const line of lines) {
    const at = lineNow(line);
    if (at === undefined) continue;
    placed.set(line, { profiled: line, at, stale: false });
    taken.add(at);
  }
  const wasAt = new Map(before.map((line) => [line.profiled, line.at]));
  const candidates = lines
    .filter((line) => !placed.has(line))
    .flatMap((line) =>
      [...new Set([wasAt.get(line), insteadOf(line), ...between(line, then.length, now.length, lineNow)])].flatMap(
        (at) =>
          at === undefined || at < 1 || at > now.length || taken.has(at)
            ? []
            : [{ line, at, alike: alike(then[line - 1] ?? '', now[at - 1]!) }],
      ),
    )
    .filter(({ alike: part }) => part >= likeness)
    .sort((a, b) => b.alike - a.alike);
  for (const { line, at } of candidates) {
    if (placed.has(line) || taken.has(at)) continue;
    placed.set(line, { profiled: line, at, stale: true });
    taken.add(at);
  }
  return [...placed.values()];
}

/** As `placeLines`; a line whose loop, addresses or launch changed is stale as well: what was measured is old. */
export function placeMeasured(
  profiled: string,
  current: string,
  lines: readonly number[],
  before: readonly PlacedLine[] = [],
): PlacedLine[] {
  const old = dependentLines(profiled, current);
  return placeLines(profiled, current, lines, before).map((line) =>
    line.stale || !old.has(line.at) ? line : { ...line, stale: true },
  );
}

/** More lines than this in one place are a rewritten part, in which nothing is looked for. */
const longestPlace = 60;

/** The lines of the current text between the unchanged ones around a profiled line. */
function between(
  line: number,
  last: number,
  lastNow: number,
  lineNow: (line: number) => number | undefined,
): readonly number[] {
  let from = 0;
  for (let above = line - 1; above >= Math.max(1, line - longestPlace) && from === 0; above--)
    from = lineNow(above) ?? 0;
  if (from === 0 && line > longestPlace) return [];
  let to: number | undefined;
  for (let below = line + 1; below <= Math.min(last, line + longestPlace) && to === undefined; below++)
    to = lineNow(below);
  to ??= last - line <= longestPlace ? lastNow + 1 : from;
  return to - from - 1 > longestPlace
    ? []
    : Array.from({ length: Math.max(0, to - from - 1) }, (_, at) => from + 1 + at);
}

/** The part of the words of two lines that both have, 0 to 1 (Dice's coefficient). */
function alike(a: string, b: string): number {
  // Brackets and semicolons are in every line.
  const words = (line: string): string[] => line.match(/\w+/g) ?? line.match(/\S/g) ?? [];
  const left = words(a);
  const right = words(b);
  if (left.length + right.length === 0) return 0;
  const counts = new Map<string, number>();
  for (const word of left) counts.set(word, (counts.get(word) ?? 0) + 1);
  let both = 0;
  for (const word of right) {
    const count = counts.get(word) ?? 0;
    if (count === 0) continue;
    counts.set(word, count - 1);
    both++;
  }
  return (2 * both) / (left.length + right.length);
}

/** Where lines go with an edit, before it is known which of them it changed. Lines that it removes are left out. */
export function moveLines(
  placed: readonly PlacedLine[],
  { startLine, startCharacter, endLine, text }: TextChange,
): PlacedLine[] {
  const added = text.split('\n').length - 1;
  const delta = added - (endLine - startLine);
  return placed.flatMap((line) => {
    const at = line.at - 1;
    if (at < startLine) return [line];
    if (at > endLine) return [{ ...line, at: line.at + delta }];
    if (at === startLine) {
      // Text after an insertion at the beginning of a line is pushed down with it.
      return startCharacter === 0 && endLine === startLine ? [{ ...line, at: line.at + delta }] : [line];
    }
    return at === endLine ? [{ ...line, at: line.at + delta }] : [];
  });
}

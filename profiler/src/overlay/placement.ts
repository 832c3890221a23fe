// Keeps measured lines on their code while the text is edited: moves them with edits, and says which have changed.
import { carryLines } from '../lines/carryOver';

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

/** Finds profiled lines in a text. A line that is not there any more stays where `before` had it, else on the line that stands instead, stale; without a place it is left out. */
export function placeLines(
  profiled: string,
  current: string,
  lines: readonly number[],
  before: readonly PlacedLine[] = [],
): PlacedLine[] {
  const { lineNow, insteadOf } = carryLines(profiled, current);
  const count = current.split('\n').length;
  const placed = new Map<number, PlacedLine>();
  const taken = new Set<number>();
  for (const line of lines) {
    const at = lineNow(line);
    if (at === undefined) continue;
    placed.set(line, { profiled: line, at, stale: false });
    taken.add(at);
  }
  for (const { profiled: line, at } of before) {
    if (placed.has(line) || taken.has(at) || at < 1 || at > count) continue;
    placed.set(line, { profiled: line, at, stale: true });
    taken.add(at);
  }
  for (const line of lines) {
    const at = placed.has(line) ? undefined : insteadOf(line);
    if (at === undefined || taken.has(at)) continue;
    placed.set(line, { profiled: line, at, stale: true });
    taken.add(at);
  }
  return [...placed.values()];
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
      // What stands behind an insertion at the beginning of a line is pushed down with it.
      return startCharacter === 0 && endLine === startLine ? [{ ...line, at: line.at + delta }] : [line];
    }
    return at === endLine ? [{ ...line, at: line.at + delta }] : [];
  });
}

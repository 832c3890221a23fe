// Comments that silence findings: `// warplens-ignore-line cuda/rule: reason`, `…-next-line`, `…-file`; in Fortran
// `! …`.
import { commentsOf, directiveLinesAround, nextCodeLine } from '../syntax/comments';
import { lineTable, type LineTable } from '../syntax/lines';

export interface Suppression {
  readonly scope: 'line' | 'next-line' | 'file';
  /** Rules it names, with the place of each id; empty means every rule. */
  readonly rules: readonly { readonly id: string; readonly start: number; readonly end: number }[];
  readonly reason: string;
  /** The whole comment. */
  readonly start: number;
  readonly end: number;
  /** The line it silences (0-based); absent for the whole file. */
  readonly line?: number | undefined;
  /**
   * The lines it silences, both counted, where that line belongs to a directive of several: no comment can stand
   * between those.
   */
  readonly directive?: { readonly first: number; readonly last: number } | undefined;
}

const marker = /warplens-ignore-(line|next-line|file)\b/;

/** The suppression comments of a text, in order. A text without any costs one search. Never throws. */
export function findSuppressions(
  text: string,
  table: LineTable = lineTable(text),
  fortran?: 'free' | 'fixed',
): readonly Suppression[] {
  if (!text.includes('warplens-ignore-')) return [];
  const found: Suppression[] = [];
  for (const comment of commentsOf(text, table, fortran)) {
    const body = text.slice(comment.start, comment.end);
    const match = marker.exec(body);
    if (!match) continue;
    const scope = match[1] as Suppression['scope'];
    const line = table.positionAt(comment.end).line;
    const listStart = comment.start + match.index + match[0].length;
    const rest = text
      .slice(listStart, comment.end)
      .replace(/\*\/$/, '')
      .split(/[\r\n]/, 1)[0]!;
    const colon = /:(?!:)/.exec(rest);
    const list = colon ? rest.slice(0, colon.index) : rest;
    const rules = [...list.matchAll(/[^\s,]+/g)].map((word) => ({
      id: word[0],
      start: listStart + word.index,
      end: listStart + word.index + word[0].length,
    }));
    const silenced =
      scope === 'file' ? undefined : scope === 'line' ? line : nextCodeLine(text, table, line + 1, fortran);
    const directive = silenced === undefined ? undefined : directiveLinesAround(text, table, silenced, fortran);
    found.push({
      scope,
      rules,
      start: comment.start,
      end: comment.end,
      reason: colon ? rest.slice(colon.index + 1).trim() : '',
      line: silenced,
      ...(directive ? { directive } : {}),
    });
  }
  return found;
}

// Comments of Fortran that say how often a loop runs, and lines that the grammar could not read.
import type { Place, TripAnnotation } from '../procedures';
import type { RawTree } from '../tree';
import type { FortranSource } from './source';

export function annotationsOf(source: FortranSource, text: string): TripAnnotation[] {
  const found: TripAnnotation[] = [];
  let line = 0;
  let counted = 0;
  const lineOf = (offset: number): number => {
    for (; counted < offset; counted++) if (text.charCodeAt(counted) === 10) line++;
    return line;
  };
  for (const comment of source.comments) {
    const match = /^.\s*warplens:\s*trip\s*(<=|==?)?\s*(\d{1,9})\b/i.exec(text.slice(comment.start, comment.end));
    if (!match) continue;
    const own = lineOf(comment.start);
    found.push({
      start: comment.start,
      end: comment.end,
      atMost: Number.parseInt(match[2]!, 10),
      exact: match[1] !== '<=',
      line: comment.alone ? own + linesToCode(text, comment.end, source.fixedForm) : own,
    });
  }
  return found;
}

/** How many lines below the line that ends at `end` the next code or directive stands. */
function linesToCode(text: string, end: number, fixedForm: boolean): number {
  const lines = text.slice(end, end + 4000).split(/\r?\n/);
  for (let down = 1; down < lines.length; down++) {
    const own = lines[down]!;
    if (own.trim() === '' || own.startsWith('#')) continue;
    const comment = fixedForm
      ? /^[c*!d]|^\s*!/i.test(own) && !/^[c*!]\$acc/i.test(own)
      : /^\s*!/.test(own) && !/^\s*!\$acc/i.test(own);
    if (!comment) return down;
  }
  return 1;
}

export function errorsOf(tree: RawTree, length: number): Place[] {
  const errors = tree.errors.length > 0 ? tree.errors : tree.hasError ? [tree.root] : [];
  const places: Place[] = [];
  for (const { start, end } of errors) {
    const last = places.at(-1);
    const place = { start: Math.min(start, length), end: Math.min(end, length) };
    if (!last || place.start < last.start || place.end > last.end) places.push(place);
  }
  return places;
}

export function lineStart(text: string, offset: number): number {
  let at = offset;
  while (at > 0 && text.charCodeAt(at - 1) !== 10) at--;
  return at;
}

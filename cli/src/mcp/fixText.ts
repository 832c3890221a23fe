// A fix as an agent applies it: its edits by line and column, and the same as a unified diff.
import { readFileSync } from 'node:fs';
import type { Fix } from '../../../server/src/rules/rule';
import { decodeText } from '../../../server/src/workspace/fileSystem';
import { applyEdits } from '../../../server/src/workspace/edits';
import { pathOf } from '../analysis';
import { placesIn } from '../source';

const context = 3;

/** The edits, and the same as a diff. `shown` gives the name of a file. */
export function fixTexts(
  { edits }: Fix,
  shown: (path: string) => string,
): { readonly edits: string; readonly diff: string } {
  const files = [...new Set(edits.map(({ at }) => at.uri))].map((uri) => {
    const path = pathOf(uri);
    const text = decodeText(readFileSync(path)) ?? '';
    const own = edits.filter(({ at }) => at.uri === uri).sort((a, b) => a.at.start - b.at.start);
    const places = placesIn(text);
    return {
      edits: own.map(({ at, newText }) => {
        const { line, column, endLine, endColumn } = places(at);
        return `edit ${shown(path)} ${line}:${column}-${endLine}:${endColumn} ${JSON.stringify(newText)}`;
      }),
      diff: [`--- a/${shown(path)}`, `+++ b/${shown(path)}`, ...hunks(text, applyEdits(text, own, uri) ?? text)],
    };
  });
  return {
    edits: files.flatMap((file) => file.edits).join('\n'),
    diff: files.flatMap(({ diff }) => diff).join('\n'),
  };
}

/** One hunk from the first changed line to the last: a diff that `git apply` and `patch` take. */
export function hunks(before: string, after: string): string[] {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  let [first, oldEnd, freshEnd] = [0, old.length, fresh.length];
  while (first < oldEnd && first < freshEnd && old[first] === fresh[first]) first++;
  while (oldEnd > first && freshEnd > first && old[oldEnd - 1] === fresh[freshEnd - 1]) {
    oldEnd--;
    freshEnd--;
  }
  if (first === oldEnd && first === freshEnd) return [];
  const start = Math.max(0, first - context);
  const end = Math.min(old.length, oldEnd + context);
  const grown = freshEnd - oldEnd;
  return [
    `@@ -${start + 1},${end - start} +${start + 1},${end - start + grown} @@`,
    ...old.slice(start, first).map((line) => shownLine(' ', line)),
    ...old.slice(first, oldEnd).map((line) => shownLine('-', line)),
    ...fresh.slice(first, freshEnd).map((line) => shownLine('+', line)),
    ...old.slice(oldEnd, end).map((line) => shownLine(' ', line)),
  ];
}

/** With their line breaks. */
function linesOf(text: string): string[] {
  return text === '' ? [] : text.split(/(?<=\n)/);
}

function shownLine(mark: string, line: string): string {
  return line.endsWith('\n') ? `${mark}${line.slice(0, -1)}` : `${mark}${line}\n\\ No newline at end of file`;
}

// A fix as an agent applies it: its edits by line and column, and the same as a unified diff.
import { readFileSync } from 'node:fs';
import type { Fix } from '../../../server/src/rules/rule';
import { decodeText } from '../../../server/src/workspace/fileSystem';
import { applyEdits } from '../../../server/src/workspace/edits';
import { pathOf } from '../analysis';
import { patchOf } from '../patch';
import { placesIn } from '../source';

/** The edits, and the same as a diff. `shown` gives the name of a file. */
export function fixTexts(
  { edits }: Fix,
  shown: (path: string) => string,
): { readonly edits: { readonly text: string; readonly list: readonly object[] }; readonly diff: string } {
  const files = [...new Set(edits.map(({ at }) => at.uri))].map((uri) => {
    const path = pathOf(uri);
    const text = decodeText(readFileSync(path)) ?? '';
    const own = edits.filter(({ at }) => at.uri === uri).sort((a, b) => a.at.start - b.at.start);
    const places = placesIn(text);
    return {
      edits: own.map(({ at, newText }) => ({ file: shown(path), ...places(at), newText })),
      diff: patchOf(shown(path), text, applyEdits(text, own, uri) ?? text),
    };
  });
  const list = files.flatMap((file) => file.edits);
  const text = list.map(
    ({ file, line, column, endLine, endColumn, newText }) =>
      `edit ${file} ${line}:${column}-${endLine}:${endColumn} ${JSON.stringify(newText)}`,
  );
  return {
    edits: { text: text.join('\n'), list },
    diff: files.map(({ diff }) => diff).join('\n'),
  };
}

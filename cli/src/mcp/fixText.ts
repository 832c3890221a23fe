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
      diff: patchOf(shown(path), text, applyEdits(text, own, uri) ?? text),
    };
  });
  return {
    edits: files.flatMap((file) => file.edits).join('\n'),
    diff: files.map(({ diff }) => diff).join('\n'),
  };
}

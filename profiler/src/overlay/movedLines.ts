// Where the lines of an earlier report are in the sources of a later one: files by path, else by their name, lines by
// what was edited between the two texts.
import { nameOf } from '../lines/sourceMapping';
import type { LineNow } from './changes';
import type { ProfiledKernel } from './kernels';
import { placeLines } from './placement';

/** The profiled texts of a report by path; a file whose text is not known is absent. */
export type SourceTexts = ReadonlyMap<string, string>;

/** The text of a profiled line, from 1; empty where it is not known. */
export function sourceLines(texts: SourceTexts): (file: string, line: number) => string {
  const lines = new Map([...texts].map(([path, text]) => [path, text.split('\n')]));
  return (file, line) => lines.get(file)?.[line - 1] ?? '';
}

/**
 * Files are matched by path, else by the only one of that name, else as the only two that are left of one ending (a
 * program that was renamed between
 * the steps). Lines of a file whose text is not known on both sides keep their numbers where the path is the same, and
 * are gone where it is not.
 */
export function movedLines(
  earlier: readonly ProfiledKernel[],
  then: SourceTexts,
  later: readonly ProfiledKernel[],
  now: SourceTexts,
): LineNow {
  const linesBefore = linesByFile(earlier);
  const linesAfter = linesByFile(later);
  const files = matchingFiles([...linesBefore.keys()], [...linesAfter.keys()]);
  const moved = new Map<string, ReadonlyMap<number, { readonly line: number; readonly edited: boolean }>>();
  return (file, line) => {
    const to = files.get(file);
    if (to === undefined) return undefined;
    const [textThen, textNow] = [then.get(file), now.get(to)];
    if (textThen === undefined || textNow === undefined) return to === file ? { file: to, line } : undefined;
    let places = moved.get(file);
    if (!places) {
      const placed = placeLines(textThen, textNow, [...linesBefore.get(file)!]);
      moved.set(
        file,
        (places = new Map(placed.map(({ profiled, at, stale }) => [profiled, { line: at, edited: stale }]))),
      );
    }
    const place = places.get(line);
    return place && { file: to, ...place };
  };
}

function linesByFile(kernels: readonly ProfiledKernel[]): ReadonlyMap<string, ReadonlySet<number>> {
  const files = new Map<string, Set<number>>();
  for (const { lines } of kernels)
    for (const { file, line } of lines) {
      const known = files.get(file);
      if (known) known.add(line);
      else files.set(file, new Set([line]));
    }
  return files;
}

function matchingFiles(before: readonly string[], after: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map(before.filter((file) => after.includes(file)).map((file) => [file, file]));
  const taken = new Set(found.values());
  const pair = (keyOf: (file: string) => string): void => {
    const [left, right] = [before.filter((file) => !found.has(file)), after.filter((file) => !taken.has(file))];
    for (const file of left) {
      const [from, to] = [left, right].map((files) => files.filter((each) => keyOf(each) === keyOf(file)));
      if (from!.length !== 1 || to!.length !== 1) continue;
      found.set(file, to![0]!);
      taken.add(to![0]!);
    }
  };
  pair(nameOf);
  pair((file) => /\.\w+$/.exec(nameOf(file))?.[0] ?? nameOf(file));
  return found;
}

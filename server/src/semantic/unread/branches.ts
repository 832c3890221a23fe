// Kernels in branches of the preprocessor that are off while the branch that is on refuses to compile.
import type { Node, SourceFile } from '../../syntax/ast';
import type { Span } from '../model';

interface Branch {
  readonly start: number;
  end: number;
  /** The text of its `#error`, where it has one that is read. */
  error?: string;
}

const directive = /^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|elifdef|elifndef|else|endif|error)\b[ \t]*(.*)$/gm;

/** Each with the text of the `#error` that is compiled instead. */
export function kernelsBesideErrors(file: SourceFile): readonly { readonly at: Span; readonly error: string }[] {
  const { text, uri } = file;
  if (!file.inactive.some(({ start, end }) => /\b__global__\b/.test(text.slice(start, end)))) return [];
  const isIn = (nodes: readonly Node[], at: number): boolean => nodes.some(({ start, end }) => start <= at && at < end);
  const found: { at: Span; error: string }[] = [];
  const groups: Branch[][] = [];
  for (const match of text.matchAll(directive)) {
    const { index, 0: line, 1: word = '', 2: rest = '' } = match;
    if (isIn(file.comments, index)) continue;
    const group = groups.at(-1);
    const open = group?.at(-1);
    if (word === 'error') {
      if (open && !isIn(file.inactive, index + line.indexOf('#'))) open.error ??= rest.trim();
      continue;
    }
    if (word.startsWith('if')) {
      groups.push([{ start: index + line.length, end: text.length }]);
      continue;
    }
    if (open) open.end = index;
    if (word !== 'endif') {
      group?.push({ start: index + line.length, end: text.length });
      continue;
    }
    groups.pop();
    const error = group?.find((branch) => branch.error !== undefined)?.error;
    if (error === undefined) continue;
    for (const { start, end } of group!)
      for (const { index: at, 0: kernel } of text.slice(start, end).matchAll(/\b__global__\b/g))
        if (isIn(file.inactive, start + at))
          found.push({ at: { uri, start: start + at, end: start + at + kernel.length }, error });
  }
  return found;
}

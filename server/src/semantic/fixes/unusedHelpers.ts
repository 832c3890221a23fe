// Device functions that nothing calls once edits have removed their last calls: they are removed with them.
import type { FunctionDecl, SourceFile } from '../../syntax/ast';
import { lex, TokenKind } from '../../syntax/tokens';
import type { Edit, RewriteFact } from '../model';
import { wholeLines } from '../../syntax/lines';
import { type Fn, once } from '../language';

interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** A file that others include may have uses that the unit does not show. */
const sourceFile = /\.(cu|c|cc|cpp|cxx)$/i;
const identifiersOf = once((file: SourceFile) =>
  lex(file.text).tokens.filter(({ kind }) => kind === TokenKind.Identifier),
);

/** The edits, and those that remove what they leave without a use. */
export function withoutUnused<Fact extends RewriteFact>(fn: Fn, rewrite: Fact): Fact {
  const { file, program, unit } = fn;
  if (!sourceFile.test(file.uri) || file !== unit.main) return rewrite;
  const removed: Stretch[] = rewrite.edits.flatMap(({ at }) => (at.uri === file.uri && at.end > at.start ? [at] : []));
  const written = rewrite.edits.map(({ newText }) => newText).join('\n');
  const isRemoved = ({ start, end }: Stretch): boolean =>
    removed.some((stretch) => stretch.start <= start && end <= stretch.end);
  const isCalled = (name: string): boolean =>
    unit.files.some(
      (each) =>
        each.text.includes(name) &&
        identifiersOf(each).some((token) => token.text === name && !(each === file && isRemoved(token))),
    ) || lex(written).tokens.some(({ text }) => text === name);
  const unused: Stretch[] = [];
  // A function that only removed functions call is unused too.
  for (let from = 0; from < removed.length; from++) {
    const { start, end } = removed[from]!;
    const names = new Set(lex(file.text.slice(start, end)).tokens.map(({ text }) => text));
    for (const name of names) {
      const helpers = program.functions(name);
      const places = helpers.map((helper) => stretchOf(helper, fn));
      if (places.length === 0 || !places.every((place) => place !== undefined) || places.every(isRemoved)) continue;
      const before = removed.length;
      removed.push(...places);
      if (isCalled(name)) removed.length = before;
      else unused.push(...places);
    }
  }
  if (unused.length === 0) return rewrite;
  const edits = joined(unused, file.text).map((at): Edit => ({ at: { uri: file.uri, ...at }, newText: '' }));
  return { ...rewrite, edits: [...rewrite.edits, ...edits] };
}

/** The lines of stretches; those with nothing between them are one. */
function joined(stretches: readonly Stretch[], text: string): readonly Stretch[] {
  const found: Stretch[] = [];
  for (const next of [...stretches].sort((a, b) => a.start - b.start)) {
    const last = found.at(-1);
    const isNext = last && text.slice(last.end, next.start).trim() === '';
    if (isNext) found[found.length - 1] = { start: last.start, end: next.end };
    else found.push(next);
  }
  return found.map((stretch) => wholeLines(text, stretch)!);
}

/** A device function of this file on lines that hold nothing else, with the comments directly above it. */
function stretchOf(helper: FunctionDecl, { file, decl }: Fn): Stretch | undefined {
  if (helper.uri !== file.uri || helper.key === decl.key || !helper.body) return undefined;
  if (!helper.device || helper.host || helper.global || helper.className !== undefined) return undefined;
  const { text } = file;
  let start = helper.base + helper.start;
  start -= /template\s*<[^;{}]*>\s*$/.exec(text.slice(0, start))?.[0].length ?? 0;
  for (;;) {
    const comment = file.comments.findLast(({ end }) => end <= start);
    // A comment at the start of a file describes the file.
    if (!comment || comment.start === 0 || !/^\r?\n?[ \t]*$/.test(text.slice(comment.end, start))) break;
    if (text.slice(text.lastIndexOf('\n', comment.start - 1) + 1, comment.start).trim() !== '') break;
    start = comment.start;
  }
  if (/(^|\n)[ \t]*#[ \t]*pragma[^\n]*\n\s*$/.test(text.slice(0, start))) return undefined;
  const stretch = { start, end: helper.base + helper.end };
  return wholeLines(text, stretch) && stretch;
}

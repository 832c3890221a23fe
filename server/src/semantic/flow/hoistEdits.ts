// The edits that move a pair of calls, with the declaration of what they make, out of a host loop.
import type { DeclStmt } from '../../syntax/ast';
import type { Edit } from '../model';
import { type AnySyntax, calleeName, type Fn, type Local, partners, some } from '../language';
import type { HostLoop, RuntimeCall } from './calls';
import { indentOf, putAfter, putBefore, reindented, takeOut } from './moves';

export function declarationOf(variable: Local, fn: Fn): DeclStmt | undefined {
  const parent = variable.variable && fn.parent(variable.variable);
  return parent?.kind === 'decl' ? parent : undefined;
}

const ends = new Set([...partners.values()].flatMap((partner) => partner.ends));

/** A declaration is a separate edit: pairs of one declaration that move together share it. */
export function movingEdits(
  made: RuntimeCall,
  end: RuntimeCall,
  loop: HostLoop,
  variable: Local,
  fn: Fn,
): Edit[] | undefined {
  const indent = indentOf(fn, loop.start);
  if (indent === undefined) return undefined;
  const edits: Edit[] = [];
  const move = (range: { readonly start: number; readonly end: number }): string => {
    const taken = takeOut(fn, range);
    edits.push(taken.edit);
    return reindented(taken.text, indentOf(fn, range.start) ?? '', indent);
  };
  const pragmaStart = loop.pragmas?.length ? Math.min(...loop.pragmas.map((pragma) => pragma.start)) : loop.start;
  const head = pragmaStart < loop.start && indentOf(fn, pragmaStart) !== undefined ? pragmaStart : loop.start;
  const before: (Edit | undefined)[] = [];
  if (variable.variable && fn.isInside(variable.variable, loop)) {
    const declaration = declarationOf(variable, fn);
    if (!declaration) return undefined;
    before.push(putBefore(fn, head, [move(declaration)]));
  }
  before.push(putBefore(fn, head, [move(made.written)]));
  const after = putAfter(fn, loop.end, loop.start, [move(end.written)]);
  const taken = edits.pop()!;
  edits.push({ ...taken, at: withBlankLines(taken.at, end, fn) });
  const moved = [...before, ...edits, after];
  if (!moved.every((edit) => edit !== undefined)) return undefined;
  // Overlaps mean that two of them share a line.
  const sorted = [...moved].sort((a, b) => a.at.start - b.at.start || a.at.end - b.at.end);
  for (let position = 1; position < sorted.length; position++)
    if (sorted[position]!.at.start < sorted[position - 1]!.at.end) return undefined;
  return moved;
}

/** The blank lines before the last paragraph of the loop go with it where all its calls give something back. */
function withBlankLines(at: Edit['at'], end: RuntimeCall, fn: Fn): Edit['at'] {
  const loop = end.loops[0]!;
  const rest = loop.body.kind === 'block' ? loop.body.body.filter(({ start }) => start > end.statement.start) : [];
  const isEnd = (node: AnySyntax): boolean => node.kind === 'call' && ends.has(calleeName(node) ?? '');
  const isLast = !/\n[ \t]*\r?\n/.test(fn.text({ start: end.written.end, end: loop.body.end }));
  if (!isLast || !rest.every((stmt) => some(stmt, isEnd))) return at;
  const [blank] = /(?:(?<=\n)[ \t]*\r?\n)*$/.exec(fn.file.text.slice(0, at.start))!;
  return { ...at, start: at.start - blank.length };
}

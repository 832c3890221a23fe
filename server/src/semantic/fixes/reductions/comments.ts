// Where the comments of a sweep go in the shuffles that take its place: each to the step that does what it speaks of.
import type { Node, Stmt } from '../../../syntax/ast';
import { type Fn, isStatement, some } from '../../language';
import { isBlockBarrier } from './barriers';
import type { CompleteSweep } from './surroundings';

/** Lines above the shuffles of each warp, above the barrier, and above what the first warp does with the totals. */
export type SweepComments = Readonly<Record<'warps' | 'barrier' | 'firstWarp', readonly string[]>>;

export function commentsOf(fn: Fn, sweep: CompleteSweep, region: Node): SweepComments {
  const lines: Record<keyof SweepComments, string[]> = { warps: [], barrier: [], firstWarp: [] };
  for (const comment of fn.decl.comments) {
    if (comment.start < region.start || comment.end > region.end) continue;
    const [first, ...rest] = fn.text(comment).split(/\r?\n/);
    const below = rest.map((line) => line.trim()).map((line) => (line.startsWith('*') ? ` ${line}` : line));
    lines[stepOf(comment, fn, sweep)].push(first!.trim(), ...below);
  }
  return lines;
}

/** The region with the comment that ends its last line. */
export function withTrailingComment(fn: Fn, region: Node): Node {
  const isBlank = (start: number, end: number): boolean => /^[ \t]*$/.test(fn.text({ start, end }));
  const trailing = fn.decl.comments.find(({ start }) => start >= region.end && isBlank(region.end, start));
  return trailing ? { start: region.start, end: trailing.end } : region;
}

function stepOf(comment: Node, fn: Fn, { swept, frame }: CompleteSweep): keyof SweepComments {
  const about = statementOf(comment, fn);
  if (about && isBlockBarrier(about, frame)) return 'barrier';
  const meets = (stmt: Stmt): boolean =>
    some(stmt, (node) => isStatement(node) && node.kind === 'expr' && isBlockBarrier(node, frame));
  const lastStep = swept.findLastIndex((stmt) => !isBlockBarrier(stmt, frame));
  const lastMeeting = swept.findLastIndex((stmt, at) => at <= lastStep && meets(stmt));
  const position = about ? swept.findIndex((stmt) => stmt.start <= about.start && about.end <= stmt.end) : -1;
  return lastMeeting >= 0 && position > lastMeeting ? 'firstWarp' : 'warps';
}

/** The statement that a comment ends the line of, else the next one. */
function statementOf(comment: Node, fn: Fn): Stmt | undefined {
  const statements = fn.locals.nodes.filter((node): node is Stmt => isStatement(node));
  const endsLine = (stmt: Stmt): boolean =>
    stmt.end <= comment.start && /^[ \t]*$/.test(fn.text({ start: stmt.end, end: comment.start }));
  return (
    statements.find(endsLine) ??
    statements.reduce<Stmt | undefined>(
      (next, stmt) => (stmt.start >= comment.end && (!next || stmt.start < next.start) ? stmt : next),
      undefined,
    )
  );
}

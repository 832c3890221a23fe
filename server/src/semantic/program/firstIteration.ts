// Whether a loop runs at all: what its variable starts with, what it is compared with, and where numbers tell.
import type { Stmt } from '../../syntax/ast';
import { counted, type Fn } from '../language';

/** Is the first iteration certain: no condition, one that is asked after it, or numbers that say so? */
export function runsOnce(loop: Stmt, fn: Fn): boolean {
  if (loop.kind === 'do') return true;
  if (loop.kind !== 'for') return false;
  if (!loop.cond) return true;
  const head = counted(loop);
  if (!head?.bound) return false;
  const [from, to] = [fn.types.constant(head.first), fn.types.constant(head.bound.end)];
  if (from === undefined || to === undefined) return false;
  return { '<': from < to, '<=': from <= to, '>': from > to, '>=': from >= to, '!=': from !== to }[head.bound.op];
}

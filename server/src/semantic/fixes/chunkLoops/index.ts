// Loops in which each thread walks a chunk of neighbouring elements, and the edits that make them grid-stride loops.
import type { ForStmt, WhileStmt } from '../../../syntax/ast';
import type { GridStrideFact, Refusal } from '../../model';
import { type AnySyntax, calleeName, type Fn, type Local } from '../../language';
import type { AccessFamily, ChunkLaunch } from '../writing/family';
import { rewrite } from './edits';
import { chunkOf, type Header, headerOf } from './shape';
import { countedChunkOf } from './counted';
import { refuser } from '../writing/refusals';

const refused = refuser<'independent'>('grid-stride');

export const gridStride: AccessFamily<'grid-stride', GridStrideFact> = {
  id: 'grid-stride',
  on: 'access',
  isNear: ({ fact }) => fact.cause === 'chunk-per-thread',
  find({ fn, record, launches }) {
    const loop = record.loops.find(
      ({ fn: decl, stmt: { kind } }) => decl.key === record.fn.key && (kind === 'for' || kind === 'while'),
    )?.stmt as ForStmt | WhileStmt | undefined;
    return loop && chunkLoopOf(fn, loop, launches());
  },
};

/**
 * Recognises `for (i = t * c; i < (t + 1) * c; i++)`, with `t` the thread's number in the grid or in its block, the
 * bounds written out or held in locals, the end cut at `n` or not; undefined where the loop is something else. Whether
 * an iteration needs another one, a run of both texts decides. `launches` are all launches of the kernel, or empty;
 * with them the end of the new loop can be proven to be `n`, else it is cut where the chunks ended.
 */
export function chunkLoopOf(
  fn: Fn,
  loop: ForStmt | WhileStmt,
  launches: readonly ChunkLaunch[] = [],
): GridStrideFact | Refusal | undefined {
  // A proof by the numbers of the launches needs all of them.
  // A launch through an expression may be of this kernel too.
  const sites = [...fn.launchSites(fn.decl.name), ...fn.launchSites('')].filter(
    ({ kernel }) => !kernel || kernel === fn.decl,
  );
  const all = launches.length >= sites.length && launches.length < 6 ? launches : [];
  const header = headerOf(loop, fn);
  if (!header) return undefined;
  const carried = carriedBy(header, fn);
  if (carried) return refused('independent', `\`${carried.name}\` carries a value between iterations`);
  const chunk = chunkOf(header, fn);
  const edits = chunk
    ? (rewrite(header, chunk, fn, all) ?? 'its bounds cannot be rewritten')
    : loop.kind === 'for' && countedChunkOf(fn, loop);
  if (!edits) return undefined;
  if (typeof edits === 'string') return refused('independent', edits);
  const variable = header.variable.name;
  return { variable, title: `Make the loop over \`${variable}\` grid-stride`, edits };
}

/** A variable of the thread that an iteration changes, but for what only atomics take behind the loop. */
function carriedBy({ loop, variable }: Header, fn: Fn): Local | undefined {
  const isAdded = (use: AnySyntax): boolean => {
    const call = fn.parent(use);
    return call?.kind === 'call' && /^atomic/.test(calleeName(call) ?? '');
  };
  return fn.locals.all.find((local) => {
    if (local === variable || (local.variable && fn.isInside(local.variable, loop))) return false;
    const isChanged = local.writes.some(({ node }) => fn.isInside(node, loop.body));
    return isChanged && local.uses.some((use) => !fn.isInside(use, loop) && !isAdded(use));
  });
}

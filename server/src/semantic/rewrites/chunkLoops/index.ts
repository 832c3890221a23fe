// Loops in which each thread walks a chunk of neighbouring elements, and the edits that make them grid-stride loops.
import type { ForStmt, WhileStmt } from '../../../syntax/ast';
import type { GridStrideFact, Refusal } from '../../model';
import { type FunctionContext, spanOf, textOf, localsOf, launchSitesNamed } from '../../language';
import type { AccessFamily } from '../family';
import { type ChunkLaunch, rewrite } from './edits';
import { type ChunkLoopFact, chunkOf, headerOf } from './shape';
import { countedChunkOf } from './counted';
import { dependence, reach } from './independence';
import { refuser } from '../refusals';

const refused = refuser<'independent'>('grid-stride');

export const gridStride: AccessFamily<'grid-stride', GridStrideFact> = {
  id: 'grid-stride',
  on: 'access',
  to: ['global'],
  isNear: ({ fact }) => fact.cause === 'chunk-per-thread',
  find({ context, record, launches }) {
    const loop = record.loops.find(
      ({ fn, stmt: { kind } }) => fn.key === record.fn.key && (kind === 'for' || kind === 'while'),
    )?.stmt as ForStmt | WhileStmt | undefined;
    return loop && rewriteOf(chunkLoopOf(context, loop, launches()));
  },
};

function rewriteOf(chunk: ChunkLoopFact | undefined): GridStrideFact | Refusal | undefined {
  if (!chunk?.independent) return chunk?.why ? refused('independent', chunk.why) : undefined;
  const { variable, headerAt, newHeader, otherEdits = [] } = chunk;
  return {
    variable,
    title: `Make the loop over \`${variable}\` grid-stride`,
    edits: [{ at: headerAt, newText: newHeader }, ...otherEdits],
  };
}

/**
 * Recognises `for (i = t * c; i < (t + 1) * c; i++)`, with `t` the thread's number in the grid or in its block, the
 * bounds written out or held in locals, the end cut at `n` or not; undefined where the loop is something else. The
 * fact's `independent` says whether the edits keep the meaning of the program: every element is still handled once, by
 * another thread, and no turn needs another one. `launches` are all launches of the kernel, or empty; with them the end
 * of the new loop can be proven to be `n`, else it is cut where the chunks ended.
 */
export function chunkLoopOf(
  context: FunctionContext,
  loop: ForStmt | WhileStmt,
  launches: readonly ChunkLaunch[] = [],
): ChunkLoopFact | undefined {
  const locals = localsOf(context.fn);
  // A proof by the numbers of the launches needs all of them.
  // What is launched through an expression may be this kernel too.
  const sites = [...launchSitesNamed(context, context.fn.name), ...launchSitesNamed(context, '')].filter(
    ({ kernel }) => !kernel || kernel === context.fn,
  );
  const all = launches.length >= sites.length && launches.length < 6 ? launches : [];
  const header = headerOf(loop, locals);
  const chunk = header && chunkOf(header, context, locals);
  if (!header || !chunk) return loop.kind === 'for' ? countedChunkOf(context, loop, locals, all) : undefined;
  const headerEnd = loop.kind === 'for' ? loop.headerEnd : loop.body.start;
  const headerText = textOf(context, { start: loop.start, end: headerEnd });
  const shown = {
    loopAt: spanOf(context, loop),
    headerAt: spanOf(context, { start: loop.start, end: loop.start + headerText.trimEnd().length }),
    variable: header.variable.name,
  };
  const stays = (why: string): ChunkLoopFact => ({
    ...shown,
    newHeader: headerText.trimEnd(),
    independent: false,
    why,
  });

  const why = dependence(header, chunk, context, locals) ?? reach(header, context, locals, all);
  if (why) return stays(why);
  return rewrite(header, chunk, context, locals, all, shown) ?? stays('its bounds cannot be rewritten');
}

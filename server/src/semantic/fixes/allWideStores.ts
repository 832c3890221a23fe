// Stores of neighbouring elements: one fix makes all of a function that vectors serve, since the text of one beside
// scalars of the same form would look half done.
import type { Edit } from '../model';
import { type Fn, onceWith } from '../language';
import type { AccessFamily } from './writing/family';
import { wideStoreLoopOf } from './wideStoreLoops';
import { type StoreCost, wideStoresOf } from './wideStores';

export const wideStores: AccessFamily<'wide-stores'> = {
  id: 'wide-stores',
  on: 'access',
  when: ({ expr, fact }) => !!expr && fact.mode === 'store' && !!fact.sectors && !!fact.sectorsIdeal,
  find({ fn, expr, fact, elsewhere }) {
    const cost = { sectors: fact.sectors!, ideal: fact.sectorsIdeal!, lanes: fact.activeLanes };
    const found = wideStoresOf(fn, expr!, cost, elsewhere);
    if (!found) return wideStoreLoopOf(fn, expr!, cost, elsewhere);
    return 'edits' in found ? { ...found, edits: allWideStores(fn, elsewhere) } : found;
  },
};

/** What the neighbours gain was asked of the access that the fix is for. */
const gaining: StoreCost = { sectors: 32, ideal: 1, lanes: 32 };

/** The edits of all neighbouring stores of a function that are provably aligned, in order of place. */
export const allWideStores = onceWith((fn: Fn, elsewhere: boolean): readonly Edit[] => {
  const edits = new Map<number, Edit>();
  for (const node of fn.locals.nodes) {
    const up = fn.parent(node);
    if (node.kind !== 'index' || up?.kind !== 'assign' || up.target !== node) continue;
    const found = wideStoresOf(fn, node, gaining, elsewhere);
    // The stores of one vector all find the same edit.
    if (found && 'edits' in found) for (const edit of found.edits) edits.set(edit.at.start, edit);
  }
  return [...edits.values()].sort((a, b) => a.at.start - b.at.start);
});

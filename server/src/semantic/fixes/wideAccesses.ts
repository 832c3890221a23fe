// Loads and stores of neighbouring elements: one fix makes all of a function that vectors serve, since the text of one
// beside scalars of the same form would look half done.
import type { Edit, Refusal, RewriteFact } from '../model';
import { type Fn, onceWith } from '../language';
import { wordsIn } from './writing/edits';
import type { AccessFamily } from './writing/family';
import { wideLoadsOf } from './wideLoads';
import { wideStoreLoopOf } from './wideStoreLoops';
import { type StoreCost, wideStoresOf } from './wideStores';

export const wideLoads: AccessFamily<'wide-loads'> = {
  id: 'wide-loads',
  on: 'access',
  when: ({ record, expr, fact }) => record.mode === 'load' && !!expr && !!fact.sectors && !!fact.sectorsIdeal,
  find({ fn, expr, elsewhere, fact: { sectors, sectorsIdeal, activeLanes } }) {
    const cost = { sectors: sectors!, ideal: sectorsIdeal!, lanes: activeLanes };
    return withOthers(fn, wideLoadsOf(fn, expr!, cost, elsewhere), elsewhere);
  },
};

export const wideStores: AccessFamily<'wide-stores'> = {
  id: 'wide-stores',
  on: 'access',
  when: ({ expr, fact }) => !!expr && fact.mode === 'store' && !!fact.sectors && !!fact.sectorsIdeal,
  find({ fn, expr, fact, elsewhere }) {
    const cost = { sectors: fact.sectors!, ideal: fact.sectorsIdeal!, lanes: fact.activeLanes };
    const found = wideStoresOf(fn, expr!, cost, elsewhere);
    if (!found) return wideStoreLoopOf(fn, expr!, cost, elsewhere);
    return withOthers(fn, found, elsewhere);
  },
};

/** What the neighbours gain was asked of the access that the fix is for. */
const gaining: StoreCost = { sectors: 32, ideal: 1, lanes: 32 };

/** The edits of all vectors of a function with some edits, which the accesses that those are of share. */
const allWith = onceWith((fn: Fn, elsewhere: boolean, from: string) =>
  extended(JSON.parse(from) as readonly Edit[], fn, elsewhere),
);

/** The edits, and those of the other accesses of the function that are provably aligned neighbours. */
export function withOthers(
  fn: Fn,
  found: RewriteFact | Refusal | undefined,
  elsewhere: boolean,
): RewriteFact | Refusal | undefined {
  if (!found || !('edits' in found)) return found;
  const all = allWith(fn, elsewhere, '[]');
  const isIn = ({ at }: Edit, edits: readonly Edit[]): boolean =>
    edits.some((edit) => edit.at.start === at.start && edit.at.end === at.end);
  const isOneOfThem = found.edits.every((edit) => isIn(edit, all));
  return { ...found, edits: isOneOfThem ? all : allWith(fn, elsewhere, JSON.stringify(found.edits)) };
}

/** Edits of a function with those of its vectors that they do not meet, in order of place. */
function extended(from: readonly Edit[], fn: Fn, elsewhere: boolean): Edit[] {
  const edits = [...from];
  const names = new Set(from.flatMap(({ newText }) => wordsIn(newText)));
  const meets = ({ at }: Edit, other: Edit): boolean => at.start <= other.at.end && other.at.start <= at.end;
  for (const node of fn.locals.nodes) {
    const isDone = edits.some(({ at }) => at.start <= fn.decl.base + node.start && fn.decl.base + node.end <= at.end);
    if (node.kind !== 'index' || isDone) continue;
    const up = fn.parent(node);
    const isStore = up?.kind === 'assign' && up.target === node;
    const other = isStore
      ? wideStoresOf(fn, node, gaining, elsewhere)
      : wideLoadsOf(fn, node, gaining, elsewhere, names);
    if (!other || !('edits' in other)) continue;
    if (other.edits.some((edit) => edits.some((each) => meets(edit, each)))) continue;
    edits.push(...other.edits);
    for (const { newText } of other.edits) wordsIn(newText).forEach((word) => names.add(word));
  }
  return edits.sort((a, b) => a.at.start - b.at.start);
}

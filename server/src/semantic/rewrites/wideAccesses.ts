// Loads and stores of neighbouring elements: one fix makes all of a function that vectors serve, since the text of one
// beside scalars of the same form would look half done.
import type { Edit, Refusal, RewriteFact } from '../model';
import { type Fn, once } from '../language';
import type { AccessFamily } from './family';
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

/** The edits of all vectors of a function, by whether other files launch it. */
const ofFunctions = {
  true: once((fn: Fn) => extended([], fn, true)),
  false: once((fn: Fn) => extended([], fn, false)),
};

/** The edits, and those of the other accesses of the function that are provably aligned neighbours. */
export function withOthers(
  fn: Fn,
  found: RewriteFact | Refusal | undefined,
  elsewhere: boolean,
): RewriteFact | Refusal | undefined {
  if (!found || !('edits' in found)) return found;
  const all = ofFunctions[`${elsewhere}`](fn);
  const isIn = ({ at }: Edit, edits: readonly Edit[]): boolean =>
    edits.some((edit) => edit.at.start === at.start && edit.at.end === at.end);
  const isOneOfThem = found.edits.every((edit) => isIn(edit, all));
  return { ...found, edits: isOneOfThem ? all : extended(found.edits, fn, elsewhere) };
}

/** Edits of a function with those of its vectors that they do not meet, in order of place. */
function extended(given: readonly Edit[], fn: Fn, elsewhere: boolean): Edit[] {
  const edits = [...given];
  const meets = ({ at }: Edit, other: Edit): boolean => at.start <= other.at.end && other.at.start <= at.end;
  for (const node of fn.locals.nodes) {
    const isDone = edits.some(({ at }) => at.start <= fn.decl.base + node.start && fn.decl.base + node.end <= at.end);
    if (node.kind !== 'index' || isDone) continue;
    const up = fn.parent(node);
    const isStore = up?.kind === 'assign' && up.target === node;
    const written = edits.map(({ newText }) => newText).join(' ');
    const other = isStore
      ? wideStoresOf(fn, node, gaining, elsewhere)
      : wideLoadsOf(fn, node, gaining, elsewhere, written);
    if (!other || !('edits' in other)) continue;
    if (!other.edits.some((edit) => edits.some((each) => meets(edit, each)))) edits.push(...other.edits);
  }
  return edits.sort((a, b) => a.at.start - b.at.start);
}

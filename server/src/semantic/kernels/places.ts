// How many places the lanes of a warp ask for at once: constant memory serves one after the other, and atomics on one
// place take turns.
import type { AccessFact } from '../model';
import { callAround, calleeName, localsOf, some } from '../language';
import { Taint, type Locator, uncertain } from '../run';
import type { AccessSummary } from './joins';

type Places = Pick<AccessFact, 'addresses' | 'atomic' | 'constantAt'>;

/** Of an access to constant memory, or an atomic one; nothing of others. */
export function placesOf(summary: AccessSummary, byData: boolean, locate: Locator): Places {
  const { record } = summary;
  if (record.mode === 'atomic') return { ...addressesOf(summary, byData), ...atomicOf(summary) };
  if (record.space === 'constant') return { ...addressesOf(summary, byData), ...keywordOf(summary, locate) };
  return {};
}

function addressesOf({ record, hangs, taint }: AccessSummary, byData: boolean): Pick<Places, 'addresses'> {
  const { sample } = record;
  if (!sample || byData || hangs.strides.size > 0 || hangs.lost || hangs.open || taint & Taint.assumed) return {};
  return { addresses: new Set(sample.addresses.subarray(0, sample.count)).size };
}

function atomicOf({ record, taint }: AccessSummary): Pick<Places, 'atomic'> {
  const locals = localsOf(record.fn);
  const call = record.expr && callAround(record.expr, locals);
  const name = call && calleeName(call);
  if (!call || name === undefined || !name.startsWith('atomic')) return {};
  // What no thread has a part in is the same for all of a block, whatever memory holds.
  const isUniform = (taint & (Taint.thread | uncertain | Taint.assumed)) === 0;
  const settled = isUniform || (taint & ~(Taint.thread | Taint.block | Taint.iterated)) === 0;
  const used = locals.parent(call)?.kind !== 'expr';
  // Such groups add up in code that not all threads of a block come to.
  const coalesced = some(record.fn.body, (node) => node.kind === 'name' && /\bcoalesced_threads$/.test(node.name));
  return { atomic: { name, used, settled, coalesced, ...(taint === 0 && { everywhere: true as const }) } };
}

function keywordOf({ record }: AccessSummary, locate: Locator): Pick<Places, 'constantAt'> {
  const { declaration } = record.base;
  if (!declaration || declaration.fn) return {};
  const at = locate.global(declaration.uri, declaration.node);
  const text = locate.textAt(at);
  // With others behind a comma they would move along.
  if (!/^\s*(?:=\s*(?:\{[^;]*\}|[^,;{]*))?;/.test(locate.textAt({ ...at, start: at.end, end: at.end + 4096 })))
    return {};
  const keyword = '__constant__';
  const first = text.indexOf(keyword);
  if (first < 0 || text.indexOf(keyword, first + 1) >= 0 || /\bextern\b/.test(text)) return {};
  return { constantAt: { uri: at.uri, start: at.start + first, end: at.start + first + keyword.length } };
}

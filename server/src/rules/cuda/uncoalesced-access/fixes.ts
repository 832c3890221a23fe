// What is offered for an uncoalesced access, and why nothing is.
import type { AccessFact, Refusal } from '../../../semantic/model';
import type { Fix } from '../../rule';
import { ratioText, titleWith, withGain } from '../../wording';
import type { Message } from './words';

export function refusalsOf({ chunk, cause, refusals = [] }: AccessFact): Refusal[] {
  return [
    ...(chunk?.why && cause === 'chunk-per-thread'
      ? [{ family: 'grid-stride' as const, precondition: 'independent', why: chunk.why }]
      : []),
    // Said of the sum, by the rule that speaks of it.
    ...refusals.filter(({ family }) => family !== 'register-sums'),
  ];
}

/** What the model says of the access before and after: its lanes then lie side by side. */
function expected({ sectors, sectorsIdeal }: AccessFact): string {
  return sectors && sectorsIdeal ? `: ${ratioText(sectors / sectorsIdeal)} → 1.0× sectors` : '';
}

export function fixesOf(fact: AccessFact, message: Message): Fix[] {
  const gain = expected(fact);
  const fixes: Fix[] = [];
  if (fact.chunk?.independent) {
    fixes.push({
      title: titleWith(fact.chunk.variable, (name) => `Make the loop over \`${name}\` grid-stride${gain}`),
      applicability: 'safe',
      edits: [{ at: fact.chunk.headerAt, newText: fact.chunk.newHeader }, ...(fact.chunk.otherEdits ?? [])],
    });
  }
  if (fact.swap)
    fixes.push({
      title: withGain(`Swap x and y (${fact.swap.note})`, gain),
      applicability: 'unsafe',
      edits: fact.swap.edits,
    });
  if (fact.wideStores) fixes.push({ ...fact.wideStores, applicability: 'safe' });
  // Where a thread uses most of its structure anyway, L1 has brought it.
  if (fact.structArrays && message === 'struct-field') fixes.push({ ...fact.structArrays, applicability: 'unsafe' });
  if (fact.alignedStruct) fixes.push({ ...fact.alignedStruct, applicability: 'unsafe' });
  for (const rewrite of [fact.transpose, fact.rowWarps, fact.wideBlock])
    if (rewrite) fixes.push({ title: withGain(rewrite.title, gain), applicability: 'unsafe', edits: rewrite.edits });
  return fixes;
}

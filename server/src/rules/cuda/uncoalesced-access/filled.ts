// Strides that cost nothing, because neighbouring reads of the same thread use the rest of each sector.
import type { AccessFact, Model } from '../../../semantic/model';

/**
 * Bytes between lanes up to which L1 still holds what a warp's first read brought when its next ones come: measured on
 * an H200, reads 32 bytes apart ran within 1.11 of coalesced ones however far apart in the code, 64 bytes apart at 2.2,
 * and stores at 10 (docs/measurements/h200-filled-strides.md).
 */
const farthest = 32;

const indexes = new WeakMap<Model, ReadonlyMap<string, ReadonlySet<string>>>();

/**
 * Of the bytes that the lanes' distance spans, the part that reads of the same thread in the same loop use, 0…1;
 * undefined where it is no such stride of reads.
 */
export function filledPart(fact: AccessFact, model: Model): number | undefined {
  const { mode, laneStride, elementBytes, unknownStride } = fact;
  if (mode !== 'load' || laneStride === undefined || unknownStride !== undefined) return undefined;
  const span = Math.abs(laneStride);
  if (span <= elementBytes || span > farthest) return undefined;
  let index = indexes.get(model);
  if (!index) indexes.set(model, (index = indexOf(model)));
  const neighbours = index.get(keyOf(fact))?.size ?? 1;
  return Math.min(1, (neighbours * elementBytes) / span);
}

/** The places of each array that one thread reads at one distance between lanes, loop by loop, as they are written. */
function indexOf(model: Model): Map<string, Set<string>> {
  const index = new Map<string, Set<string>>();
  for (const fact of model.facts.access) {
    if (fact.space !== 'global' || fact.mode !== 'load' || fact.laneStride === undefined) continue;
    const key = keyOf(fact);
    const texts = index.get(key) ?? new Set<string>();
    index.set(key, texts.add(fact.text.replace(/\s+/g, '')));
  }
  return index;
}

function keyOf({ array, kernels, elementBytes, laneStride, loops }: AccessFact): string {
  const loop = loops[0];
  return [array.name, array.at?.start, kernels.join(), elementBytes, laneStride, loop?.at.uri, loop?.at.start].join(
    '\n',
  );
}

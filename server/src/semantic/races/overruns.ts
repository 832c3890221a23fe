// Accesses of shared arrays beyond their end, by lanes that come whatever the unknown values.
import { sizeOf, type Type } from '../language/types';
import { laneAt } from '../run/lanes';
import type { SharedAccess, SharedEvent } from '../run/sharedTrace';
import { bytesOf } from './hazards';

export interface Overrun {
  readonly access: SharedAccess;
  readonly lane: number;
  /** The element that the lane is at, counted from the start of the array, and how many there are. */
  readonly element: number;
  readonly elements: number;
}

/** The first lane beyond the array of each access that has one. */
export function findOverruns(events: readonly SharedEvent[]): Overrun[] {
  const found = new Map<unknown, Overrun>();
  for (const event of events) {
    if (event.kind !== 'access' || !event.settled || found.has(event.node)) continue;
    const overrun = overrunOf(event);
    if (overrun) found.set(event.node, overrun);
  }
  return [...found.values()];
}

function overrunOf(access: SharedAccess): Overrun | undefined {
  const { base, form = [], mask } = access;
  const { type } = base;
  const bytes = type?.kind === 'array' ? sizeOf(type) : undefined;
  const element = type && sizeOf(scalarOf(type));
  if (!bytes || !element) return undefined;
  const lasts = new Map<number, number>();
  for (const { of } of form) {
    const [only] = of.factors;
    if (of.factors.length !== 1 || (only!.kind !== 'loop' && only!.kind !== 'iteration')) return undefined;
    if (only!.kind === 'loop') lasts.set(only!.id, Math.max(0, (only!.count ?? 1) - 1));
  }
  for (const iterationOf of [() => 0, (id: number) => lasts.get(id)!]) {
    const at = bytesOf(access, iterationOf);
    for (let lane = 0; lane < mask.bits.length; lane++) {
      if (!mask.bits[lane]) continue;
      const start = laneAt(at, lane);
      if (start < 0 || start + access.bytes > bytes)
        return { access, lane, element: Math.floor(start / element), elements: bytes / element };
    }
    if (lasts.size === 0) break;
  }
  return undefined;
}

function scalarOf(type: Type): Type {
  return type.kind === 'array' ? scalarOf(type.of) : type;
}

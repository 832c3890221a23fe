// What happens inside each region of a procedure, found once: a procedure may have thousands of both.
import { append } from '../../language';
import type { RegionStep, Step } from '../../../syntax/procedures';
import type { Flow, Touch } from './dataflow';

const touchesOf = new WeakMap<Flow, ReadonlyMap<Step, readonly Touch[]>>();

/** The touches at a region and within it, in the order of the text. */
export function touchesInside(flow: Flow, region: RegionStep): readonly Touch[] {
  let known = touchesOf.get(flow);
  if (!known) {
    const found = new Map<Step, Touch[]>();
    for (const touch of flow.touches)
      for (const step of new Set([...touch.parents, touch.step])) {
        if (step.kind !== 'region') continue;
        append(found, step, touch);
      }
    known = found;
    touchesOf.set(flow, known);
  }
  return known.get(region) ?? [];
}

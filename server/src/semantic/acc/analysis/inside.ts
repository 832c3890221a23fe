// What happens inside each region of a procedure, found once: a procedure may have thousands of both.
import { append, once } from '../../language';
import type { RegionStep, Step } from '../../../syntax/procedures';
import type { Flow, Touch } from './dataflow';

const touchesByStep = once((flow: Flow): ReadonlyMap<Step, readonly Touch[]> => {
  const found = new Map<Step, Touch[]>();
  for (const touch of flow.touches)
    for (const step of new Set([...touch.parents, touch.step])) if (step.kind === 'region') append(found, step, touch);
  return found;
});

/** The touches at a region and within it, in the order of the text. */
export function touchesInside(flow: Flow, region: RegionStep): readonly Touch[] {
  return touchesByStep(flow).get(region) ?? [];
}

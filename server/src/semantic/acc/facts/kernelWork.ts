// Quantities of a kernel for the cost model: iterations of its loops, and what its accesses move.
import type { LoopStep } from '../../../syntax/procedures';
import type { AccWorkFact } from '../model';
import { type AccLoop, outerLoops } from '../analysis/regions';
import { variableAt } from '../analysis/scope';
import { effectsOf, type Access } from '../analysis/steps';
import { strideOver } from '../analysis/strides';
import { tripsOf } from '../analysis/trips';
import { type Context, factTrips, type Kernel, kernelSpan, span } from './kernelMapping';

const sectorBytes = 32;
/** Of an array whose type is not known. */
const usualBytes = 8;

export function workFact({ region, loops, mapping }: Kernel, context: Context): AccWorkFact {
  const { scope } = region;
  const shared = (loop: AccLoop): boolean => {
    const { gang, worker, vector } = mapping.get(loop) ?? {};
    return (gang ?? worker ?? vector) !== undefined;
  };
  const lane = loops.filter((loop) => mapping.get(loop)?.vector).at(-1);
  const accesses = loops
    .filter(({ parent }) => !parent || !loops.includes(parent))
    .flatMap((root) => {
      const above = outerLoops(root).map(({ step }) => step);
      return effectsOf([root.step]).accesses.map((access) => ({ access, above }));
    });
  const strideOf = (access: Access, loop: LoopStep, bytes: number, above: readonly LoopStep[]): number => {
    const { elements } = strideOver(scope, access, loop, [...access.loops, ...above]) ?? {};
    return elements === undefined ? 1 : Math.min(1, (Math.abs(elements) * bytes) / sectorBytes);
  };
  const known = new Set(loops.map(({ step }) => step));
  return {
    kind: 'acc-work',
    at: span(context, {
      start: Math.min(region.directive.start, ...loops.map(({ step }) => step.start)),
      end: kernelSpan(context, region, loops).end,
    }),
    loops: loops.map((loop) => {
      const trips = factTrips(tripsOf(scope, loop.step));
      return { at: loop.step.header.start, shared: shared(loop), ...(trips ? { trips } : {}) };
    }),
    ...(lane ? { lane: lane.step.header.start } : {}),
    accesses: accesses.map(({ access, above }) => {
      const { element, step } = access;
      const bytes = variableAt(scope, element.array, step.start)?.elementBytes ?? usualBytes;
      const around = access.loops.filter((loop) => known.has(loop));
      return {
        array: element.array,
        bytes,
        loops: around.map((loop) => ({ at: loop.header.start, sectors: strideOf(access, loop, bytes, above) })),
      };
    }),
  };
}

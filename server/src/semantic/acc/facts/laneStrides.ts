// Loops on vector lanes whose neighbouring iterations lie far apart in memory.
import type { LoopStep } from '../../../syntax/procedures';
import type { AccStrideFact } from '../model';
import { fixOf, removeClause } from './directiveEdits';
import { interchangeFix, moveLanesFix } from './interchange';
import { seqToVector } from './levels';
import { independenceOf } from '../analysis/independence';
import type { Levels, Mapping } from '../analysis/mapping';
import { type AccLoop, type ComputeRegion, joinedLoops, loopsOf, outerLoops, withInner } from '../analysis/regions';
import type { Scope } from '../analysis/scope';
import { effectsOf } from '../analysis/steps';
import { runsOverLayers } from '../analysis/halo';
import { isContiguous, isFar, strideOver } from '../analysis/strides';
import { tripsOf } from '../analysis/trips';
import { type Context, isLong, rectangular, sharedTrips, span } from './kernelMapping';

// ---- strides -------------------------------------------------------------------------------------------------------

export function strideFacts(region: ComputeRegion, mapping: Mapping, context: Context): AccStrideFact[] {
  const facts: AccStrideFact[] = [];
  for (const loop of loopsOf(region)) {
    const levels = mapping.get(loop);
    // Of vector loops inside one another the innermost has neighbouring lanes.
    if (
      loop.joinedInto ||
      !levels?.vector ||
      levels.tiled ||
      withInner(loop).some((inner) => inner !== loop && !inner.joinedInto && mapping.get(inner)?.vector)
    )
      continue;
    const fact = strideFact(region, mapping, loop, levels, context);
    if (fact) facts.push(fact);
  }
  return facts;
}

function strideFact(
  region: ComputeRegion,
  mapping: Mapping,
  mapped: AccLoop,
  levels: Levels,
  context: Context,
): AccStrideFact | undefined {
  const { scope } = region;
  // Lanes take the innermost of the loops that a collapse joins.
  const joined = joinedLoops(mapped);
  const lane = joined.at(-1)!;
  if (joined.length < mapped.joined) return undefined;
  if (lane.step.variable === undefined || sharedTrips(mapped)?.atMost === 1) return undefined;
  const outers = outerLoops(lane),
    inners = withInner(lane).slice(1);
  const rivals = [...outers, ...inners].filter(
    (loop) => loop.step.form === 'counted' && loop.step.variable !== undefined && longEnough(scope, loop.step),
  );
  const places = new Set<number>();
  const found = effectsOf(lane.step.body).accesses.flatMap((access) => {
    // What is read and written at one place is said once.
    if (places.has(access.element.start)) return [];
    places.add(access.element.start);
    const within = [...access.loops, lane.step, ...outers.map((loop) => loop.step)];
    const own = strideOver(scope, access, lane.step, within);
    return own?.elements === 0 ? [] : [{ access, within, own }];
  });
  /** The rows of a field are its own, and lanes along a halo of two or three layers would be idle. */
  const isOverLayers = (layers: AccLoop, lanes = lane): boolean =>
    runsOverLayers(
      scope,
      layers.step,
      [lane, ...outers].filter((loop) => loop !== layers).map((loop) => loop.step),
      found.map(({ access, within }) => ({
        access,
        overLanes: strideOver(scope, access, lanes.step, within),
        overLayers: strideOver(scope, access, layers.step, within),
      })),
    );
  /**
   * What a rival makes contiguous of the accesses that run with it: for a loop inside, those in its body; a store
   * after it is one of many.
   */
  const gains = rivals
    .map((rival) => {
      const inside = inners.includes(rival);
      const concerned = inside ? found.filter(({ access }) => access.loops.includes(rival.step)) : found;
      const strided = concerned.filter(
        ({ access, within, own }) => isFar(own) && isContiguous(strideOver(scope, access, rival.step, within)),
      );
      return { rival, inside, concerned, strided, contiguous: concerned.filter(({ own }) => isContiguous(own)).length };
    })
    .filter(
      ({ rival, inside, strided, contiguous }) =>
        strided.length > contiguous &&
        isLong(scope, rival.step) &&
        !isOverLayers(rival) &&
        (!inside || (independenceOf(scope, rival.step).proven && rectangular(scope, lane, rival))),
    );
  // Of two that serve as many, the nearer one.
  const best = gains.sort(
    (a, b) => b.strided.length - a.strided.length || rivals.indexOf(a.rival) - rivals.indexOf(b.rival),
  )[0];
  if (!best) return undefined;
  const { rival: better } = best;
  // Inside loops with their own directives a loop without one is most often run by each lane.
  if (levels.vector === 'assumed' && !best.inside && !mapped.directive && outers.some((outer) => outer.directive))
    return undefined;
  // A handful of iterations of the joined loop are taken side by side, and the lanes go on along the one around it.
  if (mapped.joined > 1 && better === lane.parent && (!longEnough(scope, lane.step) || isOverLayers(lane, better)))
    return undefined;
  const inside = best.inside && !mapping.get(better)?.gang;
  const outerVector = mapped.clauses.get('vector');
  const fix = best.inside
    ? fixOf(
        `Give the lanes to the loop over \`${better.step.variable}\``,
        outerVector ? removeClause(scope.file, outerVector) : [],
        seqToVector(better),
      )
    : (interchangeFix(mapping, lane, better, context) ?? moveLanesFix(mapping, lane, better, context));
  return {
    kind: 'acc-stride',
    at: span(context, lane.step.header),
    variable: lane.step.variable,
    origin: levels.vector!,
    contiguous: best.contiguous,
    accesses: best.concerned.length,
    strided: best.strided.map(({ access, own }) => ({
      at: span(context, access.element),
      text: context.file.text.slice(access.element.start, access.element.end),
      array: access.element.array,
      stride: own!.text ?? String(Math.abs(own!.elements!)),
    })),
    better: { at: span(context, better.step.header), variable: better.step.variable!, inside },
    ...(fix ? { fix } : {}),
  };
}

/** A handful of turns side by side are one lane's matter: `a[3 * i + c]`. */
function longEnough(scope: Scope, loop: LoopStep): boolean {
  const trips = tripsOf(scope, loop);
  return trips === undefined || trips.atMost > 8;
}

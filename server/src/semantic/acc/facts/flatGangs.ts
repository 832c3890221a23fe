// Loops that directives give to gangs or workers where nothing names a vector: one lane of each warp works.
import type { Edit } from '../../model';
import type { AccMappingFact } from '../model';
import { flowOf } from '../analysis/dataflow';
import { clauseNumber, type Mapping } from '../analysis/mapping';
import { type AccLoop, type ComputeRegion, forNvidia, loopsOf, outerLoops, withInner } from '../analysis/regions';
import { type Scope, variableAt } from '../analysis/scope';
import { laneRoutinesIn } from '../analysis/routineLevels';
import { effectsOf } from '../analysis/steps';
import { independenceOf } from '../analysis/independence';
import {
  type Context,
  dataNames,
  isLong,
  neverOnDevice,
  mappingFact,
  nvidiaSuffix,
  placeOf,
  privatesOf,
  sharedTrips,
} from './kernelMapping';
import { together, withRatedFix } from './directiveEdits';
import { liesAlong, seqToVector } from './levels';
import { appendClauses, clauseBehind } from './mappingEdits';

export function flatFacts(region: ComputeRegion, mapping: Mapping, context: Context): AccMappingFact[] {
  if (region.construct === 'serial' || neverOnDevice(region)) return [];
  for (const size of ['num_gangs', 'vector_length']) {
    const clause = region.clauses.get(size);
    if (clause && clauseNumber(region, clause) === 1) return [];
  }
  return loopsOf(region)
    .filter((loop) => isShared(loop) && !outerLoops(loop).some(isShared))
    .flatMap((loop) => {
      const fact = flatFact(loop, mapping, context);
      return fact ? [fact] : [];
    });
}

function isShared({ clauses }: AccLoop): boolean {
  return clauses.has('gang') || clauses.has('worker');
}

function flatFact(top: AccLoop, mapping: Mapping, context: Context): AccMappingFact | undefined {
  const nest = withInner(top);
  if (
    nest.some((loop) => mapping.get(loop)?.vector || loop.clauses.has('vector') || loop.clauses.has('tile')) ||
    nest.some((loop) => mayTakeLanes(top, loop)) ||
    callsForLanes(top)
  )
    return undefined;
  // Each iteration has a multiprocessor to itself.
  const trips = sharedTrips(top);
  if (trips && trips.atMost <= context.gpu.multiprocessors) return undefined;
  const carriers = nest.filter(
    (loop) => isShared(loop) && !withInner(loop).some((inner) => inner !== loop && isShared(inner)),
  );
  const nvidiaOnly = context.severalDevices || carriers.some((loop) => forNvidia(lastLevel(loop)));
  const names = carriers.map((loop) => `\`${loop.step.variable ?? ''}\``).join(', ');
  const levels = ['gang', 'worker'].filter((level) => nest.some((loop) => loop.clauses.has(level))).join(' ');
  const idle = nest.find((loop) => loop.clauses.get('seq') && isForLanes(top, loop));
  if (idle) {
    return mappingFact('inner-seq', top, context, {
      levels,
      inner: placeOf(idle, context),
      ...withRatedFix(
        !independenceOf(idle.region.scope, idle.step).aliasing,
        `Give the loop over \`${idle.step.variable}\` to vector lanes`,
        seqToVector(idle),
      ),
    });
  }
  return mappingFact('no-vector', top, context, {
    levels,
    ...withRatedFix(
      carriers.every((loop) => withInner(loop).length === loop.joined && ownScalars(loop).length === 0),
      `Add vector to the loop over ${names}${nvidiaSuffix(nvidiaOnly)}`,
      ...carriers.map((loop) => vectorEdits(loop, nvidiaOnly)),
    ),
  });
}

/** A long loop inside along which arrays lie, and whose turns are independent. */
function isForLanes(top: AccLoop, { region: { scope }, step }: AccLoop): boolean {
  return independenceOf(scope, step).proven && isLong(scope, step) && liesAlong(scope, top, { step });
}

/** A loop inside that names no level: the compiler may give it the lanes by itself. */
function mayTakeLanes(top: AccLoop, loop: AccLoop): boolean {
  if (loop === top || loop.joinedInto || loop.clauses.has('seq') || isShared(loop)) return false;
  return loop.directive !== undefined || isLong(loop.region.scope, loop.step);
}

/** A call of a routine with loops for workers or lanes, or of one whose directive is not known. */
function callsForLanes(loop: AccLoop): boolean {
  const { region, step } = loop;
  return (
    laneRoutinesIn(loop).length > 0 ||
    flowOf(region.scope).calls.some(
      ({ call, callee, harmless }) => !callee && !harmless && call.start >= step.start && call.end <= step.end,
    )
  );
}

function lastLevel({ clauses }: AccLoop) {
  return (clauses.get('worker') ?? clauses.get('gang'))!;
}

function vectorEdits(loop: AccLoop, nvidiaOnly: boolean): Edit | readonly Edit[] | undefined {
  const { scope } = loop.region;
  if (!loop.directive || sharesArrays(scope, loop)) return undefined;
  const own = ownScalars(loop);
  const shared = own.length > 0 ? `private(${own.join(', ')})` : '';
  if (nvidiaOnly) {
    const always = shared === '' ? [] : appendClauses(scope, loop.directive, shared, false);
    return together(always, appendClauses(scope, loop.directive, 'vector', true));
  }
  const text = shared === '' ? 'vector' : `vector ${shared}`;
  return (
    clauseBehind(scope, lastLevel(loop), loop.directive, text) ?? appendClauses(scope, loop.directive, text, false)
  );
}

/** Scalars that each iteration sets, and that the lanes of a gang would share. */
function ownScalars(loop: AccLoop): readonly string[] {
  const named = loop.directive ? dataNames(loop.directive) : new Set<string>();
  return privatesOf(loop).filter((name) => !named.has(name));
}

/** An array that each gang has to itself, of the construct's or declared in it, which lanes would share. */
function sharesArrays(scope: Scope, { region, step, directive }: AccLoop): boolean {
  const named = region.directive === directive ? new Set<string>() : dataNames(region.directive);
  return effectsOf(step.body).accesses.some(({ element, write }) => {
    const variable = write ? variableAt(scope, element.array, step.start) : undefined;
    return (
      variable !== undefined &&
      (named.has(variable.name) ||
        (region.step !== undefined && variable.at.start > region.step.start && variable.at.start < step.start))
    );
  });
}

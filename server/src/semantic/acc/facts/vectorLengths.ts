// Vector lengths against the trip counts of the loops on vector lanes, with the edits that bring the two together.
import type { Clause, Place } from '../../../syntax/procedures';
import type { AccFix, AccVectorLengthFact, AccVectorLoop } from '../model';
import type { Edit } from '../../model';
import { fixOf } from './directiveEdits';
import { addToLoop, appendClauses, loopDirectiveAbove, setArgument, withArgument } from './mappingEdits';
import { independenceOf } from '../analysis/independence';
import { clauseNumber, type Levels, mappingOf, type VectorLength, vectorLengthOf } from '../analysis/mapping';
import { type AccLoop, forNvidia, loopsOf, outerLoops, regionsOf, sizedClause } from '../analysis/regions';
import { laneRoutinesIn } from '../analysis/routineLevels';
import { effectsOf } from '../analysis/steps';
import type { TripBound } from '../analysis/countedTrips';
import { tripsOf } from '../analysis/trips';
import {
  type Context,
  factTrips,
  hasLevel,
  isLong,
  type Kernel,
  kernelSpan,
  largestBlock,
  listed,
  nvidiaSuffix,
  sharedTrips,
  span,
  warp,
} from './kernelMapping';
import { ownClauses } from './levels';

export interface LengthInForce extends VectorLength {
  /** `site`: the kernel's loop around the call of the routine that a loop is in. */
  readonly loops: readonly {
    readonly loop: AccLoop;
    readonly levels: Levels;
    readonly trips?: TripBound;
    readonly site?: AccLoop;
  }[];
}

/** The length of a kernel's vectors; undefined where it has no vector loop or none is known. */
export function lengthInForce(kernel: Kernel): LengthInForce | undefined {
  const loops: LengthInForce['loops'] = [...vectorLoopsOf(kernel), ...calledLoopsOf(kernel)].map((one) => {
    const trips = sharedTrips(one.loop);
    return { ...one, ...(trips ? { trips } : {}) };
  });
  if (loops.length === 0 || loops.some(({ levels }) => levels.tiled)) return undefined;
  // Trip counts that the compiler sees make it take a shorter vector by itself.
  const constant = loops.every(({ trips }) => trips?.constant)
    ? Math.max(warp, Math.ceil(Math.max(...loops.map(({ trips }) => trips!.atMost)) / warp) * warp)
    : kernel.usualLength;
  const lengths = loops.map((one) =>
    vectorLengthOf(one.site ?? one.loop, one.levels, Math.min(kernel.usualLength, constant)),
  );
  const longest = lengths.reduce((a, b) =>
    (b.value ?? Number.POSITIVE_INFINITY) > (a.value ?? Number.POSITIVE_INFINITY) ? b : a,
  );
  return { ...longest, loops };
}

/** The vector loops of routines that a kernel calls. */
function calledLoopsOf({ loops }: Kernel): readonly { loop: AccLoop; levels: Levels; site: AccLoop }[] {
  return loops.flatMap((site) =>
    laneRoutinesIn(site)
      .filter((callee) => !site.children.some((inner) => laneRoutinesIn(inner).includes(callee)))
      .flatMap((callee) => regionsOf(callee))
      .flatMap((region) => vectorLoopsOf({ loops: loopsOf(region), mapping: mappingOf(region, []) }))
      .map((one) => ({ ...one, site })),
  );
}

/** Loops that lanes share, those left out that `collapse` joins into another. */
function vectorLoopsOf({ loops, mapping }: Pick<Kernel, 'loops' | 'mapping'>): { loop: AccLoop; levels: Levels }[] {
  return loops.flatMap((loop) => {
    const levels = loop.joinedInto ? undefined : mapping.get(loop);
    return levels?.vector ? [{ loop, levels }] : [];
  });
}

const isNest = (a: AccLoop, b: AccLoop): boolean => outerLoops(a).includes(b) || outerLoops(b).includes(a);

export function lengthFacts(kernel: Kernel, context: Context): AccVectorLengthFact[] {
  const { region } = kernel;
  const construct = region.construct === 'parallel' ? 'parallel' : 'kernels';
  const force = lengthInForce(kernel);
  const facts: AccVectorLengthFact[] = [];
  const clauses = new Set(
    [sizedClause(region, 'vector_length'), ...kernel.loops.map((loop) => sizedClause(loop, 'vector'))].flatMap(
      (clause) => clause ?? [],
    ),
  );
  for (const clause of clauses) {
    if (clause.name === 'vector_length' && construct === 'kernels' && kernel.loops[0] !== region.roots[0]) continue;
    // Vector numbers of loops inside one another are the sides of a tile.
    if (
      clause.name === 'vector' &&
      kernel.loops.some(
        (loop) =>
          loop.clauses.get('vector') === clause &&
          kernel.loops.some((other) => other.clauses.has('vector') && isNest(loop, other)),
      )
    )
      continue;
    const value = clauseNumber(region, clause);
    const rounded =
      value === undefined || value < 2 ? undefined : Math.min(largestBlock, Math.ceil(value / warp) * warp);
    if (value === undefined || rounded === undefined || rounded === value) continue;
    const fix = fixOf(`Write ${clause.name}(${rounded})`, setArgument(region.scope, clause, String(rounded)));
    facts.push({
      kind: 'acc-vector-length',
      at: span(context, numberPlace(clause)),
      length: value,
      origin: 'written',
      loops: [],
      fixes: [],
      ...(fix ? { rounded: { length: rounded, fix } } : {}),
    });
  }
  if (force?.value === undefined) return facts.length > 0 ? facts : perLaneFacts(kernel, context);
  if (facts.length > 0) return facts;
  // One loop for gangs and lanes has gangs to fill before lanes; workers beside the lanes fill them with other rows.
  if (force.loops.some(({ levels }) => levels.gang || levels.worker)) return perLaneFacts(kernel, context);
  const longest =
    force.loops.every(({ trips }) => trips) && !wantsLanes(kernel, force)
      ? Math.max(...force.loops.map(({ trips }) => trips!.atMost))
      : undefined;
  const needed = longest === undefined || longest < 1 ? undefined : Math.ceil(longest / warp) * warp;
  const at =
    force.clause && force.origin === 'written'
      ? numberPlace(force.clause)
      : (force.loops[0]!.site ?? force.loops[0]!.loop).step.header;
  facts.push({
    kind: 'acc-vector-length',
    at: span(context, at),
    kernelAt: kernelSpan(context, region, kernel.loops),
    length: force.value,
    origin: force.origin,
    loops: force.loops.map(({ loop, trips }) => vectorLoop(loop, trips, context)),
    ...(needed === undefined ? {} : { needed }),
    fixes: needed === undefined || needed >= force.value ? [] : lengthFixes(kernel, force, needed, context),
  });
  return facts;
}

/**
 * Whether something else in a kernel may run on its lanes: a long loop that a compiler may give to them by itself, or a
 * routine with vector loops.
 */
function wantsLanes({ region, loops, mapping }: Kernel, force: LengthInForce): boolean {
  const { scope } = region;
  const open = (loop: AccLoop): boolean =>
    !loop.directive &&
    !loop.joinedInto &&
    !force.loops.some((one) => one.loop === loop || isNest(one.loop, loop)) &&
    isLong(scope, loop.step) &&
    independenceOf(scope, loop.step).proven;
  if (loops.some((loop) => mapping.get(loop)?.unsure || open(loop))) return true;
  const called = new Set(
    loops.flatMap((loop) => (loop.parent ? [] : effectsOf(loop.step.body).calls.map(({ call }) => call.name))),
  );
  return scope.sources.scopes.some(
    ({ procedure }) =>
      called.has(procedure.name) &&
      !force.loops.some(({ site, loop }) => site && loop.region.scope.procedure === procedure) &&
      procedure.routine.some((directive) =>
        directive.clauses.some((clause) => ['gang', 'worker', 'vector'].includes(clause.name)),
      ),
  );
}

function vectorLoop(loop: AccLoop, trips: TripBound | undefined, context: Context): AccVectorLoop {
  const bound = factTrips(trips);
  return {
    at: { ...span(context, loop.step.header), uri: loop.region.scope.file.uri },
    variable: loop.step.variable ?? '',
    ...(bound ? { trips: bound } : {}),
  };
}

export function numberPlace(clause: Clause): Place {
  return clause.argument?.items.at(-1) ?? clause.argument?.inner ?? clause;
}

/** A compiler gave gangs and lanes to the outer loop, and each lane walks a short row by itself. */
function perLaneFacts(kernel: Kernel, context: Context): AccVectorLengthFact[] {
  const facts: AccVectorLengthFact[] = [];
  for (const loop of kernel.loops) {
    const outer = loop.parent && kernel.mapping.get(loop.parent),
      own = kernel.mapping.get(loop);
    if (
      outer?.vector !== 'feedback' ||
      !outer.gang ||
      own?.seq !== 'feedback' ||
      loop.children.length > 0 ||
      outer.vectorLength === undefined
    )
      continue;
    const trips = tripsOf(kernel.region.scope, loop.step);
    const needed = trips && Math.ceil(trips.atMost / warp) * warp;
    if (
      !trips ||
      needed === undefined ||
      trips.atMost < 8 ||
      needed >= outer.vectorLength ||
      !(loop.directive || independenceOf(kernel.region.scope, loop.step).proven)
    )
      continue;
    facts.push({
      kind: 'acc-vector-length',
      at: span(context, loop.step.header),
      length: outer.vectorLength,
      origin: 'feedback',
      loops: [vectorLoop(loop, trips, context)],
      needed,
      innerSequential: true,
      fixes: lengthFixes(
        kernel,
        { origin: 'feedback', value: outer.vectorLength, loops: [{ loop, levels: {}, trips }] },
        needed,
        context,
      ),
    });
  }
  return facts;
}

/**
 * Sets the length the way the construct writes it: on a parallel construct as a whole, in a kernels construct on the
 * loop.
 */
function lengthFixes(
  kernel: Kernel,
  force: LengthInForce,
  needed: number,
  context: Context,
): AccVectorLengthFact['fixes'] {
  const { region } = kernel;
  const { scope } = region;
  if (region.construct === 'kernels') {
    return withOneForAll(force.clause, context, (nvidiaOnly) =>
      fixOf(
        `Give ${listed(force.loops.map(({ loop }) => loop.step.variable ?? ''))} vector(${needed})${nvidiaSuffix(nvidiaOnly)}`,
        ...force.loops.map(({ loop, site }) => {
          if (site) return undefined;
          const own = loop.clauses.get('vector');
          if (own && (!nvidiaOnly || forNvidia(own))) return withArgument(scope, own, String(needed));
          return addToLoop(scope, loop.step, loop.directive, `vector(${needed})`, nvidiaOnly);
        }),
      ),
    );
  }
  const written = region.clauses.get('vector_length');
  return withOneForAll(written, context, (nvidiaOnly) =>
    fixOf(
      `Use vector_length(${needed})${nvidiaSuffix(nvidiaOnly)}`,
      written && (!nvidiaOnly || forNvidia(written))
        ? setArgument(scope, written, String(needed))
        : appendClauses(scope, region.directive, `vector_length(${needed})`, nvidiaOnly),
      ...force.loops
        .filter(({ loop }) => loop.directive !== region.directive && !hasLevel(loop))
        .map(({ loop }) => toLanes(loop, nvidiaOnly)),
    ),
  );
}

/**
 * One fix where a length is written, for NVIDIA alone or in a file that knows no other device; else one for all devices
 * and one for NVIDIA's, the latter first where the file speaks to several.
 */
function withOneForAll(
  written: Clause | undefined,
  { severalDevices, takesDevices }: Context,
  make: (nvidiaOnly: boolean) => AccFix | undefined,
): AccVectorLengthFact['fixes'] {
  if (written && (forNvidia(written) || !severalDevices)) {
    const fix = make(forNvidia(written));
    return fix ? [{ ...fix, title: fix.title.replace(nvidiaSuffix(true), ''), safe: true }] : [];
  }
  return [severalDevices, !severalDevices].flatMap((nvidiaOnly) => {
    const fix = make(nvidiaOnly);
    const safe = takesDevices || !nvidiaOnly;
    return fix
      ? [{ ...fix, title: safe ? fix.title : fix.title.replace(/devices only$/, 'only (not GCC 12)'), safe }]
      : [];
  });
}

/**
 * Writes `vector` on a loop. One without a directive of a parallel construct needs the clauses that a compiler had
 * found for itself.
 */
export function toLanes(loop: AccLoop, nvidiaOnly: boolean): Edit | undefined {
  const { scope, construct } = loop.region;
  if (loop.directive || construct === 'kernels')
    return addToLoop(scope, loop.step, loop.directive, 'vector', nvidiaOnly);
  if (!independenceOf(scope, loop.step).proven) return undefined;
  return loopDirectiveAbove(
    scope,
    loop.step,
    [...ownClauses(scope, loop), nvidiaOnly ? 'device_type(nvidia) vector' : 'vector'].join(' '),
  );
}

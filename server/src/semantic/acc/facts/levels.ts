// Loops that no level of parallelism takes, levels that do nothing, and outer loops too short for the GPU.
import type { AccMappingFact } from '../model';
import type { Edit } from '../../model';
import { editAt, removeClause, withRatedFix } from './directiveEdits';
import { operatorSpelling } from '../../../syntax/directives/table';
import { isBelowLookalike } from './lookalikes';
import { loopDirectiveAbove } from './mappingEdits';
import { independenceOf } from '../analysis/independence';
import { clauseNumber, type Mapping } from '../analysis/mapping';
import { type AccLoop, type ComputeRegion, outerLoops, withInner } from '../analysis/regions';
import { type Scope, variableAt } from '../analysis/scope';
import { effectsOf } from '../analysis/steps';
import { isContiguous, isFar, strideOver } from '../analysis/strides';
import { tripsOf } from '../analysis/trips';
import {
  type Context,
  dataNames,
  factTrips,
  isLong,
  listed,
  mappingFact,
  neverOnDevice,
  placeOf,
  privatesOf,
  span,
  warp,
} from './kernelMapping';

// ---- levels --------------------------------------------------------------------------------------------------------

export function levelFacts(region: ComputeRegion, mapping: Mapping, context: Context): AccMappingFact[] {
  if (region.construct === 'kernels') return unprovenFacts(region, mapping, context);
  if (region.construct !== 'parallel') return [];
  const facts: AccMappingFact[] = [];
  const { scope } = region;
  for (const root of region.roots) {
    const nest = withInner(root);
    if (root.directive === undefined && region.step && !region.directive.name.endsWith(' loop')) {
      facts.push(...redundantFacts(region, root, nest, context));
      continue;
    }
    const levels = mapping.get(root);
    if (
      !levels ||
      !root.directive ||
      root.clauses.has('seq') ||
      (context.feedback.length > 0 && nest.some((loop) => mapping.get(loop)?.gang === 'feedback'))
    )
      continue;
    if (
      nest.some((loop) => loop !== root && !loop.joinedInto && loop.directive) ||
      nest.some((loop) => loop.clauses.has('vector') || loop.clauses.has('tile'))
    ) {
      facts.push(...tinyFacts(region, root, mapping, context));
      continue;
    }
    if (root.joined > 1) continue;
    const candidates = candidatesFor(scope, root, nest);
    const inner = candidates[0];
    if (!inner || constantOne(region, 'vector_length')) continue;
    const gangOnly = root.clauses.has('gang') || root.clauses.has('worker');
    if (!gangOnly && !liesAlong(scope, root, inner)) continue;
    const safe = candidates.every((loop) => !independenceOf(scope, loop.step).aliasing);
    facts.push(
      mappingFact(gangOnly ? 'idle-lanes' : 'inner-unmapped', root, context, {
        inner: { ...placeOf(inner, context), whole: span(context, inner.step) },
        ...withRatedFix(
          safe,
          `Give ${listed(candidates.map((loop) => loop.step.variable ?? ''))} to vector lanes`,
          ...candidates.map((loop) => levelAbove(loop, 'vector')),
        ),
      }),
    );
  }
  return facts;
}

/** A directive above a loop with this word and what each iteration owns and sums up. */
function levelAbove(loop: AccLoop, word: string): Edit | undefined {
  const { scope } = loop.region;
  return loopDirectiveAbove(scope, loop.step, [word, ...ownClauses(scope, loop)].join(' '));
}

/**
 * In kernels a loop that says `independent` around loops that say nothing, of pointers that may overlap: the compiler
 * takes the outer one's word, and runs those inside iteration by iteration.
 */
function unprovenFacts(region: ComputeRegion, mapping: Mapping, context: Context): AccMappingFact[] {
  const { scope } = region;
  if (context.feedback.length > 0) return [];
  return region.roots.flatMap((root): AccMappingFact[] => {
    const nest = withInner(root);
    if (!root.clauses.has('independent') || root.joined > 1) return [];
    if (nest.some((loop) => loop !== root && loop.directive) || root.clauses.has('vector')) return [];
    const inner = candidatesFor(scope, root, nest).find((loop) => liesAlong(scope, root, loop));
    if (!inner || mapping.get(inner)?.vector || !independenceOf(scope, inner.step).aliasing) return [];
    return [
      mappingFact('inner-unproven', root, context, {
        inner: placeOf(inner, context),
        ...withRatedFix(
          false,
          `Mark the loop over \`${inner.step.variable}\` as independent`,
          levelAbove(inner, 'independent'),
        ),
      }),
    ];
  });
}

/**
 * The loops that could have the lanes: those directly under the root or, where the arrays lie along none of them, those
 * further down along which they do.
 */
function candidatesFor(scope: Scope, root: AccLoop, nest: readonly AccLoop[]): readonly AccLoop[] {
  const able = nest.filter(
    (loop) => loop !== root && !loop.joinedInto && independenceOf(scope, loop.step).proven && isLong(scope, loop.step),
  );
  const direct = able.filter((loop) => root.children.includes(loop));
  if (direct.some((loop) => liesAlong(scope, root, loop))) return direct;
  const deeper = able.filter((loop) => !direct.includes(loop) && liesAlong(scope, root, loop));
  return deeper.length > 0 ? deeper : direct;
}

/** A size that is written as 1 is meant. */
export function constantOne(region: ComputeRegion, name: string): boolean {
  const clause = region.clauses.get(name);
  return clause !== undefined && clauseNumber(region, clause) === 1;
}

/** The clauses for what each iteration owns and what it sums up. */
export function ownClauses(scope: Scope, loop: AccLoop): readonly string[] {
  const { reductions } = independenceOf(scope, loop.step);
  const privates = privatesOf(loop);
  const operators = [...new Set(reductions.map((one) => one.operator))];
  return [
    ...operators.map(
      (operator) =>
        `reduction(${operatorSpelling(scope.file.language, operator)}:${reductions
          .filter((one) => one.operator === operator)
          .map((one) => one.name)
          .join(', ')})`,
    ),
    ...(privates.length > 0 ? [`private(${privates.join(', ')})`] : []),
  ];
}

/** Writes `vector` for a loop's `seq`, with what that needs. */
export function seqToVector(loop: AccLoop): Edit | undefined {
  const { scope } = loop.region;
  const clause = loop.clauses.get('seq');
  if (!clause || clause.macro || dataNames(loop.directive!).size > 0) return undefined;
  return editAt(scope.file, clause, ['vector', ...ownClauses(scope, loop)].join(' '));
}

/** Whether most elements that the inner loop touches lie along it, and lanes on the outer loop would be far apart. */
export function liesAlong(scope: Scope, outer: AccLoop, inner: Pick<AccLoop, 'step'>): boolean {
  let along = 0,
    across = 0;
  for (const access of effectsOf(outer.step.body).accesses) {
    if (!access.loops.includes(inner.step)) continue;
    const within = [...access.loops];
    const over = strideOver(scope, access, inner.step, within),
      outside = strideOver(scope, access, outer.step, within);
    if (isContiguous(over) && (outside === undefined || isFar(outside))) along++;
    else if (isContiguous(outside) && !isContiguous(over)) across++;
  }
  return along > 0 && along > across;
}

/** A loop in a parallel construct that no loop directive shares out. */
function redundantFacts(
  region: ComputeRegion,
  root: AccLoop,
  nest: readonly AccLoop[],
  context: Context,
): AccMappingFact[] {
  const { scope } = region;
  if (
    nest.some((loop) => loop.directive) ||
    constantOne(region, 'num_gangs') ||
    neverOnDevice(region) ||
    root.step.form !== 'counted' ||
    isBelowLookalike(scope.file, root.step.start) ||
    root.joinedInto
  )
    return [];
  const { proven, aliasing, reductions } = independenceOf(scope, root.step);
  // What only one gang's copy holds is not shared out; a sum over gangs is wrong already, and another rule's matter.
  if (!proven || reductions.length > 0 || !isLong(scope, root.step) || outerLoops(root).length > 0) return [];
  const own = dataNames(region.directive);
  const accesses = effectsOf(root.step.body).accesses;
  if (
    !accesses.some(
      (access) =>
        access.write && !own.has(access.element.array) && variableAt(scope, access.element.array, region.step!.start),
    )
  )
    return [];
  return [
    mappingFact(
      'redundant',
      root,
      context,
      withRatedFix(
        !aliasing,
        `Share the loop over \`${root.step.variable}\` among the gangs`,
        loopDirectiveAbove(scope, root.step, ownClauses(scope, root).join(' ')),
      ),
    ),
  ];
}

/** Gangs and lanes on a loop of a few turns, around a long loop that could have the lanes. */
function tinyFacts(region: ComputeRegion, root: AccLoop, mapping: Mapping, context: Context): AccMappingFact[] {
  const { scope } = region;
  const levels = mapping.get(root);
  const bound = tripsOf(scope, root.step);
  if (
    !levels?.gang ||
    !levels.vector ||
    root.joined > 1 ||
    root.tight ||
    !bound ||
    bound.atMost > warp ||
    root.children.length !== 1
  )
    return [];
  const inner = root.children[0]!;
  const innerTrips = tripsOf(scope, inner.step);
  if (
    inner.directive ||
    !independenceOf(scope, inner.step).proven ||
    (innerTrips && innerTrips.atMost < 4 * bound.atMost)
  )
    return [];
  const vector = root.clauses.get('vector');
  return [
    mappingFact('tiny-outer', root, context, {
      inner: placeOf(inner, context),
      trips: factTrips(bound)!,
      ...withRatedFix(
        !independenceOf(scope, inner.step).aliasing,
        `Give the lanes to the loop over \`${inner.step.variable}\``,
        vector && removeClause(scope.file, vector),
        levelAbove(inner, 'vector'),
      ),
    }),
  ];
}

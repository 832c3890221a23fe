// Nests whose outer loop is too short, and the collapse that joins it with the loops inside.
import { titleWith } from '../../excerpt';
import type { AccCollapseFact } from '../model';
import type { Edit } from '../../model';
import { removeLines, withRatedFix } from './directiveEdits';
import { appendClauses } from './mappingEdits';
import { independenceOf } from '../analysis/independence';
import { isParallel, type Mapping } from '../analysis/mapping';
import { type AccLoop, type ComputeRegion, loopsOf, withInner } from '../analysis/regions';
import { tripsOf } from '../analysis/trips';
import { type Context, factTrips, hasLevel, kernelSpan, rectangular, span, warp } from './kernelMapping';

// ---- collapse ------------------------------------------------------------------------------------------------------

export function collapseFacts(region: ComputeRegion, mapping: Mapping, context: Context): AccCollapseFact[] {
  const facts: AccCollapseFact[] = [];
  const { scope } = region;
  for (const outer of loopsOf(region)) {
    const levels = mapping.get(outer);
    if (
      !outer.directive ||
      !levels?.gang ||
      outer.joined > 1 ||
      outer.joinedInto ||
      ['collapse', 'tile', 'seq'].some((name) => outer.clauses.has(name))
    )
      continue;
    const bound = tripsOf(scope, outer.step);
    if (
      !bound ||
      bound.atMost < 2 ||
      2 * bound.atMost > context.gpu.multiprocessors ||
      region.clauses.has('num_gangs') ||
      outer.clauses.get('gang')?.argument
    )
      continue;
    // In a kernels construct gangs form a grid over the loops that have them.
    const kernels = region.construct === 'kernels';
    if (
      kernels &&
      (!outer.clauses.has('gang') ||
        withInner(outer).some(
          (loop) =>
            loop !== outer &&
            (loop.clauses.has('gang') || loop.clauses.has('tile') || (isParallel(loop) && !hasLevel(loop))),
        ))
    )
      continue;
    const joined: AccLoop[] = [outer];
    let product = bound.atMost;
    for (let loop = outer; loop.tight; ) {
      const next = loop.children[0]!;
      if (
        next.step.form !== 'counted' ||
        next.clauses.has('seq') ||
        !canJoin(next) ||
        joined.some((one) => !rectangular(scope, one, next))
      )
        break;
      // Once there are turns enough, a loop that a directive maps keeps its lanes.
      if (joined.length > 1 && next.directive && product >= context.gpu.multiprocessors * warp) break;
      const trips = tripsOf(scope, next.step);
      joined.push(next);
      product = trips ? product * trips.atMost : Number.POSITIVE_INFINITY;
      loop = next;
    }
    if (joined.length < 2 || product < 4 * bound.atMost || product < 2 * warp) continue;
    const fix = collapseFix(mapping, joined);
    facts.push({
      kind: 'acc-collapse',
      at: span(context, outer.step.header),
      kernelAt: kernelSpan(context, region, [outer]),
      variable: outer.step.variable ?? '',
      trips: factTrips(bound)!,
      inner: joined.slice(1).map((loop) => loop.step.variable ?? ''),
      joined: joined.map((loop) => span(context, loop.step.header)),
      count: joined.length,
      ...(fix ? { fix } : {}),
    });
  }
  return facts;
}

function canJoin(loop: AccLoop): boolean {
  if (['collapse', 'tile', 'worker'].some((name) => loop.clauses.has(name))) return false;
  if (loop.directive && isParallel(loop)) return true;
  const { proven, reductions } = independenceOf(loop.region.scope, loop.step);
  return proven && reductions.length === 0;
}

function collapseFix(mapping: Mapping, joined: readonly AccLoop[]): AccCollapseFact['fix'] {
  const { scope } = joined[0]!.region;
  const outer = joined[0]!;
  const removed: (Edit | undefined)[] = [];
  let vector = outer.clauses.has('vector');
  for (const loop of joined.slice(1)) {
    if (!loop.directive) continue;
    // Whatever else the inner directive says would be lost with its line.
    if (
      loop.directive.macro ||
      loop.directive.clauses.some(
        (clause) => !['gang', 'vector', 'independent'].includes(clause.name) || clause.argument,
      )
    )
      return undefined;
    vector ||= loop.clauses.has('vector');
    removed.push(removeLines(scope.file, loop.directive));
  }
  // The lanes went with the inner directive: the joined loop takes them.
  const last = joined.at(-1)!;
  const lanesInside = withInner(last)
    .slice(1)
    .some((loop) => mapping.get(loop)?.vector !== undefined);
  const wanted =
    vector && !outer.clauses.has('vector') && !lanesInside
      ? outer.clauses.has('gang')
        ? ' vector'
        : ' gang vector'
      : '';
  const safe = joined.slice(1).every((loop) => loop.directive || !independenceOf(scope, loop.step).aliasing);
  return withRatedFix(
    safe,
    titleWith(
      joined.map((loop) => loop.step.variable).join('`, `'),
      (names) => `Add collapse(${joined.length}) for the loops over \`${names}\``,
    ),
    ...removed,
    appendClauses(scope, outer.directive!, `collapse(${joined.length})${wanted}`, false),
  ).fix;
}

// The exchange of loops or lanes that lays the lanes along the arrays, and leaves iterations enough for the gangs.
import { titleWith } from '../../excerpt';
import type { AccFix } from '../model';
import type { Edit } from '../../model';
import { isParallel, type Mapping, vectorLengthOf } from '../analysis/mapping';
import { type AccLoop, outerLoops, withInner } from '../analysis/regions';
import { editAt, fixOf, removeLines, together } from './directiveEdits';
import { assumedLength, type Context, iterations, rectangular, warp } from './kernelMapping';
import { appendClauses } from './mappingEdits';

/**
 * Exchanges the heads of two tightly nested loops. Where too few iterations or an unknown number of them would be left
 * for the gangs, one `collapse` shares those of both loops.
 */
export function interchangeFix(mapping: Mapping, lane: AccLoop, better: AccLoop, context: Context): AccFix | undefined {
  const between = outerLoops(lane).slice(0, outerLoops(lane).indexOf(better));
  const nest = [better, ...between, lane];
  const isJoined = lane.joinedInto !== undefined && [better, better.joinedInto].includes(lane.joinedInto);
  if (
    (between.length > 0 && !isJoined) ||
    nest.some((loop) => loop.step.macro || loop.step.header.macro || !isParallel(loop)) ||
    [better, ...between].some((loop) => !loop.tight || !rectangular(loop.region.scope, loop, lane)) ||
    between.some((loop) => !rectangular(loop.region.scope, better, loop)) ||
    mapping.get(better)?.seq
  )
    return undefined;
  // A sum over the inner loop, or a clause that names a loop's own variable, would stay behind.
  if (!isJoined && better.clauses.has('reduction') !== lane.clauses.has('reduction')) return undefined;
  const names = [better.step.variable!, lane.step.variable!];
  for (const clause of [...better.clauses.values(), ...lane.clauses.values()])
    if (
      clause.argument?.items.some(
        (item) => item.variable !== undefined && names.includes(item.variable) && clause.name !== 'private',
      )
    )
      return undefined;
  const heads = [
    editAt(context.file, better.step.header, head(lane)),
    editAt(context.file, lane.step.header, head(better)),
  ];
  const title = `Interchange the loops over \`${names.join('` and `')}\``;
  if (isJoined || !mapping.get(better)?.gang || mapping.get(lane)?.gang || !better.directive)
    return fixOf(title, heads);
  const left = iterations([lane, ...outerLoops(better).filter((loop) => mapping.get(loop)?.gang)]);
  const isFilled = Number.isFinite(left) && left >= context.gpu.multiprocessors;
  const lanes = vectorLengthOf(lane, mapping.get(lane)!, assumedLength).value ?? warp;
  if (isFilled && iterations([better]) >= lanes) return fixOf(title, heads);
  const joined = fixOf(
    titleWith(names, (code) => `Interchange the loops over \`${code}\`, with collapse(2)`),
    heads,
    collapseEdits(better, lane),
  );
  return joined ?? (isFilled ? fixOf(title, heads) : undefined);
}

function head({ step, region }: AccLoop): string {
  return region.scope.file.text.slice(step.header.start, step.header.end);
}

/** Joins two loops: what the inner directive says goes to the outer one. */
function collapseEdits(outer: AccLoop, inner: AccLoop): readonly Edit[] | undefined {
  const { scope } = outer.region;
  if (outer.joined > 1 || inner.joined > 1 || outer.clauses.has('tile') || inner.clauses.has('tile')) return undefined;
  const directive = outer.directive!;
  const moved = (inner.directive?.clauses ?? []).filter(({ name }) => !outer.clauses.has(name));
  if (
    inner.directive?.macro ||
    inner.directive?.clauses.some(
      ({ name }) => !['gang', 'worker', 'vector', 'independent', 'private'].includes(name),
    ) ||
    inner.directive?.clauses.some(({ name, argument }) => argument && outer.clauses.has(name))
  )
    return undefined;
  const levels = [
    ...(outer.clauses.has('gang') || moved.every(({ name }) => name !== 'vector' && name !== 'worker') ? [] : ['gang']),
    ...moved.map(({ start, end }) => scope.file.text.slice(start, end).replace(/\s+/g, ' ')),
  ];
  if (/[&\\]/.test(levels.join(''))) return undefined;
  return together(
    inner.directive ? removeLines(scope.file, inner.directive) : [],
    appendClauses(scope, directive, ['collapse(2)', ...levels].join(' '), false),
  );
}

/** Gives the lanes to the loop around, and lets each lane run the inner loop by itself. */
export function moveLanesFix(mapping: Mapping, lane: AccLoop, better: AccLoop, context: Context): AccFix | undefined {
  const { scope, construct } = lane.region;
  const levels = mapping.get(better);
  if (
    construct !== 'parallel' ||
    lane.parent !== better ||
    lane.joined > 1 ||
    better.joined > 1 ||
    !lane.directive ||
    !better.directive ||
    !levels?.gang ||
    levels.worker ||
    !isParallel(better)
  )
    return undefined;
  if (
    better.children.some((child) => child !== lane && mapping.get(child)?.vector) ||
    withInner(lane).length > 1 ||
    lane.clauses.has('worker') ||
    lane.clauses.has('gang')
  )
    return undefined;
  // A warp for each multiprocessor at least.
  const shared = iterations([better, ...outerLoops(better).filter((loop) => mapping.get(loop)?.gang)]);
  if (shared < warp * context.gpu.multiprocessors) return undefined;
  const vector = lane.clauses.get('vector');
  const turns = vector
    ? vector.macro || vector.argument
      ? undefined
      : editAt(scope.file, vector, 'seq')
    : appendClauses(scope, lane.directive, 'seq', false);
  return fixOf(
    `Give the lanes to the loop over \`${better.step.variable}\` instead`,
    appendClauses(scope, better.directive, better.clauses.has('gang') ? 'vector' : 'gang vector', false),
    turns,
  );
}

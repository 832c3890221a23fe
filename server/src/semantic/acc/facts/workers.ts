// Blocks of a single warp: loops whose lanes leave most of a multiprocessor idle, and the workers that would fill it.
import type { Clause, Directive, Step } from '../../../syntax/procedures';
import type { AccBlockFact, AccWorkersFact } from '../model';
import type { Edit } from '../../model';
import { editAt, fixOf, removeClause, together, withFix } from './directiveEdits';
import { addToLoop, appendClauses, clauseBehind, setArgument } from './mappingEdits';
import { sizeOf } from '../analysis/mapping';
import {
  type AccLoop,
  type ComputeRegion,
  forNvidia,
  joinedLoops,
  loopsOf,
  outerLoops,
  withInner,
} from '../analysis/regions';
import { type Scope, variableAt } from '../analysis/scope';
import { effectsOf, stepsIn } from '../analysis/steps';
import {
  type Context,
  dataNames,
  factTrips,
  hasLevel,
  type Kernel,
  kernelSpan,
  largestBlock,
  offeredWorkers,
  privatesOf,
  sharedTrips,
  span,
  warp,
} from './kernelMapping';
import { lengthInForce, type LengthInForce, numberPlace, toLanes } from './vectorLengths';

// ---- size of a gang ------------------------------------------------------------------------------------------------

export function blockFacts(region: ComputeRegion, context: Context): AccBlockFact[] {
  const facts = new Map<Clause, AccBlockFact>();
  const nests = region.construct === 'kernels' ? region.roots.map(withInner) : [loopsOf(region)];
  for (const loops of nests.length > 0 ? nests : [[]]) {
    const [worker, vector] = [sizeOf(region, loops, 'worker'), sizeOf(region, loops, 'vector')];
    if (!worker || !vector || worker.number < 1 || vector.number < 1 || vector.number > largestBlock) continue;
    const { clause, number: workers } = worker;
    if (workers * vector.number <= largestBlock || facts.has(clause)) continue;
    const most = Math.floor(largestBlock / vector.number);
    const fix = fixOf(`Write ${clause.name}(${most})`, setArgument(region.scope, clause, String(most)));
    facts.set(clause, {
      kind: 'acc-block',
      at: span(context, numberPlace(clause)),
      workers,
      vectorLength: vector.number,
      vectorAt: span(context, numberPlace(vector.clause)),
      ...(fix ? { clamped: { workers: most, fix } } : {}),
    });
  }
  return [...facts.values()];
}

// ---- workers -------------------------------------------------------------------------------------------------------

export function workersFacts(kernel: Kernel, context: Context): AccWorkersFact[] {
  const { region, loops, mapping } = kernel;
  const force = lengthInForce(kernel);
  // A length that only the compiler is thought to choose says nothing where it may choose another loop as well.
  if (force?.origin === 'assumed' && force.loops.some(({ levels }) => levels.vector !== 'written')) return [];
  if (
    force?.value !== warp ||
    region.clauses.has('num_workers') ||
    loops.some((loop) => mapping.get(loop)?.worker || loop.clauses.has('worker'))
  )
    return [];
  if (force.loops.every(({ levels, site }) => levels.gang && !site)) return flatWarps(kernel, force, context);
  const facts: AccWorkersFact[] = [];
  const outers = new Set(
    force.loops.map(({ loop, site }) => {
      const outer = [...(site ? [site] : []), ...outerLoops(site ?? loop)].find(
        (one) => mapping.get(one)?.gang !== undefined,
      );
      return outer?.joinedInto ?? outer;
    }),
  );
  if (outers.size !== 1 || outers.has(undefined)) return [];
  const [gang] = [...outers] as [AccLoop];
  const last = joinedLoops(gang).at(-1)!;
  // Every vector loop must stand directly in the gang's loop: with loops between, the gang has more to do than a row.
  if (
    force.loops.some(({ loop, levels, site }) => (site ?? loop.parent) !== last || levels.gang) ||
    last.children.length !== force.loops.filter(({ site }) => !site).length
  )
    return [];
  if (loops.some((loop) => outerLoops(gang).includes(loop) && loop.directive)) return [];
  const steps = stepsIn(last.step.body);
  const statements = steps.filter((step) => step.kind !== 'block').length;
  if (steps.some(({ kind }) => kind === 'directive' || kind === 'region' || kind === 'other')) return [];
  if (gangPrivateArrays(gang)) return [];
  const trips = factTrips(sharedTrips(gang));
  const nvidiaOnly = force.clause ? forNvidia(force.clause) : false;
  const choices = offeredWorkers.map((workers) => {
    const clauses = region.construct === 'kernels' ? `gang worker(${workers})` : `gang worker num_workers(${workers})`;
    const edits = workerEdits(kernel, gang, force, workers, nvidiaOnly);
    return { workers, ...withFix(`Use ${workers} workers per gang: ${clauses}`, edits) };
  });
  facts.push({
    kind: 'acc-workers',
    at: span(context, gang.step.header),
    kernelAt: kernelSpan(context, region, loops),
    variable: gang.step.variable ?? '',
    vectorLength: force.value,
    origin: force.origin,
    statements,
    vectorLoops: force.loops.length,
    ...(force.clause ? { lengthAt: span(context, force.clause) } : {}),
    ...(trips ? { trips } : {}),
    choices,
  });
  return facts;
}

/** Loops on gangs and lanes at once, which nothing holds to a warp but the length that is written. */
function flatWarps({ region, loops, usualLength }: Kernel, force: LengthInForce, context: Context): AccWorkersFact[] {
  const { clause } = force;
  const bounds = force.loops.map(({ trips }) => trips?.atMost ?? Number.POSITIVE_INFINITY);
  const longest = force.loops[bounds.indexOf(Math.max(...bounds))]!;
  const trips = factTrips(longest.trips);
  if (!clause || force.origin !== 'written' || usualLength === warp) return [];
  const { nameAt, argument } = clause;
  const edit =
    clause.name === 'vector_length'
      ? removeClause(region.scope.file, clause)
      : clause.macro || !argument
        ? undefined
        : editAt(region.scope.file, { start: nameAt.end, end: clause.end }, '');
  const title = `Leave the vector length to the compiler: ${usualLength} in nvc`;
  return [
    {
      kind: 'acc-workers',
      flat: true,
      at: span(context, longest.loop.step.header),
      kernelAt: kernelSpan(context, region, loops),
      variable: longest.loop.step.variable ?? '',
      vectorLength: warp,
      origin: force.origin,
      lengthAt: span(context, clause),
      statements: 0,
      vectorLoops: 1,
      ...(trips ? { trips: { ...trips, atMost: Math.ceil(trips.atMost / warp) } } : {}),
      choices: [{ workers: usualLength / warp, ...withFix(title, edit) }],
    },
  ];
}

/** Arrays that each gang has to itself, which workers would share. */
function gangPrivateArrays(gang: AccLoop): boolean {
  const { scope } = gang.region;
  const named = dataNames(gang.region.directive, ...(gang.directive ? [gang.directive] : []));
  return (
    [...named].some((name) => variableAt(scope, name, gang.step.start)?.dimensions) ||
    scope.procedure.variables.some(
      (variable) =>
        variable.dimensions?.some((dimension) => dimension.extent) &&
        variable.scope &&
        variable.at.start > gang.step.start &&
        variable.at.start < gang.step.end,
    )
  );
}

function workerEdits(
  kernel: Kernel,
  gang: AccLoop,
  force: LengthInForce,
  workers: number,
  nvidiaOnly: boolean,
): readonly Edit[] | undefined {
  const { region } = kernel;
  const { scope } = region;
  // A vector loop that nothing names would be free to become the workers' loop.
  const lanes = force.loops
    .filter(({ loop, site }) => !site && !hasLevel(loop))
    .map(({ loop }) => toLanes(loop, nvidiaOnly));
  const gangClause = gang.clauses.get('gang');
  const levels = gangClause ? 'worker' : 'gang worker';
  if (region.construct === 'kernels')
    return together(addToLoop(scope, gang.step, gang.directive, `${levels}(${workers})`, nvidiaOnly), ...lanes);
  if (!gang.directive) return undefined;
  // Without it a scalar that each iteration sets is one for all workers of a gang.
  // What only the vector loops touch is theirs.
  const lanesOnly = new Set(force.loops.map(({ loop }) => loop.step as Step));
  const outside = effectsOf(
    joinedLoops(gang)
      .at(-1)!
      .step.body.filter((step) => !lanesOnly.has(step)),
  ).written;
  const privates = privatesOf(gang).filter(
    (name) => outside.has(name) && !dataNames(gang.directive!, region.directive).has(name),
  );
  const shared = privates.length > 0 ? `private(${privates.join(', ')})` : '';
  if (gang.directive === region.directive)
    return together(
      (shared === '' && !nvidiaOnly && gangClause && !gangClause.deviceTypes
        ? clauseBehind(scope, gangClause, region.directive, `worker num_workers(${workers})`)
        : undefined) ?? appended(scope, region.directive, shared, `${levels} num_workers(${workers})`, nvidiaOnly),
      ...lanes,
    );
  return together(
    appendClauses(scope, region.directive, `num_workers(${workers})`, nvidiaOnly),
    appended(scope, gang.directive, shared, levels, nvidiaOnly),
    ...lanes,
  );
}

/** Clauses for every device and clauses for the part that is asked for, in one edit where they meet. */
function appended(
  scope: Scope,
  directive: Directive,
  always: string,
  clauses: string,
  nvidiaOnly: boolean,
): Edit | readonly Edit[] | undefined {
  if (always === '') return appendClauses(scope, directive, clauses, nvidiaOnly);
  if (!nvidiaOnly) return appendClauses(scope, directive, `${always} ${clauses}`, false);
  return together(appendClauses(scope, directive, always, false), appendClauses(scope, directive, clauses, true));
}

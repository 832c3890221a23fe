// Work that few of the GPU's multiprocessors do: serial constructs, loops without gangs, a few gangs, loops that a
// compiler cannot share, workers without an iteration, and joined loops of which a condition leaves out half.
import type { Step } from '../../../syntax/procedures';
import type { Edit } from '../../model';
import type { AccMappingFact } from '../model';
import { isAtomicForm, independenceOf } from '../analysis/independence';
import { clauseNumber, type Mapping, sizeOf } from '../analysis/mapping';
import {
  type AccLoop,
  type ComputeRegion,
  joinedLoops,
  loopsOf,
  onlyStep,
  outerLoops,
  sizedClause,
  withInner,
} from '../analysis/regions';
import { laneRoutinesIn } from '../analysis/routineLevels';
import { boundsOf, polynomialAt, type Scope, variableAt } from '../analysis/scope';
import { slope } from '../analysis/valuePolynomials';
import { editAt, lineBefore, removeClause, standsInList, withRatedFix } from './directiveEdits';
import {
  assumedLength,
  type Context,
  factTrips,
  isLong,
  iterations,
  largestBlock,
  mappingFact,
  neverOnDevice,
  placeOf,
  sharedTrips,
} from './kernelMapping';
import { ownClauses } from './levels';
import { meetingsIn } from './loopRaces';
import { addToLoop, setArgument } from './mappingEdits';

export function idleFacts(region: ComputeRegion, mapping: Mapping, context: Context): AccMappingFact[] {
  if (neverOnDevice(region) || region.construct === 'routine') return [];
  if (region.construct === 'serial') return serialFacts(region, context);
  const shared = loopsOf(region).filter((loop) => !loop.joinedInto && loop.step.form === 'counted');
  const outermost = shared.filter((loop) => isDirected(loop) && !outerLoops(loop).some(isDirected));
  return [
    ...(region.construct === 'kernels' ? region.roots.flatMap((root) => unsharedFacts(root, mapping, context)) : []),
    ...outermost.flatMap((loop) => gangFacts(loop, mapping, context)),
    ...shared.flatMap((loop) => [
      ...workerFacts(loop, shared, mapping, context),
      ...(isHalved(loop)
        ? [mappingFact('triangle', loop, context, { inner: placeOf(joinedLoops(loop)[1]!, context) })]
        : []),
    ]),
  ];
}

function isDirected(loop: AccLoop): boolean {
  return loop.directive !== undefined && !loop.clauses.has('seq');
}

/** All that the construct does is this loop: nothing waits for its end within a gang, or runs once for each. */
function isWhole({ region, step }: AccLoop): boolean {
  return onlyStep(region.step?.body ?? []) === step;
}

// ---- serial --------------------------------------------------------------------------------------------------------

function serialFacts(region: ComputeRegion, context: Context): AccMappingFact[] {
  const { scope, directive, step: construct } = region;
  const { file } = scope;
  return region.roots.flatMap((root) => {
    const { step } = root;
    const { proven, updates = [] } = independenceOf(scope, step);
    if (!(proven || updates.length > 0) || !isLong(scope, step) || root.clauses.has('seq')) return [];
    const end = construct?.endDirective;
    const isNamed = !directive.macro && /^serial/i.test(file.text.slice(directive.nameAt.start));
    const rename = (start: number) => editAt(file, { start, end: start + 'serial'.length }, 'parallel');
    const own = ownClauses(scope, root).join(' ');
    const isNothing = root.directive && own === '';
    return [
      mappingFact('serial', root, context, {
        ...(updates.length > 0 ? { remedy: 'atomic' } : {}),
        ...withRatedFix(
          false,
          `Share the loop over \`${step.variable}\`: parallel${updates.length > 0 ? ', with atomic updates' : ''}`,
          isNamed && isWhole(root) ? rename(directive.nameAt.start) : undefined,
          end ? (end.macro ? undefined : rename(file.text.toLowerCase().indexOf('serial', end.start))) : [],
          isNothing ? [] : addToLoop(scope, step, root.directive, own, false),
          ...atomicLines(scope, updates),
        ),
      }),
    ];
  });
}

function atomicLines({ file }: Scope, steps: readonly Step[]): (Edit | undefined)[] {
  return steps.map((step) =>
    step.kind === 'assign' && isAtomicForm(step) && standsInList(file, step)
      ? lineBefore(file, step, 'atomic update')
      : undefined,
  );
}

// ---- gangs ---------------------------------------------------------------------------------------------------------

function gangFacts(loop: AccLoop, mapping: Mapping, context: Context): AccMappingFact[] {
  const { region } = loop;
  const nest = withInner(loop).filter((one) => !one.joinedInto);
  const gangs = nest.filter((one) => mapping.get(one)?.gang);
  const clause = region.clauses.get('num_gangs') ?? gangs.map((one) => sizedClause(one, 'gang')).find(Boolean);
  const asked = clause && clauseNumber(region, clause);
  const { scope } = region;
  const { multiprocessors } = context.gpu;
  // One block holds iterations up to its largest size.
  const most = iterations([loop]) * (nest.length > 1 ? Number.POSITIVE_INFINITY : 1);
  if (clause && !(gangs.length > 0 && iterations(gangs) <= (asked ?? 0))) {
    if (asked === undefined || asked < 1 || 2 * asked > multiprocessors || most <= asked * largestBlock) return [];
    const isFree = isWhole(loop) && gangs.length > 0 && clause.name === 'num_gangs';
    const title = `Remove ${clause.name}(${asked})`;
    const fix = withRatedFix(true, title, isFree ? removeClause(scope.file, clause) : undefined);
    return [mappingFact('few-gangs', loop, context, { gangs: asked, ...fix })];
  }
  if (region.construct === 'kernels') return [];
  if (gangs.length === 0) {
    if (!isLong(scope, loop.step) || nest.some((one) => laneRoutinesIn(one).length > 0)) return [];
    const levels = ['worker', 'vector'].filter((level) => loop.clauses.has(level)).join(' ');
    const isSummed = nest.some((one) => one.clauses.has('reduction')) && region.directive !== loop.directive;
    const isFree = isWhole(loop) && !isSummed;
    const title = `Share the loop over \`${loop.step.variable}\` among gangs`;
    const edit = isFree ? addToLoop(scope, loop.step, loop.directive, 'gang', false) : undefined;
    const fix = withRatedFix(true, title, edit);
    return [mappingFact('no-gang', loop, context, { levels, gangs: 1, ...fix })];
  }
  const last = gangs.at(-1)!;
  const isFlat = mapping.get(last)?.vector !== undefined;
  const count = Math.ceil(iterations(gangs) / (isFlat ? assumedLength : 1));
  const inner = withInner(last).find(
    (one) =>
      !joinedLoops(last).includes(one) &&
      isLong(scope, one.step) &&
      !one.clauses.has('seq') &&
      (isDirected(one) || independenceOf(scope, one.step).proven) &&
      (isFlat || sharedTrips(one) === undefined || sharedTrips(one)!.atMost > largestBlock),
  );
  const isJoinable = isFlat || joinedLoops(last).at(-1)!.tight;
  if (2 * count > multiprocessors || !inner || !isJoinable || mapping.get(loop)?.tiled) return [];
  return [mappingFact('few-gangs', loop, context, { gangs: count, inner: placeOf(inner, context) })];
}

// ---- kernels -------------------------------------------------------------------------------------------------------

/** Loops whose iterations meet in an array, in a way that a clause or a directive resolves. */
function unsharedFacts(root: AccLoop, mapping: Mapping, context: Context): AccMappingFact[] {
  const { scope } = root.region;
  const { step } = root;
  const isMapped = withInner(root).some((loop) => mapping.get(loop)?.gang || mapping.get(loop)?.vector);
  if (isMapped || ['seq', 'independent'].some((name) => root.clauses.has(name)) || !isLong(scope, step)) return [];
  const meetings = meetingsIn(scope, root);
  if (meetings.length === 0 || meetings.some(({ form }) => form === 'carried')) return [];
  const privates = meetings.flatMap(({ form, access }) => (form === 'private' ? [access.element.array] : []));
  const atomics = meetings.flatMap(({ form, access }) => (form === 'private' ? [] : [access.step]));
  const isPointer = (name: string): boolean => variableAt(scope, name, step.start)?.pointer === true;
  const clauses = ['independent', ...(privates.length > 0 ? [`private(${privates.join(', ')})`] : [])].join(' ');
  return [
    mappingFact('unshared', root, context, {
      arrays: meetings.map(({ access }) => access.element.array),
      remedy: [privates.length > 0 ? '`private`' : '', atomics.length > 0 ? '`atomic`' : '']
        .filter(Boolean)
        .join(' and '),
      ...withRatedFix(
        false,
        `Share the loop over \`${step.variable}\`: ${clauses}${atomics.length > 0 ? ', atomic updates' : ''}`,
        privates.some(isPointer) ? undefined : addToLoop(scope, step, root.directive, clauses, false),
        ...atomicLines(scope, atomics),
      ),
    }),
  ];
}

// ---- workers and triangles -----------------------------------------------------------------------------------------

function workerFacts(loop: AccLoop, all: readonly AccLoop[], mapping: Mapping, context: Context): AccMappingFact[] {
  const { region } = loop;
  const { clause, number: workers } = sizeOf(region, [loop], 'worker') ?? {};
  const trips = sharedTrips(loop);
  if (outerLoops(loop).some((outer) => mapping.get(outer)?.worker)) return [];
  if (!mapping.get(loop)?.worker || mapping.get(loop)?.gang || workers === undefined || !trips) return [];
  const others = all.filter((one) => one !== loop && mapping.get(one)?.worker);
  if (2 * trips.atMost > workers || others.some((one) => 2 * iterations([one]) > workers)) return [];
  const title = `Write ${clause!.name}(${trips.atMost})`;
  const fix = withRatedFix(true, title, setArgument(region.scope, clause!, String(trips.atMost)));
  return [mappingFact('idle-workers', loop, context, { gangs: workers, trips: factTrips(trips)!, ...fix })];
}

/** Under `collapse` a condition that compares two of the variables leaves out half of a square. */
function isHalved(loop: AccLoop): boolean {
  const { scope } = loop.region;
  const joined = joinedLoops(loop);
  const only = loop.joined > 1 && joined.length === loop.joined ? onlyStep(joined.at(-1)!.step.body) : undefined;
  if (only?.kind !== 'if' || only.else?.length || only.cond.kind !== 'binary') return false;
  const { op, left, right } = only.cond;
  const [a, b] = [polynomialAt(scope, left, only), polynomialAt(scope, right, only)];
  const difference = /^[<>]=?$/.test(op) ? a && b?.plus(a, -1) : undefined;
  const compared = joined.filter(({ step }) => difference && slope(difference, step.variable!)?.number);
  const [one, other, ...more] = compared.map(({ step }) => boundsOf(scope, step));
  return !!one && !!other && more.length === 0 && one.lower.equals(other.lower) && one.upper.equals(other.upper);
}

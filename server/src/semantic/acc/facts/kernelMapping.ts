// What the facts about gangs, workers and lanes share: a kernel with its mapping, places, trip counts and fixes for one
// kind of device or for all.
import { spanIn } from '../../span';
import type { Directive, LoopStep, Place, ProcedureFile } from '../../../syntax/procedures';
import type { AccMappingFact, AccTrips } from '../model';
import type { CompilerRemark } from '../feedback/remark';
import type { Gpu, Span } from '../../model';
import { firstTouch } from '../analysis/independence';
import { clauseNumber, type Mapping } from '../analysis/mapping';
import { type AccLoop, type ComputeRegion, joinedLoops, levelNames } from '../analysis/regions';
import { polynomialAt, type Scope, variableAt } from '../analysis/scope';
import { slope } from '../analysis/valuePolynomials';
import { effectsOf, mentions, stepsIn } from '../analysis/steps';
import type { TripBound } from '../analysis/countedTrips';
import { tripsOf } from '../analysis/trips';

/** What nvc and nvfortran take where nothing is said, measured on their logs. GCC takes a warp. */
export const assumedLength = 128;
export const warp = 32;
export const largestBlock = 1024;
export const offeredWorkers = [4, 8, 16, 32];

export interface Context {
  readonly file: ProcedureFile;
  readonly gpu: Gpu;
  readonly feedback: readonly CompilerRemark[];
  /** Some directive of the file speaks to one kind of device. */
  readonly severalDevices: boolean;
  /** The compiler knows `device_type` on constructs and loops: the build is for nvc, or the file has it already. */
  readonly takesDevices: boolean;
}

/** One kernel on the GPU: a parallel construct, or a nest of loops in a kernels construct. */
export interface Kernel {
  readonly region: ComputeRegion;
  readonly loops: readonly AccLoop[];
  readonly mapping: Mapping;
  /** The vector length where nothing is said. */
  readonly usualLength: number;
}

export function span(context: Context, place: Place): Span {
  return spanIn(context.file, place);
}

/** From a construct's directive to the end of its loops: where the code of a kernel stands. */
export function kernelSpan(context: Context, region: ComputeRegion, loops: readonly AccLoop[]): Span {
  const end = Math.max(region.directive.end, ...loops.map(({ step }) => step.end));
  const starts = region.construct === 'kernels' ? loops.map(({ step }) => step.start) : [region.directive.start];
  return span(context, { start: Math.min(...starts), end });
}

export function factTrips(bound: TripBound | undefined): AccTrips | undefined {
  return bound && { atMost: bound.atMost, exact: bound.exact, why: bound.why, ...(bound.at ? { at: bound.at } : {}) };
}

export function mappingFact(
  form: AccMappingFact['form'],
  { step }: AccLoop,
  context: Context,
  more: Omit<AccMappingFact, 'kind' | 'form' | 'at' | 'variable'>,
): AccMappingFact {
  return { kind: 'acc-mapping', form, at: span(context, step.header), variable: step.variable ?? '', ...more };
}

/** A loop inside, as a fact names it. */
export function placeOf({ step }: AccLoop, context: Context): NonNullable<AccMappingFact['inner']> {
  return { at: span(context, step.header), variable: step.variable ?? '' };
}

export const nvidiaSuffix = (nvidiaOnly: boolean): string => (nvidiaOnly ? ', for NVIDIA devices only' : '');

/** The turns that lanes share: the product over the loops that `collapse` joins. */
export function sharedTrips(loop: AccLoop): TripBound | undefined {
  const own = tripsOf(loop.region.scope, loop.step);
  if (loop.joined === 1 || !own) return own;
  const loops = joinedLoops(loop);
  const trips = loops.flatMap(({ step }) => tripsOf(loop.region.scope, step) ?? []);
  if (loops.length < loop.joined || trips.length < loops.length) return undefined;
  return {
    ...own,
    atMost: trips.reduce((product, { atMost }) => product * atMost, 1),
    exact: trips.every(({ exact }) => exact),
    constant: trips.every(({ constant }) => constant),
  };
}

/** The iterations of loops that lie in one another at most: without an end where one of them has no bound. */
export function iterations(loops: readonly AccLoop[]): number {
  return [...new Set(loops.flatMap(joinedLoops))].reduce(
    (product, { region, step }) => product * (tripsOf(region.scope, step)?.atMost ?? Number.POSITIVE_INFINITY),
    1,
  );
}

export function hasLevel(loop: AccLoop): boolean {
  return levelNames.some((name) => loop.clauses.has(name));
}

export function listed(names: readonly string[]): string {
  return `the loop${names.length > 1 ? 's' : ''} over ${names.map((name) => `\`${name}\``).join(', ')}`;
}

/** Scalars declared outside that each iteration writes before it reads. */
export function privatesOf(loop: AccLoop): readonly string[] {
  const { scope } = loop.region;
  const { written, declared } = effectsOf(loop.step.body);
  const counters = new Set(stepsIn(loop.step.body).map((step) => (step.kind === 'loop' ? step.variable : undefined)));
  return [...written].filter((name) => {
    if (declared.has(name) || counters.has(name) || !/^\w+$/.test(name)) return false;
    const variable = variableAt(scope, name, loop.step.start);
    return (
      variable !== undefined &&
      variable.dimensions === undefined &&
      variable.role !== 'global' &&
      firstTouch(loop.step.body, name) !== 'read'
    );
  });
}

export function dataNames(...directives: readonly Directive[]): ReadonlySet<string> {
  return new Set(
    directives.flatMap((directive) =>
      directive.clauses
        .filter((clause) => ['private', 'firstprivate', 'reduction'].includes(clause.name))
        .flatMap((clause) => clause.argument?.items.flatMap((item) => item.variable ?? item.text.trim()) ?? []),
    ),
  );
}

/** A loop of so few turns is unrolled and not shared. */
export function isLong(scope: Scope, loop: LoopStep): boolean {
  const trips = tripsOf(scope, loop);
  return trips === undefined || trips.atMost >= 16;
}

/** `if(0)`: the construct is there to be left out. */
export function neverOnDevice(region: ComputeRegion): boolean {
  const clause = region.clauses.get('if');
  return clause !== undefined && clauseNumber(region, clause) === 0;
}

/** Neither loop's bounds depend on the other's variable. */
export function rectangular(scope: Scope, outer: AccLoop, inner: AccLoop): boolean {
  const free = (loop: LoopStep, name: string): boolean =>
    [loop.lower, loop.upper, loop.step].every((value) => {
      const polynomial = value && polynomialAt(scope, value, loop);
      return !value || (polynomial && slope(polynomial, name)?.isZero && !mentions(value, name));
    });
  return free(inner.step, outer.step.variable!) && free(outer.step, inner.step.variable!);
}

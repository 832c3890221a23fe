// Which loops run on gangs, workers and vector lanes: what the directives say, what a compiler's feedback says, and
// what nvc chooses where neither does.
import type { Clause } from '../../../syntax/procedures';
import type { CompilerRemark } from '../feedback/remark';
import { independenceOf } from './independence';
import { levelNames, loopsOf, outerLoops, sizedClause, withInner, type AccLoop, type ComputeRegion } from './regions';
import { laneRoutinesIn } from './routineLevels';
import { numberAt } from './scope';
import { countedTrips, lineOf } from './countedTrips';

type Origin = 'written' | 'assumed' | 'feedback';

/** The levels that share a loop's turns. */
export interface Levels {
  readonly gang?: Origin | undefined;
  readonly worker?: Origin | undefined;
  readonly vector?: Origin | undefined;
  /** The loop runs turn by turn in each lane that reaches it. */
  readonly seq?: Origin | undefined;
  /** Nothing is said, and the compiler may do either. */
  readonly unsure?: boolean;
  /** Tightly nested loops of a kernels region that nvc tiles in two dimensions. */
  readonly tiled?: boolean;
  /** Lanes and workers that feedback tells of. */
  readonly vectorLength?: number | undefined;
  readonly workers?: number | undefined;
}

export type Mapping = ReadonlyMap<AccLoop, Levels>;

const sequential: Levels = {};

export function mappingOf(region: ComputeRegion, feedback: readonly CompilerRemark[]): Mapping {
  const mapping = new Map<AccLoop, Levels>();
  for (const root of region.roots) mapNest(root, mapping);
  for (const loop of loopsOf(region))
    if (loop.joinedInto) mapping.set(loop, mapping.get(loop.joinedInto) ?? sequential);
  if (feedback.length > 0) for (const root of region.roots) correct(root, mapping, feedback);
  return mapping;
}

function levelsFrom(origin: (level: (typeof levelNames)[number]) => Origin | undefined): Levels {
  return Object.fromEntries(levelNames.flatMap((level) => (origin(level) ? [[level, origin(level)]] : [])));
}

function isNamed(levels: Levels): boolean {
  return levelNames.some((level) => levels[level] !== undefined);
}

/** Whether the compiler takes a loop's turns for independent: the directives say so, or it can prove it. */
export function isParallel(loop: AccLoop): boolean {
  if (loop.joinedInto) return isParallel(loop.joinedInto);
  if (loop.clauses.has('seq')) return false;
  if (
    loop.directive &&
    (loop.region.construct === 'parallel' || loop.region.construct === 'routine') &&
    !loop.clauses.has('auto')
  )
    return true;
  if (['independent', 'gang', 'worker', 'vector'].some((name) => loop.clauses.has(name))) return true;
  const { proven, aliasing } = independenceOf(loop.region.scope, loop.step);
  return proven && !aliasing;
}

function mapNest(root: AccLoop, mapping: Map<AccLoop, Levels>): void {
  const { construct } = root.region;
  const all = withInner(root).filter((loop) => !loop.joinedInto);
  for (const loop of all)
    mapping.set(
      loop,
      levelsFrom((level) => (loop.clauses.has(level) ? 'written' : undefined)),
    );
  if (construct === 'serial' || construct === 'routine') return;
  const open = (loop: AccLoop): boolean =>
    !isNamed(mapping.get(loop)!) && (construct === 'kernels' ? isParallel(loop) : loop.directive !== undefined);
  const vectorAt = all.filter((loop) => mapping.get(loop)!.vector);
  const set = (loop: AccLoop, levels: Levels): void => {
    mapping.set(loop, { ...mapping.get(loop)!, ...levels });
  };
  // In a parallel construct a loop without a directive runs as a whole in every gang; what is in it is mapped as if
  // it were not there.
  const outermost =
    construct === 'kernels'
      ? [root]
      : all.filter(
          (loop) =>
            loop.directive &&
            !loop.clauses.has('seq') &&
            !outerLoops(loop).some((outer) => outer.directive && !outer.clauses.has('seq')),
        );
  for (const outer of outermost) {
    if (construct === 'kernels' && !isParallel(outer)) continue;
    const nest = withInner(outer).filter((loop) => !loop.joinedInto);
    if (open(outer)) set(outer, { gang: 'assumed' });
    if (nest.some((loop) => vectorAt.includes(loop))) continue;
    const inner = nest.filter(
      (loop) =>
        loop !== outer &&
        open(loop) &&
        !(loop.directive === undefined && (isUnrolled(loop) || isWithinDirected(loop, outer))),
    );
    const child = outer.children.length === 1 ? outer.children[0] : undefined;
    if (
      construct === 'kernels' &&
      outer.tight &&
      outer.joined === 1 &&
      child &&
      inner.includes(child) &&
      mapping.get(outer)!.gang === 'assumed'
    ) {
      set(outer, { vector: 'assumed', tiled: true });
      set(child, { gang: 'assumed', vector: 'assumed', tiled: true });
      continue;
    }
    const leaves = inner.filter((loop) => !inner.some((other) => other !== loop && outerLoops(other).includes(loop)));
    if (leaves.length > 0) for (const leaf of leaves) set(leaf, { vector: 'assumed' });
    else if (mapping.get(outer)!.gang === 'assumed' && laneRoutinesIn(outer).length === 0)
      set(outer, hasOpenInside(outer) ? { unsure: true } : { vector: 'assumed' });
  }
}

/** A loop between has a directive that leaves it to the compiler: its iterations are the lanes', not inner ones. */
function isWithinDirected(loop: AccLoop, root: AccLoop): boolean {
  return outerLoops(loop).some(
    (between) =>
      between !== root &&
      between.directive !== undefined &&
      !between.clauses.has('seq') &&
      outerLoops(between).includes(root),
  );
}

/** A few turns, known to the compiler: nothing to share. */
function isUnrolled(loop: AccLoop): boolean {
  const trips = countedTrips(loop.region.scope, loop.step);
  return trips?.constant === true && trips.atMost < 16;
}

/** Loops inside that nothing maps and that the compiler may give to the lanes by itself. */
function hasOpenInside(loop: AccLoop): boolean {
  return withInner(loop).some((inner) => inner !== loop && !inner.joinedInto && !inner.directive && !isUnrolled(inner));
}

/**
 * Lays a compiler's schedule over a nest. Where it speaks of any loop of it, loops that it does not name run turn by
 * turn.
 */
function correct(root: AccLoop, mapping: Map<AccLoop, Levels>, feedback: readonly CompilerRemark[]): void {
  const nest = withInner(root);
  const told = new Map(nest.map((loop) => [loop, remarkOf(loop, feedback)] as const));
  if (![...told.values()].some((remark) => remark?.schedule) || nest.some((loop) => isOlder(loop, told.get(loop))))
    return;
  for (const loop of nest) {
    const schedule = told.get(loop)?.schedule;
    if (!schedule) {
      if (!loop.joinedInto) mapping.set(loop, { seq: 'feedback' });
      continue;
    }
    mapping.set(loop, {
      ...levelsFrom((level) => (schedule[level] ? (loop.clauses.has(level) ? 'written' : 'feedback') : undefined)),
      vectorLength:
        schedule.vectorLength ?? (told.get(loop)?.compiler === 'gcc' && schedule.vector ? gccLength(loop) : undefined),
      workers: schedule.workers,
    });
  }
}

/** Whether a directive is newer than the compiler's remarks. */
function isOlder(loop: AccLoop, remark: CompilerRemark | undefined): boolean {
  if (loop.joinedInto) return false;
  const { schedule } = remark ?? {};
  if ((['gang', 'worker', 'vector'] as const).some((level) => loop.clauses.has(level) && !schedule?.[level]))
    return true;
  const clause =
    sizedClause(loop, 'vector') ?? (schedule?.vector ? loop.region.clauses.get('vector_length') : undefined);
  const asked = clause && clauseNumber(loop.region, clause);
  return (
    asked !== undefined &&
    remark?.compiler !== 'gcc' &&
    schedule?.vectorLength !== undefined &&
    schedule.vectorLength !== asked
  );
}

/** GCC for nvptx takes 32 lanes unless a constant asks for another multiple of 32. */
function gccLength(loop: AccLoop): number {
  const clause = loop.region.clauses.get('vector_length');
  const asked = clause && clauseNumber(loop.region, clause);
  return asked !== undefined && asked % 32 === 0 ? Math.min(asked, 1024) : 32;
}

/** What the compiler said at the loop's own line or, GCC and flang, at its directive. */
function remarkOf(loop: AccLoop, feedback: readonly CompilerRemark[]): CompilerRemark | undefined {
  const { scope } = loop.region;
  const header = lineOf(scope, loop.step.header.start) + 1;
  const first = loop.directive && lineOf(scope, loop.directive.start) + 1,
    last = loop.directive && lineOf(scope, loop.directive.end) + 1;
  return feedback.find(
    (remark) =>
      remark.schedule &&
      (remark.line === header || (remark.compiler !== 'nvhpc' && (remark.line === first || remark.line === last))),
  );
}

/** The one number that a clause's argument is. */
export function clauseNumber(region: ComputeRegion, clause: Clause): number | undefined {
  const item = clause.argument?.items.at(-1);
  const at = region.step ?? region.scope.procedure.body[0];
  return clause.argument?.items.length === 1 && item?.value && at ? numberAt(region.scope, item.value, at) : undefined;
}

/** The clause that sizes a level, of the first loop that has one or else of the construct, and its number. */
export function sizeOf(
  region: ComputeRegion,
  loops: readonly AccLoop[],
  level: 'worker' | 'vector',
): { readonly clause: Clause; readonly number: number } | undefined {
  const ofConstruct = region.clauses.get(level === 'worker' ? 'num_workers' : 'vector_length');
  const clause = loops.flatMap((loop) => sizedClause(loop, level) ?? [])[0] ?? ofConstruct;
  const number = clause && clauseNumber(region, clause);
  return number === undefined ? undefined : { clause: clause!, number };
}

/**
 * The length of the vectors that run a loop, and where it is said. `value` is absent for a number that the text does
 * not fix.
 */
export interface VectorLength {
  readonly value?: number | undefined;
  readonly origin: Origin;
  readonly clause?: Clause | undefined;
}

export function vectorLengthOf(loop: AccLoop, levels: Levels, assumed: number | undefined): VectorLength {
  const { region } = loop;
  const own = sizedClause(loop, 'vector');
  const clause = (region.construct !== 'parallel' ? own : undefined) ?? region.clauses.get('vector_length') ?? own;
  if (levels.vectorLength !== undefined) return { value: levels.vectorLength, origin: 'feedback', clause };
  if (clause) return { value: clauseNumber(region, clause), origin: 'written', clause };
  return { value: region.construct === 'routine' ? undefined : assumed, origin: 'assumed' };
}

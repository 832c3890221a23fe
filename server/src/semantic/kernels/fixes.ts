// What the fixes of an access rest on beside its cost, which is found when there is something to fix.
import type { Expr, FunctionDecl, IndexExpr, Node, VarDecl } from '../../syntax/ast';
import type { AccessFact, Fixable, RaceFact } from '../model';
import { distinctPlaces, type Fn, localsOf } from '../language';
import { Taint, uncertain } from '../run';
import { attempt, nativeAtomicOf, type Places, type Seen, type SeenAccess, type SharedSample } from '../fixes';
import { ratioOfFact } from './accesses';
import type { AccessSummary, KernelRun } from './kernelRuns';

/** What facts of runs ask of the functions around a place. */
export interface FixFacts {
  contextOf(fn: FunctionDecl): Fn | undefined;
  /** What families of fixes find at a place in `fn`, which `kernel` reaches. */
  at<On extends keyof Places>(
    on: On,
    fn: FunctionDecl,
    kernel: FunctionDecl,
    seen: Omit<Places[On], keyof Seen>,
  ): Fixable;
}
/** What families of fixes find for races that neither a barrier nor an atomic orders. */
export function* raceFixes(
  { races, kernel, branches }: KernelRun,
  facts: readonly (RaceFact | undefined)[],
  fixes: FixFacts,
): Iterable<Fixable | undefined> {
  const isEven = branches.every(({ taint }) => !(taint & (uncertain | Taint.loadedUniform)));
  for (const [at, { first, second }] of races.entries()) {
    const fact = facts[at];
    const isOfOrder = fact?.memory === 'global' && !fact.isUpdate && !fact.isUnfenced && fact.order !== 'store-store';
    const isHere = first.fn === kernel && second.fn === kernel && (second.node as Expr).kind === 'index';
    const root = isHere ? localsOf(kernel).of((second.node as IndexExpr).base)?.parameter : undefined;
    const parameter = root ? kernel.params.indexOf(root) : -1;
    yield isOfOrder && !fact.fix && parameter >= 0
      ? fixes.at('race', kernel, kernel, { parameter, isEven })
      : undefined;
  }
}

type AccessFixes = Pick<AccessFact, 'fixes' | 'refusals' | 'places' | 'nativeAtomic'>;

/** The fixes of these accesses; unlike their cost, these depend on the code that launches the kernel. */
export function* accessFixes(
  run: KernelRun,
  facts: readonly (AccessFact | undefined)[],
  fixes: FixFacts,
): Iterable<AccessFixes | undefined> {
  const samplesOf = sampler(run);
  for (const [at, summary] of run.accesses.entries()) {
    const fact = facts[at];
    const isWorth = fact && ((ratioOfFact(summary) >= 1.3 && !fact.gather) || fact.atomic || fact.accumulates);
    yield isWorth ? fixesOf(fact, summary, run, fixes, samplesOf) : undefined;
  }
}

function fixesOf(
  fact: AccessFact,
  summary: AccessSummary,
  run: KernelRun,
  fixes: FixFacts,
  samplesOf: ReturnType<typeof sampler>,
): AccessFixes {
  const { record } = summary;
  const { expr, fn, space, base } = record;
  const context = fixes.contextOf(fn);
  const array =
    space === 'shared' && base.declaration?.fn?.key === fn.key ? (base.declaration.node as VarDecl) : undefined;
  const to = fact.atomic && expr ? 'atomic' : space;
  if (!context || (to !== 'atomic' && to !== 'global' && (to !== 'shared' || array?.kind !== 'var'))) return {};
  let sampled: ReturnType<SeenAccess['samples']> | undefined;
  const samples = (): NonNullable<typeof sampled> => (sampled ??= samplesOf(summary, array));
  const swap = to === 'atomic' ? attempt(() => nativeAtomicOf(context, expr!)) : undefined;
  const own = {
    ...(to === 'atomic' ? placesOf(fact, expr!, context) : {}),
    ...(swap ? { nativeAtomic: swap.native } : {}),
  };
  const seen: Omit<SeenAccess, keyof Seen> = {
    ...{ fact: { ...fact, ...own }, record, to, expr, swap, samples, array },
    isPlane: run.shapes.some(({ block }) => block[1] > 1),
    axes: axesOf(run),
    launches: () => launchesOf(run),
  };
  return { ...own, ...fixes.at('access', fn, run.kernel, seen) };
}

function axesOf({ shapes }: KernelRun): number | undefined {
  const axes = shapes.map(({ block, grid: { y, z } }) => {
    if (block[2] > 1 || z !== 1) return 3;
    return block[1] > 1 || y !== 1 ? 2 : 1;
  });
  return shapes.some(({ assumed }) => assumed) ? undefined : Math.max(...axes);
}

function placesOf({ atomic }: AccessFact, expr: Expr, context: Fn): Pick<AccessFact, 'places'> {
  const places = atomic?.everywhere ? 1 : attempt(() => distinctPlaces(expr, context));
  return places === undefined ? {} : { places };
}

function launchesOf({ shapes, values }: KernelRun): ReturnType<SeenAccess['launches']> {
  return shapes
    .filter((shape) => !shape.assumed)
    .map((shape, at) => ({
      ...(shape.grid.x === undefined ? {} : { gridX: shape.grid.x }),
      blockX: shape.block[0],
      ...(values[at] ? { values: values[at] } : {}),
    }));
}

/** What was sampled of each access of a run to an array in shared memory, and of all others to it. */
function sampler(
  run: KernelRun,
): (summary: AccessSummary, array: Node | undefined) => ReturnType<SeenAccess['samples']> {
  let all: Map<Node, Map<AccessSummary, readonly SharedSample[]>> | undefined;
  const read = (): NonNullable<typeof all> => {
    const found: NonNullable<typeof all> = new Map();
    for (const summary of run.accesses) {
      const node = summary.record.base.declaration?.node;
      if (!node) continue;
      const known = found.get(node) ?? new Map<AccessSummary, readonly SharedSample[]>();
      found.set(node, known.set(summary, samplesIn(summary)));
    }
    return found;
  };
  return (summary, array) => {
    const accesses = array && (all ??= read()).get(array);
    const own = accesses?.get(summary) ?? [];
    return { here: own, others: accesses ? [...accesses.values()].filter((samples) => samples !== own) : [] };
  };
}

function samplesIn({ record, sums }: AccessSummary): readonly SharedSample[] {
  const { bytes, sample, mergedBytes } = record;
  if (!sample) return [];
  return [
    {
      offsets: sample.addresses,
      lanes: sample.lanes,
      count: sample.count,
      bytes: Math.max(bytes, mergedBytes),
      scalarBytes: bytes,
      weight: sums.warps,
    },
  ];
}

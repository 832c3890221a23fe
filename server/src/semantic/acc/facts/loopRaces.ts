// Arrays that the turns of a parallel loop write together: elements that all of them add to, arrays that each needs for
// itself, values that one turn hands to another; and atomic updates of a copy that is lost.
import { spanIn } from '../../span';
import { constantPolynomial, scalarNamed } from '../../language';
import type { AssignStep, Clause, LoopStep, Step, Value } from '../../../syntax/procedures';
import { strideOf } from '../analysis/countedTrips';
import { changingNames, isAtomicForm, isUpdate, type Range, rangeOver } from '../analysis/independence';
import { flowOf } from '../analysis/dataflow';
import { mappingOf } from '../analysis/mapping';
import { clauseNames, hostLoops, isInside, isWithin, owns, within } from '../analysis/paths';
import {
  type AccLoop,
  type ComputeRegion,
  joinedLoops,
  loopsOf,
  outerLoops,
  regionsOf,
  withInner,
} from '../analysis/regions';
import { parentsOf, asDeclared, headOf, loopsAround, polynomialAt, type Scope, variableAt } from '../analysis/scope';
import { type Access, effectsOf, stepsIn, valuesIn, walkValue } from '../analysis/steps';
import { tripsOf } from '../analysis/trips';
import { involves, keyOf, slope, type ValuePolynomial } from '../analysis/valuePolynomials';
import type { AccRaceFact } from '../model';
import { clausesInForce } from './conformance';
import { addClause, lineBefore, standsInList, withFix } from './directiveEdits';
import { constantOne } from './levels';
import { sharesTurns } from './reductions';

export function loopRacesOf(scope: Scope): readonly AccRaceFact[] {
  return regionsOf(scope).flatMap((region) => [
    ...region.roots.flatMap((root) => racesIn(scope, root, new Set())),
    ...unorderedIn(scope, region),
    ...lostUpdates(scope, region),
  ]);
}

/** The loop that says that its turns are independent; in `kernels` and under `auto` the compiler finds out. */
function assertedBy(loop: AccLoop): AccLoop | undefined {
  const by = loop.joinedInto ?? loop;
  const asserts = by.region.construct === 'parallel' || by.clauses.has('independent');
  return asserts && sharesTurns(by) && by.region.construct !== 'serial' ? by : undefined;
}

function racesIn(scope: Scope, loop: AccLoop, settled: ReadonlySet<string>): AccRaceFact[] {
  const by = assertedBy(loop);
  const races = by ? meetingsIn(scope, loop).filter(({ access }) => !settled.has(access.element.array)) : [];
  const done = new Set([...settled, ...races.map(({ access }) => access.element.array)]);
  return [
    ...races.map((race) => raceFact(scope, by!, loop.step, race)),
    ...loop.children.flatMap((child) => racesIn(scope, child, done)),
  ];
}

/** How the turns of a loop meet in arrays, were they to run at once. */
export function meetingsIn(scope: Scope, loop: AccLoop): readonly Race[] {
  const { accesses, opaque } = effectsOf(loop.step.body);
  const several = strideOf(scope, loop.step) !== undefined && tripsOf(scope, loop.step)?.atMost !== 1;
  const arrays = several && !opaque ? [...new Set(accesses.map(({ element }) => element.array))] : [];
  return arrays.flatMap((array) => {
    const each = accesses.filter(({ element }) => element.array === array);
    return (isShared(scope, loop, each[0]!) && raceOn(scope, loop.step, each)) || [];
  });
}

/** A known array from outside of the construct that no clause copies for each turn, gang or lane. */
function isShared(scope: Scope, loop: AccLoop, { element: { base, array }, step }: Access): boolean {
  const { written, passed } = effectsOf(loop.step.body);
  const variable = base.kind === 'name' ? variableAt(scope, array, step.start) : undefined;
  if (!variable?.dimensions || written.has(array) || passed.has(array)) return false;
  if (variable.scope && isWithin(variable, loop.region.step ?? loop.step)) return false;
  // A copy of the construct's is the gang's: its lanes share it.
  const isOfGang = ({ name }: Clause): boolean => loop.clauses.has('vector') && /private$/.test(name);
  return (
    !owns(
      loop.region.directive.clauses.filter((clause) => !isOfGang(clause)),
      array,
    ) && ![...outerLoops(loop), ...withInner(loop)].some((each) => owns(each.directive?.clauses ?? [], array))
  );
}

interface Race {
  readonly form: AccRaceFact['form'];
  readonly access: Access;
  readonly other?: Access;
}

/** How turns meet in an array; undefined where nothing shows that they do. */
function raceOn(scope: Scope, loop: LoopStep, accesses: readonly Access[]): Race | undefined {
  const variable = loop.variable!;
  const changing = changingNames(loop);
  const written = new Set(effectsOf(loop.body).accesses.flatMap((each) => (each.write ? [each.element.array] : [])));
  const isOfTurn = (part: Value): boolean => part.kind === 'name' && (part.name === variable || changing(part.name));
  /** The variables of loops inside that take the same turns in each turn of this one. */
  const sweeps = new Set(
    accesses
      .flatMap(({ loops }) => loops)
      .filter(({ lower, upper }) => lower && upper && ![lower, upper].some((bound) => valuesIn(bound).some(isOfTurn)))
      .map((inner) => inner.variable!),
  );
  /** Has the value of an unknown, or the same values one after the other, in each turn. */
  const isFixedValue = (value: Value): boolean =>
    valuesIn(value).every((part) =>
      part.kind === 'name'
        ? !isOfTurn(part) || sweeps.has(part.name)
        : part.kind !== 'call' && part.kind !== 'other' && !(part.kind === 'element' && written.has(part.array)),
    );
  const isFixed = (one: ValuePolynomial): boolean => !one.has((_, atom) => !!atom && !isFixedValue(atom.value));
  const turns = accesses.map((access) => ({
    access,
    at: access.element.subscripts.flatMap((one) => polynomialAt(scope, one, access.step) ?? []),
  }));
  const dimensions = accesses[0]!.element.subscripts.length;
  if (turns.some(({ at }) => at.length !== dimensions)) return undefined;
  const plain = turns.filter(({ access }) => !access.atomic);
  const writes = plain.filter(({ access }) => access.write);
  const certain = writes.filter(({ access }) => !access.conditional);
  const reads = plain.filter(({ access }) => !access.write);
  if (turns.every(({ at }) => at.every(isFixed))) {
    const set = writes.find(({ access }) => !isUpdate(access));
    if (!set) return certain[0] && { form: 'element', access: certain[0].access };
    const { step, conditional } = set.access;
    const isOwn = step === accesses[0]!.step && !conditional && reads.length > 0;
    return isOwn && valuesIn((step as AssignStep).value).some((part) => isOfTurn(part) && !isFixedValue(part))
      ? { form: 'private', access: set.access }
      : undefined;
  }
  const scattered = writes.find(({ access, at }) => isUpdate(access) && isScattered(at) && bringsAlong(access));
  if (scattered) return { form: 'scattered', access: scattered.access };
  const groups = new Map<string, Map<string, (typeof turns)[number]>>();
  for (const read of reads) {
    const key = read.access.conditional ? undefined : lineOf(read);
    if (key === undefined) continue;
    const group = groups.get(key) ?? new Map<string, typeof read>();
    const place = [...read.at.map(({ canonical }) => canonical), ...read.access.loops.map(({ start }) => start)].join();
    groups.set(key, group.has(place) ? group : group.set(place, read));
  }
  for (const write of groups.size > 0 ? certain : []) {
    const read = [...(groups.get(lineOf(write) ?? '') ?? new Map()).values()].find((each) => meets(write, each));
    if (read) return { form: 'carried', access: write.access, other: read.access };
  }
  return undefined;

  /** The same of accesses that some number of turns may bring to one place; undefined where that is not known. */
  function lineOf({ at }: (typeof turns)[number]): string | undefined {
    const keys = at.map((one) => {
      const by = slope(one, variable);
      if (!by || !isFixed(by) || !isFixed(one.split(variable)!.rest)) return undefined;
      return by.isZero ? one.canonical : `by ${by.canonical}`;
    });
    return keys.includes(undefined) ? undefined : keys.join();
  }

  /** Some subscript comes out of memory by the turn, and no other tells the turn. */
  function isScattered(at: readonly ValuePolynomial[]): boolean {
    // The bounds of one colour's part of a list: within it no place is there twice.
    const bounds = [loop.lower!, loop.upper!].map((bound) => polynomialAt(scope, bound, loop));
    if (bounds.some((bound) => bound?.has((_, atom) => atom?.value.kind === 'element'))) return false;
    const loads = (value: Value): boolean =>
      valuesIn(value).some(
        (part) => part.kind === 'element' && part.subscripts.some((one) => valuesIn(one).some(isOfTurn)),
      );
    const isLoaded = (one: ValuePolynomial): boolean =>
      !one.has((_, atom) => !!atom && !isFixedValue(atom.value) && !loads(atom.value));
    return at.every(isLoaded) && !at.every(isFixed);
  }

  /** A list of places, each there once, serves what lies at them; a count, or what the turn brings along, is added. */
  function bringsAlong({ element, step, loops }: Access): boolean {
    const { op, value } = step as AssignStep;
    if (op === undefined && value.kind !== 'binary') return false;
    let constant = true;
    let brought = false;
    walkValue(value, (part) => {
      if (keyOf(part) === keyOf(element)) return false;
      if (part.kind === 'name' || part.kind === 'element') constant = false;
      if (part.kind === 'element')
        brought ||= part.subscripts.some(
          (one) => one.kind === 'name' && (one.name === variable || loops.some((inner) => inner.variable === one.name)),
        );
      return part.kind !== 'element';
    });
    return constant || brought;
  }

  /** Whether one turn writes what another on the same line, a known number of turns away, reads. */
  function meets(write: (typeof turns)[number], read: (typeof turns)[number]): boolean {
    if (write.access.loops.some((inner) => !read.access.loops.includes(inner))) return false;
    let apart: number | undefined;
    for (const [index, one] of write.at.entries()) {
      const other = read.at[index]!;
      const by = slope(one, variable)!;
      const distance = other.plus(one, -1);
      if (by.isZero && distance.isZero) continue;
      const along = multipleOf(distance, by);
      if (along === undefined || along !== (apart ?? along)) return false;
      apart = along;
    }
    const turnsApart = Math.abs((apart ?? 0) / strideOf(scope, loop)!);
    const most = tripsOf(scope, loop)?.atMost ?? Number.POSITIVE_INFINITY;
    return turnsApart > 0 && Number.isInteger(turnsApart) && turnsApart < most;
  }
}

/** How often the one is in the other: a whole number. */
function multipleOf(distance: ValuePolynomial, by: ValuePolynomial): number | undefined {
  const [key, coefficient] = [...by.terms][0] ?? ['', Number.NaN];
  const times = (distance.terms.get(key) ?? 0) / coefficient;
  return Number.isInteger(times) && distance.equals(by.times(constantPolynomial(times))) ? times : undefined;
}

/** Gang loops one after the other, where what one writes is another's: no gang waits for the others in between. */
function unorderedIn(scope: Scope, region: ComputeRegion): AccRaceFact[] {
  if (region.construct !== 'parallel' || constantOne(region, 'num_gangs')) return [];
  const mapping = mappingOf(region, []);
  const shared = loopsOf(region).filter((loop) => sharesTurns(loop) && mapping.get(loop)?.gang);
  const loops = shared.filter(
    (loop) => tripsOf(scope, loop.step)?.atMost !== 1 && !shared.some((inner) => outerLoops(inner).includes(loop)),
  );
  return loops.flatMap((first, at) => loops.slice(at + 1).flatMap((second) => unorderedPair(scope, first, second)));
}

function unorderedPair(scope: Scope, first: AccLoop, second: AccLoop): AccRaceFact[] {
  const [from, to] = [scope.positions.get(first.step)!, scope.positions.get(second.step)!];
  const { written, declared, opaque } = effectsOf(from.list.slice(from.at, to.at + 1));
  if (from.list !== to.list || opaque) return [];
  const isChanging = (name: string): boolean => written.has(name) || declared.has(name);
  const touchesOf = (loop: AccLoop) =>
    effectsOf([loop.step]).accesses.flatMap((access) => {
      const { element, step, loops, conditional, atomic } = access;
      if (conditional || atomic || isChanging(element.array) || !isShared(scope, loop, access)) return [];
      const ranges = element.subscripts.flatMap((subscript) => {
        const value = polynomialAt(scope, subscript, step);
        const range = value && rangeOver(scope, value, loops);
        return range && ![range.low, range.high].some((end) => involves(end, isChanging)) ? [range] : [];
      });
      // Along a diagonal the ranges tell too little.
      const moving = ranges.flatMap(({ slopes }) => [...slopes.keys()]);
      const isKnown = ranges.length === element.subscripts.length && new Set(moving).size === moving.length;
      return isKnown ? [{ access, ranges }] : [];
    });
  const [turns, others] = [joinedLoops(first), joinedLoops(second)];
  const isOther = (pair: Pair): boolean => turns.some(({ step }, at) => isOtherTurn(pair, step, others[at]!.step));
  const after = touchesOf(second);
  for (const one of touchesOf(first))
    for (const two of after) {
      const [{ access }, { access: other }] = one.access.write ? [one, two] : [two, one];
      const pairs = one.ranges.map((range, at): Pair => [range, two.ranges[at]!]);
      const isOne = access.write && access.element.array === other.element.array && pairs.length === two.ranges.length;
      if (isOne && pairs.every(overlap) && (turns.length !== others.length || pairs.some(isOther)))
        return [raceFact(scope, first, second.step, { form: 'unordered', access, other })];
    }
  return [];
}

type Pair = readonly [Range, Range];

/** Whether some value is certain to be in both. */
function overlap([one, two]: Pair): boolean {
  return [one.low, one.high].some((end) => liesIn(end, two)) || [two.low, two.high].some((end) => liesIn(end, one));
}

function liesIn(value: ValuePolynomial, { low, high, dense }: Range): boolean {
  const room = [value.plus(low, -1).number, high.plus(value, -1).number];
  return dense && room.some((each) => each !== undefined) && room.every((each = 0) => each >= 0);
}

/** Whether iterations of different numbers have values of overlapping ranges in common. */
function isOtherTurn([one, two]: Pair, loop: LoopStep, next: LoopStep): boolean {
  const [by, nextBy] = [one.slopes.get(loop), two.slopes.get(next)];
  if (!by || !nextBy) return by !== nextBy;
  if (by.equals(nextBy))
    return [two.low.plus(one.low, -1), two.high.plus(one.high, -1)].some((apart) => multipleOf(apart, by));
  // One goes by single elements, the other by rows or backwards.
  return (
    by.number !== nextBy.number &&
    [by, nextBy].some(({ number = 0 }) => Math.abs(number) === 1) &&
    [two.low, two.high].every((end) => liesIn(end, one))
  );
}

function raceFact(scope: Scope, by: AccLoop, loop: LoopStep, { form, access, other }: Race): AccRaceFact {
  const { file } = scope;
  const text = ({ element }: Access): string => file.text.slice(element.start, element.end);
  const { step, element } = access;
  const variable = variableAt(scope, element.array, step.start)!;
  const shown = asDeclared(scope, element.array, variable);
  return {
    kind: 'acc-race',
    form,
    at: spanIn(file, element),
    name: shown,
    text: text(access),
    loopAt: spanIn(file, loop.header),
    loopText: headOf(file, loop),
    ...(other && { other: { at: spanIn(file, other.element), text: text(other) } }),
    ...(form === 'private' && !variable.pointer && by.directive
      ? withFix(`Add \`private(${shown})\``, addClause(file, by.directive, `private(${shown})`))
      : {}),
    ...((form === 'element' || form === 'scattered') &&
    step.kind === 'assign' &&
    isAtomicForm(step) &&
    standsInList(file, step)
      ? withFix('Make the update atomic', lineBefore(file, step, 'atomic update'))
      : {}),
  };
}

/**
 * Whether the host reads a variable after a construct before anything sets it again; what a call does to it is not
 * known.
 */
function isReadAfter(scope: Scope, construct: Step, name: string): boolean {
  const { touches, gotos } = flowOf(scope);
  const loop = hostLoops(parentsOf(scope, construct)).at(-1);
  const later = touches.filter(({ step, path, region }) => path === name && !region && step.start >= construct.end);
  const again = touches.filter((touch) => touch.path === name && loop && isInside(touch, loop) && !touch.region);
  const inLoop = loop ? later.filter(({ step }) => step.end <= loop.end) : [];
  const [next] = [...inLoop, ...again, ...later];
  return !gotos && next?.mode === 'read' && next.form === 'scalar';
}

/** Scalars in no clause, which a parallel construct copies for each gang, that it updates or sets. */
function lostUpdates(scope: Scope, region: ComputeRegion): AccRaceFact[] {
  const { step: construct, directive } = region;
  if (!construct || region.construct === 'kernels') return [];
  const clauses = clausesInForce(scope, region);
  const facts = new Map<string, AccRaceFact>();
  for (const step of stepsIn(construct.body)) {
    if (step.kind !== 'assign' || step.target.kind !== 'name') continue;
    const { name } = step.target;
    const isUsed = flowOf(scope).touches.some(
      (each) => each.region === construct && each.path === name && each.mode === 'read',
    );
    const isSet =
      step.op === undefined && !(isUsed && loopsAround(scope, step).some((loop) => within(loop, construct)));
    if (!step.atomic && !(isSet && isReadAfter(scope, construct, name))) continue;
    const variable = variableAt(scope, name, step.start);
    if (!variable || variable.dimensions || variable.pointer || variable.allocatable || variable.reference) continue;
    if (!scalarNamed(variable.type) || isWithin(variable, construct) || facts.has(name)) continue;
    // Its own file may declare it for the GPU.
    if (variable.uri !== scope.file.uri || clauses.some((clause) => clauseNames(clause, name))) continue;
    const fix = withFix(`Add \`copy(${name})\``, addClause(scope.file, directive, `copy(${name})`));
    const [at, loopAt] = [spanIn(scope.file, step.target), spanIn(scope.file, directive)];
    facts.set(name, { kind: 'acc-race', form: 'lost', at, name, text: name, loopAt, loopText: directive.name, ...fix });
  }
  return [...facts.values()];
}

// Whether a loop runs over the layers of a halo: as few turns as the neighbours' rows that a field keeps.
import type { LoopStep } from '../../../syntax/procedures';
import { atomsOf, constantPolynomial } from '../../language';
import { boundsOf, type Scope } from './scope';
import { type Access, effectsOf, stepsIn } from './steps';
import type { Stride } from './strides';
import type { ValuePolynomial } from './valuePolynomials';

/** An access with its strides over the lanes and over the loop in question. */
interface Walked {
  readonly access: Access;
  readonly overLanes: Stride | undefined;
  readonly overLayers: Stride | undefined;
}

/**
 * Recognised by shape, since the depth is known only at run time: another loop of the nest is widened by it at both
 * ends, the field's rows are, the loop mirrors an array at an edge or lies on both sides of one, or it copies strided
 * rows into ones that are as short as it.
 */
export function runsOverLayers(
  scope: Scope,
  layers: LoopStep,
  others: readonly LoopStep[],
  walked: readonly Walked[],
): boolean {
  if (isMirrored(walked) || (isMargins(scope, layers) && others.some((loop) => isWithMargins(scope, loop))))
    return true;
  const depth = lengthOf(scope, layers);
  const name = depth && soleAtom(depth);
  if (!depth || name === undefined) return false;
  return (
    others.some((loop) => isWidenedBy(scope, loop, name)) ||
    walked.some(({ overLanes }) => overLanes?.size !== undefined && hasMargins(overLanes.size, name)) ||
    (isCopy(layers) && isPacked(walked, depth, name))
  );
}

function lengthOf(scope: Scope, loop: LoopStep): ValuePolynomial | undefined {
  const bounds = boundsOf(scope, loop);
  return bounds?.upper.plus(bounds.lower, -1).plus(constantPolynomial(loop.inclusive ? 1 : 0));
}

/** The one unknown of `2 * depth + 1`. */
function soleAtom(polynomial: ValuePolynomial): string | undefined {
  const keys = [...polynomial.terms.keys()].filter((key) => key !== '');
  return keys.length === 1 && atomsOf(keys[0]!).length === 1 && polynomial.terms.get(keys[0]!)! > 0
    ? keys[0]
    : undefined;
}

/** From `first - depth` to `last + depth`. */
function isWidenedBy(scope: Scope, loop: LoopStep, depth: string): boolean {
  const bounds = boundsOf(scope, loop);
  return (bounds?.lower.terms.get(depth) ?? 0) < 0 && (bounds?.upper.terms.get(depth) ?? 0) > 0;
}

/** From `-before` to `behind`, two numbers alone: the layers on both sides of an edge. */
function isMargins(scope: Scope, loop: LoopStep): boolean {
  const bounds = marginsOf(scope, loop);
  return bounds?.behind.length === 1 && bounds.behind[0] !== bounds.before;
}

/** From `-before` to `length + behind`: a whole row with its margins. */
function isWithMargins(scope: Scope, loop: LoopStep): boolean {
  return (marginsOf(scope, loop)?.behind.length ?? 0) > 1;
}

/** What a loop that starts before an edge is bounded by. */
function marginsOf(
  scope: Scope,
  loop: LoopStep,
): { readonly before: string; readonly behind: readonly string[] } | undefined {
  const bounds = boundsOf(scope, loop);
  if (!bounds) return undefined;
  const before = [...bounds.lower.terms].filter(([key]) => key !== ''),
    behind = [...bounds.upper.terms].filter(([key]) => key !== '');
  return before.length === 1 && before[0]![1] === -1 && behind.every(([key, factor]) => isName(key, factor))
    ? { before: before[0]![0], behind: behind.map(([key]) => key) }
    : undefined;
}

/** A row of `nx + 2 * depth`. */
function hasMargins(row: ValuePolynomial, depth: string): boolean {
  return (
    (row.terms.get(depth) ?? 0) >= 2 && [...row.terms].some(([key, factor]) => key !== depth && isName(key, factor))
  );
}

function isName(key: string, factor: number): boolean {
  return key !== '' && atomsOf(key).length === 1 && factor === 1;
}

/** `a[first - j] = a[first - 1 + j]`. */
function isMirrored(walked: readonly Walked[]): boolean {
  const up = new Set<string>(),
    down = new Set<string>();
  for (const { access, overLayers } of walked)
    if (overLayers?.elements === 1) up.add(access.element.array);
    else if (overLayers?.elements === -1) down.add(access.element.array);
  return [...up].some((array) => down.has(array));
}

/** Elements that go from one array to another as they are. */
function isCopy(loop: LoopStep): boolean {
  const stores = stepsIn(loop.body).filter((step) => step.kind === 'assign' && step.target.kind !== 'name');
  return (
    stores.length > 0 &&
    stores.every(
      (step) =>
        step.kind === 'assign' &&
        step.op === undefined &&
        step.target.kind === 'element' &&
        step.value.kind === 'element',
    ) &&
    !effectsOf(loop.body).opaque
  );
}

/** A buffer whose rows are as long as the loop, beside a field whose rows have nothing to do with that. */
function isPacked(walked: readonly Walked[], depth: ValuePolynomial, name: string): boolean {
  const sizes = walked.map(({ overLanes }) => overLanes?.size);
  return (
    sizes.some((size) => size?.equals(depth)) &&
    sizes.some((size) => size !== undefined && ![...size.terms.keys()].some((key) => atomsOf(key).includes(name)))
  );
}

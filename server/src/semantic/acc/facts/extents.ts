// How many elements arrays and their parts have, as far as declarations, clauses and constants tell.
import type { ClauseItem, Step, Value, Variable } from '../../../syntax/procedures';
import { extentAt, numberAt, type Scope } from '../analysis/scope';
import { syntheticNumber } from '../fromC/expressions';

/** An array of so few elements costs its latency alone; coefficients and the like are left unchanged. */
export const smallArray = 64;

export function isSmall(scope: Scope, variable: Variable, at: Step): boolean {
  const extents = variable.dimensions?.map((dimension) => extentAt(scope, dimension, at)?.number);
  if (!extents?.every((extent) => extent !== undefined)) return false;
  return extents.reduce((product, extent) => product * extent, 1) <= smallArray;
}

interface Extent {
  readonly lower: Value;
  readonly upper: Value;
  readonly inclusive: boolean;
}

/** The bounds that a clause's item moves, by dimension. */
export function extentsOf(
  scope: Scope,
  item: ClauseItem | undefined,
  variable: Variable,
): readonly Extent[] | undefined {
  const fortran = scope.file.language === 'fortran';
  const sections = item?.value?.kind === 'element' ? item.value.subscripts : undefined;
  const dimensions = variable.dimensions!;
  if (sections && sections.length !== dimensions.length) return undefined;
  const extents: Extent[] = [];
  for (let at = 0; at < dimensions.length; at++) {
    const section = sections?.[at];
    const dimension = dimensions[at]!;
    let extent: Extent | undefined;
    if (section && section.kind !== 'section') return undefined;
    if (!fortran) {
      const length =
        section?.length ?? (section ? dimension.extent : variable.pointer && at === 0 ? undefined : dimension.extent);
      if (length) extent = { lower: section?.lower ?? syntheticNumber(0), upper: length, inclusive: false };
      if (extent && (extent.lower.kind !== 'number' || extent.lower.value !== 0)) return undefined;
    } else {
      const upper = section?.upper ?? dimension.upper;
      if (upper) extent = { lower: section?.lower ?? dimension.lower ?? syntheticNumber(1), upper, inclusive: true };
    }
    if (!extent) return undefined;
    extents.push(extent);
  }
  return extents;
}

/** The number of elements that a clause's item moves, or of the whole array; undefined where a bound is not known. */
export function elementsOf(
  scope: Scope,
  item: ClauseItem | undefined,
  variable: Variable,
  at: Step,
): number | undefined {
  const extents = extentsOf(scope, item, variable);
  if (!extents) return undefined;
  let elements = 1;
  for (const { lower, upper, inclusive } of extents) {
    const from = numberAt(scope, lower, at);
    const to = numberAt(scope, upper, at);
    if (from === undefined || to === undefined) return undefined;
    elements *= to - from + (inclusive ? 1 : 0);
  }
  return elements;
}

// Conditions on the edges of a domain: they hold inside of it, where most threads are.
import { add, multiply, type Lanes } from './lanes';
import type { Value } from './values';

/** Far from the first row, and from the last of as many as the witness of an extent. */
export const insideRow = 1000;

/** The lanes as conditions on edges see them: inside of the domain where a quotient's witness is its first row. */
export function insideLanes(value: Value): Lanes {
  let { lanes } = value;
  for (const { of, by } of value.form ?? []) {
    const only = of.factors.length === 1 ? of.factors[0]!.inside : undefined;
    if (only !== undefined) lanes = add(lanes, multiply(by, only));
  }
  return lanes;
}

// A program's defaults: numbers that a condition may overwrite with one that nothing settles, and that hold unless it
// did.
import { Taint, type Value } from './values';

const open = Taint.chosen | Taint.maybe | Taint.loaded | Taint.loadedUniform | Taint.hash;

/** `joined` with the number that one value settles and the other leaves open: the program's default. */
export function withUsual(joined: Value, one: Value, other: Value): Value {
  const settled = (value: Value): number | undefined =>
    typeof value.lanes === 'number' && !(value.taint & open) && value.type.kind === 'scalar' ? value.lanes : undefined;
  const [first, second] = [settled(one), settled(other)];
  const usual = first !== undefined && second !== undefined ? undefined : (first ?? second ?? one.usual ?? other.usual);
  return joined.usual === usual ? joined : { ...joined, usual };
}

/** What a variable that outlives the arm holds after an assignment that may not be reached. */
export function perhaps(old: Value | undefined, next: Value): Value {
  const joined: Value = { ...next, form: undefined, sides: undefined, taint: next.taint | Taint.maybe };
  return old ? withUsual(joined, old, next) : joined;
}

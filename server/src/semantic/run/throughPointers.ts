// Functions of the math library that store what they compute through pointers.
import { convert } from './conversions';
import { evaluateAll, floatOf, nothing, pointedAt, zero, type Builtin } from './callSite';
import { map1 } from './lanes';
import { deref, store } from './memory';
import { plain, Taint } from './values';

/** Of the numbers before `from`, what each result is; the results go through the pointers from there on. */
export const throughPointers =
  (results: readonly ((a: number) => number)[], returned?: (a: number) => number, from = 1): Builtin =>
  (site) =>
  (path, frame) => {
    const { run } = frame;
    const values = evaluateAll(site, path, frame);
    const { lanes, taint } = values[0]!;
    const of = floatOf(values[0]!);
    // What several arguments give is not followed.
    const more = from > 1 ? values[1]!.taint | Taint.hash : 0;
    results.forEach((apply, at) => {
      const place = deref(run, values[at + from] ?? zero);
      const value = convert(run, plain(of, map1(lanes, apply), taint | more), place.type);
      store(run, place, value, path, frame, pointedAt(site.expr.args[at + from]) ?? site.expr, true);
    });
    return returned ? plain(of, map1(lanes, returned), taint | more) : nothing;
  };
export const same = (a: number): number => a;
const exponent = (a: number): number => (a === 0 ? 0 : Math.floor(Math.log2(Math.abs(a))) + 1);
export const sinAndCos = throughPointers([Math.sin, Math.cos]);

export const throughPointersByName = new Map<string, Builtin>([
  ['sincos', sinAndCos],
  ['sincospi', sinAndCos],
  ['modf', throughPointers([Math.trunc], (a) => a % 1)],
  ['frexp', throughPointers([exponent], (a) => a / 2 ** exponent(a))],
  ['remquo', throughPointers([same], same, 2)],
]);

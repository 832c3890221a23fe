// `min` and `max` of values that depend on unknowns.
import { common } from './arithmetic';
import { insideLanes } from './edges';
import { formOf, open, requireEach } from './forms';
import { blend, map2, sameLanes, select } from './lanes';
import { blendForms, settleEnds } from './operations';
import { blank, type Run, type Value } from './values';

/** The larger or smaller of two values by their witnesses: a clamp leaves most lanes alone. */
export function extremeOf(run: Run, apply: (a: number, b: number) => number, left: Value, right: Value): Value {
  const type = common(left.type, right.type);
  const taint = left.taint | right.taint;
  const seen = [insideLanes(left), insideLanes(right)] as const;
  const inside = seen[0] !== left.lanes || seen[1] !== right.lanes;
  const largest = settleEnds(map2(...seen, run.threads, apply));
  const isLeft = inside ? map2(largest, seen[0], run.threads, (x, y) => (x === y ? 1 : 0)) : 0;
  const lanes = inside ? settleEnds(blend(right.lanes, left.lanes, select(run.full, isLeft, true))) : largest;
  const value: Value = { ...blank, type, lanes, taint };
  if (!(taint & open)) return value;
  requireEach(run, left, right);
  if (type.kind === 'scalar' && type.float) return value;
  const a = formOf(run, left);
  const b = formOf(run, right);
  // A known side is the bound of the unknown one, not its value.
  const same = sameLanes(lanes, left.lanes) ? { form: a } : sameLanes(lanes, right.lanes) ? { form: b } : undefined;
  if (same) return same.form?.length ? { ...value, form: same.form } : { ...value, usual: boundOf(run, value) };
  if (!a || !b) return value;
  const picks = map2(lanes, right.lanes, run.threads, (x, y) => (x === y ? 1 : 0));
  const form = blendForms(a, b, select(run.full, picks, true));
  return form ? { ...value, form } : value;
}

/** A known bound is what the value is wherever the data do not end: `min(tile, n - first)`. */
function boundOf({ setup }: Run, { lanes }: Value): number | undefined {
  return typeof lanes === 'number' && !setup.host ? lanes : undefined;
}

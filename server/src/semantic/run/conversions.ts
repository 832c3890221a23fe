// Conversions between types as C++ does them.
import { isUnsigned32 } from './arithmetic';
import { dim3Type, isSameType, isSizeKnown, longType, unsignedType, voidType, type Type } from '../language';
import { open, requireEach } from './forms';
import { map1, modulo, sameLanes, settle, subtract, variesInWarp, type Lanes } from './lanes';
import { resultingObject, unseen } from './state';
import { settledAt, witnessOf } from './unknowns';
import { blank, plain, Taint, uncertain, type Run, type Value } from './values';

/** Converts to another type as C++ does; wraps where the lanes are the numbers. */
export function convert(run: Run, value: Value, type: Type): Value {
  if (type.kind === 'reference') return convert(run, value, type.to);
  if (value.lambda || value.function) return value;
  if (type.kind === 'pointer') return type === value.type ? value : recast(run, value, type);
  if (type.kind === 'scalar' && value.type.kind === 'scalar') return convertScalar(run, value, type, value.type);
  if (type.kind === 'struct' && value.type.kind !== 'struct') {
    if (type.name === 'dim3') {
      const one: Value = plain(unsignedType, 1, 0);
      const fields = new Map([...'xyz'].map((axis) => [axis, axis === 'x' ? { ...value, type: unsignedType } : one]));
      return { ...blank, type: dim3Type, lanes: 0, taint: 0, fields };
    }
    if (value.type.kind === 'scalar') return resultingObject(run, type, value.taint, 'converted');
    return value.type.kind === 'unknown' ? { ...value, type } : value;
  }
  if (type.kind === 'scalar' && (value.type.kind === 'unknown' || value.type.kind === 'pointer'))
    return { ...value, type };
  return value;
}

/** `sizeof` of a type that nothing gives: as large as its elements are taken to be. */
export function unknownSize(run: Run, { name }: Type & { kind: 'unknown' }): Value {
  return unseen(run, longType, `sizeof(${name})`, Taint.assumed, 4);
}

/** A pointer that lanes moved on by elements of one type, or by bytes, and that is read as another. */
function recast(run: Run, value: Value, type: Type & { kind: 'pointer' }): Value {
  const from = value.type.kind === 'pointer' ? value.type.to : value.type;
  const { to } = type;
  if (isSameType(from, to) || (isSizeKnown(from) && isSizeKnown(to)) || to === voidType) return { ...value, type };
  // `(T *)(bytes + i * sizeof(T))`: the lanes are elements apart.
  const size = to.kind === 'unknown' && value.form?.length ? unknownSize(run, to).form![0]!.of.factors[0] : undefined;
  const form = (size && settledAt(run.unknowns, value.form!, size)) ?? value.form;
  const byElements = form === value.form ? 0 : subtract(witnessOf(value.form!), witnessOf(form!));
  const isResized = variesInWarp(subtract(value.lanes, byElements), run.full);
  return { ...value, type, form, taint: isResized ? value.taint | Taint.resized : value.taint };
}

function convertScalar(
  run: Run,
  value: Value,
  type: Type & { kind: 'scalar' },
  from: Type & { kind: 'scalar' },
): Value {
  if (type === from) return value;
  if (type.name === 'bool') {
    requireEach(run, value);
    return { ...value, form: undefined, type, lanes: map1(value.lanes, (a) => (a ? 1 : 0)) };
  }
  if (!type.float && from.float) {
    const taint = value.taint | (variesInWarp(value.lanes, run.full) ? Taint.float : 0);
    const lanes = map1(value.lanes, (a) => (Number.isFinite(a) ? Math.trunc(a) : 0));
    // One number for each warp moves its lanes alike, wherever it came from.
    const isOpen = value.taint & open && !(value.taint & uncertain) && !(taint & Taint.float);
    return {
      ...value,
      type,
      lanes,
      taint,
      form: isOpen ? run.unknowns.opaque(lanes) : value.form,
    };
  }
  if (type.float && !from.float) {
    const taint = value.form?.length ? value.taint | Taint.assumed : value.taint;
    return { ...value, form: undefined, type, taint };
  }
  const known = !(value.taint & (Taint.chosen | Taint.loaded));
  if (!type.float && type.size < 4 && type.size < from.size && known) {
    const modulus = 2 ** (8 * type.size);
    const half = modulus / 2;
    requireEach(run, value);
    const narrow = (a: number): number => {
      const inside = modulo(a, modulus);
      return type.signed && inside >= half ? inside - modulus : inside;
    };
    const lanes = map1(value.lanes, narrow);
    return sameLanes(lanes, value.lanes) ? { ...value, type } : { ...value, form: undefined, type, lanes };
  }
  if (isUnsigned32(from) && !type.float && type.signed && type.size === 4 && known) {
    const wraps = (a: number): number => (a > 2147483647 ? a - 4294967296 : a);
    return { ...value, type, lanes: map1(value.lanes, wraps) };
  }
  if (isUnsigned32(type) && known && !(value.taint & Taint.loadedUniform))
    return { ...value, type, lanes: wrapped(value.lanes) };
  return { ...value, type };
}

export function wrapped(lanes: Lanes): Lanes {
  if (typeof lanes === 'number') return wrap(lanes);
  for (let at = 0; at < lanes.length; at++)
    if (lanes[at]! < 0 || lanes[at]! > 4294967295) return settle(map1(lanes, wrap));
  return lanes;
}

function wrap(a: number): number {
  return a < 0 || a > 4294967295 ? ((a % 4294967296) + 4294967296) % 4294967296 : a;
}

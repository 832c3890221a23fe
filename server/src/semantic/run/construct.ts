// Objects from their parts: aggregates, constructors, dim3, vector types.
import { convert } from './conversions';
import type { Expr, FunctionDecl, Node } from '../../syntax/ast';
import { unsignedType, type StructType, type Type } from '../language';
import { call, methodsOf } from './calling';
import { fieldPlace, store } from './memory';
import { baseNamed } from './state';

import { blank, plain, type Cell, type Frame, type Path, type Place, type Run, type Value } from './values';
const deepestConstructor = 6;

/** `T(a, b)` and `T{a, b}`. */
export function construct(run: Run, type: Type, values: readonly Value[], path: Path, frame: Frame, node: Node): Value {
  const first = values[0];
  if (type.kind === 'scalar' || type.kind === 'pointer' || type.kind === 'unknown')
    return first ? convert(run, first, type) : plain(type, 0, 0);
  if (type.kind !== 'struct') return first ?? plain(type, 0, 0);
  if (values.length === 1 && first!.type.kind === 'struct' && (first!.type.name === type.name || type.name === 'dim3'))
    return first!;
  if (type.name === 'dim3') {
    const one: Value = plain(unsignedType, 1, 0);
    const part = (at: number): Value => (values[at] ? convert(run, values[at]!, unsignedType) : one);
    return { ...blank, type, lanes: 0, taint: 0, fields: new Map([...'xyz'].map((axis, at) => [axis, part(at)])) };
  }
  const declared = constructorOf(run, type, values);
  if (declared && values.length && frame.depth < deepestConstructor) {
    const cell: Cell = { name: type.name, type, value: emptyStruct(run, type) };
    call(declared, values, undefined, { kind: 'cell', cell, path: [], type }, path, frame, node);
    return cell.value!;
  }
  const fields = new Map<string, Value>(emptyStruct(run, type).fields);
  [...type.fields].forEach(([name, field], at) => {
    if (values[at]) fields.set(name, convert(run, values[at]!, field.type));
  });
  return { ...blank, type, lanes: 0, taint: 0, fields, key: type.name };
}

/** Runs the constructor of `type` on an object that exists: a base of it, or one that another constructor passes on. */
export function initialise(
  run: Run,
  object: Place,
  type: StructType,
  values: readonly Value[],
  path: Path,
  frame: Frame,
  node: Expr,
): void {
  const constructed = constructorOf(run, type, values);
  if (constructed && frame.depth < deepestConstructor) call(constructed, values, undefined, object, path, frame, node);
  else if (!constructed && values.length === 1 && values[0]!.fields)
    for (const [name, value] of values[0]!.fields)
      store(run, fieldPlace(run, object, name), value, path, frame, node, true);
}

function constructorOf(run: Run, type: StructType, values: readonly Value[]): FunctionDecl | undefined {
  if (!type.decl) return undefined;
  return methodsOf(run, type, type.decl.name, values.length).find((fn) => fn.body && fn.params.length >= values.length);
}

export function emptyStruct(run: Run, type: StructType): Value {
  const fields = new Map<string, Value>();
  for (const [name, field] of type.fields) {
    if (field.type.kind !== 'array') {
      // `struct Options { int threads = 256; };`
      const init = type.decl?.fields.find((each) => each.name === name && !each.static)?.init;
      const number = init && field.type.kind === 'scalar' ? run.setup.types.constant(init, type.bindings) : undefined;
      if (number !== undefined) fields.set(name, convert(run, plain(field.type, number, 0), field.type));
      continue;
    }
    const key = `${type.name}.${name}#${run.bases.size}`;
    const base = baseNamed(run, key, run.setup.host ? 'unknown' : 'local', { type: field.type });
    fields.set(name, { ...blank, type: { kind: 'pointer', to: field.type.of }, lanes: 0, taint: 0, base });
  }
  return { ...blank, type, lanes: 0, taint: 0, fields };
}

/** Type of the field that is at a place in a structure. */
export function fieldTypeAt(struct: StructType | undefined, at: number): Type | undefined {
  return struct ? [...struct.fields.values()][at]?.type : undefined;
}

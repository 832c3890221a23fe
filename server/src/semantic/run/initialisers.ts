// What a variable starts with: its initialiser, constructed or converted by the class of what is given.
import type { Node, VarDecl } from '../../syntax/ast';
import { dim3Type, type Type } from '../language';
import { call, methodsOf } from './calling';
import { construct, emptyStruct, fieldTypeAt } from './construct';
import type { Scope } from './scope';
import type { Code, Frame, Path, Value } from './values';

/** Undefined where nothing is written and its type starts with nothing. */
export function initOf(scope: Scope, variable: VarDecl, type: Type): Code | undefined {
  const { init } = variable;
  if (!init) {
    if (type.kind !== 'struct') return undefined;
    if (type === dim3Type || type.name === 'dim3')
      return (path, frame) => construct(frame.run, type, [], path, frame, variable);
    return (_, frame) => emptyStruct(frame.run, type);
  }
  if (variable.initStyle === '=' || init.kind !== 'initList') {
    const value = scope.expr(init, type);
    return type.kind === 'pointer' ? (at, frame) => pointerOf(value(at, frame), type, at, frame, init) : value;
  }
  const struct = type.kind === 'struct' ? type : undefined;
  const elements = init.elements.map((element, at) => scope.expr(element, fieldTypeAt(struct, at)));
  return (path, frame) =>
    construct(
      frame.run,
      type,
      elements.map((element) => element(path, frame)),
      path,
      frame,
      variable,
    );
}

/** The pointer that the object's class makes of it where one is wanted, else the value itself. */
function pointerOf(value: Value, wanted: Type, path: Path, frame: Frame, node: Node): Value {
  if (wanted.kind !== 'pointer' || value.type.kind !== 'struct' || value.base) return value;
  // All conversions to pointers have this name: what they point to is not part of it.
  const operator = methodsOf(frame.run, value.type, 'operator ', 0).find((fn) => fn.returns.kind === 'pointer');
  if (!operator) return value;
  const self = { kind: 'value', value, type: value.type } as const;
  const pointer = call(operator, [], undefined, self, path, frame, node);
  return pointer.base ? pointer : value;
}

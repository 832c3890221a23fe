// Calls that cannot make iterations depend on each other: of routines for the GPU, and of known functions that write
// nothing, which are handed numbers by value.
import type { CallValue, Procedure, Value } from '../../../syntax/procedures';
import { type Scope, variableAt } from './scope';
import { effectsOf } from './steps';

/** C only: Fortran hands everything over by reference. */
export function takesScalarsAlone(scope: Scope, call: CallValue): boolean {
  const { file } = scope;
  if (file.language !== 'c' || !call.args.every((arg) => isNumber(scope, arg))) return false;
  const callee = file.procedures.find((procedure) => procedure.name === call.name);
  if (callee) return callee.routine.length > 0 ? !writesOutside(callee.body) : writesNothing(callee.body);
  // A prototype behind a `routine` directive, or a directive that names it.
  return file.directives.some((directive) => {
    if (directive.name !== 'routine') return false;
    if (directive.argument?.items.some((item) => (item.variable ?? item.text).trim() === call.name)) return true;
    const declared = /^[^;{]*/.exec(file.text.slice(directive.end))![0];
    return new RegExp(`\\b${call.name}\\s*\\(`).test(declared);
  });
}

/** A value, and no address: names of arrays and pointers are addresses. */
function isNumber(scope: Scope, value: Value): boolean {
  switch (value.kind) {
    case 'number':
    case 'element':
    case 'binary':
      return true;
    case 'name': {
      const variable = variableAt(scope, value.name, value.start);
      return variable !== undefined && !variable.dimensions && !variable.pointer && !variable.reference;
    }
    case 'unary':
      return value.op !== '&' && isNumber(scope, value.operand);
    case 'call':
      return value.args.every((arg) => isNumber(scope, arg));
    default:
      return false;
  }
}

function writesNothing(body: Procedure['body']): boolean {
  const effects = effectsOf(body);
  return !effects.opaque && effects.calls.length === 0 && !writesOutside(body);
}
/** Of a known routine: a variable of the program that it writes. */
function writesOutside(body: Procedure['body']): boolean {
  const effects = effectsOf(body);
  return (
    effects.accesses.some((access) => access.write) || [...effects.written].some((name) => !effects.declared.has(name))
  );
}

// Which way a copy of the runtime goes, and which of its arguments is where.
import type { Expr } from '../../syntax/ast';
import { type Fn, localsOf } from '../language';
import type { RuntimeCall } from './calls';
import { addressedVariable } from './places';

export function directionOf(copy: RuntimeCall, fn: Fn): 'to-device' | 'to-host' | 'device' | undefined {
  if (/ToSymbol$/.test(copy.name))
    return copy.call.args[4] && kindNamed(copy.call.args[4], fn) === 'cudaMemcpyDeviceToDevice'
      ? 'device'
      : 'to-device';
  if (/FromSymbol$/.test(copy.name)) return 'to-host';
  const kinds = /3D/.test(copy.name) ? [fieldOf(copy, 'kind', fn)] : copy.call.args;
  const kind = kinds
    .map((arg) => arg && kindNamed(arg, fn))
    .find((name) => name !== undefined && /^cudaMemcpy(\w+To\w+|Default)$/.test(name));
  if (!kind) return undefined;
  if (kind === 'cudaMemcpyHostToDevice') return 'to-device';
  if (kind === 'cudaMemcpyDeviceToHost') return 'to-host';
  return 'device';
}

/** Does a blocking copy bring data to the host? */
export function bringsToHost(one: RuntimeCall, fn: Fn): boolean {
  return one.category === 'copy' && directionOf(one, fn) === 'to-host';
}

/** By name, without `Async`: the positions of the source and, in the asynchronous form, of the stream. */
const positions: readonly (readonly [name: RegExp, source: number, stream: number])[] = [
  [/Memcpy2D(Async)?$/, 2, 7],
  [/Memcpy2D/, 3, 8],
  [/MemcpyToArray/, 3, 6],
  [/Memcpy(To|From)Symbol/, 1, 5],
  [/MemcpyPeer/, 2, 5],
  [/Memcpy3D/, 0, 1],
];

/** The argument of a copy that leads to memory of the host. */
export function hostArgumentOf(copy: RuntimeCall, fn: Fn): Expr | undefined {
  const direction = directionOf(copy, fn) ?? 'device';
  if (direction === 'device') return undefined;
  if (/3D/.test(copy.name)) {
    const pitched = fieldOf(copy, direction === 'to-host' ? 'dstPtr' : 'srcPtr', fn);
    return pitched?.kind === 'call' ? pitched.args[0] : undefined;
  }
  return copy.call.args[direction === 'to-host' ? 0 : (positions.find(([name]) => name.test(copy.name))?.[1] ?? 1)];
}

/** The stream of an asynchronous copy; undefined for the default one. */
export function streamArgumentOf({ name, call }: RuntimeCall): Expr | undefined {
  return call.args[positions.find(([pattern]) => pattern.test(name))?.[2] ?? 4];
}

/** What a field of the variable that describes a copy is set to, where that is one value. */
function fieldOf({ call }: RuntimeCall, field: string, fn: Fn): Expr | undefined {
  const described = addressedVariable(call.args[0], fn);
  const values = described?.uses.flatMap((use) => {
    const member = fn.parent(use);
    const set = member?.kind === 'member' && member.field === field ? fn.parent(member) : undefined;
    return set?.kind === 'assign' && set.target === member ? [set.value] : [];
  });
  return values?.length === 1 ? values[0] : undefined;
}

/** The enumerator that an argument is, by a constant's name too. */
function kindNamed(arg: Expr, { program, decl }: Fn): string | undefined {
  const inner = arg.kind === 'cast' ? arg.operand : arg;
  if (inner.kind !== 'name') return undefined;
  const local = localsOf(decl).of(inner);
  const init = local ? local.variable?.init : program.globals(inner.name).find(({ constant }) => constant)?.init;
  return init?.kind === 'name' && (local === undefined || local.writes.length === 0) ? init.name : inner.name;
}

// Which way a copy of the runtime goes.
import type { Expr } from '../../syntax/ast';
import { type Fn, localsOf } from '../language';
import type { RuntimeCall } from './calls';

export function directionOf(copy: RuntimeCall, fn: Fn): 'to-device' | 'to-host' | 'device' | undefined {
  if (/ToSymbol$/.test(copy.name))
    return copy.call.args[4] && kindNamed(copy.call.args[4], fn) === 'cudaMemcpyDeviceToDevice'
      ? 'device'
      : 'to-device';
  if (/FromSymbol$/.test(copy.name)) return 'to-host';
  const kind = copy.call.args
    .map((arg) => kindNamed(arg, fn))
    .find((name) => name !== undefined && /^cudaMemcpy(\w+To\w+|Default)$/.test(name));
  if (!kind) return undefined;
  if (kind === 'cudaMemcpyHostToDevice') return 'to-device';
  if (kind === 'cudaMemcpyDeviceToHost') return 'to-host';
  return 'device';
}

/** The enumerator that an argument is, by a constant's name too. */
function kindNamed(arg: Expr, { program, decl }: Fn): string | undefined {
  const inner = arg.kind === 'cast' ? arg.operand : arg;
  if (inner.kind !== 'name') return undefined;
  const local = localsOf(decl).of(inner);
  const init = local ? local.variable?.init : program.globals(inner.name).find(({ constant }) => constant)?.init;
  return init?.kind === 'name' && (local === undefined || local.writes.length === 0) ? init.name : inner.name;
}

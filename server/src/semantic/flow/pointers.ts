// Which arguments of launches lead to memory, and whether the host may reach it as well.
import type { Expr, TranslationUnit, TypeSyntax } from '../../syntax/ast';
import { type Fn, type Local, once } from '../language';
import { codeOf } from '../program';

/** Numbers are handed to kernels by value: a counter or a size is not a result. */
export function pointerLike(arg: Expr, fn: Fn): boolean {
  if (arg.kind === 'number' || arg.kind === 'string' || arg.kind === 'sizeof') return false;
  if (arg.kind === 'index' || (arg.kind === 'unary' && arg.op === '*')) return elementMayPoint(arg, fn);
  const local = arg.kind === 'name' ? fn.local(arg) : undefined;
  const written = local && valueTypeOf(local);
  return !written || fn.types.resolve(written).kind !== 'scalar';
}
/** `buffers[i]` and `*buffer` may be pointers themselves; `values[i]` of a known number type is a number. */
function elementMayPoint(arg: Expr, fn: Fn): boolean {
  const base = arg.kind === 'index' ? arg.base : arg.kind === 'unary' ? arg.operand : arg;
  const local = base.kind === 'name' ? fn.local(base) : undefined;
  const written = local && valueTypeOf(local);
  if (!written) return true;
  const held = fn.types.resolve(written);
  const element = held.kind === 'pointer' ? held.to : held.kind === 'array' ? held.of : undefined;
  if (element) return element.kind !== 'scalar';
  return !(written.kind === 'named' && /vector$/.test(written.name) && plainNumber.test(templateText(written)));
}
/** The type of a variable or parameter, or what it refers to. */
export function valueTypeOf({ variable, parameter }: Local): TypeSyntax | undefined {
  const type = (variable ?? parameter)?.type;
  return type?.kind === 'reference' ? type.to : type;
}
const plainNumber = /^(const )?(unsigned |u?int|float|double|char|bool|long|size_t)/;
function templateText(type: { readonly args?: readonly unknown[] }): string {
  const first = type.args?.[0] as { readonly type?: { readonly kind: string; readonly name?: string } } | undefined;
  return first?.type?.kind === 'named' ? (first.type.name ?? '') : '';
}

const sharesMemory = /cudaMallocManaged|__managed__|cudaHostAllocMapped|cudaHostGetDevicePointer|cudaMemAttachGlobal/;
/** Does anything known give memory to host and GPU alike? Then a pointer of unknown origin may be such memory. */
export const mayShareMemory = once((unit: TranslationUnit) =>
  unit.files.some((file) => sharesMemory.test(file.text) && sharesMemory.test(codeOf(file.text))),
);

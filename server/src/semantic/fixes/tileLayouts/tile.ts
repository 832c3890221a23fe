// The arrays in shared memory whose layout may be changed: their extents, and the bytes that a block has.
import type { Expr, TypeSyntax, VarDecl } from '../../../syntax/ast';
import { sizeOf, type Fn, type Local } from '../../language';
import { createFrame, evaluate } from '../reductions/frame';

export interface Tile {
  readonly variable: Local;
  /** Extents, outermost first; empty for an `extern` array, whose extent the launch gives. */
  readonly dimensions: readonly number[];
  /** The innermost extent as written; absent for an `extern` array. */
  readonly innerSize?: Expr;
  readonly elementBytes: number;
}

/** The array that a declaration makes; undefined where its extents or the size of its elements are not known. */
export function tileOf(declaration: VarDecl, fn: Fn): Tile | undefined {
  if (declaration.space !== 'shared' || declaration.macro) return undefined;
  const isDynamic = declaration.storage === 'extern';
  const dimensions: number[] = [];
  let innerSize: Expr | undefined;
  let type: TypeSyntax = declaration.type;
  if (isDynamic) {
    if (type.kind !== 'array' || type.size || type.of.kind === 'array') return undefined;
    type = type.of;
  }
  while (type.kind === 'array') {
    const size: number | undefined = type.size && constantSize(type.size, fn);
    if (size === undefined || size <= 0) return undefined;
    dimensions.push(size);
    innerSize = type.size;
    type = type.of;
  }
  const elementBytes = sizeOf(fn.types.resolve(type)) ?? templateBytes(type, fn);
  const variable = fn.locals.all.find((local) => local.variable === declaration);
  if (!elementBytes || !variable || (!isDynamic && !innerSize)) return undefined;
  return { variable, dimensions, elementBytes, ...(innerSize ? { innerSize } : {}) };
}

/** A constant, or a template parameter to which all known launches give one value. */
function constantSize(size: Expr, fn: Fn): number | undefined {
  const constant = fn.types.constant(size);
  if (constant !== undefined) return constant;
  const values = new Set(
    (fn.launchValues ?? []).map((_, at) => {
      const value = evaluate(size, createFrame(fn, fn.blockShapes[at] ?? [32, 1, 1], at));
      return typeof value === 'number' ? value : undefined;
    }),
  );
  const [only] = values;
  return values.size === 1 ? only : undefined;
}

/** The bytes of a template's type parameter where all known launches give types of one size. */
function templateBytes(type: TypeSyntax, fn: Fn): number | undefined {
  if (type.kind !== 'named') return undefined;
  const sizes = new Set(
    (fn.launchTypes ?? []).map((launch) => {
      const name = launch.get(type.name);
      return name === undefined ? undefined : sizeOf(fn.types.resolve({ kind: 'named', name }));
    }),
  );
  const [only] = sizes;
  return sizes.size === 1 ? only : undefined;
}

/** The bytes of all static shared arrays of the kernel. */
export function sharedBytesOf(fn: Fn): number {
  let sum = 0;
  for (const { variable } of fn.locals.all)
    if (variable?.space === 'shared') sum += sizeOf(fn.types.resolve(variable.type)) ?? arrayBytes(variable, fn);
  return sum;
}

function arrayBytes(declaration: VarDecl, fn: Fn): number {
  let count = 1;
  let type: TypeSyntax = declaration.type;
  while (type.kind === 'array') {
    count *= (type.size && constantSize(type.size, fn)) ?? 0;
    type = type.of;
  }
  return count * (sizeOf(fn.types.resolve(type)) ?? templateBytes(type, fn) ?? 4);
}

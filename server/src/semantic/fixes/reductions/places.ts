// Places in shared arrays that a reduction reads and writes: which array an expression means.
import type { Expr, Stmt, TypeSyntax, VarDecl } from '../../../syntax/ast';
import { type Local, some, argumentOf } from '../../language';
import { callerOf, type Frame } from './frame';

export type SweepOperator = '+' | 'max' | 'min' | '&' | '|' | '^';

/** What is before a subscript: a variable of the kernel, seen through pointers and parameters. */
export interface ArrayRoot {
  readonly key: object;
  readonly name: string;
  readonly declaration: VarDecl | undefined;
  readonly local?: Local;
}

/** One array (or one field of an array of structures) that the statements combine. */
export interface SweptArray {
  readonly root: ArrayRoot;
  /** Subscripts and fields of the place; the swept subscript is `undefined`. */
  readonly path: readonly (Expr | string | undefined)[];
  readonly operator: SweepOperator;
  /** Name of the function that combines (`max`, `fmaxf`), where one does. */
  readonly callee?: string;
  readonly combine: Stmt;
}

/** The array that an expression's innermost name stands for, through pointers that only ever point to its start. */
export function rootOf(expr: Expr, frame: Frame, depth = 0): ArrayRoot | undefined {
  if (depth > 8) return undefined;
  if (expr.kind === 'cast') return rootOf(expr.operand, frame, depth + 1);
  if (
    expr.kind === 'unary' &&
    expr.op === '&' &&
    expr.operand.kind === 'index' &&
    expr.operand.index.kind === 'number' &&
    expr.operand.index.value === 0
  )
    return rootOf(expr.operand.base, frame, depth + 1);
  if (expr.kind !== 'name') return undefined;
  const local = frame.context.local(expr);
  if (!local) {
    const global = frame.context.program.globals(expr.name)[0];
    return global ? { key: global, name: expr.name, declaration: global } : undefined;
  }
  const definition =
    local.variable && !local.writes.length && local.variable.type.kind === 'pointer' ? local.variable.init : undefined;
  if (definition) {
    const inner =
      definition.kind === 'initList' && definition.elements.length === 1 ? definition.elements[0]! : definition;
    const root = rootOf(inner, frame, depth + 1);
    // Through a pointer to another type the elements are others: `float *sums = (float *)bytes`.
    if (root && hasElementsOf(local.variable!.type, root)) {
      if (root.declaration?.type.kind === 'array') return root;
      if (root.local?.parameter) return root;
    }
  }
  return { key: local, name: local.name, declaration: local.variable, local };
}

/** Does a pointer go over the elements that the array has, as far as their types have names? */
function hasElementsOf(pointer: TypeSyntax, root: ArrayRoot): boolean {
  const whole = root.declaration?.type ?? root.local?.parameter?.type;
  const [of, to] = [whole && elementsOf(whole), elementsOf(pointer)];
  return of?.kind !== 'named' || to?.kind !== 'named' || of.name === to.name;
}
function elementsOf(type: TypeSyntax): TypeSyntax {
  return type.kind === 'array' ? elementsOf(type.of) : type.kind === 'pointer' ? elementsOf(type.to) : type;
}

interface SharedPlace {
  readonly root: ArrayRoot;
  readonly path: readonly (Expr | string)[];
}

/** `a[i]`, `a[k][i].x`, `*(a + i)` as an array and its subscripts. */
export function placeOf(expr: Expr, frame: Frame): SharedPlace | undefined {
  const path: (Expr | string)[] = [];
  let inner = expr;
  for (let depth = 0; depth < 12; depth++) {
    if (inner.kind === 'index') {
      path.unshift(inner.index);
      inner = inner.base;
    } else if (inner.kind === 'member') {
      if (inner.arrow) return undefined;
      path.unshift(inner.field);
      inner = inner.object;
    } else if (inner.kind === 'unary' && inner.op === '*') {
      const sum = inner.operand;
      if (sum.kind !== 'binary' || sum.op !== '+') return undefined;
      let index = sum.right;
      let base = sum.left;
      while (base.kind === 'binary' && base.op === '+') {
        index = { ...base, left: base.right, right: index };
        base = base.left;
      }
      path.unshift(index);
      inner = base;
    } else break;
  }
  if (!path.some((part) => typeof part !== 'string')) return undefined;
  const root = rootOf(inner, frame);
  return root ? { root, path } : undefined;
}

export function isShared({ declaration, local }: ArrayRoot, frame: Frame): boolean {
  if (declaration?.space === 'shared') return true;
  if (declaration?.type.kind === 'pointer') return isSharedPointer(declaration.init, frame);
  if (!local?.parameter || local.field || frame.context.decl.global)
    return /^SharedMemory/.test(declaration?.type.kind === 'named' ? declaration.type.name : '');
  const sites = frame.context.callSites ?? [];
  // A block-wide sweep with barriers over a device function's pointer: nothing but shared memory is swept so.
  if (!sites.length) return true;
  return sites.some((site) => {
    const arg = argumentOf(local.parameter, frame.context.decl, site.args);
    const inner = callerOf(frame, site);
    const root = arg && rootOf(arg, inner);
    return (
      root?.declaration?.space === 'shared' ||
      (!!root?.local?.parameter && !site.caller.global) ||
      (!!root?.declaration && isSharedPointer(root.declaration.init, inner))
    );
  });
}
/** A pointer into a shared array, or from the wrapper of NVIDIA's samples: `T *sdata = SharedMemory<T>();`. */
function isSharedPointer(init: Expr | undefined, frame: Frame): boolean {
  return some(
    init,
    (node) =>
      node.kind === 'name' &&
      (node.name.startsWith('SharedMemory') || rootOf(node, frame)?.declaration?.space === 'shared'),
  );
}

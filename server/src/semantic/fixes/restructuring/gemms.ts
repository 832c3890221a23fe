// A kernel that does nothing but C = alpha A B + beta C, an element a thread: its extents, leading dimensions and
// scalars, as sums of products of its parameters.
import type { AssignExpr, Expr } from '../../../syntax/ast';
import {
  atomsOf,
  constantPolynomial,
  type Fn,
  type Index,
  isStable,
  isThreadAtom,
  type Local,
  orderedBy,
} from '../../language';
import { hidesEffects, isPureCall } from '../../program';
import { few, literal, scalesOf } from './computed';
import { elementTypeOf, type Factor, factorOf, type Gemm, type Side, type Sum, type ThreadRange } from './factors';
import type { ProductFact } from '../model';

const comparing = /^([<>]=?|[=!]=)$/;

/** The two factors by the place of their threads in C: side by side first. */
export interface Ordered {
  readonly inner: { readonly factor: Factor; readonly side: Side };
  readonly outer: { readonly factor: Factor; readonly side: Side };
  readonly leading: Index;
}

/** The product, or why the kernel is not exactly one: a clause that follows on "no fix is offered:". */
export function gemmOf(
  sum: Sum,
  store: AssignExpr,
  { inner, outer, leading }: Ordered,
  type: ProductFact['type'],
  fn: Fn,
): Gemm | string {
  if (!isAlone(fn)) return `\`${fn.decl.name}\` is a template, a member, a lambda or called by the kernel`;
  const target = factorOf(store.target, fn.locals)!;
  const roots = [inner.factor.root, outer.factor.root, target.root];
  if (![...roots, ...(sum.local ? [sum.local] : [])].every((each) => isOfType(each, type, fn)))
    return 'the matrices and the sum have different types';
  if (!roots.every(isFixedPointer)) return 'a matrix is not a pointer that stays as it is';
  const more = 'the kernel does more than the product';
  if (!isPolynomial(sum, fn)) return more;
  const compared = fn.locals.nodes.filter((node): node is Expr => node.kind === 'binary' && comparing.test(node.op));
  const guards = compared.flatMap((node) => (node === sum.loop.cond ? [] : guardOf(node, fn)));
  const ranges = [inner, outer].map(({ side }) => {
    const guard = guards.find(({ low }) => [...side.threads].every((key) => hasKey(low, key)));
    return guard && rangeOf(guard);
  });
  const [first, second] = ranges;
  if (!first || !second || first.axis === second.axis || compared.length !== 3)
    return 'its guard does not say how many rows and columns there are';
  const terms = fn.index((sum.loop.cond as { right: Expr }).right)!;
  const sizes = [terms, leading, inner.side.leading, outer.side.leading, first.extent, second.extent];
  const unfit = unfitSize(sizes, fn);
  if (unfit) return unfit;
  const product = {
    type,
    factors: [
      { root: inner.factor.root, transposed: inner.side.along, leading: inner.side.leading },
      { root: outer.factor.root, transposed: !outer.side.along, leading: outer.side.leading },
    ] as const,
    ranges: [first, second] as const,
    covered: [first, second],
    terms,
    result: { root: target.root, leading },
    params: fn.decl.params,
  };
  const parts = [first, second].map(({ axis, width = 4 }) => ({ axis, width }));
  const [width, height] = (['x', 'y'] as const).map((axis) => parts.find((part) => part.axis === axis)!.width);
  const runs = { decl: fn.decl, loop: sum.loop, block: [width!, height!, 1] as const, parts, isGuarded: true };
  const scales = scalesOf({ ...product, terms: constantPolynomial(few) }, scalarsIn(type, fn), runs, fn);
  return scales ? { ...product, ...scales } : more;
}

/** What `alpha` and `beta` of a product may be: numbers that the kernel writes, and its parameters. */
function scalarsIn(type: ProductFact['type'], fn: Fn): Expr[] {
  const params = fn.locals.all.filter(
    (local) =>
      local.parameter && local.parameter.type.kind !== 'pointer' && isStable(local) && isOfType(local, type, fn),
  );
  return [
    literal(1),
    literal(0),
    ...fn.locals.nodes.filter((node): node is Expr => node.kind === 'number'),
    ...params.map(({ name }): Expr => ({ kind: 'name', name, start: 0, end: 0 })),
  ];
}

export function isAlone({ decl }: Fn): boolean {
  return !!decl.global && !decl.templateParams?.length && !decl.className && !decl.enclosing;
}

export function isFixedPointer(root: Local): boolean {
  return isStable(root) && root.parameter?.type.kind === 'pointer';
}

/** @param builtins what a launch says beside the kernel's parameters */
export function unfitSize(sizes: readonly Index[], fn: Fn, builtins: readonly string[] = []): string | undefined {
  const named = sizes.flatMap(({ terms: of, atoms }) =>
    [...of.keys()].flatMap(atomsOf).flatMap((key) => (builtins.includes(key) ? [] : [{ key, atom: atoms.get(key) }])),
  );
  const params = named.map(({ key, atom }) => atom?.locals.find(({ name, parameter }) => parameter && name === key));
  if (!params.every((local) => local && isStable(local))) return 'a size is not a parameter of the kernel';
  if (!params.every((local) => isInt(local!, fn))) return 'a size may exceed an `int`';
  return undefined;
}

const hasKey = (of: Index, key: string): boolean => of.has((each) => each === key);

function isInt({ parameter }: Local, { types }: Fn): boolean {
  const type = types.resolve(parameter!.type);
  return type.kind === 'scalar' && !type.float && type.size <= 4;
}

/** `__nv_bfloat16` is as wide as `half`. */
function isOfType(local: Local, type: ProductFact['type'], fn: Fn): boolean {
  const declared = (local.variable ?? local.parameter)!.type;
  const of = declared.kind === 'pointer' ? declared.to : declared;
  return elementTypeOf(local, fn) === type && (type !== 'half' || (of.kind === 'named' && /^(__)?half$/.test(of.name)));
}

interface Guard {
  readonly low: Index;
  readonly extent: Index;
}

/** What threads compare their numbers with: `low < extent` where they go on. */
export function guardOf(comparison: Expr, fn: Fn): Guard[] {
  const order = orderedBy(comparison);
  const [low, high] = [order?.low, order?.high].map((side) => side && fn.index(side));
  if (!order || !low || !high) return [];
  const isBelow = low.has(isThreadAtom);
  const [thread, bound] = isBelow ? [low, high] : [high, low];
  // `row <= n - 1`, and what is left of `row > n - 1`.
  return [{ low: thread, extent: order.orEqual === isBelow ? bound.plus(constantPolynomial(1)) : bound }];
}

export function rangeOf({ low, extent }: Guard): ThreadRange | undefined {
  const axis = (['x', 'y'] as const).find((each) => low.terms.get(`threadIdx.${each}`) === 1);
  if (!axis || low.terms.size !== 2) return undefined;
  if (low.terms.get(`blockDim.${axis}·blockIdx.${axis}`) === 1) return { axis, extent };
  const width = low.terms.get(`blockIdx.${axis}`);
  return width !== undefined && width > 0 ? { axis, width, extent } : undefined;
}

/** Made of comparisons alone. */
function isLogical(expr: Expr): boolean {
  if (expr.kind === 'unary') return expr.op === '!' && isLogical(expr.operand);
  if (expr.kind !== 'binary') return false;
  return comparing.test(expr.op) || (/^(&&|\|\|)$/.test(expr.op) && isLogical(expr.left) && isLogical(expr.right));
}

/** Only sums and products beside comparisons: where some inputs give a product, all do. */
function isPolynomial({ assign, loop }: Sum, fn: Fn): boolean {
  return fn.locals.nodes.every((node) => {
    switch (node.kind) {
      case 'assign':
        return /^[-+*]?=$/.test(node.op);
      case 'binary':
        return /^[-+*]$/.test(node.op) || isLogical(node);
      case 'unary':
        return node.op !== '!' || isLogical(node);
      case 'if':
        return !node.init && isLogical(node.cond);
      case 'call':
        return node === assign.value || (node.args.every(({ kind }) => kind === 'number') && isPureCall(node, fn));
      case 'for':
        return node === loop;
      case 'var':
        return node.space === 'none' && !node.storage;
      default:
        return !/^(conditional|while|do|rangeFor|switch|goto|label)$/.test(node.kind) && !hidesEffects(node);
    }
  });
}

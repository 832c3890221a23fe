// The one product that the vectors of all blocks are in: out(row, block) is the sum over t of matrix(t, row) times
// vectors(t, block), each by columns, for gridDim.x blocks of blockDim.x threads.
import type { AssignExpr, Expr, ForStmt, NameExpr } from '../../../syntax/ast';
import {
  atomName,
  constantPolynomial,
  atomPolynomial,
  calleeName,
  fixedPolynomial,
  type Fn,
  type Index,
  isStable,
  type Local,
  some,
  walk,
} from '../../language';
import { few, literal, scalesOf } from './computed';
import { elementTypeOf, type Factor, factorOf, type Gemm } from './factors';
import { isAlone, isFixedPointer, unfitSize } from './gemms';
import type { ProductFact } from '../model';

/** What one iteration of the loop over the rows multiplies and stores. */
export interface BlockProduct {
  readonly product: Expr;
  readonly matrix: Factor;
  readonly vector: Factor;
  readonly store: AssignExpr;
  readonly loop: ForStmt;
  readonly counter: Local;
  readonly type: ProductFact['type'];
}

/** The product, or why the kernel does not end with exactly one: a clause that follows on "no fix is offered:". */
export function blockGemmOf(of: BlockProduct, fn: Fn): Gemm | string {
  const { product, matrix, vector, store, loop, counter, type } = of;
  if (!isAlone(fn)) return `\`${fn.decl.name}\` is a template, a member, a lambda or called by the kernel`;
  const target = factorOf(store.target, fn.locals)!;
  if (type === 'half') return 'the kernel may add up its halves in another type';
  if (![vector.root, target.root].every((root) => elementTypeOf(root, fn) === type))
    return 'the matrices and the sum have different types';
  if (![matrix.root, target.root].every(isFixedPointer)) return 'a matrix is not a pointer that stays as it is';
  if (vector.root.variable?.space !== 'shared') return 'the vectors are in memory already';
  const isLeft = fn.locals.nodes.some(({ kind }) => /^(return|goto|label|asm|opaque)$/.test(kind));
  if (isLeft || fn.decl.body?.body.at(-1) !== loop) return 'the product is not what every block ends with';
  if (target.root.uses.length > 1) return 'the kernel uses the result beside the product';
  if (!matrix.root.uses.every((use) => fn.isInside(use, product)))
    return 'the kernel uses the matrix beside the product';
  const isChanged = vector.root.uses.some((use) => fn.isInside(use, loop) && !fn.isInside(use, product));
  if (isChanged || counter.writes.some(({ node }) => fn.isInside(node, loop.body)))
    return 'the vector or the row changes within the loop';
  // Its threads may wait for each other there before they read the vector.
  const isCalled = fn.locals.nodes.some(
    (node) => node.kind === 'call' && node.start < product.start && fn.isInside(node, loop.body),
  );
  if (isCalled) return 'the vector may be complete only within the loop';
  const row = atomPolynomial(atomName(counter, fn.locals), { locals: [counter] });
  const [thread, block] = [fixedPolynomial('threadIdx.x'), fixedPolynomial('blockIdx.x')];
  const pitch = stepOf(matrix, atomName(counter, fn.locals), fn);
  const leading = stepOf(target, 'blockIdx.x', fn);
  const isAt = (factor: Factor, place: Index): boolean => {
    const at = fn.index(factor.indices[0]!);
    return !!at && at.equals(place);
  };
  if (!isAt(vector, thread)) return 'a thread multiplies another element of the vector than its own';
  if (!pitch || !isAt(matrix, row.times(pitch).plus(thread))) return 'the rows begin at another place';
  if (!leading || !isAt(target, block.times(leading).plus(row))) return 'only a part of the matrix is stored';
  const bound = (loop.cond as { right: Expr }).right;
  const rows = fn.index(bound);
  if (!rows) return 'a size is not a parameter of the kernel';
  const builtins = ['blockDim.x', 'gridDim.x'];
  const unfit = unfitSize([rows, pitch, leading], fn, builtins);
  if (unfit) return unfit;
  const [width, blocks] = builtins.map(fixedPolynomial);
  const names = [
    nameIn(bound, rows, fn),
    nameIn(matrix.indices[0]!, pitch, fn),
    nameIn(target.indices[0]!, leading, fn),
  ];
  const whole = {
    type,
    factors: [
      { root: matrix.root, transposed: true, leading: pitch },
      { transposed: false, leading: width! },
    ] as const,
    ranges: [{ extent: rows }, { extent: blocks! }] as const,
    covered: [],
    terms: width!,
    result: { root: target.root, leading },
    params: fn.decl.params,
    names: new Map(names.flat()),
  };
  const isWhole = (threads: number): boolean => {
    // What comes before the loop makes the vector, which is taken as it is.
    const body = fn.decl.body!.body.filter((each) => each === loop || each.kind === 'decl');
    const decl = { ...fn.decl, body: { ...fn.decl.body!, body } };
    const parts = [{ width: 1 }, { axis: 'x' as const, width: 1 }];
    const runs = { decl, loop, block: [threads, 1, 1] as const, parts, isGuarded: false, vector: vector.root };
    const part = { ...whole, ranges: [{ extent: constantPolynomial(few) }, { extent: blocks! }] as const };
    return isLinear(of, fn) && scalesOf(part, [literal(1), literal(0)], runs, fn) !== undefined;
  };
  return { ...whole, alpha: literal(1), beta: literal(0), split: { vector: vector.root, loop, isWhole } };
}

/** Does the loop only move and add what it multiplies, for all rows and blocks alike? So some stand for all. */
function isLinear({ product, store, loop, type }: BlockProduct, fn: Fn): boolean {
  const isNumber = (expr: Expr): boolean =>
    !some(expr, (node) => {
      const local = node.kind === 'name' ? fn.local(node) : undefined;
      return node === product || (!!local && elementTypeOf(local, fn) !== undefined);
    });
  const isFixed = (node: NameExpr): boolean => {
    const local = fn.local(node);
    if (!local) return /^(threadIdx|blockDim|warpSize|__\w+)$/.test(node.name) || fn.index(node)?.number !== undefined;
    const { variable } = local;
    const float = elementTypeOf(local, fn);
    if (!variable || variable.storage === 'extern' || (float ?? type) !== type) return false;
    if (variable.space === 'shared' || fn.isInside(variable, loop.body)) return true;
    if (float) return !variable.init;
    return isStable(local) && !some(variable.init, (inner) => inner.kind === 'name' && !isFixed(inner));
  };
  return fn.locals.nodes.every((node) => {
    if (!fn.isInside(node, loop.body) || fn.isInside(node, product) || fn.isInside(node, store.target)) return true;
    if (node.kind === 'name') return isFixed(node);
    if (node.kind === 'call') return /^__(sync(threads|warp)|shfl(_down|_xor)?(_sync)?)$/.test(calleeName(node) ?? '');
    if (node.kind === 'binary' && node.op !== '+') return node === product || isNumber(node);
    if (node.kind === 'assign') return /^\+?=$/.test(node.op) || isNumber(node.target);
    return !('cond' in node && node.cond) || isNumber(node.cond);
  });
}

/** How far apart elements are whose places differ by one in an atom. */
function stepOf({ indices }: Factor, key: string, fn: Fn): Index | undefined {
  const place = indices.length === 1 ? fn.index(indices[0]!) : undefined;
  return place?.split(key)?.factor;
}

/** The constant of the program that an expression writes a size by. */
function nameIn(expr: Expr, size: Index, fn: Fn): (readonly [Index, string])[] {
  const found: (readonly [Index, string])[] = [];
  const value = size.number;
  walk(expr, (node) => {
    if (node.kind !== 'name' || fn.local(node) || value === undefined) return;
    if (fn.index(node)?.number === value) found.push([size, node.name]);
  });
  return found;
}

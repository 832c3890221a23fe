// A kernel that does nothing but C = alpha A B + beta C, an element a thread: its extents, leading dimensions and
// scalars, as sums of products of its parameters.
import type { AssignExpr, Expr, ForStmt, FunctionDecl, IfStmt, Stmt } from '../../../syntax/ast';
import {
  atomsOf,
  calleeName,
  atomPolynomial,
  constantPolynomial,
  type Fn,
  type Index,
  atomName,
  isStable,
  type Local,
  orderedBy,
  statementsOf,
} from '../../language';
import { hidesEffects, isPureCall, isReturn } from '../../program';
import { elementTypeOf, type Factor, factorOf, type Side, type Sum } from './factors';
import type { ProductFact } from '../model';

/** A matrix that is a factor, as cuBLAS reads it, by columns. */
export interface Matrix {
  /** Absent for the vectors that the blocks make. */
  readonly root?: Local;
  readonly transposed: boolean;
  readonly leading: Index;
}
/** The thread's number along one axis: `blockIdx.y * 16 + threadIdx.y`. */
export interface ThreadRange {
  readonly axis: 'x' | 'y';
  /** Threads of a block along the axis where the kernel writes the number; otherwise `blockDim`. */
  readonly width?: number;
  readonly extent: Index;
}
/** `cublas<t>gemm` in the order of its arguments: C has `ranges[0]` rows and `ranges[1]` columns, in columns. */
export interface Gemm {
  readonly type: ProductFact['type'];
  readonly factors: readonly [Matrix, Matrix];
  readonly ranges: readonly [Pick<ThreadRange, 'extent'>, Pick<ThreadRange, 'extent'>];
  readonly terms: Index;
  readonly result: { readonly root: Local; readonly leading: Index };
  /** A parameter of the kernel, or a number. */
  readonly alpha: Expr;
  readonly beta: Expr;
  /** Of the kernel, in the order of a launch's arguments. */
  readonly params: FunctionDecl['params'];
  /** The numbers of an element's row and column, which each element needs a thread for. */
  readonly covered: readonly ThreadRange[];
  /** Constants of the program that sizes are written by. */
  readonly names?: ReadonlyMap<Index, string>;
  readonly split?: Split;
}
/** The kernel goes on to make its vectors, an element for each thread of a block; the rest is the product. */
export interface Split {
  readonly vector: Local;
  readonly loop: ForStmt;
  /** Do so many threads add up all their products? */
  isWhole(threads: number): boolean;
}

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
  const place = (of: Factor): Index => fn.index(of.indices[0]!)!;
  const scale = scaleOf(sum, store, target.root, place(target), fn);
  if (typeof scale === 'string') return scale;
  const guards = guardsOf(store, fn);
  if (!guards || !doesNoMore(sum, store, scale.first, guards.ifs, fn)) return 'the kernel does more than the product';
  const counter = atomPolynomial(atomName(sum.counter, fn.locals), { locals: [sum.counter] });
  const ranges = [inner, outer].map(({ factor, side }) => {
    const guard = guards.all.find(
      ({ low }) => side.threads.size > 0 && [...side.threads].every((key) => hasKey(low, key)),
    );
    const range = guard && rangeOf(guard);
    const parts = side.along ? [counter, guard?.low] : [guard?.low, counter];
    const expected = parts[0] && parts[1] && parts[0].plus(parts[1].times(side.leading));
    return range && expected?.equals(place(factor)) ? { ...range, low: guard.low } : undefined;
  });
  const [first, second] = ranges;
  if (!first || !second || first.axis === second.axis || guards.all.length !== 2)
    return 'its guard does not say how many rows and columns there are';
  if (!place(target).equals(first.low.plus(second.low.times(leading)))) return 'only a part of the matrix is stored';
  const terms = fn.index((sum.loop.cond as { right: Expr }).right)!;
  const sizes = [terms, leading, inner.side.leading, outer.side.leading, first.extent, second.extent];
  const unfit = unfitSize(sizes, fn);
  if (unfit) return unfit;
  return {
    type,
    factors: [
      { root: inner.factor.root, transposed: inner.side.along, leading: inner.side.leading },
      { root: outer.factor.root, transposed: !outer.side.along, leading: outer.side.leading },
    ],
    ranges: [first, second],
    covered: [first, second],
    terms,
    result: { root: target.root, leading },
    alpha: scale.alpha,
    beta: scale.beta,
    params: fn.decl.params,
  };
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

/** What holds at the store: `low < extent` of each comparison, and the statements that say so. */
function guardsOf(
  store: AssignExpr,
  fn: Fn,
): { readonly all: readonly Guard[]; readonly ifs: ReadonlySet<Stmt> } | undefined {
  const all: Guard[] = [];
  const ifs = new Set<Stmt>();
  const take = (guard: IfStmt, holds: boolean): boolean => {
    const found = comparisonsOf(guard.cond, holds, fn);
    ifs.add(guard);
    all.push(...(found ?? []));
    return found !== undefined && !guard.else && !guard.init;
  };
  for (const around of fn.around(store)) {
    if (around.kind === 'if' && !(fn.isInside(store, around.then) && take(around, true))) return undefined;
    if (around.kind !== 'block') continue;
    for (const statement of around.body) {
      if (fn.isInside(store, statement)) break;
      if (statement.kind === 'if' && !(isReturn(statement.then) && take(statement, false))) return undefined;
    }
  }
  return { all, ifs };
}

function comparisonsOf(cond: Expr, holds: boolean, fn: Fn): readonly Guard[] | undefined {
  if (cond.kind === 'unary' && cond.op === '!') return comparisonsOf(cond.operand, !holds, fn);
  if (cond.kind === 'binary' && cond.op === (holds ? '&&' : '||')) {
    const sides = [cond.left, cond.right].map((side) => comparisonsOf(side, holds, fn));
    return sides[0] && sides[1] && [...sides[0], ...sides[1]];
  }
  const order = orderedBy(cond);
  const low = order && fn.index(holds ? order.low : order.high);
  const high = order && fn.index(holds ? order.high : order.low);
  if (!low || !high) return undefined;
  // `row <= n - 1`, and what is left of `row > n - 1`.
  const isClosed = order.orEqual === holds;
  return [{ low, extent: isClosed ? high.plus(constantPolynomial(1)) : high }];
}

function rangeOf({ low, extent }: Guard): ThreadRange | undefined {
  const axis = (['x', 'y'] as const).find((each) => low.terms.get(`threadIdx.${each}`) === 1);
  if (!axis || low.terms.size !== 2) return undefined;
  if (low.terms.get(`blockDim.${axis}·blockIdx.${axis}`) === 1) return { axis, extent };
  const width = low.terms.get(`blockIdx.${axis}`);
  return width !== undefined && width > 0 ? { axis, width, extent } : undefined;
}

/** Neither stores, calls nor loops, beside those of the product. */
function doesNoMore(
  { assign, loop, local }: Sum,
  store: AssignExpr,
  first: AssignExpr | undefined,
  ifs: ReadonlySet<Stmt>,
  fn: Fn,
): boolean {
  const isAllowed = (node: AssignExpr): boolean => node === assign || node === store || node === first;
  if (local && local.variable!.init && !isZero(local.variable!.init, fn)) return false;
  if (local && !local.variable!.init === !first) return false;
  if (!isRunBefore(loop, store, fn) || (first && !isRunBefore(first, loop, fn))) return false;
  return fn.locals.nodes.every((node) => {
    switch (node.kind) {
      case 'assign':
        return isAllowed(node);
      case 'update':
        return node === loop.step;
      case 'call':
        return node === assign.value || isPureCall(node, fn);
      case 'for':
        return node === loop;
      case 'if':
        return ifs.has(node);
      case 'return':
        return [...fn.around(node)].some((around) => ifs.has(around as Stmt));
      case 'while':
      case 'do':
      case 'rangeFor':
      case 'switch':
      case 'goto':
      case 'label':
        return false;
      case 'var':
        return node.space === 'none' && !node.storage;
      default:
        return !hidesEffects(node);
    }
  });
}

/** In one list of statements: where the one is run, so is the other, after it. */
function isRunBefore(one: Expr | ForStmt, other: Expr | ForStmt, fn: Fn): boolean {
  if (one.kind === 'for' && fn.isInside(other, one)) return true;
  const statement = (of: Expr | ForStmt): Stmt => (of.kind === 'for' ? of : (fn.parent(of) as Stmt));
  const list = fn.parent(statement(one));
  if (list?.kind !== 'block' || fn.parent(statement(other)) !== list) return false;
  return statementsOf(list).indexOf(statement(one)) < statementsOf(list).indexOf(statement(other));
}

/** `0`, `(half)0`, `__float2half(0.0f)`. */
function isZero(expr: Expr, fn: Fn): boolean {
  if (expr.kind === 'cast') return isZero(expr.operand, fn);
  if (expr.kind !== 'call' || expr.args.length !== 1) return isNumber(expr, 0);
  const name = calleeName(expr) ?? '';
  const isConversion = name === '__float2half' || fn.types.resolve({ kind: 'named', name }).kind === 'scalar';
  return isConversion && isZero(expr.args[0]!, fn);
}

const isNumber = (expr: Expr, value: number): boolean => expr.kind === 'number' && expr.value === value;
export const literal = (value: 0 | 1): Expr => ({
  kind: 'number',
  value,
  type: 'int',
  text: `${value}`,
  start: 0,
  end: 0,
});

interface Scale {
  readonly alpha: Expr;
  readonly beta: Expr;
  /** What is run before the loop: `sum = 0`, `c[i] *= beta`. */
  readonly first?: AssignExpr;
}

function scaleOf(sum: Sum, store: AssignExpr, result: Local, place: Index, fn: Fn): Scale | string {
  const others = 'its factors are not parameters or numbers';
  const isScalar = (expr: Expr): boolean => {
    if (expr.kind === 'number') return true;
    const local = expr.kind === 'name' ? fn.local(expr) : undefined;
    return (
      !!local?.parameter &&
      isStable(local) &&
      elementTypeOf(local, fn) === typeOfResult &&
      local.parameter.type.kind !== 'pointer'
    );
  };
  const typeOfResult = elementTypeOf(result, fn);
  const isOld = (expr: Expr): boolean => {
    const factor = factorOf(expr, fn.locals);
    const index = factor?.root === result && factor.indices.length === 1 ? factor.indices[0] : undefined;
    const at = index && fn.index(index);
    return !!at && at.equals(place);
  };
  const isSum = (expr: Expr): boolean => expr.kind === 'name' && fn.local(expr) === sum.local;
  /** What a thing is multiplied by. */
  const by = (expr: Expr, is: (part: Expr) => boolean): Expr | undefined => {
    if (is(expr)) return literal(1);
    if (expr.kind !== 'binary' || expr.op !== '*') return undefined;
    const [one, other] = is(expr.left) ? [expr.left, expr.right] : [expr.right, expr.left];
    return is(one) && isScalar(other) ? other : undefined;
  };
  if (sum.scales.length > 1 || !sum.scales.every(isScalar)) return others;
  const each = sum.scales[0];
  const writes = fn.locals.nodes.filter(
    (node): node is AssignExpr => node.kind === 'assign' && node !== sum.assign && node !== store,
  );
  const first = writes.length === 1 ? writes[0] : undefined;
  if (writes.length > 1) return 'the kernel does more than the product';
  if (!sum.local) {
    const alpha = each ?? literal(1);
    if (!first) return { alpha, beta: literal(1) };
    const scales = first.op === '*=' || isNumber(first.value, 0);
    if (!isOld(first.target) || !scales || !/^\*?=$/.test(first.op) || !isScalar(first.value)) return others;
    return { alpha, beta: first.value, first };
  }
  if (first && !(first.target.kind === 'name' && fn.local(first.target) === sum.local))
    return 'the kernel does more than the product';
  const reset = first ? { first } : {};
  const { value, op } = store;
  const whole = by(value, isSum);
  const [left, right] = value.kind === 'binary' && value.op === '+' ? [value.left, value.right] : [];
  const added = left && right ? [by(left, isSum) ?? by(right, isSum), by(left, isOld) ?? by(right, isOld)] : [];
  const alpha = whole ?? added[0];
  const beta = whole ? literal(op === '+=' ? 1 : 0) : op === '=' ? added[1] : undefined;
  if (!alpha || !beta || (each && !isNumber(alpha, 1))) return others;
  return { alpha: each ?? alpha, beta, ...reset };
}

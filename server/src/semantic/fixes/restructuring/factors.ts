// What stands for a matrix in a kernel: elements by their index, their type, and sums of products of two of them; and a
// product as cuBLAS takes it.
import type { AssignExpr, Expr, ForStmt, FunctionDecl, NameExpr, Stmt } from '../../../syntax/ast';
import { elementOfObject, type Fn, type Index, innermost, type Local, type Locals } from '../../language';
import type { ProductFact } from '../model';

/** `sum += x * y` in the innermost loop, with what stands for a matrix on both sides. */
export interface Sum {
  readonly statement: Stmt;
  /** Absent where the sum is kept in memory: `c[i] += x * y`. */
  readonly local?: Local;
  readonly assign: AssignExpr;
  /** What beside the two is a factor of each term. */
  readonly scales: readonly Expr[];
  readonly loop: ForStmt;
  readonly counter: Local;
  readonly factors: readonly [Factor, Factor];
}
export interface Factor {
  readonly root: Local;
  readonly node: Expr;
  /** Indices from the outermost. */
  readonly indices: readonly Expr[];
}

/** A row or a column of a matrix, one element of it for each k. */
export interface Side {
  readonly threads: ReadonlySet<string>;
  /** `matrix[own * leading + k]`, not `matrix[k * leading + own]`. */
  readonly along: boolean;
  readonly leading: Index;
}

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

/** Of a number, or of what an array holds. */
export function elementTypeOf({ variable, parameter }: Local, { types }: Fn): ProductFact['type'] | undefined {
  const declared = variable?.type ?? parameter?.type;
  const type = declared && types.resolve(declared);
  const of =
    type?.kind === 'pointer'
      ? type.to
      : type?.kind === 'array'
        ? innermost(type)
        : (elementOfObject(type, 'operator[]', types) ?? elementOfObject(type, 'operator()', types) ?? type);
  if (of?.kind === 'scalar' && of.float) return of.size === 8 ? 'double' : of.size === 4 ? 'float' : 'half';
  return undefined;
}

/** `a[i]`, or `a(i)` of an object. */
export function isElement(expr: Expr, locals: Locals): boolean {
  return (
    expr.kind === 'index' ||
    (expr.kind === 'call' && expr.callee.kind === 'name' && !!locals.of(expr.callee)?.parameter)
  );
}

export function factorOf(expr: Expr, locals: Locals): Factor | undefined {
  if (expr.kind === 'call' && isElement(expr, locals))
    return { root: locals.of(expr.callee as NameExpr)!, node: expr, indices: expr.args };
  const indices: Expr[] = [];
  let at = expr;
  for (; at.kind === 'index'; at = at.base) indices.unshift(at.index);
  const root = at.kind === 'name' && indices.length > 0 ? locals.of(at) : undefined;
  return root && { root, node: expr, indices };
}

// What the text of a loop says, with names resolved.
import type { Expr, FunctionDecl, Stmt } from '../../syntax/ast';
import type { SlotRef } from './snapshots';
import type { Code } from './values';

/** Iterations of a loop over constants that are straight code without a pragma, and are run one by one. */
export const mostUnrolled = 32;

export interface CarriedCode {
  readonly inductions: readonly { readonly ref: SlotRef; readonly sign: 1 | -1; readonly by: Code | undefined }[];
  /** Variables that one iteration hands to the next in another way. */
  readonly others: readonly SlotRef[];
  /** Arrays, or pointers to them, of which elements are written. */
  readonly elements: readonly SlotRef[];
  /** Whether all that it passes on are variables of the function. */
  readonly isWhole: boolean;
}

/** What the text of a loop says. */
export interface LoopPlan {
  readonly stmt: Stmt;
  readonly fn: FunctionDecl;
  readonly form: 'for' | 'while' | 'do';
  readonly cond: Expr | undefined;
  readonly variable: string | undefined;
  readonly assigns: readonly SlotRef[];
  readonly carried: CarriedCode;
  /** Iterations of a loop over constants. */
  readonly trips: number | undefined;
  /** How many iterations the compiler makes straight code of. */
  readonly unroll: number;
  readonly bodyIsTrivial: boolean;
  /** Its step is the whole grid's threads or blocks: where the grid covers the data it iterates once. */
  readonly isGridStride: boolean;
  /** The same, where the body may make the step as well. */
  readonly isOverGrid: boolean;
  /** Its body launches kernels: iterations differ in what they launch. */
  readonly launches: boolean;
  /** Its body computes with variables alone. */
  readonly isScalar: boolean;
}

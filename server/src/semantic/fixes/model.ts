// Facts of arithmetic that single operations can replace, and of work that could be cut otherwise.
import type { Edit, Reason, Span } from '../span';

/** A double literal or double function in float arithmetic of device code. */
export interface DoubleFact {
  readonly kind: 'double';
  readonly at: Span;
  /** The kernel or device function that it is in. */
  readonly function: string;
  readonly form: 'literal' | 'function' | 'macro';
  readonly text: string;
  readonly kernels: readonly string[];
  readonly floatOperand: string; // the float it meets, as written
  /** Replacing it cannot change a bit of the result. */
  readonly exact: boolean;
  /** Its float as the fix shows it, and the edit that writes it. */
  readonly replacement?: { readonly text: string; readonly edit: Edit };
  /** By what the result may differ once the computation is float. */
  readonly loss: Loss;
  /**
   * Others that make the same computation double, this one among them: while one of them is left, the computation stays
   * double. Narrowest first, each with more members than the one before; absent where there are none.
   */
  readonly together?: readonly DoubleGroup[];
  readonly loopAt?: Span; // of the loop that comes to it again
  readonly related: readonly Reason[];
}

export interface DoubleGroup {
  readonly scope: 'expression' | 'function';
  /** Of the function, for `function`. */
  readonly name?: string;
  readonly edits: readonly { readonly at: Span; readonly newText: string }[];
  readonly loss: Loss;
}

/**
 * By what a float computation differs at most from the same in double that becomes a float at its end: units in the
 * last place, or why these have no bound.
 */
export type Loss = number | 'cancellation' | 'argument' | 'statements';

/** A call in device code whose result a few operations give as well: `pow(x, 2)`, `1 / sqrtf(x)`. */
export interface MathFact {
  readonly kind: 'math';
  readonly at: Span; // the call, or the whole quotient
  /** The kernel or device function that it is in. */
  readonly function: string;
  readonly kernels: readonly string[];
  readonly text: string;
  /**
   * A power with a constant exponent or base, one of two that becomes an integer, the reciprocal of a root, a division
   * by what is the same for the whole grid.
   */
  readonly form: 'exponent' | 'base' | 'reciprocal-root' | 'shift' | 'divisor' | 'sincos';
  /** Of a division, or of a sine beside its cosine: what a product by a number, or one call, would not do. */
  readonly saved?: { readonly slots: number; readonly doubles: number };
  /** It is computed in double precision. */
  readonly double: boolean;
  /** What gives the same: `one multiplication`, `exp2f`. */
  readonly better: string;
  /** Text for `at`; its last bits, and its sign or NaN for arguments at the edge of the domain, may be others. */
  readonly replacement?: string;
  /** Beside `replacement`: a name that it uses is computed before the statement. */
  readonly named?: { readonly name: string; readonly value: string; readonly edits: readonly Edit[] };
  readonly loopAt?: Span; // of the loop that comes to it again
}
/** Edits of kernels and launches, and what the title says of them. */
export interface Recut {
  readonly edits: readonly Edit[];
  readonly title: string;
}

/** Two launches in a row: each thread of the second reads what the same thread of the first wrote. */
export interface FusionFact {
  readonly kind: 'fusion';
  readonly at: Span; // the second launch
  readonly first: { readonly at: Span; readonly kernel: string; readonly nameAt: Span };
  readonly second: { readonly kernel: string; readonly nameAt: Span };
  /** What is passed, as the launches name it. */
  readonly arrays: readonly string[];
  /** Where the second kernel reads it, innermost functions' own text. */
  readonly reads: readonly Span[];
  /** One kernel of both, in place of the second launch. */
  readonly fused?: Recut;
  /** Why there is none: a clause that follows on "no fix is offered:". */
  readonly why?: string;
}

/** A host loop whose iterations launch the same kernels with the same arguments, all of them short. */
export interface ReplayFact {
  readonly kind: 'replay';
  readonly at: Span; // the first launch of the loop
  readonly kernels: readonly string[];
  readonly launches: readonly Span[];
  readonly headerAt: Span;
  readonly text: string; // of the loop's head
  /** The iteration is captured before the loop, and launched as a graph in it. */
  readonly captured?: Recut;
  readonly why?: string;
}

/** A kernel that computes C = A·B, as sums of products for the elements of C. */
export interface ProductFact {
  readonly kind: 'product';
  readonly at: Span; // the statement that sums
  readonly kernels: readonly string[];
  /** `blocks`: the same matrix times a separate vector in each block. */
  readonly form: 'element' | 'tiled' | 'registers' | 'blocks';
  readonly left: string;
  readonly right: string;
  readonly type: 'float' | 'double' | 'half';
  /** `cublasSgemm(…)` with its order and leading dimensions, where the indices say them. */
  readonly call?: string;
  /** The launches replaced by the call. */
  readonly called?: Recut;
  readonly why?: string;
  readonly related: readonly Reason[];
}

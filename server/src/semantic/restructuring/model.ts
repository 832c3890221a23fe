// Facts of work that could be cut otherwise: kernels that could be one, launches that could be a graph, products that
// a library has.
import type { Edit, Reason, Span } from '../span';

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
  readonly trips?: number;
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
  readonly form: 'element' | 'tiled' | 'blocks';
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

// What the figures of a fact rest on, as data that rules put into words.

/** What a figure rests on beyond the text. */
export type Assumption =
  /** The threads of the block: guessed, since no launch is known, or computed from values known at run time. */
  | {
      readonly kind: 'block';
      readonly block: readonly [number, number, number];
      readonly origin: 'guessed' | 'run-time';
    }
  /**
   * An unknown factor on the distance between lanes: the figure holds from `from` on; with a factor of 1 the ratio is
   * `otherwise`.
   */
  | {
      readonly kind: 'stride';
      readonly name: string;
      readonly from?: number;
      readonly otherwise: number;
      /** Of shared memory: the figure is that of multiples of `from`. */
      readonly multiples?: boolean;
      /** The kernel itself walks along neighbouring elements beside it: it is the length of rows, no stride of 1. */
      readonly rows?: boolean;
      /** A guard holds a thread's own place against it: it is as large as what the threads are many of. */
      readonly long?: boolean;
      /** Of a store: the next block stores beside this one, and so what lies between the lanes. */
      readonly blocks?: boolean;
    }
  /** Elements of a tensor are side by side along its last dimension, as in all but some views. */
  | { readonly kind: 'contiguous'; readonly name: string }
  /** Rows start at a sector's edge. */
  | { readonly kind: 'alignment' }
  /** Distances between lanes depend on values that are not followed. */
  | { readonly kind: 'unsettled' }
  /** Of a loop whose iterations differ, only the first were run. */
  | { readonly kind: 'iterations'; readonly first: number }
  /** A number for a parameter that the host leaves open. */
  | { readonly kind: 'size'; readonly name: string; readonly number: number }
  /** Launches differ in it: the least and the most ratio of one. */
  | { readonly kind: 'launches'; readonly least: number; readonly most: number }
  /** No modelled thread comes there. */
  | { readonly kind: 'reached' }
  /** Data decide which lanes come there; `again`: all come the first time, and some in later iterations. */
  | { readonly kind: 'by-data'; readonly again?: true }
  /** `free`: the index is scaled by another type, so that the access may be as wide as the lanes are apart. */
  | { readonly kind: 'type-size'; readonly type: string; readonly bytes: number; readonly free?: boolean }
  /** What a template's parameter stands for, which nothing instantiates: of all that fits, the least ratio. */
  | { readonly kind: 'type'; readonly name: string; readonly type: string; readonly otherwise: number }
  /** An index of shared memory that was loaded. */
  | { readonly kind: 'loaded-index' };

/** A figure's assumptions, and whether data say where its lanes go. */
interface Assumed {
  readonly gather?: unknown;
  readonly assumed: readonly Assumption[];
  readonly byData?: 'some' | 'again';
}

/** Part of the warp instructions counted that are made, least and most: none for sure where data decide it. */
export function executedRange({ assumed, byData }: Assumed): readonly [number, number] {
  return byData === 'some' || assumed.some((one) => one.kind === 'reached' || (one.kind === 'by-data' && !one.again))
    ? [0, 1]
    : [1, 1];
}

/** Data or an unknown type decide how many sectors or wavefronts it asks for, or data whether it is made at all. */
export function isUpToData({ gather, assumed, byData }: Assumed): boolean {
  return byData === 'some' || gather !== undefined || assumed.some(isOpen);
}

function isOpen(assumption: Assumption): boolean {
  const { kind } = assumption;
  if (kind === 'type-size') return assumption.free === true;
  return kind === 'loaded-index' || kind === 'type' || (kind === 'by-data' && !assumption.again);
}

/** Data decide how many lanes make it after the first iteration. */
export function isLeftByData({ assumed, byData }: Assumed): boolean {
  return byData === 'again' || assumed.some((one) => one.kind === 'by-data' && one.again === true);
}

// What a run writes down of loops, branches and barriers.
import type { Expr, FunctionDecl, Node, Stmt } from '../../syntax/ast';

/** `byData`: data decide how often it turns, so that later iterations were not run. */
export interface LoopSeen {
  readonly stmt: Stmt;
  readonly fn: FunctionDecl;
  trips?: number;
  readonly variable?: string;
  byData?: boolean;
  /** Data take lanes out of it between two iterations. */
  parts?: boolean;
  /** Only so many iterations of a longer loop were run. */
  first?: number;
}

export interface StrideSample {
  /** Known bytes by lane. */
  readonly known: Float64Array;
  readonly lanes: Uint8Array;
  readonly bytes: number;
  /** Bytes by lane that one of the named factor adds. */
  readonly by: Float64Array;
}

export interface BranchRecord {
  readonly cond: Expr;
  readonly statement: Stmt | Expr;
  readonly fn: FunctionDecl;
  readonly form: 'if' | 'for' | 'while' | 'do' | 'switch' | 'conditional';
  readonly loops: readonly LoopSeen[];
  warps: number;
  splits: number;
  /** Lanes active before, in warps that enter the arm, and lanes that go in. */
  thenBefore: number;
  thenActive: number;
  elseBefore: number;
  elseActive: number;
  taint: number;
  variesInWarp: boolean;
  variesInBlock: boolean;
  /** Largest number of lanes of one warp that went in, and of the block. */
  mostLanes: number;
  mostThreads: number;
  uncertain: boolean;
  /** What it compares can differ between the lanes of a warp, unknowns included that do not cancel. */
  comparesLanes: boolean;
}

/** A warp primitive that known numbers show to be wrong, by one lane that shows it. */
export interface WarpFault {
  /** A lane of the mask stays away, a caller is not in it, or no lane receives the value of one that takes part. */
  readonly kind: 'absent' | 'unnamed' | 'inactive';
  readonly mask: string;
  readonly lane: number;
  /** The lane that it is to receive the value of. */
  readonly source?: number;
}

export interface BarrierRecord {
  readonly node: Node;
  readonly fn: FunctionDecl;
  readonly name: string;
  readonly scope: 'block' | 'warp' | 'grid';
  /** Innermost first. */
  loops: readonly LoopSeen[];
  under?: { readonly cond: Expr; readonly fn: FunctionDecl };
  afterReturn?: { readonly cond: Expr; readonly fn: FunctionDecl };
  proven: boolean;
  fault?: WarpFault;
}

/** How the unknowns in an access's addresses reach its figure. */
export interface AccessHangs {
  /** Names of unknown factors on distances between the lanes of a warp. */
  readonly strides: Set<string>;
  /** Sums of sectors (or wavefronts) and of their ideal if each of those factors were 1. */
  least: number;
  leastIdeal: number;
  /** One warp with such factors, to find the value from which its figure holds. */
  sample?: StrideSample;
  /** The address also runs along neighbours, over blocks or iterations: a factor beside that is the length of rows. */
  walks: boolean;
  /** A store that the next block makes one element further; an access that the next warp does. */
  acrossBlocks?: boolean;
  acrossWarps?: boolean;
  /** Blocks may reach different places. */
  byBlock?: boolean;
  /** Lanes' distances depend on unknowns that are not followed. */
  lost: boolean;
  /** They are as usual values have them, `x % width` where a row is wider than a warp, and others are possible. */
  open: boolean;
  /** Sums of sectors if rows started off a sector's edge, which nothing excludes; else equal to `sectors`. */
  offEdge: number;
}

/** Sums over warp instructions. */
export interface AccessSums {
  sectors: number;
  sectorsIdeal: number;
  wavefronts: number;
  wavefrontsIdeal: number;
  warps: number;
  lanes: number;
}

/** What runs find of an access beside the sums. */
export interface AccessTally {
  taint: number;
  /** Bytes between neighbouring active lanes: a number while all warps agree, null once they do not. */
  stride: number | null | undefined;
  /** The run reached it only by walking into an arm that no modelled thread takes. */
  shadow: boolean;
  /** … that not all threads of a block may take together. */
  shadowOfSome: boolean;
  /** Data decide which lanes come, but for the first time that it is run, when all do. */
  again: boolean;
  /** The figures of the worst and of the best warp, in sectors or wavefronts. */
  worst: number;
  best: number;
  /** Widest instruction that it became part of, in bytes a lane, where the compiler merged it with neighbours. */
  mergedBytes: number;
  /** Where its bytes were at least, each time that it was met. */
  kept: number;
  /** What the figure depends on. */
  readonly hangs: AccessHangs;
}

export const emptySums = (): AccessSums => ({
  ...{ sectors: 0, sectorsIdeal: 0, wavefronts: 0, wavefrontsIdeal: 0, warps: 0, lanes: 0 },
});
export const emptyTally = (shadow: boolean): AccessTally => ({
  taint: 0,
  stride: undefined,
  shadow,
  shadowOfSome: false,
  again: false,
  worst: 0,
  best: Infinity,
  mergedBytes: 0,
  kept: Infinity,
  hangs: { strides: new Set(), least: 0, leastIdeal: 0, walks: false, lost: false, open: false, offEdge: 0 },
});

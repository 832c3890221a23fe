// What a run writes down: accesses with their figures, branches, barriers. Types only.
import type { Expr, FunctionDecl, Node, Stmt } from '../../syntax/ast';
import type { Type } from '../language/types';
import type { LoopSeen, MemoryBase } from './values';

/** Sums over warp instructions. */
export interface AccessSums {
  sectors: number;
  sectorsIdeal: number;
  wavefronts: number;
  wavefrontsIdeal: number;
  warps: number;
  lanes: number;
}

export interface AccessRecord extends AccessSums {
  readonly node: Node;
  readonly expr: Expr | undefined;
  readonly fn: FunctionDecl;
  readonly space: MemoryBase['space'];
  readonly mode: 'load' | 'store' | 'atomic';
  readonly base: MemoryBase;
  readonly type: Type;
  readonly bytes: number;
  readonly pieces: number;
  readonly via?: Node;
  readonly loops: readonly LoopSeen[];
  taint: number;
  strideName?: string;
  /** Bytes between neighbouring active lanes: a number while all warps agree, null once they do not. */
  stride: number | null | undefined;
  /** Byte offsets of the lanes of the first warp seen with most active lanes. */
  sample: { addresses: Float64Array; lanes: Uint8Array; count: number; uniform: boolean } | undefined;
  /** The run reached it only by walking into an arm that no modelled thread takes. */
  shadow: boolean;
  /** It stands where data decide which lanes come. */
  byData: boolean;
  /** The figures of the worst and of the best warp, in sectors or wavefronts. */
  worst: number;
  best: number;
  /** Widest instruction that it became part of, in bytes a lane, where the compiler merged it with neighbours. */
  mergedBytes: number;
  /** What the figure hangs on. */
  readonly hangs: AccessHangs;
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
  /** The address also runs along neighbouring elements, over blocks or iterations: a factor beside that is the length of rows. */
  walks: boolean;
  /** Lanes' distances hang on unknowns that are not followed. */
  lost: boolean;
  /** Sums of sectors if rows started off a sector's edge, where nothing says that they do not; equal to `sectors` where it makes no difference. */
  offEdge: number;
}

export interface StrideSample {
  /** Known bytes by lane. */
  readonly known: Float64Array;
  readonly lanes: Uint8Array;
  readonly bytes: number;
  /** Bytes by lane that one of the named factor adds. */
  readonly name: string;
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

export interface BarrierRecord {
  readonly node: Node;
  readonly fn: FunctionDecl;
  readonly name: string;
  readonly scope: 'block' | 'warp';
  under?: { readonly cond: Expr; readonly fn: FunctionDecl };
  afterReturn?: { readonly cond: Expr; readonly fn: FunctionDecl };
  proven: boolean;
}

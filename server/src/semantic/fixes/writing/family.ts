// What a family of fixes registers: at which places it looks, what it is given there, and what it finds.
import type { Expr, IfStmt, VarDecl } from '../../../syntax/ast';
import type { Fn } from '../../language';
import type { AccessCause, AccessFact, BranchFact, Refusal, RewriteFact, Rewrites } from '../../model';
import type { AccessRecord } from '../../run';

/** What every family is given. */
export interface Seen {
  /** Of the function that the place is in. */
  readonly fn: Fn;
  /** Other files launch the kernel. */
  readonly elsewhere: boolean;
  launchedElsewhere(kernel: string): boolean;
  /** What families before it in the list found here. */
  readonly fixes: Partial<Rewrites>;
}
/** The atomic function that does what a loop around `atomicCAS` does. */
export interface NativeAtomic {
  readonly native: NonNullable<AccessFact['nativeAtomic']>;
  readonly written: RewriteFact | Refusal;
}
/** Numbers that one launch fixes: its grid, where known, beside `blockShapes` and `launchValues` of the context. */
export interface ChunkLaunch {
  readonly gridX?: number;
  readonly blockX?: number;
  readonly values?: ReadonlyMap<string, number>;
}
/**
 * One warp instruction on the array: byte offsets from its start of `count` active lanes, their lane numbers, the bytes
 * that each moves, and how often a warp issues it.
 */
export interface SharedSample {
  readonly offsets: Float64Array;
  readonly lanes: Uint8Array;
  readonly count: number;
  readonly bytes: number;
  /** Of an instruction that the compiler made of neighbours: the bytes of one of them. */
  readonly scalarBytes?: number;
  readonly weight?: number;
}
export interface SeenAccess extends Seen {
  readonly fact: AccessFact;
  readonly record: AccessRecord;
  /** An atomic as written, an array that the function declares in shared memory, or global memory. */
  readonly to: 'atomic' | 'shared' | 'global';
  readonly expr?: Expr | undefined;
  readonly swap?: NativeAtomic | undefined;
  /** A launch has blocks of several rows. */
  readonly isPlane: boolean;
  /** Axes of the grid along which its threads are, the first ones; undefined where a launch is unknown. */
  readonly axes?: number | undefined;
  launches(): readonly ChunkLaunch[];
  /** Of the array in shared memory: its declaration, what was sampled of the access and of others to the array. */
  readonly array?: VarDecl | undefined;
  samples(): Readonly<{ here: readonly SharedSample[]; others: readonly (readonly SharedSample[])[] }>;
}
interface SeenBranch extends Seen {
  readonly fact: BranchFact;
  readonly branch: IfStmt;
}
/** A barrier of the block under a condition. */
interface SeenBarrier extends Seen {
  readonly cond: Expr;
}
/** A race of a kernel on an array, the number of which is that of the kernel's parameter. */
interface SeenRace extends Seen {
  readonly parameter: number;
  /** No data decide a branch of the kernel. */
  readonly isEven: boolean;
}
export interface Places {
  race: SeenRace;
  access: SeenAccess;
  branch: SeenBranch;
  barrier: SeenBarrier;
}

interface Asked<Id extends string, On extends keyof Places> {
  readonly id: Id;
  readonly on: On;
  /** Where it does not hold, the place is none of the family's. */
  when?(seen: Places[On]): boolean;
  /** Whether the refusal is worth saying: the place has what the family is about. */
  isNear?(seen: Places[On], refusal: Refusal): boolean;
}
interface OfPlace<On extends keyof Places, Found> {
  readonly of?: 'place';
  find(seen: Places[On]): Found | Refusal | undefined;
}
/** Found once for all places of the function, or of the kernel through which they are reached. */
interface OfWhole<Found> {
  readonly of: 'function' | 'kernel';
  find(seen: Seen): Found | Refusal | undefined;
}

/** A finder that throws finds nothing. `Found` has what the fix's words need beside its edits and title. */
export type Family<Id extends string, On extends keyof Places, Found extends RewriteFact = RewriteFact> = Asked<
  Id,
  On
> &
  (OfPlace<On, Found> | OfWhole<Found>);
export type AccessFamily<Id extends string, Found extends RewriteFact = RewriteFact> = Family<Id, 'access', Found> & {
  /** Absent: global memory. */
  readonly to?: readonly SeenAccess['to'][];
  /** Absent: whatever the cause is. */
  readonly causes?: readonly (AccessCause | undefined)[];
};

/** A finder that fails finds nothing: what else there is to say stands. */
export function attempt<T>(find: () => T): T | undefined {
  try {
    return find();
  } catch {
    return undefined;
  }
}

// What the machine tells a trace of memory as it goes: the shape of a trace, whatever places and values are.
import type { Expr, Node, Stmt } from '../../syntax/ast';
import type { Mask } from './lanes';
import type { Unknown } from './unknowns';

/** Atomics wait for each other, not for plain accesses. */
export type AccessMode = 'load' | 'store' | 'atomic';

/** What is done to shared and global memory, in its order; `accessLog` says which events there are. */
export interface SharedTraceOf<Place, Path, Frame, Value> {
  readonly length: number;
  /** Unknown numbers may have taken threads out of a loop or a function. */
  readonly isLeftByChance: boolean;
  access(place: Place, mode: AccessMode, path: Path, frame: Frame, node: Expr, value?: Value): void;
  meeting(scope: 'grid' | 'block' | 'warp', mask: Mask): void;
  /** Threads copy to `place` by asynchronous copies. */
  copy(place: Place, bytes: number, path: Path, frame: Frame, node: Expr): void;
  /** The copies so far are one batch. */
  commit(): void;
  /** Threads wait for their copies, except those of the last `prior` batches. */
  wait(prior: number): void;
  /** The block exchanges values through `place`, and meets between writing and reading them. */
  exchange(place: Place, path: Path, frame: Frame, node: Expr): void;
  /** A warp reads or writes a tile that begins here, its lanes together. */
  tile(place: Place, mode: AccessMode, path: Path, frame: Frame, node: Expr): void;
  /** A store is written down by no event. */
  lose(place: Place): void;
  /** What is done here is not known: it may order all before it against all after it. */
  gap(): void;
  /** An atomic or a fence: in a loop that waits for it, threads order themselves. */
  signal(by: 'atomic' | 'fence', node: Node, frame: Frame): void;
  readonly signals: number;
  iteration(stmt: Stmt): void;
  enter(stmt: Stmt, unknown: Unknown, once: boolean): void;
  leave(): void;
  /** What is accessed within is left out: which lanes do it is not known. */
  inDoubt<T>(act: () => T): T;
  /**
   * What is done in an arm of which it is unknown whether it is taken is compared with nothing outside of it. `single`
   * is the statement that has no other arm.
   */
  inArm(arm: () => unknown, single?: Stmt): void;
  /** Which threads go on is not known from here: nothing more is written down. */
  abandon(): void;
  /** Nor is it which blocks do: nothing more is written down of global memory. */
  abandonGlobal(): void;
  /** Nor is it until the function, or the loop that `break` and `continue` belong to, is done with. */
  suspend(path: Path, frame: Frame, until: 'function' | 'loop'): void;
  mark(): readonly LogMark[];
  back(to: readonly LogMark[]): void;
}
/** Where a log was before an attempt. */
export interface LogMark {
  readonly length: number;
  readonly open: number;
  readonly abandoned: boolean;
  readonly suspended: { readonly calls: number; readonly loops: number } | undefined;
}

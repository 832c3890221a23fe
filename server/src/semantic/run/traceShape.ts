// What the machine can tell of shared memory as it goes: the shape of a trace, whatever places and values are.
import type { Expr, Stmt } from '../../syntax/ast';
import type { Mask } from './lanes';
import type { Unknown } from './unknowns';

/** What is done to shared memory, in its order; `sharedTrace` says which events there are. */
export interface SharedTraceOf<Place, Path, Frame, Value> {
  readonly length: number;
  access(place: Place, mode: 'load' | 'store', path: Path, frame: Frame, node: Expr, value?: Value): void;
  meeting(scope: 'block' | 'warp', mask: Mask): void;
  /** Threads copy to `place` by asynchronous copies. */
  copy(place: Place, bytes: number, path: Path, frame: Frame, node: Expr): void;
  /** The copies so far are one batch. */
  commit(): void;
  /** Threads wait for their copies, except those of the last `prior` batches. */
  wait(prior: number): void;
  /** The block exchanges values through `place`, and meets between writing and reading them. */
  exchange(place: Place, path: Path, frame: Frame, node: Expr): void;
  /** What is done here is not known: it may order all before it against all after it. */
  /** A warp reads or writes a tile that begins here, its lanes together. */
  tile(place: Place, mode: 'load' | 'store', path: Path, frame: Frame, node: Expr): void;
  gap(): void;
  /** Takes back the last event, a gap after which nothing came. */
  dropGap(): void;
  /** An atomic or a fence: in a loop that waits for it, threads order themselves. */
  signal(): void;
  readonly signals: number;
  iteration(stmt: Stmt): void;
  enter(stmt: Stmt, unknown: Unknown, once: boolean): void;
  leave(): void;
  /** What is accessed within is left out: which lanes do it is not known. */
  inDoubt<T>(act: () => T): T;
  /** Which threads go on is not known from here: nothing more is written down. */
  abandon(): void;
  /** Nor is it until the function, or the loop that `break` and `continue` belong to, is done with. */
  suspend(path: Path, frame: Frame, until: 'function' | 'loop'): void;
  mark(): TraceMark;
  back(to: TraceMark): void;
}
export interface TraceMark {
  readonly length: number;
  readonly open: number;
  readonly abandoned: boolean;
  readonly suspended: { readonly calls: number; readonly loops: number } | undefined;
}

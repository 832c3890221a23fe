// Places where memory may be accessed in a way that a run cannot follow.
import type { Expr, FunctionDecl, Node } from '../../syntax/ast';
import type { UnreadAccessReason } from '../unread/model';

/** An unknown index is counted, as for one value. */
export type LostReason = Exclude<UnreadAccessReason, 'unknown-index'>;

export interface UnreadRecord {
  readonly node: Node;
  readonly fn: FunctionDecl;
  readonly reason: LostReason;
  readonly via?: Node;
}

/** The part of a recorder that writes down single instructions. */
export interface Instructions<Place, Path, Frame> {
  /** Of `bytes` a lane, which merges with no other. Its order among other accesses is not taken down. */
  instruction(place: Place, bytes: number, mode: 'load' | 'store', path: Path, frame: Frame, node: Expr): void;
}

/** The part of a recorder that writes them down. */
export interface Losses<Path, Frame> {
  readonly unread: Map<Node, UnreadRecord>;
  /** An access, or a call that may make some, whose addresses are unknown. */
  lose(node: Node, reason: LostReason, path: Path, frame: Frame): void;
}

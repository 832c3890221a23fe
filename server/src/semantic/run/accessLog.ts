// A log of what the threads of a block do to one kind of memory, in its order, and where they meet.
import type { Expr, FunctionDecl, IfStmt, Node, Stmt } from '../../syntax/ast';
import { sizeOf, type Type } from '../language';
import type { Lanes, Mask } from './lanes';
import { open } from './forms';
import type { Form, Unknown } from './unknowns';
import { Taint, uncertain, type Condition, type Frame, type MemoryBase, type MemoryPlace, type Path } from './values';
import type { AccessMode, LogMark } from './traceShape';
import type { Value } from './values';

/** Each lane's bytes are known but for unknowns that `form` holds, and that its lanes come is known. */
export interface TracedAccess {
  readonly kind: 'access';
  readonly node: Node;
  readonly fn: FunctionDecl;
  /** The call in the kernel through which its function was reached. */
  readonly via?: Node;
  readonly base: MemoryBase;
  readonly mode: AccessMode;
  readonly bytes: number;
  readonly type: Type;
  readonly offset: Lanes;
  readonly form: Form | undefined;
  readonly taint: number;
  readonly mask: Mask;
  readonly conditions: Condition | undefined;
  /** Data decide which of these lanes come. */
  readonly byData: boolean;
  /** No lane of this block comes by the witnesses: those of another block may. */
  readonly isShadow: boolean;
  /** Whatever the unknown values: these lanes come, if their block does. */
  readonly settled: boolean;
  /** What is stored. */
  readonly value?: Value;
  /** An asynchronous copy: it arrives by the wait for its batch, and no barrier orders it before that. */
  readonly inFlight?: true;
}
/** An access whose place data decide, or in shared memory which lanes come. */
export interface ScatteredAccess extends Omit<TracedAccess, 'kind'> {
  readonly kind: 'scattered';
}
export type AnyAccess = TracedAccess | ScatteredAccess;
/** Threads wait for each other: those of the block or the grid, or those of each warp of which `mask` has lanes. */
interface Meeting {
  readonly kind: 'meeting';
  readonly scope: 'grid' | 'block' | 'warp';
  readonly mask: Mask;
}
/** A batch of asynchronous copies ends, or threads wait for all but the last `prior` batches. */
interface Batch {
  readonly kind: 'commit';
}
interface Wait {
  readonly kind: 'wait';
  readonly prior: number;
}
/** What was done here is not known: it may have ordered all before it against all after it. */
interface Gap {
  readonly kind: 'gap';
  /** An arm begins or ends, of which it is unknown whether it is taken: it orders nothing. */
  readonly isOfArm?: true;
  /** The arm that begins ends with the event at `end`, and is the only one of `stmt`. */
  arm?: { readonly stmt?: IfStmt; readonly end: number } | undefined;
}
/** An atomic or a fence, by which threads may order themselves. */
export interface Signal {
  readonly kind: 'signal';
  readonly by: 'atomic' | 'fence';
  readonly node: Node;
  readonly fn: FunctionDecl;
  readonly via?: Node;
}
/** The events up to `end` are those of one iteration that stands for all, `unknown` being its number. */
interface LoopSpan {
  readonly kind: 'loop';
  readonly stmt: Stmt;
  readonly unknown: Unknown;
  /** It takes the threads over the grid: a grid that covers the data iterates once. */
  readonly once: boolean;
  end: number;
}
/** An iteration of a loop begins. */
interface Iteration {
  readonly kind: 'iteration';
  readonly stmt: Stmt;
}
export type TraceEvent = TracedAccess | ScatteredAccess | Meeting | Batch | Wait | Gap | Signal | LoopSpan | Iteration;

export interface LogOptions {
  readonly isEnabled: boolean;
  /** What comes later is not looked at. */
  readonly mostEvents: number;
  /** Are accesses logged whose lanes data decide? */
  readonly takesData: boolean;
}

/** How many events there were before an arm, and with the gap that begins it. */
interface ArmStart {
  readonly before: number;
  readonly length: number;
}

export function createAccessLog({ isEnabled, mostEvents, takesData }: LogOptions) {
  const events: TraceEvent[] = [];
  const openLoops: LoopSpan[] = [];
  let abandoned = !isEnabled;
  let suspended: LogMark['suspended'];
  let leftByChance = false;
  /** The depth of the calls that data left some lanes out of. */
  let leftByData = Infinity;
  let doubts = 0;
  const isSuspended = (path: Path, frame: Frame): boolean => {
    if (!suspended) return false;
    const { calls, loops } = suspended;
    if (frame.depth > calls || (frame.depth === calls && (path.loops?.depth ?? 0) >= loops)) return true;
    suspended = undefined;
    return false;
  };
  const add = (event: TraceEvent): boolean => {
    if (!abandoned && events.length >= mostEvents) abandoned = true;
    if (abandoned) return false;
    events.push(event);
    return true;
  };
  const isNoted = (conditions: Condition | undefined): boolean =>
    isSure(conditions) || (takesData && admitsByData(conditions));
  return {
    events,
    add,
    isLeftByChance: (): boolean => leftByChance,
    /** Was it written down? */
    note(
      { base, offset, form, type, taint }: MemoryPlace,
      mode: AccessMode,
      path: Path,
      frame: Frame,
      node: Expr,
      more: Partial<TracedAccess> = {},
      kind: 'access' | 'scattered' = 'access',
    ): boolean {
      const { conditions, mask } = path;
      const isShadow = path.shadow > 0;
      if (abandoned || doubts > 0 || path.quiet || (isShadow && !takesData)) return false;
      if (kind === 'scattered' && !takesData ? !partsByData(conditions) : !isNoted(conditions)) return false;
      if (isSuspended(path, frame)) return false;
      if (frame.depth < leftByData) leftByData = Infinity;
      return add({
        kind,
        node,
        fn: frame.fn,
        ...(frame.via ? { via: frame.via } : {}),
        base,
        mode,
        bytes: sizeOf(type) ?? 4,
        type,
        offset,
        form,
        taint,
        mask,
        conditions,
        byData: leftByData < Infinity || hasData(conditions),
        isShadow,
        settled: !leftByChance && isSettled(conditions),
        ...more,
      });
    },
    gap(isOfArm = false): void {
      const last = events.at(-1);
      if (!last || (last.kind === 'gap' && (isOfArm || !last.isOfArm))) return;
      if (last.kind === 'gap') events.pop();
      add({ kind: 'gap', ...(isOfArm ? { isOfArm } : {}) });
    },
    iteration(stmt: Stmt): void {
      if (events.length > 0) add({ kind: 'iteration', stmt });
    },
    enter(stmt: Stmt, unknown: Unknown, once: boolean): void {
      const span: LoopSpan = { kind: 'loop', stmt, unknown, once, end: events.length };
      openLoops.push(span);
      add(span);
    },
    leave(): void {
      const span = openLoops.pop();
      if (span) span.end = events.length;
    },
    doubt(by: 1 | -1): void {
      doubts += by;
    },
    abandon(): void {
      abandoned = true;
    },
    suspend(path: Path, frame: Frame, until: 'function' | 'loop'): void {
      if (!isSettled(path.conditions)) leftByChance = true;
      if (hasData(path.conditions) && (takesData || until === 'function') && admitsByData(path.conditions)) {
        leftByData = Math.min(leftByData, frame.depth);
        return;
      }
      if (abandoned || isNoted(path.conditions)) return;
      if (frame.depth === 0 && until === 'function') abandoned = true;
      else if (!isSuspended(path, frame))
        suspended = { calls: frame.depth, loops: until === 'function' ? 0 : (path.loops?.depth ?? 0) };
    },
    mark: (): LogMark => ({ length: events.length, open: openLoops.length, abandoned, suspended }),
    back(to: LogMark): void {
      events.length = to.length;
      openLoops.length = to.open;
      abandoned = to.abandoned;
      suspended = to.suspended;
      const last = events.at(-1);
      if (last?.kind === 'gap' && last.arm) last.arm = undefined;
    },
    /** An arm of which it is unknown whether it is taken begins; `endArm` takes what this returns. */
    beginArm(): ArmStart {
      const before = events.length;
      this.gap(true);
      return { before, length: events.length };
    },
    endArm({ before, length }: ArmStart, stmt: Stmt | undefined): void {
      if (events.length > length) {
        this.gap(true);
        const start = events[length - 1];
        const isWhole = start?.kind === 'gap' && start.isOfArm && !abandoned;
        if (isWhole) start.arm = { ...(stmt?.kind === 'if' ? { stmt } : {}), end: events.length - 1 };
      } else if (length > before && events.at(-1)?.kind === 'gap') events.pop();
    },
  };
}

export function isFollowed({ base, type, taint, form }: MemoryPlace): boolean {
  if (!isKnown(type) || (base.type && !isKnown(base.type))) return false;
  if (taint & (uncertain | Taint.assumed | Taint.unplaced)) return false;
  return form !== undefined || (taint & open) === 0;
}

/** The type has a known definition without operators: its elements are what they seem. */
function isKnown(type: Type): boolean {
  if (type.kind === 'array') return isKnown(type.of);
  if (type.kind !== 'struct') return type.kind !== 'unknown';
  if (type.guessed || (type.decl && type.decl.methods.length > 0)) return false;
  return type.vector !== undefined || [...type.fields.values()].every((field) => isKnown(field.type));
}

/** Does no condition depend on an unknown value, apart from ends of loops of the whole block? */
export function isSettled(conditions: Condition | undefined): boolean {
  const unknown = uncertain | Taint.chosen | Taint.loadedUniform | Taint.assumed | Taint.block;
  for (let at = conditions; at; at = at.outer) {
    const isOfBlock = at.isLoop && !at.varies && (at.taint & (uncertain | Taint.thread)) === 0;
    if (at.taint & unknown && !isOfBlock) return false;
  }
  return true;
}

/**
 * Is it known which lanes come here, apart from whether any do? An undecided guard counts as one
 * that lets all in (`i < n` in a full block); not one that parts the lanes by such a number, or by data, and not one of
 * the threads' numbers in their block (`threadIdx.x < taps`), which may be there to let a few in.
 */
function isSure(conditions: Condition | undefined): boolean {
  for (let at = conditions; at; at = at.outer) if (at.taint & uncertain || !isSureOf(at)) return false;
  return true;
}
function isSureOf({ taint, varies, isLoop, value: { sides } }: Condition): boolean {
  // Where the data do not end, the bound of `threadIdx.x < min(tile, n - first)` is known.
  if (sides?.some(({ usual, lanes }) => usual !== undefined && usual === lanes)) return true;
  if (taint & Taint.thread && taint & (Taint.loadedUniform | Taint.assumed)) return false;
  if (varies && taint & (Taint.chosen | Taint.block)) return false;
  return isLoop === true || !(taint & Taint.thread) || !(taint & Taint.chosen) || (taint & Taint.block) !== 0;
}

/** Do data alone leave open which lanes come? */
function partsByData(conditions: Condition | undefined): boolean {
  for (let at = conditions; at; at = at.outer) if (!(at.taint & uncertain) && !isSureOf(at)) return false;
  return true;
}

/** Do data decide which lanes come? */
function hasData(conditions: Condition | undefined): boolean {
  for (let at = conditions; at; at = at.outer) if (at.taint & uncertain) return true;
  return false;
}

/** The same where data decide as well, each thread by another datum. */
function admitsByData(conditions: Condition | undefined): boolean {
  for (let at = conditions; at; at = at.outer) {
    const isOfData = (at.taint & Taint.loaded) !== 0 && (at.taint & (Taint.hash | Taint.maybe | Taint.assumed)) === 0;
    if (isOfData ? at.isLoop || isSelective(at.cond) : at.taint & uncertain || !isSureOf(at)) return false;
  }
  return true;
}
/** Does it compare for equality with anything but a constant? Either arm may be for one thread. */
function isSelective(cond: Expr): boolean {
  if (cond.kind !== 'binary') return false;
  const { op, left, right } = cond;
  if (op === '==' || op === '!=') return left.kind !== 'number' && right.kind !== 'number';
  return isSelective(left) || isSelective(right);
}

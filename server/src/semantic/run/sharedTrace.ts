// Writes down in its order what the threads of a block do to shared memory, and where they meet: races are found in it.
import type { Expr, FunctionDecl, Node, Stmt } from '../../syntax/ast';
import { sizeOf, type Type } from '../language';
import { select, type Mask, type Lanes } from './lanes';
import { open } from './forms';
import type { Form, Unknown } from './unknowns';
import { Taint, uncertain, type Condition, type Frame, type MemoryBase, type MemoryPlace, type Path } from './values';
import type { TraceMark } from './traceShape';
import type { SharedTrace, Value } from './values';

/** Each lane's bytes are known but for unknowns that `form` holds, and that its lanes come is known. */
export interface SharedAccess {
  readonly kind: 'access';
  readonly node: Node;
  readonly fn: FunctionDecl;
  /** The call in the kernel through which its function was reached. */
  readonly via?: Node;
  readonly base: MemoryBase;
  readonly mode: 'load' | 'store';
  readonly bytes: number;
  readonly offset: Lanes;
  readonly form: Form | undefined;
  readonly mask: Mask;
  /** Whatever the unknown values: these lanes come, if their block does. */
  readonly settled: boolean;
  /** What is stored. */
  readonly value?: Value;
  /** An asynchronous copy: it arrives by the wait for its batch, and no barrier orders it before that. */
  readonly inFlight?: true;
}
/** Threads wait for each other: those of the block, or those of each warp of which `mask` has lanes. */
interface Meeting {
  readonly kind: 'meeting';
  readonly scope: 'block' | 'warp';
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
export type SharedEvent = SharedAccess | Meeting | Batch | Wait | Gap | LoopSpan | Iteration;

/** What comes later is not looked at. */
const mostEvents = 6000;

/** Elements that lie side by side in the tiles of all shapes (CUDA C++ Programming Guide, 8×8×4 of doubles). */
const shortestRow = 4;

/** The first of each `threads` threads that a mask has. */
function firstOfEach(threads: number, mask: Mask): Mask {
  const { length } = mask.bits;
  return select(
    mask,
    Float64Array.from({ length }, (_, at) => (at % threads === 0 ? 1 : 0)),
    true,
  );
}

/** What a trace has written down. */
export function eventsOf(trace: SharedTrace): readonly SharedEvent[] {
  return (trace as ReturnType<typeof createSharedTrace>).events;
}

export function createSharedTrace(enabled: boolean): SharedTrace & { readonly events: readonly SharedEvent[] } {
  const events: SharedEvent[] = [];
  const openLoops: LoopSpan[] = [];
  let abandoned = !enabled;
  let suspended: TraceMark['suspended'];
  let leftByChance = false;
  let doubts = 0;
  const isSuspended = (path: Path, frame: Frame): boolean => {
    if (!suspended) return false;
    const { calls, loops } = suspended;
    if (frame.depth > calls || (frame.depth === calls && (path.loops?.depth ?? 0) >= loops)) return true;
    suspended = undefined;
    return false;
  };
  const add = (event: SharedEvent): void => {
    if (abandoned) return;
    if (events.length >= mostEvents) abandoned = true;
    else events.push(event);
  };
  const note = (
    { base, offset, form, type }: MemoryPlace,
    mode: 'load' | 'store',
    path: Path,
    frame: Frame,
    node: Expr,
    more: Partial<SharedAccess>,
  ): void => {
    if (abandoned || doubts > 0 || path.quiet || path.shadow || !isSure(path.conditions)) return;
    if (isSuspended(path, frame)) return;
    add({
      kind: 'access',
      node,
      fn: frame.fn,
      ...(frame.via ? { via: frame.via } : {}),
      base,
      mode,
      bytes: sizeOf(type) ?? 4,
      offset,
      form,
      mask: path.mask,
      settled: !leftByChance && isSettled(path.conditions),
      ...more,
    });
  };
  const trace = {
    events,
    signals: 0,
    get length() {
      return events.length;
    },
    access(place: MemoryPlace, mode: 'load' | 'store', path: Path, frame: Frame, node: Expr, value?: Value): void {
      if (isFollowed(place)) note(place, mode, path, frame, node, value ? { value } : {});
    },
    copy(place: MemoryPlace, bytes: number, path: Path, frame: Frame, node: Expr): void {
      if (isFollowed(place)) note(place, 'store', path, frame, node, { bytes, inFlight: true });
    },
    commit: (): void => add({ kind: 'commit' }),
    wait: (prior: number): void => add({ kind: 'wait', prior }),
    exchange(place: MemoryPlace, path: Path, frame: Frame, node: Expr): void {
      const { mask } = path;
      const { length } = mask.bits;
      const firsts = firstOfEach(32, mask);
      const offset = Float64Array.from({ length }, (_, at) => 4 * (at >> 5));
      note(place, 'store', path, frame, node, { bytes: 4, offset, mask: firsts });
      add({ kind: 'meeting', scope: 'block', mask });
      const first = firstOfEach(length, mask);
      note(place, 'load', path, frame, node, { bytes: 4 * Math.ceil(length / 32), mask: first });
    },
    tile(place: MemoryPlace, mode: 'load' | 'store', path: Path, frame: Frame, node: Expr): void {
      add({ kind: 'meeting', scope: 'warp', mask: path.mask });
      const bytes = shortestRow * (sizeOf(place.type) ?? 4);
      if (isFollowed(place)) note(place, mode, path, frame, node, { bytes, mask: firstOfEach(32, path.mask) });
      add({ kind: 'meeting', scope: 'warp', mask: path.mask });
    },
    meeting: (scope: 'block' | 'warp', mask: Mask): void => add({ kind: 'meeting', scope, mask }),
    gap(): void {
      if (events.length > 0 && events.at(-1)!.kind !== 'gap') add({ kind: 'gap' });
    },
    dropGap(): void {
      if (events.at(-1)?.kind === 'gap') events.pop();
    },
    signal(): void {
      trace.signals++;
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
    inDoubt<T>(act: () => T): T {
      doubts++;
      try {
        return act();
      } finally {
        doubts--;
      }
    },
    abandon(): void {
      abandoned = true;
    },
    suspend(path: Path, frame: Frame, until: 'function' | 'loop'): void {
      if (!isSettled(path.conditions)) leftByChance = true;
      if (abandoned || isSure(path.conditions)) return;
      if (frame.depth === 0 && until === 'function') abandoned = true;
      else if (!isSuspended(path, frame))
        suspended = { calls: frame.depth, loops: until === 'function' ? 0 : (path.loops?.depth ?? 0) };
    },
    mark: (): TraceMark => ({ length: events.length, open: openLoops.length, abandoned, suspended }),
    back(to: TraceMark): void {
      events.length = to.length;
      openLoops.length = to.open;
      abandoned = to.abandoned;
      suspended = to.suspended;
    },
  };
  return trace;
}

function isFollowed({ base, type, taint, form }: MemoryPlace): boolean {
  if (!isKnown(type) || (base.type && !isKnown(base.type))) return false;
  if (taint & (uncertain | Taint.assumed | Taint.float)) return false;
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
function isSettled(conditions: Condition | undefined): boolean {
  const open = uncertain | Taint.chosen | Taint.loadedUniform | Taint.assumed | Taint.block;
  for (let at = conditions; at; at = at.outer) {
    const isOfBlock = at.isLoop && !at.varies && (at.taint & (uncertain | Taint.thread)) === 0;
    if (at.taint & open && !isOfBlock) return false;
  }
  return true;
}

/**
 * Is it known which lanes come here, apart from whether any do? An undecided guard counts as one
 * that lets all in (`i < n` in a full block); not one that parts the lanes by such a number, or by data, and not one of
 * the threads' numbers in their block (`threadIdx.x < taps`), which may be there to let a few in.
 */
function isSure(conditions: Condition | undefined): boolean {
  for (let at = conditions; at; at = at.outer) {
    if (at.taint & uncertain) return false;
    if (at.taint & Taint.thread && at.taint & (Taint.loadedUniform | Taint.assumed)) return false;
    if (at.varies && at.taint & (Taint.chosen | Taint.block)) return false;
    if (!at.isLoop && at.taint & Taint.thread && at.taint & Taint.chosen && !(at.taint & Taint.block)) return false;
  }
  return true;
}

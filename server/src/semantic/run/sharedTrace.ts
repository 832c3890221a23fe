// Writes down in its order what the threads of a block do to shared and to global memory, and where they meet: races
// are found in it.
import type { Expr, Node, Stmt } from '../../syntax/ast';
import { sizeOf } from '../language';
import { createAccessLog, isFollowed } from './accessLog';
import { select, type Mask } from './lanes';
import type { AccessMode, LogMark } from './traceShape';
import type { Unknown } from './unknowns';
import {
  Taint,
  type Frame,
  type MemoryBase,
  type MemoryPlace,
  type Path,
  type SharedTrace,
  type Value,
} from './values';

/** Accesses after which a long trace is left. */
const mostOfShared = 6000;
const mostOfGlobal = 2000;

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

/** What a trace has written down, of shared and of global memory. */
export function eventsOf(trace: SharedTrace) {
  const { shared, global, mayStoreTo } = trace as ReturnType<typeof createSharedTrace>;
  return { shared, global, mayStoreTo };
}

export function createSharedTrace(isEnabled: boolean) {
  const ofShared = createAccessLog({ isEnabled, mostEvents: mostOfShared, takesData: false });
  const ofGlobal = createAccessLog({ isEnabled, mostEvents: mostOfGlobal, takesData: true });
  const logs = [ofShared, ofGlobal];
  const { note } = ofShared;
  const lost = new Set<MemoryBase | 'any'>();
  // A pointer that may be one of several has the memory of one of them.
  const lose = ({ base, taint }: MemoryPlace): void => {
    lost.add(taint & (Taint.maybe | Taint.hash) ? 'any' : base);
  };
  const trace = {
    mayStoreTo: (base: MemoryBase): boolean => lost.has('any') || lost.has(base),
    get isLeftByChance(): boolean {
      return ofShared.isLeftByChance();
    },
    shared: ofShared.events,
    global: ofGlobal.events,
    signals: 0,
    get length() {
      return ofShared.events.length;
    },
    access(place: MemoryPlace, mode: AccessMode, path: Path, frame: Frame, node: Expr, value?: Value): void {
      const log = place.base.space === 'shared' ? ofShared : ofGlobal;
      const stored = value ? { value } : {};
      const isKnown = isFollowed(place);
      const isNoted = isKnown && log.note(place, mode, path, frame, node, stored);
      if (log === ofShared && mode !== 'load' && !isNoted) lose(place);
      if (!isNoted && (log === ofShared || !isKnown) && (isKnown || place.taint & Taint.loaded))
        log.note(place, mode, path, frame, node, stored, 'scattered');
    },
    copy(place: MemoryPlace, bytes: number, path: Path, frame: Frame, node: Expr): void {
      const isNoted = isFollowed(place) && note(place, 'store', path, frame, node, { bytes, inFlight: true });
      if (!isNoted) lose(place);
    },
    commit(): void {
      ofShared.add({ kind: 'commit' });
    },
    wait(prior: number): void {
      ofShared.add({ kind: 'wait', prior });
    },
    exchange(place: MemoryPlace, path: Path, frame: Frame, node: Expr): void {
      const { mask } = path;
      const { length } = mask.bits;
      const firsts = firstOfEach(32, mask);
      const offset = Float64Array.from({ length }, (_, at) => 4 * (at >> 5));
      note(place, 'store', path, frame, node, { bytes: 4, offset, mask: firsts });
      trace.meeting('block', mask);
      const first = firstOfEach(length, mask);
      note(place, 'load', path, frame, node, { bytes: 4 * Math.ceil(length / 32), mask: first });
    },
    tile(place: MemoryPlace, mode: AccessMode, path: Path, frame: Frame, node: Expr): void {
      trace.meeting('warp', path.mask);
      const bytes = shortestRow * (sizeOf(place.type) ?? 4);
      if (isFollowed(place)) note(place, mode, path, frame, node, { bytes, mask: firstOfEach(32, path.mask) });
      if (mode !== 'load') lose(place);
      trace.meeting('warp', path.mask);
    },
    meeting(scope: 'grid' | 'block' | 'warp', mask: Mask): void {
      for (const { add } of logs) add({ kind: 'meeting', scope, mask });
    },
    lose,
    gap(): void {
      for (const log of logs) log.gap();
    },
    signal(by: 'atomic' | 'fence', node: Node, { fn, via }: Frame): void {
      trace.signals++;
      ofGlobal.add({ kind: 'signal', by, node, fn, ...(via ? { via } : {}) });
    },
    iteration(stmt: Stmt): void {
      for (const log of logs) log.iteration(stmt);
    },
    enter(stmt: Stmt, unknown: Unknown, once: boolean): void {
      for (const log of logs) log.enter(stmt, unknown, once);
    },
    leave(): void {
      for (const log of logs) log.leave();
    },
    inDoubt<T>(act: () => T): T {
      for (const log of logs) log.doubt(1);
      try {
        return act();
      } finally {
        for (const log of logs) log.doubt(-1);
      }
    },
    inArm(arm: () => unknown, single?: Stmt): void {
      const begun = logs.map((log) => log.beginArm());
      arm();
      logs.forEach((log, at) => log.endArm(begun[at]!, single));
    },
    abandon(): void {
      for (const log of logs) log.abandon();
    },
    abandonGlobal: ofGlobal.abandon,
    suspend(path: Path, frame: Frame, until: 'function' | 'loop'): void {
      for (const log of logs) log.suspend(path, frame, until);
    },
    mark: (): readonly LogMark[] => logs.map((log) => log.mark()),
    back(to: readonly LogMark[]): void {
      logs.forEach((log, at) => log.back(to[at]!));
    },
  };
  return trace satisfies SharedTrace;
}

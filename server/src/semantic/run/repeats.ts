// Which accesses meet addresses again: the compiler has what it loaded in a register, or else a cache has it.
import { isVolatile } from '../language';
import { laneAt, type Mask } from './lanes';
import { deltaOf } from './operations';
import { Kept, type Path, type PendingCount, type Run } from './values';

interface Met extends PendingCount {
  readonly path: Path;
  /** What was loaded is in a register still. */
  readonly held: boolean;
}

/** So many accesses are looked back at. */
const mostMet = 64;

export type Repeats = ReturnType<typeof createRepeats>;

export function createRepeats(run: Run) {
  let met: readonly Met[] = [];
  const release = (isLost: (one: Met) => boolean): void => {
    met = met.map((one) => (one.held && isLost(one) ? { ...one, held: false } : one));
  };
  return {
    /** Takes down an access, and says where its bytes are. */
    note(entry: PendingCount, path: Path): number {
      const { record } = entry;
      const before = met.filter(
        (one) => one.path.loops === path.loops && holds(one.mask, entry.mask) && meetsEach(run, one, entry),
      );
      const isLoad = record.mode === 'load';
      if (!isLoad) release((one) => record.mode === 'atomic' || !isApart(run, one, entry));
      if (before.some((one) => one.held && isWithin(one.path, path))) return Kept.inRegister;
      const held = isLoad && !(record.expr && isVolatile(record.fn, record.expr));
      met = [...met.slice(1 - mostMet), { ...entry, path, held }];
      return before.length > 0 ? Kept.inCache : Kept.no;
    },
    /** Any memory may have changed, or only arms ended of which it is unknown who takes them. */
    forget: (unsure?: boolean): void => release(({ path }) => !unsure || path.unsure > 0),
    mark: () => met,
    back(to: readonly Met[]): void {
      met = to;
    },
  };
}

/** Do two accesses touch one element in each lane of the second? */
export function meetsEach(run: Run, one: PendingCount, other: PendingCount): boolean {
  const { record, bytes, mask } = other;
  if (one.record.base !== record.base || one.record.mode !== record.mode || one.bytes !== bytes) return false;
  const lane = mask.bits.indexOf(1);
  return laneAt(one.offset, lane) === laneAt(other.offset, lane) && deltaOf(run, one, other, mask) === 0;
}

/** Are all conditions on the way to `before` conditions on the way to `path`? */
function isWithin({ conditions: before }: Path, { conditions }: Path): boolean {
  let at = conditions;
  while (at && at.depth > (before?.depth ?? 0)) at = at.outer;
  return at === before;
}

function holds(all: Mask, some: Mask): boolean {
  return all === some || some.bits.every((bit, at) => !bit || all.bits[at] === 1);
}

/** Does a store leave what was loaded as it is? Pointers without `__restrict__` may point to one place. */
function isApart(run: Run, load: Met, store: PendingCount): boolean {
  const [from, to] = [load.record.base, store.record.base];
  if (from !== to) return from.space !== 'global' || to.space !== 'global' || (from.restrict ?? to.restrict ?? false);
  const delta = deltaOf(run, load, store, store.mask);
  return delta !== undefined && (delta >= load.bytes || -delta >= store.bytes);
}

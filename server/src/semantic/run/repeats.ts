// Which accesses meet addresses again: the compiler has what it loaded in a register, or else a cache has it.
import { isVolatile } from '../language';
import { laneAt, type Mask } from './lanes';
import { deltaOf } from './operations';
import { Kept, type Path, type PendingCount, type Run } from './values';

type Met = PendingCount & { readonly path: Path };

/** So many accesses are looked back at. */
const mostMet = 64;

export type Repeats = ReturnType<typeof createRepeats>;

export function createRepeats(run: Run) {
  let met: readonly Met[] = [];
  /** Those of which what was loaded is in a register still, in the same order. */
  let held: readonly Met[] = [];
  const release = (isLost: (one: Met) => boolean): void => {
    if (held.length > 0) held = held.filter((one) => !isLost(one));
  };
  return {
    /** Takes down an access, and says where its bytes are. */
    note(entry: PendingCount, path: Path): number {
      const { record } = entry;
      const before = met.filter(
        (one) => one.path.loops === path.loops && meetsEach(run, one, entry) && holds(one.mask, entry.mask),
      );
      const isLoad = record.mode === 'load';
      if (!isLoad) release((one) => record.mode === 'atomic' || !isApart(run, one, entry));
      if (before.some((one) => held.includes(one) && isWithin(one.path, path))) return Kept.inRegister;
      const [oldest] = met.length < mostMet ? [] : met;
      const one: Met = { ...entry, path };
      met = [...(oldest ? met.slice(1) : met), one];
      if (oldest && held[0] === oldest) held = held.slice(1);
      if (isLoad && !(record.expr && isVolatile(record.fn, record.expr))) held = [...held, one];
      return before.length > 0 ? Kept.inCache : Kept.no;
    },
    /** Any memory may have changed, or only arms ended of which it is unknown who takes them. */
    forget: (unsure?: boolean): void => release(({ path }) => !unsure || path.unsure > 0),
    mark: () => ({ met, held }),
    back(to: { readonly met: readonly Met[]; readonly held: readonly Met[] }): void {
      ({ met, held } = to);
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

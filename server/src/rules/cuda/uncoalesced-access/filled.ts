// Strides that cost nothing, because neighbouring reads of the same thread use the rest of each sector.
import type { AccessFact } from '../../../semantic/model';

/**
 * Bytes between lanes up to which L1 still holds what a warp's first read brought when its next ones come: measured on
 * an H200, reads of chunks of up to 48 bytes cost what coalesced ones do in whatever order, of 64 bytes up to a fifth
 * more, of 128 twice to five times as much, and stores always cost (docs/measurements/h200-neighbours.md).
 */
const farthest = 48;
/** Where less than half of what lies between two lanes is left over, the sectors are well used. */
const mostWaste = 2;

/** Stores of so few bytes a thread cost a tenth more than coalesced ones, as soon as more is moved beside them. */
const fewStored = 12;

/** Reads of so many bytes a thread cost up to a fifth more than coalesced ones. */
const manyRead = 64;

/** Atomics take each sector to L2, whichever thread it is of: those on all parts of a vector are of one piece. */
const manyAdded = 48;

/** Half a sector: the most that one lane's instruction moves. */
const widest = 16;
/** Ways in which a thread walks over more than a sector by itself: what it leaves is gone before it comes back. */
const walks = new Set<AccessFact['cause']>(['chunk-per-thread', 'row-per-thread', 'vector-type', 'struct-field']);

/**
 * Whether the thread itself uses most of what lies between two lanes: not free, and hardly to be seen. Reads of 16
 * bytes waste half of their sectors, and that half is what the thread reads right behind them, as often as not.
 */
export function isNearlyFilled(fact: AccessFact): boolean {
  const { mode, perThread, elementBytes, sectors, sectorsIdeal, cause } = fact;
  if (mode === 'load' && elementBytes === widest && !walks.has(cause) && sectors! <= 2 * sectorsIdeal!) return true;
  return (
    perThread !== undefined &&
    perThread.bytes <= (mode === 'load' ? manyRead : mode === 'atomic' ? manyAdded : fewStored) &&
    perThread.bytes / perThread.used < mostWaste
  );
}

/** Whether the thread reads most of the bytes between two lanes while L1 holds them: then nothing is to be gained. */
export function isFilled({ mode, perThread }: AccessFact): boolean {
  return (
    mode === 'load' &&
    perThread !== undefined &&
    perThread.bytes <= farthest &&
    perThread.bytes / perThread.used < mostWaste
  );
}

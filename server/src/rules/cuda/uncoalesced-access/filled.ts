// Strides that cost nothing, because neighbouring reads of the same thread use the rest of each sector.
import type { AccessFact } from '../../../semantic/model';

/**
 * Bytes between lanes up to which L1 still holds what a warp's first read brought when its next ones come: measured on
 * an H200, reads of chunks of 32 bytes cost what coalesced ones do, of 64 bytes up to a fifth more (in other orders
 * twice as much), and stores always cost (docs/measurements/h200-neighbours.md).
 */
const farthest = 32;

/** Of the bytes between two lanes the part that the thread reads, 0…1; undefined where L1 would not hold them. */
export function filledPart({ perThread }: AccessFact): number | undefined {
  return perThread && perThread.bytes <= farthest ? perThread.used / perThread.bytes : undefined;
}

// The hardware's arithmetic: from the byte addresses of a warp's lanes to sectors and wavefronts, as Nsight Compute
// counts them.

/** Bytes of a sector, the unit of global traffic (CUDA C++ Best Practices Guide, "Coalesced Access"). */
export const sectorBytes = 32;
const warpLanes = 32;

const scratch = new Float64Array(4 * warpLanes);

/** Distinct values among the first `count` of `scratch`: most accesses rise, so that they cost one pass. */
function distinct(count: number): number {
  let rising = true;
  let found = count ? 1 : 0;
  for (let at = 1; at < count; at++) {
    const difference = scratch[at]! - scratch[at - 1]!;
    if (difference < 0) {
      rising = false;
      break;
    }
    if (difference > 0) found++;
  }
  if (rising) return found;
  const sorted = scratch.subarray(0, count).sort();
  found = 1;
  for (let at = 1; at < count; at++) if (sorted[at] !== sorted[at - 1]) found++;
  return found;
}

/**
 * Distinct 32-byte sectors that `count` lanes at byte `addresses` touch with `bytes` each, and the ideal
 * `min(sectors, ceil(count * bytes / 32))`: Nsight Compute's "L2 Theoretical Sectors Global" and its "Ideal". Lanes at
 * one address count each in the size term, so the ideal of sixteen pairs of equal 8-byte addresses is 8, not 4.
 */
export function sectorsOf(addresses: Float64Array, count: number, bytes: number): { sectors: number; ideal: number } {
  let entries = 0;
  for (let lane = 0; lane < count; lane++) {
    const first = Math.floor(addresses[lane]! / sectorBytes);
    const last = Math.floor((addresses[lane]! + bytes - 1) / sectorBytes);
    scratch[entries++] = first;
    if (last !== first) scratch[entries++] = last;
  }
  const sectors = distinct(entries);
  return { sectors, ideal: Math.min(sectors, Math.ceil((count * bytes) / sectorBytes)) };
}

const bankWords: Float64Array[] = Array.from({ length: 32 }, () => new Float64Array(2 * warpLanes));
const bankCounts = new Uint8Array(32);

/**
 * Wavefronts of one shared access: the most distinct four-byte words in one of 32 banks, summed over the groups that
 * the hardware serves together (a warp for up to 4 bytes a lane, half warps for 8, quarter warps for 16), and the ideal
 * `min(wavefronts, ceil(active lanes * bytes / 128))`. `lanes` gives the lane number of each address.
 */
export function wavefrontsOf(
  addresses: Float64Array,
  lanes: Uint8Array,
  count: number,
  bytes: number,
): { wavefronts: number; ideal: number } {
  const groupLanes = bytes <= 4 ? 32 : bytes <= 8 ? 16 : 8;
  const words = Math.min(4, Math.max(1, Math.ceil(bytes / 4))); // no instruction moves more than 16 bytes a lane
  let wavefronts = 0;
  let at = 0;
  while (at < count) {
    // Two groups whose lanes read in pairs what the other reads, as all do of a broadcast, go together.
    const together = groupLanes < 32 && isPaired(addresses, lanes, at, count, 2 * groupLanes) ? 2 : 1;
    const group = Math.floor(lanes[at]! / (together * groupLanes));
    bankCounts.fill(0);
    let most = 0;
    for (; at < count && Math.floor(lanes[at]! / (together * groupLanes)) === group; at++) {
      const first = Math.floor(addresses[at]! / 4);
      // Counted by offset: where an address is beyond what a double counts in ones, `word++` would stand still.
      for (let offset = 0; offset < words; offset++) {
        const word = first + offset;
        const bank = Number.isFinite(word) ? ((word % 32) + 32) % 32 : 0;
        const seen = bankWords[bank]!;
        const known = bankCounts[bank]!;
        let entry = 0;
        while (entry < known && seen[entry] !== word) entry++;
        if (entry === known) {
          seen[known] = word;
          bankCounts[bank] = known + 1;
          if (known + 1 > most) most = known + 1;
        }
      }
    }
    wavefronts += most;
  }
  return { wavefronts, ideal: Math.min(wavefronts, Math.ceil((count * bytes) / 128)) };
}

/** Have the `width` lanes around the one at `from` the addresses of those beside them, or of those two further? */
function isPaired(addresses: Float64Array, lanes: Uint8Array, from: number, count: number, width: number): boolean {
  const group = Math.floor(lanes[from]! / width);
  return [1, 2].some((bit) => {
    for (let at = from; at < count && Math.floor(lanes[at]! / width) === group; at++)
      for (let other = at + 1; other < count && lanes[other]! <= lanes[at]! + bit; other++)
        if (lanes[other] === (lanes[at]! ^ bit) && addresses[other] !== addresses[at]) return false;
    return true;
  });
}

/** The largest power of two up to `step` that divides `by`. */
export function commonStep(step: number, by: number): number {
  let common = step;
  while (common > 1 && by % common !== 0) common /= 2;
  return common;
}

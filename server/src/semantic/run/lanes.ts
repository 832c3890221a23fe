// Values over the threads of a block: one number where all agree, else one number a thread; and masks of active
// threads.

/** One number for all threads, or one for each thread of the block in linear order. Never changed in place. */
export type Lanes = number | Float64Array;

/** Active threads of a block. Masks are never changed in place. */
export interface Mask {
  readonly bits: Uint8Array;
  readonly count: number;
}

/** Memory that vectors are cut from: a typed array with its own costs three times a view and its sum. */
const slabBytes = 1 << 17;
let slab = new ArrayBuffer(0);
let taken = 0;

function cut(bytes: number): number {
  const start = taken;
  taken += (bytes + 7) & ~7;
  if (taken <= slab.byteLength) return start;
  slab = new ArrayBuffer(slabBytes);
  taken = (bytes + 7) & ~7;
  return 0;
}

/** A vector of zeros, one a thread. */
export function freshLanes(threads: number): Float64Array {
  if (8 * threads > slabBytes / 4) return new Float64Array(threads);
  const start = cut(8 * threads);
  return new Float64Array(slab, start, threads);
}
export function freshBits(threads: number): Uint8Array {
  if (threads > slabBytes / 4) return new Uint8Array(threads);
  const start = cut(threads);
  return new Uint8Array(slab, start, threads);
}

const empties = new Map<number, Mask>();

export function fullMask(threads: number): Mask {
  return { bits: new Uint8Array(threads).fill(1), count: threads };
}
export function emptyMask(threads: number): Mask {
  let mask = empties.get(threads);
  if (!mask) {
    mask = { bits: new Uint8Array(threads), count: 0 };
    empties.set(threads, mask);
  }
  return mask;
}

/** Threads of `mask` whose `lanes` are not zero (`wanted` true) or are zero (false). */
export function select(mask: Mask, lanes: Lanes, wanted: boolean): Mask {
  if (typeof lanes === 'number') return (lanes !== 0) === wanted ? mask : emptyMask(mask.bits.length);
  const from = mask.bits;
  const bits = freshBits(from.length);
  let count = 0;
  for (let at = 0; at < bits.length; at++)
    if (from[at] && (lanes[at] !== 0) === wanted) {
      bits[at] = 1;
      count++;
    }
  return count === mask.count ? mask : { bits, count };
}
/** The threads that have the number `wanted`, else those that have that of the first. */
export function alike(mask: Mask, lanes: Lanes, wanted: number): Mask {
  const all = (number: number) => map1(lanes, (lane) => Number(lane === number));
  const those = select(mask, all(wanted), true);
  return those.count ? those : select(mask, all(laneAt(lanes, mask.bits.indexOf(1))), true);
}
export function without(mask: Mask, taken: Mask): Mask {
  if (taken.count === 0 || mask.count === 0) return mask;
  const bits = freshBits(mask.bits.length);
  let count = 0;
  for (let at = 0; at < bits.length; at++)
    if (mask.bits[at] && !taken.bits[at]) {
      bits[at] = 1;
      count++;
    }
  return { bits, count };
}
export function meets(left: Mask, right: Mask | undefined): boolean {
  return right !== undefined && left.bits.some((bit, at) => bit && right.bits[at]);
}
export function union(left: Mask, right: Mask): Mask {
  if (right.count === 0) return left;
  if (left.count === 0) return right;
  const bits = freshBits(left.bits.length);
  let count = 0;
  for (let at = 0; at < bits.length; at++)
    if (left.bits[at] || right.bits[at]) {
      bits[at] = 1;
      count++;
    }
  return { bits, count };
}

export function laneAt(lanes: Lanes, at: number): number {
  return typeof lanes === 'number' ? lanes : lanes[at]!;
}

/** `apply` over each thread; one call when both sides are uniform. */
export function map2(left: Lanes, right: Lanes, threads: number, apply: (a: number, b: number) => number): Lanes {
  if (typeof left === 'number') {
    if (typeof right === 'number') return apply(left, right);
    const out = freshLanes(threads);
    for (let at = 0; at < threads; at++) out[at] = apply(left, right[at]!);
    return out;
  }
  const out = freshLanes(threads);
  if (typeof right === 'number') for (let at = 0; at < threads; at++) out[at] = apply(left[at]!, right);
  else for (let at = 0; at < threads; at++) out[at] = apply(left[at]!, right[at]!);
  return out;
}
/** A number of each thread's place in its warp. */
export function byLane(threads: number, of: (lane: number) => number): Lanes {
  return settle(Float64Array.from({ length: threads }, (_, at) => of(at % 32)));
}
export function map1(lanes: Lanes, apply: (a: number) => number): Lanes {
  if (typeof lanes === 'number') return apply(lanes);
  const out = freshLanes(lanes.length);
  for (let at = 0; at < out.length; at++) out[at] = apply(lanes[at]!);
  return out;
}

// The four operations that kernels are made of stand written out: a call for each element costs ten times the sum.

export function add(left: Lanes, right: Lanes): Lanes {
  if (typeof left === 'number') {
    if (typeof right === 'number') return left + right;
    if (left === 0) return right;
    const out = freshLanes(right.length);
    for (let at = 0; at < out.length; at++) out[at] = left + right[at]!;
    return out;
  }
  if (right === 0) return left;
  const out = freshLanes(left.length);
  if (typeof right === 'number') for (let at = 0; at < out.length; at++) out[at] = left[at]! + right;
  else for (let at = 0; at < out.length; at++) out[at] = left[at]! + right[at]!;
  return out;
}
export function subtract(left: Lanes, right: Lanes): Lanes {
  if (typeof left === 'number') {
    if (typeof right === 'number') return left - right;
    const out = freshLanes(right.length);
    for (let at = 0; at < out.length; at++) out[at] = left - right[at]!;
    return out;
  }
  if (right === 0) return left;
  const out = freshLanes(left.length);
  if (typeof right === 'number') for (let at = 0; at < out.length; at++) out[at] = left[at]! - right;
  else for (let at = 0; at < out.length; at++) out[at] = left[at]! - right[at]!;
  return out;
}
export function multiply(left: Lanes, right: Lanes): Lanes {
  if (typeof left === 'number') {
    if (typeof right === 'number') return left * right;
    if (left === 1) return right;
    const out = freshLanes(right.length);
    for (let at = 0; at < out.length; at++) out[at] = left * right[at]!;
    return out;
  }
  if (right === 1) return left;
  const out = freshLanes(left.length);
  if (typeof right === 'number') for (let at = 0; at < out.length; at++) out[at] = left[at]! * right;
  else for (let at = 0; at < out.length; at++) out[at] = left[at]! * right[at]!;
  return out;
}

/** `next` on the threads of `mask`, `previous` elsewhere. */
export function blend(previous: Lanes, next: Lanes, mask: Mask): Lanes {
  if (mask.count === mask.bits.length) return next;
  if (typeof previous === 'number' && previous === next) return previous;
  const out = freshLanes(mask.bits.length);
  for (let at = 0; at < out.length; at++) out[at] = mask.bits[at] ? laneAt(next, at) : laneAt(previous, at);
  return out;
}

/** Do the active threads of any one warp, or of as many threads as `width`, disagree? */
export function variesInWarp(lanes: Lanes, mask: Mask, width = 32): boolean {
  if (typeof lanes === 'number') return false;
  for (let warp = 0; warp < lanes.length; warp += width) {
    let seen: number | undefined;
    const end = Math.min(lanes.length, warp + width);
    for (let at = warp; at < end; at++) {
      if (!mask.bits[at]) continue;
      if (seen === undefined) seen = lanes[at]!;
      else if (lanes[at] !== seen) return true;
    }
  }
  return false;
}
/** Do any two active threads of the block disagree? */
export function variesInBlock(lanes: Lanes, mask: Mask): boolean {
  return typeof lanes !== 'number' && variesInWarp(lanes, mask, lanes.length);
}
/** The value of the first active thread. */
export function firstActive(lanes: Lanes, mask: Mask): number {
  if (typeof lanes === 'number') return lanes;
  for (let at = 0; at < lanes.length; at++) if (mask.bits[at]) return lanes[at]!;
  return lanes[0] ?? 0;
}
/** A vector whose lanes all agree becomes one number. */
export function settle(lanes: Lanes): Lanes {
  if (typeof lanes === 'number') return lanes;
  const first = lanes[0]!;
  if (lanes[lanes.length - 1] !== first) return lanes;
  for (let at = 1; at < lanes.length; at++) if (lanes[at] !== first) return lanes;
  return first;
}
export function sameLanes(left: Lanes, right: Lanes): boolean {
  if (left === right) return true;
  if (typeof left === 'number' || typeof right === 'number') return false;
  for (let at = 0; at < left.length; at++) if (left[at] !== right[at]) return false;
  return true;
}

/** `second - first` where it is the same on all threads of `mask`. */
export function constantDelta(first: Lanes, second: Lanes, mask: Mask): number | undefined {
  if (typeof first === 'number' && typeof second === 'number') return second - first;
  let delta: number | undefined;
  for (let at = 0; at < mask.bits.length; at++) {
    if (!mask.bits[at]) continue;
    const step = laneAt(second, at) - laneAt(first, at);
    if (delta === undefined) delta = step;
    else if (delta !== step) return undefined;
  }
  return delta;
}

/** The remainder of a division that rounds down: from 0 to `by`, whatever the sign of `value`. */
export function modulo(value: number, by: number): number {
  return ((value % by) + by) % by;
}

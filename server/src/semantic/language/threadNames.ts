// The names by which code of a kernel knows its threads and meets them: the one vocabulary of CUDA's built-in variables
// and of functions in which threads exchange values or wait.

const places: ReadonlySet<string> = new Set(['threadIdx', 'blockIdx', 'blockDim', 'gridDim']);

/** A built-in variable that gives a thread's place, or the extents of block and grid. */
export function isThreadPlace(name: string): boolean {
  return places.has(name);
}

/** Any built-in variable of a kernel. */
export function isThreadName(name: string): boolean {
  return isThreadPlace(name) || name === 'warpSize';
}

/** What differs between threads: their index in the block, and the block's in the grid. */
export function isThreadNumber(name: string): boolean {
  return name === 'threadIdx' || name === 'blockIdx';
}

/** An atom of a polynomial that holds a thread's number. */
export const isThreadAtom = (atom: string): boolean => /threadIdx|blockIdx/.test(atom);

/** An atom of a polynomial that holds a thread's number or an extent. */
export const isPlaceAtom = (atom: string): boolean => /threadIdx|blockIdx|blockDim|gridDim/.test(atom);

const lanes = new RegExp(
  [
    '^__(?:shfl|ballot|any|all|activemask|match|reduce|syncwarp|lane|nv_cvta)|^this_',
    'tiled_partition|coalesced_threads|thread_rank',
  ].join('|'),
);

/** A function that knows the lanes of a warp or the members of a group. */
export function knowsLanes(name: string): boolean {
  return lanes.test(lastPart(name));
}

/** A function in which threads exchange values or wait for each other. */
export function meetsThreads(name: string): boolean {
  return knowsLanes(name) || /^__(?:sync|barrier)|^sync$/.test(lastPart(name));
}

/** Atomics whose order no one sees where the old value is dropped. */
export function isOrderlessAtomic(name: string): boolean {
  return /^atomic(Add|Sub|Max|Min|And|Or|Xor|Inc|Dec)(_block|_system)?$/.test(name);
}

/** The standard output streams of C++. */
export function isOutputStream(name: string): boolean {
  return /(?:^|::)(?:cout|cerr|clog)$/.test(name);
}

function lastPart(name: string): string {
  return name.slice(name.lastIndexOf(':') + 1);
}

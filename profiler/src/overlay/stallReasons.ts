// What each reason means for which a sampled warp did not issue, and what usually helps.

export interface StallReason {
  /** As the editor writes it. */
  readonly title: string;
  readonly meaning: string;
  /** Empty where there is nothing to fix. */
  readonly helps: string;
  /** The warp could have issued, or did: no stall. */
  readonly ready?: true;
}

const noInstruction: StallReason = {
  title: 'no instruction',
  meaning: 'waits for its next instruction to be fetched',
  helps: 'shorter code in loops, fewer jumps, larger grids',
};
const reasons: Readonly<Record<string, StallReason>> = {
  barrier: {
    title: 'barrier',
    meaning: 'waits for the other warps of its block at a barrier',
    helps: 'fewer barriers, warp shuffles, even work per warp, smaller blocks',
  },
  'branch resolving': {
    title: 'branch resolving',
    meaning: 'waits for the target of a branch',
    helps: 'fewer branches in inner loops, unrolling',
  },
  'dispatch stall': { title: 'dispatch stall', meaning: 'the dispatcher delayed the instruction (rare)', helps: '' },
  drain: { title: 'drain', meaning: 'waits for its last stores before exiting', helps: 'coalesced stores' },
  gmma: { title: 'GMMA', meaning: 'waits for a warpgroup matrix operation', helps: 'more matrix operations in flight' },
  'imc miss': {
    title: 'constant miss',
    meaning: 'waits for a constant that missed the cache',
    helps: 'uniform indices into constant memory',
  },
  'lg throttle': {
    title: 'LG throttle',
    meaning: 'the queue for local and global memory is full',
    helps: 'wider accesses, fewer of them, no spills',
  },
  'long scoreboard': {
    title: 'long scoreboard',
    meaning: 'waits for data from global or local memory',
    helps: 'coalescing, reuse through shared memory or registers, more loads in flight',
  },
  'math pipe throttle': {
    title: 'math pipe throttle',
    meaning: 'the arithmetic unit is busy',
    helps: 'cheaper operations, a mix of units',
  },
  membar: { title: 'memory barrier', meaning: 'waits at a memory fence', helps: 'fewer or narrower fences' },
  'mio throttle': {
    title: 'MIO throttle',
    meaning: 'the queue for shared memory and special functions is full',
    helps: 'wider shared accesses, shuffles, fewer bank conflicts',
  },
  misc: { title: 'other', meaning: 'a rare, unnamed reason', helps: '' },
  'no instructions': noInstruction,
  'no instruction': noInstruction,
  'not selected': { title: 'not selected', meaning: 'was ready while another warp issued', helps: '', ready: true },
  selected: { title: 'selected', meaning: 'issued', helps: '', ready: true },
  'short scoreboard': {
    title: 'short scoreboard',
    meaning: 'waits for data from shared memory or a special function',
    helps: 'no bank conflicts, fewer and wider shared accesses, shuffles',
  },
  sleeping: { title: 'sleeping', meaning: 'all its threads sleep', helps: 'shorter __nanosleep' },
  'tex throttle': {
    title: 'TEX throttle',
    meaning: 'the queue of the texture unit is full',
    helps: 'fewer texture accesses in a row',
  },
  wait: {
    title: 'wait',
    meaning: 'waits for the fixed latency of its previous instruction',
    helps: 'more warps, more independent instructions',
  },
  'warpgroup arrive': {
    title: 'warpgroup arrive',
    meaning: 'waits at a warpgroup barrier',
    helps: 'even work in the warpgroup',
  },
};

/** Meaning of a reason by its name from `stallReason`; a name that is not known yet stands for itself. */
export function stallReasonNamed(name: string): StallReason {
  return Object.hasOwn(reasons, name) ? reasons[name]! : { title: name, meaning: '', helps: '' };
}

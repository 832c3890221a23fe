// The words of cuda/uncoalesced-access: its page and its messages.
import type { RuleMeta } from '../../rule';

export const docs: RuleMeta['docs'] = {
  what:
    'Global memory moves in sectors of 32 bytes. A warp that reads neighbouring 4-byte elements needs ' +
    '4 sectors; far apart it needs up to 32 and discards most of each. The rule evaluates the index ' +
    'for each lane, with the block shape of the known launches, and reports an access with at least ' +
    '1.5 times the sectors that its bytes fill. It names the pattern: a stride in the lane (`a[tid * ' +
    "k]`), a chunk per thread, a row per thread, the thread's x on the slow axis, a field of an array " +
    'of structures, a vector type that moves in several instructions, a block narrower than a warp. An ' +
    'index that is loaded from memory or computed in floating point is a *gather*: its ' +
    'sectors are a range, never a figure. So are those of an access under a condition on data, whose active ' +
    'lanes may be as few as one of each sector.',
  why:
    'Unused bytes take the same bandwidth as used ones. An access with 8 times the ideal sectors runs ' +
    'at an eighth of the memory bandwidth unless caches hold the rest, and L1 lines needed by a later ' +
    'iteration are often evicted by then.',
  whenNot:
    'Silent for merely misaligned accesses (at most a quarter more sectors for 4-byte elements), ' +
    'broadcasts, accesses by a few lanes (the halo of a tile, one lane that stores a result), and ' +
    'unknown patterns. Where the array fits in L1 the cost is lower than the figure: check the measured ' +
    'line before a rewrite.',
  fix:
    'A loop over a chunk per thread becomes a grid-stride loop where iterations are independent ' +
    '(safe). Swaps x and y in kernel and launches where every index gains (unsafe: the y extent of a ' +
    "grid is at most 65535). Gives a thread's row to a warp, whose lanes read it side by side and " +
    'combine by shuffles; the launch asks for 32 times the threads, or the warps of a block share its ' +
    'rows (unsafe: float sums in another order differ by up to 2(n - 1)·2⁻²⁴ of the sum of the n magnitudes, ' +
    'which is much where terms cancel). A kernel that only moves values from rows to columns gets a ' +
    'padded tile in shared memory (unsafe: uses that memory). Blocks narrower than a warp become 32 wide ' +
    'where the kernel uses nothing but its index along x and y (unsafe: more rows of blocks, padded along ' +
    'x). A structure of 4, 8 or 16 bytes is aligned to its size (unsafe: all code must see the same ' +
    'declaration). Where allocation, copies, launches and every use of an array of structures are in one ' +
    'file, its fields get separate arrays on the GPU (unsafe: copies take longer, and no other code may ' +
    'use the array). Neighbouring stores of a thread become one vector ' +
    'store (`float4`) where all launches in view prove its address aligned (safe). By hand: let neighbouring ' +
    'threads read neighbouring elements, use a ' +
    'structure of arrays, or stage the data through a shared tile.',
  references: [
    {
      title: 'CUDA C++ Best Practices Guide, Coalesced Access to Global Memory',
      url: 'https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/index.html#coalesced-access-to-global-memory',
    },
    {
      title: 'Nsight Compute, source metrics (L2 Theoretical Sectors Global)',
      url: 'https://docs.nvidia.com/nsight-compute/ProfilingGuide/index.html#source-metrics',
    },
  ],
  measurement: 'h200-rule-pairs',
};

export const messages = {
  stride:
    'Uncoalesced {access} `{array}`: {ratio} sectors{share}. Neighbouring threads are {stride} apart: ' +
    '{sectors} sectors instead of {ideal}{assuming}.',
  'unknown-stride':
    'Uncoalesced {access} `{array}`: {ratio} sectors{share}. Neighbouring threads are {unknown} apart ' +
    '(value unknown): {sectors} sectors instead of {ideal}{assuming}.',
  'chunk-per-thread':
    'Uncoalesced {access} `{array}`: {ratio} sectors{share}. Each thread reads its own chunk, so the ' +
    'lanes of a warp are a chunk apart: {sectors} sectors instead of {ideal}{assuming}. In a ' +
    'grid-stride loop neighbouring threads take neighbouring elements.',
  'row-per-thread':
    'Uncoalesced {access} `{array}`: {ratio} sectors{share}. Each thread walks its own row or ' +
    'chunk, so the lanes of a warp are that far apart: {sectors} sectors instead of {ideal}{assuming}. Give each row ' +
    'to a warp, or store the array transposed.',
  'slow-axis':
    'Uncoalesced {access} `{array}`: {ratio} sectors{share}. `threadIdx.x` runs along the slow axis, ' +
    'so neighbouring lanes are a row apart: {sectors} sectors instead of {ideal}{assuming}.',
  'struct-field':
    'Uncoalesced {access} `{array}`: {ratio} sectors{share}. Each thread touches one field of its ' +
    'structure, {stride} from the next: {sectors} sectors instead of {ideal}{assuming}. A structure of ' +
    'arrays makes the fields contiguous.',
  'vector-type':
    'Uncoalesced {access} `{array}`: {ratio} sectors{share}. `{type}` moves in several {bytes}-byte ' +
    'instructions, each with its lanes {stride} apart: {sectors} sectors instead of {ideal}{assuming}. ' +
    'A type aligned to 8 or 16 bytes moves in one.',
  'whole-struct':
    'Uncoalesced {access} `{array}`: {ratio} sectors{share}. Each thread moves its own structure in ' +
    'several {bytes}-byte instructions whose lanes are {stride} apart: {sectors} sectors instead of ' +
    '{ideal}{assuming}. A structure of arrays makes the fields contiguous.',
  'narrow-block':
    'Uncoalesced {access} `{array}`: {ratio} sectors{share}. The block is narrower than a warp, so a ' +
    'warp spans several rows: {sectors} sectors instead of {ideal}{assuming}. A block at least 32 ' +
    'threads wide keeps a warp on one row.',
  'short-rows':
    'Uncoalesced {access} `{array}`: {ratio} sectors{share}. The lanes of a warp touch several short ' +
    'pieces, a row apart: {sectors} sectors instead of {ideal}{assuming}.',
  scattered:
    'Uncoalesced {access} `{array}`: {ratio} sectors{share}. Neighbouring lanes do not touch ' +
    'neighbouring elements: {sectors} sectors instead of {ideal}{assuming}.',
  masked:
    'Sparse {access} `{array}`: {ratio} sectors{share}. Data decide which lanes are active, as few as one of each ' +
    'sector: {sectors} sectors whose used bytes fit in {ideal}{assuming}. Where few lanes are active, collect their ' +
    'elements first.',
  gather:
    'Scattered {access} `{array}`: up to {most} sectors instead of {ideal}. The index `{index}` is {origin} ' +
    'and differs between lanes, so the cost depends on the data.',
};

export type Message = keyof typeof messages;

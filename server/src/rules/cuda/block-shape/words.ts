// The words of cuda/block-shape: its page and its messages.
import type { RuleMeta } from '../../rule';

export const docs: RuleMeta['docs'] = {
  what:
    'A block runs in warps of 32 lanes: a block of 48 threads takes two warps and leaves a quarter of ' +
    'the lanes idle, a block of one thread leaves 31 of 32. Blocks below 64 threads reach the limit of ' +
    'resident blocks before a multiprocessor is full; blocks above 1024 do not launch. The rule reads ' +
    'constant block sizes through `dim3` variables, macros and template arguments. It also reports ' +
    'constant grids with fewer blocks than the chosen GPU has multiprocessors, and blocks of 512 ' +
    'threads and more where each thread runs loops and the element count sets the grid ' +
    '(likelihood_kernel of Rodinia took 1.9 times as long with 512 as with 128 on a V100, as GPA ' +
    'measured).',
  why:
    'Idle lanes cannot hide latency. The measured pairs show the cost of the shape alone, with the ' +
    'kernel unchanged.',
  whenNot:
    'Silent when the block size is unknown, when a launch site uses several block sizes, for a single ' +
    'block, and for set-up kernels that do constant work in one thread. The tail wave of a grid is not ' +
    'reported: it depends on registers.',
  fix:
    'Where the kernel guards its index and the grid is a ceil-division by the same constant, rounds ' +
    'the block up to whole warps, at least 64 threads (safe). Where the kernel uses only its grid-wide ' +
    'thread index and guards it, rewrites the launch with blocks of 256, or 16 × 16 in a plane ' +
    '(unsafe: the last block is padded). A kernel with one-thread blocks indexed by block gets 256 ' +
    'threads per block, in the kernel and at its launches (unsafe for the same reason). A small grid of large ' +
    'blocks gets smaller ones where the same threads then reach all multiprocessors (unsafe: resources of a ' +
    'block change), or more blocks where the loops of the kernel share their work among any number of threads ' +
    '(unsafe: other threads take each iteration).',
  references: [
    {
      title: 'CUDA C++ Best Practices Guide, Thread and Block Heuristics',
      url: 'https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/index.html#thread-and-block-heuristics',
    },
    {
      title: 'CUDA C++ Programming Guide, Technical Specifications per Compute Capability',
      url:
        'https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html' +
        '#features-and-technical-specifications-technical-specifications-per-compute-capability',
    },
  ],
  measurement: 'h200-rule-pairs',
};

export const messages = {
  'one-thread':
    'One thread per block: 31 of 32 lanes are idle. Every warp of `{kernel}` has one active thread. ' +
    'Use at least 64 threads per block.',
  'not-warps':
    '{threads} threads per block: {idle} of {lanes} lanes are idle. The block {shape} of `{kernel}` is ' +
    'not a multiple of 32, so its last warp is not full{held}.',
  small:
    '{threads} threads per block are too few. `{kernel}` reaches the limit of resident blocks ' +
    'before a multiprocessor is full{held}.',
  large:
    '{threads} threads per block may leave multiprocessors idle. Fewer than {most} elements give fewer ' +
    'blocks than the {multiprocessors} multiprocessors of {gpu}, and each thread of `{kernel}` runs ' +
    'loops. Smaller blocks spread the same threads further.',
  'too-large':
    '{threads} threads per block: the launch fails. A block holds at most 1024, and `{kernel}` is ' +
    'launched with {shape}.',
  'one-block':
    'One block for {multiprocessors} multiprocessors: {resting} of them are idle. No iteration of the loop in ' +
    '`{kernel}` needs another, so blocks can share them: begin at `blockIdx.x` and step by `gridDim.x`.',
  'small-grid':
    '{blocks} for {multiprocessors} multiprocessors: {resting} of them are idle. `{kernel}` leaves ' +
    'that part of {gpu} unused.',
};

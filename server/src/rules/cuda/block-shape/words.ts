// The messages of cuda/block-shape.
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
  short:
    'Blocks of {threads} threads end faster than new ones begin. `{kernel}` does little in each: the GPU waits for ' +
    'blocks, not for memory. Use blocks of 256 threads.',
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
  serial:
    'One thread runs all of `{kernel}`: the rest of {gpu} is idle. Its loops wait for memory one access after the ' +
    'other. A library call (CUB, Thrust) or an algorithm that shares the work among threads does not.',
  'small-grid':
    '{blocks} for {multiprocessors} multiprocessors: {resting} of them are idle. `{kernel}` leaves ' +
    'that part of {gpu} unused.',
};

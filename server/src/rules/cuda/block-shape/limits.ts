// Threads of a block: what the hardware allows, and what fills a multiprocessor.
export const largestBlock = 1024;
export const smallestUseful = 64;
/** Copies are fastest with it (docs/measurements/h200-constants.md). */
export const usualBlock = 256;

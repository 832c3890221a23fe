// Threads of a block: what the hardware allows, and what fills a multiprocessor.
export const largestBlock = 1024;
export const smallestUseful = 64;

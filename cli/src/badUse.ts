// The error of bad use, which every command can load without the readers of sources.

/** Ends the program with exit code 2 and one sentence. */
export class BadUse extends Error {}

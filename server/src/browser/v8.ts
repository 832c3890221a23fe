// `node:v8` for the browser's server: a page cannot say how its engine compiles.

/** Does nothing: the browser compiles the grammars beside the work. */
export function setFlagsFromString(): void {}

// The door of this room: the kinds of facts, and the patterns that find them.
export { keptFacts } from './kept';
export type { FileContext, RunContext } from './kinds';
export { createPatterns } from './patterns';
export { fileKinds, functionKinds, noFacts, runKinds } from './registry';

// The door of this room: two texts run on the same data.
export type { Runnable } from './launched';
export { resultChange, keepRunnable, type Verdict, verified } from './verify';

// The door of this room: two texts run on the same data.
export type { Runnable } from './launched';
export { changeOfResults, keepRunnable, type Verdict, verified } from './verify';

// The door of this room: work that could be divided otherwise.
export { findFusions } from './fusions';
export { keysOfLaunches } from './keys';
export { findProducts } from './allProducts';
export { findReplays } from './replays';

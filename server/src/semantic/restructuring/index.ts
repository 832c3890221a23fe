// The door of this room: work that could be divided otherwise.
export { findBlockProducts } from './blockProducts';
export { findFusions } from './fusions';
export { keysOfLaunches } from './keys';
export { findProducts } from './products';
export { findReplays } from './replays';

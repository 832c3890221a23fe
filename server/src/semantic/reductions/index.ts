// The door of this room: reductions, proven and rewritten.
export { blockAtomicOf } from './blockAtomics';
export { findSweeps } from './find';

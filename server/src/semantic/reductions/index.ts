// The door of this room: reductions, proven and rewritten.
export { blockAtomics } from './blockAtomics';
export { findSweeps } from './find';

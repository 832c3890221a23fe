// The door of this room: reductions, proven and rewritten.
export { findSweeps } from './find';

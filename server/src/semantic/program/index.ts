// The one engine of effects: what a piece of a program does, and what two pieces have in common.
export * from './effects';
export { argumentRoots, holderOf, isOwn, mayOverlap, type Root, rootOf, separation } from './dependence';
export { runsOnce } from './firstIteration';
export * from './unseen';

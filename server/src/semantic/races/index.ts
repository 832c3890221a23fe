// The door of this room: races and overruns in what kernels did.
export { type SupposedRun, type Text, commonRaces, isOfLine, supposedGlobal, supposedRun } from './anyBlock';
export { racesOfSizes } from './anySize';
export * from './raceFacts';
export { type RepeatedAtomic, repeatedAtomics } from './repeats';
export { outermostBlocks, mayLeaveRoom } from './overruns';
export { type GivenUnset, mayReadUnset, unsetGlobalOf } from './unsetGlobals';
export { type WrongAccess, wrongAccessesOf, wrongFacts } from './wrongAccesses';
export { guardsOf, type TriedLaunch } from './guards';

// The one engine of effects: what a piece of a program does, and what two pieces have in common.
export {
  calleeOf,
  hasMacro,
  hidesEffects,
  holdsBarrier,
  isAggregate,
  isArithmetic,
  isBlockBarrier,
  isProgramFunction,
  isPure,
  isPureCall,
  isReturn,
  leavings,
  mayChange,
  touchesMemory,
} from './effects';
export { argumentRoots, holderOf, isOwn, mayOverlap, type Root, rootOf, separation } from './dependence';
export { runsOnce } from './firstIteration';
export {
  codeOf,
  isHandedOn,
  isKnownCall,
  isNamedElsewhere,
  leftOutNamesThreads,
  mayWait,
  mayMeet,
  namesThreads,
  ordering,
  placesNamed,
  sharesGlobals,
  unseenIn,
} from './unseen';

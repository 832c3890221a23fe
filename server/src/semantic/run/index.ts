// The door of this room: kernels run on the lanes of their launches, and what a run records.
export { createCompiler } from './compile';
export { wavefrontsOf, sectorsOf } from './cost';
export { keyOfPassedValue, passedOf } from './passedValues';
export type { PassedValue, Room } from './passedValueShape';
export { add, freshLanes, laneAt, modulo, multiply, type Lanes } from './lanes';
export { knownOf, sameForm, witnessOf, type Form } from './unknowns';
export { calleeOf } from './launchCalls';
export type { LaunchConfiguration, LaunchSample } from './launchConfiguration';
export { type Locator, createLocator, loopRefs } from './locate';
export type { UnreadRecord } from './losses';
export { createRecorder } from './recorder';
export { run, type RunResult } from './run';
export { baseNamed, isOfCall } from './state';
export type { AnyAccess, ScatteredAccess, Signal, TracedAccess, TraceEvent } from './accessLog';
export { createSharedTrace } from './sharedTrace';
export {
  type Compiler,
  type AccessRecord,
  Kept,
  type Condition,
  Taint,
  type BranchRecord,
  type BarrierRecord,
  type AccessHangs,
  type AccessSums,
  type AccessTally,
  type RunSetup,
  type LaunchRecord,
  blank,
  type Value,
  uncertain,
  type MemoryBase,
  type Contents,
  type MemoryPlace,
  type Path,
  type Recorder,
} from './values';
export { emptySums, emptyTally, type StrideSample } from './records';

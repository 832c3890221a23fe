// The door of this room: what the host asks of the runtime, and what its loops repeat.
export { type HostLoop, loopsAround, tripsOf, loopRef, writesIn, runtimeCallsOf, type RuntimeCall } from './calls';
export { calleesOf, isNull, reachedFrom } from './callees';
export { isGlobalWrittenIn } from './changes';
export { findRuntimeCalls } from './find';
export { createHostLoops } from './hostLoops';
export { knowledgeOf, staysLoop } from './knownValues';
export { indentOf, putAfter, putBefore } from './moves';

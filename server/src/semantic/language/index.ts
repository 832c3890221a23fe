// The door of this room: what names, types, places and values are in a program's text.
export { atomicFunctions, atomicOperators } from './atomicFunctions';
export { append, forgetAnswers, once, onceWith, oncePerBody, oncePerFunction } from './append';
export { runsOf } from './fileRuns';
export * from './algebra';
export { areApart, areApartBetweenThreads } from './apart';
export { collectCallSites, runsOnHostAlone } from './callSites';
export { candidatesOf } from './candidates';
export { orderedBy } from './comparisons';
export {
  counted,
  type CountedLoop,
  type CountStep,
  countStep,
  countsUp,
  type LocalLoop,
  tripsBetween,
  turned,
} from './countedLoops';
export { constantOf, applyConstant, isOfVariable } from './constants';
export { deduce, withDefaults, decay, ownTemplateParams, stripReference } from './deduction';
export { distinctPlaces } from './distinctPlaces';
export { costOfDivision, isParameterOfTemplate, numberOf, savedByReciprocal } from './divisions';
export { familyOf } from './families';
export { functorOf, isWork, workOf } from './forwarding';
export { type BlockShape, Fn, launchesIn, launchOf, type LaunchSite, launchSiteAt, launchSitesOf } from './fn';
export { FunctionText, newlineOf, indentBeyond } from './functionText';
export {
  atomName,
  type Index,
  isStable,
  localsIn,
  fixedPolynomial,
  localPolynomial,
  wholePolynomial,
} from './indexPolynomials';
export { typesWithin } from './instanceTypes';
export { instancesOf, instanceKey, type Instance } from './instances';
export { deviceLambdasOf, lambdaFunction } from './lambdas';
export { kernelsNamed, mayStart, startedBy, type Launching } from './launchedKernels';
export { callsOf, bodyLaunches, mayReachLaunch } from './launching';
export {
  inquiries,
  isHarmless,
  touchesArgumentsOnly,
  isAllocator,
  touchesHostOnly,
  isLibraryClock,
  asksForStatus,
  categoryOf,
  endsProgram,
  isLibraryStatus,
  isPrinting,
  isSampleCheck,
  isValueFunction,
  isAtomicFunction,
  takesByValue,
  isContainerMember,
  keepsToArguments,
  asksContainer,
  partners,
  handsResultsOn,
  isDeviceAlgorithm,
  owningVectors,
  isFloatFunction,
  isOverloadedMath,
  costOfFunction,
  exchangeOf,
  meetingOf,
  tileMovedBy,
  givesPointer,
} from './libraryFunctions';
export {
  declarationsWith,
  functionsWith,
  includedHosts,
  isMentionedByIncluded,
  isConstructor,
  lastPart,
  type Program,
  createProgram,
  scopeAround,
  globalsMeant,
} from './program';
export * from './scope';
export { settledMembers } from './settledMembers';
export { isSameType } from './specialisations';
export {
  mentions,
  assignedNames,
  namesIn,
  some,
  walk,
  withoutCasts,
  isStatement,
  type AnySyntax,
  rootName,
  rootOfAddress,
  containsLaunch,
  childrenOf,
  isConditionLoop,
  reachesMemory,
  isElement,
  elementNames,
  leaves,
} from './statements';
export * from './threadNames';
export { dependsOnBlock, dependsOnThread, usesAxis } from './threadUses';
export { pickByScope, createTypeTable } from './typeTable';
export {
  scalarNamed,
  sizeOf,
  type Type,
  opaqueSizes,
  typeName,
  type TypeTable,
  intType,
  isSizeKnown,
  innermost,
  type Bindings,
  boundValue,
  noBindings,
  type ScalarType,
  vectors,
  floatType,
  doubleType,
  longType,
  unsignedType,
  voidType,
  type StructType,
  dim3Type,
  boolType,
  alignOf,
  boundType,
} from './types';
export { elementOfObject, typingOf, isDouble, isDoubleMacro, isFloat, type Typing, arithmetic } from './typing';
export { isVolatile } from './volatiles';
export { deepened, inBlock, indentAround, isBareBody, startWithPragmas, writtenAround } from './blocks';

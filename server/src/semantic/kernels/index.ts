// The door of this room: kernels run under their launches, and the facts of what they did.
export { accessFacts, reportedAt } from './accesses';
export { barrierFacts } from './barriers';
export { bodyOf } from './bodies';
export { branchFacts } from './branches';
export { accessFixes, type FixFacts, raceFixes } from './fixes';
export { createHostsAbout } from './hostsAbout';
export { workOfThread } from './arithmetic';
export { bodyFact, kernelFact } from './kernelFacts';
export { type AccessSummary, type KernelRun, budgetAfter, configurationsOf, runKernel } from './kernelRuns';
export { type LaunchFixes, launchFacts } from './launchFacts';
export { unsetFacts } from './unsetFacts';
export { type FoundLaunch, type KeptRuns, configurationOf, findLaunches } from './launches';

// Every kind of fact, a line each: a new kind is a file of this folder and a line here.
export { build, kernel, launch, overrun, unset } from './ofFiles';
export { double, fusion, math, product, replay, runtimeCall, sweep } from './ofFunctions';
export { access, barrier, branch, misaligned, race, unread } from './ofRuns';
export { scan } from './scan';
export { localArrays } from './localArrays';

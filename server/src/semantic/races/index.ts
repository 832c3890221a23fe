// The door of this room: races and overruns in what kernels did.
export { type SupposedRun, type Text, commonRaces, isOfLine, supposedGlobal, supposedRun } from './anyBlock';
export {
  type GivenShared,
  type OverrunSummary,
  type RaceSummary,
  globalRacesOf,
  overrunFacts,
  overrunsOf,
  raceFacts,
  racesOf,
} from './raceFacts';

// The door of this room: races and overruns in what kernels did.
export { type SupposedRun, type Text, commonRaces, isOfLine, supposedRun } from './anyBlock';
export {
  type GivenShared,
  type OverrunSummary,
  type RaceSummary,
  overrunFacts,
  overrunsOf,
  raceFacts,
  racesOf,
} from './raceFacts';

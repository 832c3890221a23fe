// Measuring a fix and sweeping a number: runs what was profiled last, and shows the result beside the code.
import { commands } from 'vscode';
import type { FeatureContext } from '../featureContext';
import type { Profiling } from '../profiling/profiling';
import { measureBesideFixes, measureFixCommand, offerSweeps, sweepCommand } from './measureActions';
import { fixMeasurer } from './measureFix';
import { createMeasurements } from './measurement';
import { sweeper } from './sweep';
import { createTrialPanels, type TrialPanels } from './trialPanel';

export type { MeasureArguments } from './measureFix';
export type { SweepArguments } from './readyRun';

export interface TrialFeature {
  readonly panels: TrialPanels;
  /** What the progress said in the last measurement, in order. */
  readonly said: readonly string[];
  cancel(): void;
}

export function activateTrial({
  extension,
  server,
  profiling,
}: FeatureContext & { readonly profiling: Profiling }): TrialFeature {
  const panels = createTrialPanels((message) => void profiling.asking.say('warning', message));
  const measurements = createMeasurements(profiling, panels);
  server.use(measureBesideFixes(() => profiling.isTrusted()));
  extension.subscriptions.push(
    panels,
    offerSweeps(server, () => profiling.isTrusted()),
    { dispose: () => measurements.cancel() },
    commands.registerCommand(measureFixCommand, fixMeasurer(server, profiling, measurements)),
    commands.registerCommand(sweepCommand, sweeper(server, profiling, measurements)),
  );
  return {
    panels,
    get said() {
      return measurements.said;
    },
    cancel: () => measurements.cancel(),
  };
}

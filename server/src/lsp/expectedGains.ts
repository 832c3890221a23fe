// Fixes as they are tried for menus, once for each reading: which are offered, and what the title promises.
import type { WorkspaceEdit } from 'vscode-languageserver';
import type { Fix, Interval } from '../rules/rule';
import { createTrials, type Trial, type Trials, type Version } from '../workspace/trials';
import { withExpected } from '../rules/wording';
import type { Reading, Readings } from './readings';

/** The constants behind a promise are those of this compute capability. */
const measuredOn = 9;

export interface Tries {
  readonly trials: Trials;
  /** The edits of several fixes at once, by what asked for them. */
  readonly several: Map<string, WorkspaceEdit | string>;
}

export function createTries(readings: Pick<Readings, 'asIf'>): (reading: Reading) => Tries {
  const known = new WeakMap<Reading, Tries>();
  return (reading) => {
    const trials = createTrials(reading.uri, (text) => {
      if (text === reading.text) return versionOf(reading);
      const { model, findings } = readings.asIf(reading, text);
      return model && { text, model, gpu: reading.gpu, findings };
    });
    const tries = known.get(reading) ?? { trials, several: new Map() };
    known.set(reading, tries);
    return tries;
  };
}

export function versionOf({ text, model, gpu, result }: Reading): Version {
  return { text, model, gpu, findings: result.findings };
}

/** The title with what the trial promises. */
export function titleOf(fix: Fix, trial: Trial | undefined, { gpu }: Reading): string {
  const gain = trial && 'gain' in trial && gpu.computeCapability === measuredOn ? trial.gain : undefined;
  return gain ? withExpected(fix.title, gainText(gain)) : fix.title;
}

/** Below 1.1 two runs of the same program differ as much. */
export function gainText([least, most]: Interval): string {
  if (most < 1.1) return 'no gain in time';
  const text = (gain: number): string => (gain < 9.95 ? gain.toFixed(1) : String(Math.round(gain)));
  return text(least) === text(most) ? `≈ ${text(most)}× faster` : `${text(least)}–${text(most)}× faster`;
}

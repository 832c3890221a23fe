// Fixes as they are tried when somebody opens the menu: which of them are offered, and what the title promises.
import type { ResolvedFinding } from '../lint/finding';
import type { Fix, Interval } from '../rules/rule';
import { createTrials, type Trial, type Trials, type Version } from '../workspace/trials';
import { withExpected } from '../rules/wording';
import type { Reading, Readings } from './readings';

/** The constants behind a promise are those of this compute capability. */
const measuredOn = 9;

export interface ExpectedGains {
  /** What came of trying a fix of the version on screen; undefined if not known, and not requested (`now`). */
  trialOf(reading: Reading, finding: ResolvedFinding, fix: Fix, now: boolean): Trial | undefined;
}

export function createExpectedGains(readings: Pick<Readings, 'asIf'>): ExpectedGains {
  let stamp = '';
  const known = new Map<string, Trial>();
  return {
    trialOf(reading, finding, fix, now) {
      if (stamp !== `${reading.uri} ${reading.stamp}`) known.clear();
      stamp = `${reading.uri} ${reading.stamp}`;
      const key = `${finding.rule} ${finding.message} ${finding.at.start} ${fix.title}`;
      if (!known.has(key) && now) known.set(key, trialsOf(readings, reading).of(versionOf(reading), finding, fix));
      return known.get(key);
    },
  };
}

export function trialsOf(readings: Pick<Readings, 'asIf'>, reading: Reading): Trials {
  return createTrials(reading.uri, (text) => {
    const { model, findings } = readings.asIf(reading, text);
    return model && { text, model, gpu: reading.gpu, findings };
  });
}

function versionOf({ text, model, gpu, result }: Reading): Version {
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

// What the model expects a fix to bring in time, for the title of its action: computed when somebody opens the menu.
import { applyEdits } from '../workspace/edits';
import type { ResolvedFinding } from '../lint/finding';
import { predictedGain } from '../cost/kernelTime';
import type { Fix } from '../rules/rule';
import type { Reading, Readings } from './readings';

/** A menu does not wait for the analysis of longer texts. */
const longestText = 200_000;
/** The constants behind the prediction are those of this compute capability. */
const measuredOn = 9;

export interface ExpectedGains {
  /** The title with what is expected; without it if unknown, or if not requested (`now`) and slow. */
  titleOf(reading: Reading, finding: ResolvedFinding, fix: Fix, now: boolean): string;
}

export function createExpectedGains(readings: Pick<Readings, 'modelAsIf'>): ExpectedGains {
  let stamp = '';
  const known = new Map<string, string>();
  return {
    titleOf(reading, finding, fix, now) {
      const { uri, text, gpu } = reading;
      const isHere = fix.edits.every(({ at }) => at.uri === uri);
      // Fixes of other findings do not change what memory is asked for, which is all that the prediction counts.
      if (finding.waste !== 'access' || gpu.computeCapability !== measuredOn || !isHere || text.length > longestText)
        return fix.title;
      if (stamp !== `${uri} ${reading.stamp}`) known.clear();
      stamp = `${uri} ${reading.stamp}`;
      const key = `${finding.at.start} ${fix.title}`;
      if (!known.has(key) && now) known.set(key, expected(reading, finding, fix));
      return fix.title + (known.get(key) ?? '');
    },
  };

  function expected(reading: Reading, finding: ResolvedFinding, fix: Fix): string {
    const after = applyEdits(reading.text, fix.edits, reading.uri);
    const model = after === undefined ? undefined : readings.modelAsIf(reading, after);
    const gain = model && predictedGain(reading.model, model, reading.gpu, finding.at)?.gain;
    return gain === undefined || !Number.isFinite(gain) ? '' : ` (expected: ${gainText(gain)})`;
  }
}

/** Below 1.1 two runs of the same program differ as much. */
export function gainText(gain: number): string {
  if (gain < 1.1) return 'no gain in time';
  return `about ${gain < 9.95 ? gain.toFixed(1) : Math.round(gain)}×`;
}

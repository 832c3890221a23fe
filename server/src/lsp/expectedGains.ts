// Fixes as they are tried for menus, once for each reading: which are offered, and what the title promises.
import type { WorkspaceEdit } from 'vscode-languageserver';
import type { ResolvedFinding } from '../lint/finding';
import { notOfferedText } from '../lint/refusals';
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

const known = new WeakMap<Reading, Tries>();

/** Shared by menu and hover: a fix is tried once for each reading. */
export function triesOf(reading: Reading, readings: Pick<Readings, 'asIf'>): Tries {
  let tries = known.get(reading);
  if (!tries) {
    const trials = createTrials(reading.uri, (text) => {
      if (text === reading.text) return versionOf(reading);
      const { model, findings } = readings.asIf(reading, text);
      return model && { text, model, gpu: reading.gpu, findings };
    });
    known.set(reading, (tries = { trials, several: new Map() }));
  }
  return tries;
}

export function versionOf({ text, model, gpu, result }: Reading): Version {
  return { text, model, gpu, findings: result.findings };
}

interface Offer {
  readonly fix: Fix;
  readonly trial: Exclude<Trial, { readonly refused: unknown }>;
  /** With what the trial promises. */
  readonly title: string;
}

export interface Offers {
  readonly offers: readonly Offer[];
  /** Why the other fixes are not offered. */
  readonly sentences: readonly string[];
}

/** The fixes of a finding that are offered, `most` of them. */
export function offersOf(finding: ResolvedFinding, reading: Reading, { trials }: Tries, most = Infinity): Offers {
  const offers: Offer[] = [];
  const sentences: string[] = [];
  for (const fix of finding.fixes) {
    if (offers.length >= most) break;
    const trial = trials.of(versionOf(reading), finding, fix);
    if ('refused' in trial) sentences.push(notOfferedText(fix.title, trial.refused));
    else offers.push({ fix, trial, title: titleOf(fix, trial, reading) });
  }
  return { offers, sentences };
}

function titleOf({ title }: Fix, trial: Offer['trial'], { gpu }: Reading): string {
  const gain = gpu.computeCapability === measuredOn ? trial.gain : undefined;
  return gain ? withExpected(title, gainText(gain)) : title;
}

/** Below 1.1 two runs of the same program differ as much. */
export function gainText([least, most]: Interval): string {
  if (most < 1.1) return 'no gain in time';
  const text = (gain: number): string => (gain < 9.95 ? gain.toFixed(1) : String(Math.round(gain)));
  return text(least) === text(most) ? `≈ ${text(most)}× faster` : `${text(least)}–${text(most)}× faster`;
}

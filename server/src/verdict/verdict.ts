// What every client prints of a finding: the predicted gain, the fixes, and why others are not offered.
import type { ResolvedFinding } from '../lint/finding';
import { refusalText } from '../lint/refusals';
import type { Fix, Interval } from '../rules/rule';
import { gainText, rangeText, ratioText, withExpected } from '../rules/wording';
import type { Trial, Trials } from '../workspace/trials';

interface Judged {
  readonly verdict: NonNullable<ResolvedFinding['verdict']>;
  /** `tried` has its repairs, and what its trial promises in the title. */
  readonly offers: readonly { readonly fix: Fix; readonly tried: Fix }[];
  /** Why other fixes are not offered, or there is none. */
  readonly why: readonly string[];
}

/** The constants behind a promise are those of this compute capability. */
const measuredOn = 9;

/** Trials read the file once more for each fix; a verdict without them says so. */
export function verdictOf(finding: ResolvedFinding, text: string, trials?: Trials): Judged {
  const offers: Judged['offers'][number][] = [];
  const why: string[] = [];
  let promised: Interval | undefined;
  for (const fix of finding.fixes) {
    const trial: Trial = trials?.of(text, finding, fix) ?? { fix };
    if ('refused' in trial) {
      why.push(`Not offered, because ${trial.refused}: ${fix.title}.`);
      continue;
    }
    const gain = trials?.read(text)?.gpu.computeCapability === measuredOn ? trial.gain : undefined;
    const title = gain ? withExpected(trial.fix.title, fasterText(gain)) : trial.fix.title;
    if (offers.length === 0) promised = gain;
    offers.push({ fix, tried: { ...trial.fix, title } });
  }
  const refusal = refusalText(finding);
  if (refusal !== undefined) why.push(refusal);
  const note = trials ? '' : ', not tried';
  const titles = offers.map(({ tried }) => `Fix (${tried.applicability}${note}): ${tried.title}.`);
  // One gain: two figures for one kernel would contradict each other, and a trial knows the edits.
  const { gain, expectedGain } = finding;
  const [figure, sentence] = promised
    ? [rangeText(promised, ratioText), `Predicted ${fasterText(promised)} with the fix.`]
    : gain
      ? [ratioText(expectedGain ?? gain[0]), `Predicted ${gainText(gain, expectedGain)} without this waste.`]
      : [];
  const isInTitle = promised !== undefined && titles[0]!.includes(fasterText(promised));
  const isSure = finding.severity === 'error' || finding.severity === 'warning';
  const confirm = isSure && finding.confirm !== undefined ? [finding.confirm] : [];
  const { name, times } = (isSure && finding.heavier) || {};
  if (times)
    confirm.push(`The host launches \`${name}\` about ${Math.round(times)}× as often, and its blocks move more.`);
  const sentences = [...confirm, ...(sentence === undefined || isInTitle ? [] : [sentence]), ...titles, ...why];
  return { offers, why, verdict: { ...(figure === undefined ? {} : { figure }), sentences } };
}

/** Below 1.1 two runs of the same program differ as much. */
function fasterText([least, most]: Interval): string {
  if (most < 1.1) return 'no gain in time';
  const text = (gain: number): string => (gain < 9.95 ? gain.toFixed(1) : String(Math.round(gain)));
  return least < 1.05 ? `up to ${text(most)}× faster` : `${text(least)}–${text(most)}× faster`;
}

// A fix is tried before it is offered: the patched text is read, and its predicted times and findings are held against
// those of the text as it is.
import { type Choice, usual } from '../cost/choice';
import { thresholds } from '../cost/grade';
import { predictedGains, predictedMicroseconds, type Gain } from '../cost/kernelTime';
import { severities, type ResolvedFinding } from '../lint/finding';
import type { Fix, Interval } from '../rules/rule';
import { longestTitle } from '../rules/wording';
import { resultChange } from '../semantic';
import type { Edit, Gpu, Model } from '../semantic/model';
import { lineTable } from '../syntax/lines';
import { sharedEnd, sharedStart } from '../syntax/relex';
import { applyEdits, type Tried } from './edits';

/** A text as it was read. */
export interface Version {
  readonly text: string;
  readonly model: Model;
  readonly gpu: Gpu;
  readonly findings: readonly ResolvedFinding[];
}

/** A fix as it can be offered, or why it is not. */
export type Trial =
  | {
      readonly fix: Fix;
      /** Time of the kernel before over after; absent where nothing is predicted, or a launch takes as long. */
      readonly gain?: Interval;
    }
  | { readonly refused: string };

export interface Trials extends Tried {
  /** What is known of a text; the last one is kept. */
  read(text: string): Version | undefined;
  /** Tries a fix of a finding; where it brings a finding as heavy, once more with the fixes of that one. */
  of(text: string, finding: ResolvedFinding, fix: Fix): Trial;
}

/** A kernel, and its microseconds before and after. */
type Changes = readonly (readonly [string, number, number])[];

/** The shortest and the longest loops that count where the code leaves their length open. */
const extremes: readonly Choice[] = [thresholds.extent, thresholds.extent ** 2].map((trips) => ({
  ...usual,
  trips: () => trips,
}));
const lengths: readonly Choice[] = [usual, ...extremes];

/** Trials of longer texts would keep a menu waiting: their fixes are offered as they are. */
const longestText = 200_000;
/** What the prediction of a kernel's time is off by at the median (docs/measurements/gains.md). */
const predictionError = 0.11;
/** What a predicted gain is off by at most in nine of ten (docs/measurements/fixes.md). */
const calibration = 1.5;
/** Rounds of fixes for what a fix brings. */
const mostRepairs = 2;

/** `read`: what is known of a text in the place of the file's; undefined where it is refused. */
export function createTrials(uri: string, read: (text: string) => Version | undefined): Trials {
  let last: Version | undefined;
  const readOnce = (text: string): Version | undefined => (last = last?.text === text ? last : read(text));
  const texts: string[] = [];
  const known = new Map<string, Trial>();
  return {
    read: readOnce,
    of: triedOnce,
  };

  /** Findings that weigh the same share the trial of an edit. */
  function triedOnce(text: string, finding: ResolvedFinding, fix: Fix): Trial {
    const before = readOnce(text);
    if (!before) return { fix };
    if (!texts.includes(before.text)) texts.push(before.text);
    const { severity, expectedGain, within, waste } = finding;
    const weight = [severity, expectedGain, within, waste, relaunched(before, finding)];
    const key = JSON.stringify([texts.indexOf(before.text), fix, weight]);
    const trial = known.get(key) ?? tried(before, finding, fix);
    known.set(key, trial);
    return trial;
  }

  function tried(before: Version, finding: ResolvedFinding, fix: Fix): Trial {
    const isHere = fix.edits.every(({ at }) => at.uri === uri);
    if (!isHere || before.text.length > longestText) return fix.proof ? { refused: 'a run cannot check it' } : { fix };
    let text = applyEdits(before.text, fix.edits, uri);
    let refused = '';
    let title: string | undefined = fix.title;
    for (let repairs = 0; text !== undefined && repairs <= mostRepairs; repairs++) {
      const after = read(text);
      if (!after) break;
      const why = against(before, after, [finding]);
      if (why === undefined) {
        const twin = twinOf(before, after, uri);
        if (twin !== undefined) return { refused: `\`${twin}\` is what the fix would make of it` };
        const launched = relaunched(before, finding);
        if (launched !== undefined && !gainsInAll(before, after, launched))
          return { refused: `\`${launched}\` is not predicted to gain by it in every case` };
        const gain = promised(gainsOf(before, after, usual), before, after, finding, fix);
        const isCompared = finding.waste !== 'operation' && (!fix.mends || fix.proof);
        const count = (all: Version): number => all.findings.filter((one) => keyOf(one) === keyOf(finding)).length;
        if (isCompared && fix.mends && count(after) >= count(before)) return { refused: 'the race stays' };
        const changed = isCompared && resultChange(before.model, after.model, fix.proof, fix.mends);
        if (changed) return { refused: changed };
        if (gain && gain[1] < thresholds.information)
          return { refused: `\`${finding.within}\` is predicted to take as long` };
        if (gain && gain[0] < 1 + predictionError && linesOf(before.text, fix.edits) > 1)
          return { refused: `\`${finding.within}\` may gain too little for edits on several lines` };
        const whole = repairs === 0 ? fix : { ...fix, title, edits: [replacement(uri, before.text, text)] };
        return { fix: whole, ...(gain && { gain: calibrated(gain, before, after, finding) }) };
      }
      refused ||= why;
      const repair = brought(before, after, [finding])?.fixes.find(
        ({ applicability }) => applicability === 'safe' || fix.applicability === 'unsafe',
      );
      title = repair && titleOfBoth(title, repair.title);
      if (title === undefined) break;
      text = repair?.edits.every(({ at }) => at.uri === uri) ? applyEdits(text, repair.edits, uri) : undefined;
    }
    return refused === '' ? { fix } : { refused };
  }

  /** Why a text that took the place of another is no better, where findings were fixed in it. */
  function against(before: Version, after: Version, fixed: readonly ResolvedFinding[]): string | undefined {
    // Loops whose length the code leaves open may be short or long: a fix is refused where none of them gains by it.
    const all = lengths.map((choice) => changesBetween(before, after, choice));
    const [changes] = all as [Changes];
    // A call is one operator to the prediction, which does not see what the paths of a branch cost. What is wrong at
    // any speed is fixed at any cost.
    const isUncounted = fixed.some(({ waste }) => waste === 'issue' || waste === undefined);
    const isSlower = ([, now, then]: Changes[number]): boolean => !isUncounted && then > now * thresholds.information;
    const slower = changes.find((change) =>
      all.every((each) => each.some((one) => one[0] === change[0] && isSlower(one))),
    );
    if (slower) {
      const [name, now, then] = slower;
      return `\`${name}\` is predicted to take ${timeText(then)} instead of ${timeText(now)}`;
    }
    const added = brought(before, after, fixed);
    // What a new finding costs is in the predicted time; without one its weight decides.
    const isFaster = isUncounted || all.flat().some(([, now, then]) => now >= then * thresholds.information);
    if (!added || (isFaster && added.severity !== 'error')) return undefined;
    return `it brings a finding as heavy: ${added.text.split(/[.:] /)[0]}`;
  }

  /** Microseconds of kernels before and after; together where one took over what another did. */
  function changesBetween(before: Version, after: Version, choice: Choice): Changes {
    const gains = [...gainsOf(before, after, choice)].map(
      ([name, gain]) => [name, gain.before.microseconds, gain.after.microseconds] as const,
    );
    const launches = ({ model }: Version, name: string): number =>
      model.facts.launch.filter(({ kernelName }) => kernelName === name).length;
    const launched = [before, after].flatMap(({ model }) => model.facts.launch.map(({ kernelName }) => kernelName));
    const moved = [...new Set(launched)].filter((name) => launches(before, name) !== launches(after, name));
    if (moved.length === 0) return gains;
    const [now, then] = [before, after].map(({ model }) => predictedMicroseconds(model, before.gpu, choice));
    const apart = moved.filter((name) => now!.has(name) || then!.has(name));
    const sum = (times: ReadonlyMap<string, number>): number =>
      apart.reduce((total, name) => total + (times.get(name) ?? 0), 0);
    const changes = gains.filter(([name]) => !apart.includes(name));
    return apart.length === 0 ? changes : [...changes, [apart[0]!, sum(now!), sum(then!)]];
  }

  function gainsOf(before: Version, after: Version, choice: Choice): ReadonlyMap<string, Gain> {
    return predictedGains(before.model, after.model, before.gpu, choice);
  }

  /** Does the kernel gain, however long its loops are? */
  function gainsInAll(before: Version, after: Version, kernel: string): boolean {
    return lengths.every((choice) => {
      const gain = gainsOf(before, after, choice).get(kernel)?.gain;
      return gain !== undefined && gain >= thresholds.information;
    });
  }

  /**
   * Of the kernel around the finding, over the loops that the code leaves open. Within the time of a launch only of
   * edits at several places that gain nothing at any length: one place needs less of a reason.
   */
  function promised(
    gains: ReadonlyMap<string, Gain>,
    before: Version,
    after: Version,
    { within, waste }: ResolvedFinding,
    { edits }: Fix,
  ): Interval | undefined {
    // Fixes of other findings do not change what memory is asked for, which is most of what the prediction counts.
    const gain = waste === 'access' && within !== undefined ? gains.get(within) : undefined;
    if (!gain || within === undefined) return undefined;
    const all = extremes.flatMap((choice) => {
      const one = gainsOf(before, after, choice).get(within)?.gain;
      return one !== undefined && Number.isFinite(one) ? [one] : [];
    });
    const isOpen = !isLong(gain) && (written(edits).length === 1 || Math.max(...all) >= thresholds.information);
    return all.length > 0 && !isOpen ? [Math.min(...all), Math.max(...all)] : undefined;
  }

  /** With what a prediction is off by; a grid that is not known may be a small one. */
  function calibrated([least, most]: Interval, before: Version, after: Version, { within }: ResolvedFinding): Interval {
    const gains = extremes.flatMap((choice) => {
      const one = gainsOf(before, after, { ...choice, blocks: thresholds.extent }).get(within!);
      return one && isLong(one) ? [Math.max(1, one.gain)] : [];
    });
    return [Math.max(1, Math.min(least, ...gains) / calibration), Math.max(most, ...gains) * calibration];
  }
}

/** Does the kernel take longer than its launch? */
function isLong({ before: { busy, microseconds } }: Gain): boolean {
  return busy >= microseconds - busy;
}

/** The kernel of a launch that a finding is about. */
function relaunched({ model }: Version, { at }: ResolvedFinding): string | undefined {
  const isAt = (span: ResolvedFinding['at']): boolean => span.start === at.start && span.end === at.end;
  return model.facts.launch.find(({ blockAt, gridAt }) => isAt(blockAt) || isAt(gridAt))?.kernelName;
}

/** The kernel of the file that another one became the same as: who keeps both compares them. */
function twinOf(before: Version, after: Version, uri: string): string | undefined {
  const then = bodiesOf(after, uri);
  const now = bodiesOf(before, uri);
  for (const [name, body] of then)
    if (now.has(name) && now.get(name) !== body)
      for (const [other, same] of then) if (other !== name && same === body && now.get(other) === body) return other;
  return undefined;
}

/** Parameters and body of each kernel of a file by its name, without comments and blanks. */
function bodiesOf({ text, model }: Version, uri: string): ReadonlyMap<string, string> {
  const here = model.facts.kernel.filter(({ at, nameAt }) => at.uri === uri && nameAt.uri === uri);
  return new Map(
    here.map(({ qualifiedName, at, nameAt }) => [
      qualifiedName,
      text.slice(nameAt.end, at.end).replace(/\/\*[\s\S]*?\*\/|\/\/.*|\s+/g, ''),
    ]),
  );
}

/** What a fix and its repair do, without figures where they are too long; undefined where a menu cannot show both. */
function titleOfBoth(title: string, repair: string): string | undefined {
  const note = / \([^()]*\)$/;
  const second = repair[0]!.toLowerCase() + repair.slice(1);
  const [head] = title.split(/[,:] | \(/);
  return [
    `${title}; ${second}`,
    `${title}; ${second.replace(note, '')}`,
    `${head}; ${second.replace(note, '')}${note.exec(title)?.[0] ?? ''}`,
  ].find(({ length }) => length <= longestTitle);
}

/** The gravest finding of the text after that the text before did not have, and that is no lighter than what went. */
function brought(before: Version, after: Version, fixed: readonly ResolvedFinding[]): ResolvedFinding | undefined {
  const counts = new Map<string, number>();
  for (const finding of before.findings) counts.set(keyOf(finding), (counts.get(keyOf(finding)) ?? 0) + 1);
  const most = [...fixed].sort(byWeight)[0];
  for (const finding of [...after.findings].sort(byWeight).reverse()) {
    // Who runs which iterations of an OpenACC loop was the compiler's choice until a directive said so.
    if (finding.waste === 'layout') continue;
    const left = counts.get(keyOf(finding)) ?? 0;
    if (left > 0) counts.set(keyOf(finding), left - 1);
    else if (most && byWeight(finding, most) <= 0) return finding;
  }
  return undefined;
}

/** Without its place and its figures, which a fix moves. */
function keyOf({ rule, message, within, data, markOf }: ResolvedFinding): string {
  return [rule, message, within, data['array'], markOf !== undefined].join('\n');
}

/** The heaviest first: by severity, and by what it costs. */
function byWeight(a: ResolvedFinding, b: ResolvedFinding): number {
  const bySeverity = severities.indexOf(b.severity) - severities.indexOf(a.severity);
  return bySeverity !== 0 ? bySeverity : (b.expectedGain ?? 1) - (a.expectedGain ?? 1);
}

/** What a fix writes besides the blanks that keep the layout. */
function written(edits: Fix['edits']): Fix['edits'] {
  return edits.filter(({ layout }) => !layout);
}

/** How many lines the edits begin on. */
function linesOf(text: string, edits: Fix['edits']): number {
  const table = lineTable(text);
  return new Set(written(edits).map(({ at }) => table.positionAt(at.start).line)).size;
}

function timeText(microseconds: number): string {
  return microseconds < 1000 ? `${microseconds.toFixed(1)} µs` : `${(microseconds / 1000).toFixed(1)} ms`;
}

/** The one edit that turns a text into another, without what they share before and after. */
export function replacement(uri: string, text: string, next: string): Edit {
  const start = sharedStart(text, next);
  const end = sharedEnd(text, next, start);
  return { at: { uri, start, end: text.length - end }, newText: next.slice(start, next.length - end) };
}

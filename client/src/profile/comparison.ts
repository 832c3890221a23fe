// Two opened reports beside each other: where the lines of the earlier are in the later one, and what changed on them.
import { changesBetween, type LineNow, type ReportChanges } from '../../../profiler/src/overlay/changes';
import { movedLines, sourceLines as linesOfTexts } from '../../../profiler/src/overlay/movedLines';
import type { PageBaseline } from '../../../profiler/src/overlay/reportPage';
import { comparisonRemarks } from '../../../profiler/src/report/dialects';
import type { Profile } from './profile';

/** What lies over the lines in place of a metric: the difference to an earlier report. */
export interface Comparison {
  /** What the earlier report is called. */
  readonly name: string;
  readonly earlier: Profile;
  readonly changes: ReportChanges;
  /** Why figures of the two do not compare. */
  readonly remarks: readonly string[];
}

export function compareProfiles(name: string, earlier: Profile, later: Profile): Comparison {
  const changes = changesBetween(earlier.kernels, later.kernels, lineNowOf(earlier, later));
  return { name, earlier, changes, remarks: comparisonRemarks(earlier, later) };
}

export function baselineOfPage(name: string, earlier: Profile, later: Profile): PageBaseline {
  return { name, kernels: earlier.kernels, lineNow: lineNowOf(earlier, later), sourceOf: sourceLines(earlier) };
}

/** The text of a profiled line; empty where it is not known. */
export function sourceLines(profile: Profile): (file: string, line: number) => string {
  return linesOfTexts(textsOf(profile));
}

/** Where lines of the earlier report are in the later one's sources. */
export function lineNowOf(earlier: Profile, later: Profile): LineNow {
  return movedLines(earlier.kernels, textsOf(earlier), later.kernels, textsOf(later));
}

function textsOf({ places }: Profile): ReadonlyMap<string, string> {
  return new Map(
    [...places].flatMap(([path, { profiled }]) => (profiled === undefined ? [] : [[path, profiled] as const])),
  );
}

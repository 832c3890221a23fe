// The table of what each line cost or saved between two reports, as data: the same for the report page and the command
// line.
import { amount, percent } from '../lines/amounts';
import { nameOf } from '../lines/sourceMapping';
import { changeWords, costText, levelOf } from './changeMarks';
import type { ChangeVerdict, CountedMetric, KernelChange, LineChange } from './changes';
import { firstReason, ratioText } from './marks';

export interface ChangeRow {
  readonly file: string;
  /** In the later report's sources; undefined where the line is gone. */
  readonly line?: number;
  /** `transpose.cu:18`; `transpose.cu:11 before` where the line is gone. */
  readonly label: string;
  readonly source: string;
  /** `−21.9 µs`; empty where the time did not change. */
  readonly cost: string;
  readonly verdict: ChangeVerdict;
  /** `36.2% → 25.9%` */
  readonly share: string;
  /** `MIO throttle → long scoreboard`, or the one that both have. */
  readonly reason: string;
  /** Reasons whose share changed, with their shares of the kernel before and after. */
  readonly reasons: string;
  readonly sectors: string;
  readonly wavefronts: string;
  readonly instructions: string;
  /** Which of the counters changed. */
  readonly changed: readonly CountedMetric[];
  /** What is new, gone or edited. */
  readonly state: string;
  /** What each column is sorted by; absent where it has no figure. */
  readonly sort: Readonly<Record<'place' | 'cost' | 'share' | 'reason' | CountedMetric, number | string | undefined>>;
}

/**
 * The rows of a kernel, what cost or saved most first. `textBefore` and `textAfter` give the profiled texts of lines
 * where they are known.
 */
export function changeRows(
  kernel: KernelChange,
  textBefore: (file: string, line: number) => string,
  textAfter: (file: string, line: number) => string,
): ChangeRow[] {
  return kernel.lines
    .filter(({ verdict }) => verdict !== 'same')
    .map((change) => {
      const { line, lineBefore, file, shareBefore = 0, shareAfter = 0, counts, before, after } = change;
      const count = (metric: CountedMetric): (typeof counts)[number] | undefined =>
        counts.find((each) => each.metric === metric);
      const difference = (metric: CountedMetric): number | undefined => {
        const found = count(metric);
        return found && found.after - found.before;
      };
      return {
        file,
        ...(line === undefined ? {} : { line }),
        label: line === undefined ? `${nameOf(file)}:${lineBefore} before` : `${nameOf(file)}:${line}`,
        source: (line === undefined ? textBefore(file, lineBefore!) : textAfter(file, line)).trim(),
        cost: costText(change),
        verdict: levelOf(kernel, change.verdict),
        share: `${before ? percent(shareBefore) : '–'} → ${after ? percent(shareAfter) : '–'}`,
        reason: fromTo(before && firstReason(before.values), after && firstReason(after.values)),
        reasons: change.reasons
          .map(({ title, before: from, after: to }) => `${title} ${percent(from)} → ${percent(to)}`)
          .join(', '),
        sectors: countText(count('sectors'), change),
        wavefronts: countText(count('wavefronts'), change),
        instructions: countText(count('instructions'), change),
        changed: counts.filter(({ changed }) => changed).map(({ metric }) => metric),
        state: changeWords(change).find((word) => /^(new|edited|no longer)/.test(word)) ?? '',
        sort: {
          place: `${nameOf(file)} ${String(line ?? lineBefore).padStart(7, '0')}`,
          cost: change.costNs ?? shareAfter - shareBefore,
          share: shareAfter,
          reason: after && firstReason(after.values),
          sectors: difference('sectors'),
          wavefronts: difference('wavefronts'),
          instructions: difference('instructions'),
        },
      };
    });
}

function fromTo(before: string | undefined, after: string | undefined): string {
  if (before === after || after === undefined) return before ?? '–';
  return before === undefined ? after : `${before} → ${after}`;
}

/** Against the ideal where the ratio tells the change, else as amounts a launch. */
function countText(count: LineChange['counts'][number] | undefined, { before, after }: LineChange): string {
  if (!count) return '–';
  const { ratioBefore, ratioAfter, before: from, after: to } = count;
  const amounts = (value: number, there: boolean): string => (there && value > 0 ? amount(value) : '–');
  if (ratioBefore !== undefined && ratioAfter !== undefined && ratioText(ratioBefore) !== ratioText(ratioAfter))
    return `${ratioText(ratioBefore)} → ${ratioText(ratioAfter)}`;
  if (from === to || !count.changed) return amounts(to, true);
  return `${amounts(from, before !== undefined)} → ${amounts(to, after !== undefined)}`;
}
